//! In-memory store of identity providers, links and service accounts.

use std::collections::BTreeMap;

use causeway_proto::ids::{AccountId, ProviderName, RoleName, UserId};

use super::{MemoryStore, State, sessions::SessionSelector};
use crate::{
    identity_providers::model::{Identity, IdentityProvider, LinkPlace, MOST_PROVIDERS, Settings},
    request::{Recorded, UserRequest},
    secret::SecretDigest,
    service_accounts::model::{ServiceAccount, TrustRule},
    sessions::model::UserSession,
    store::{Change, IdentityStore, StoreFuture},
    users::model::UserStatus,
};

/// The rows of sign-ins.
#[derive(Debug, Default)]
pub(crate) struct SignIns {
    pub providers: Vec<IdentityProvider>,
    pub identities: Vec<(AccountId, Identity)>,
    pub trust: Vec<((AccountId, UserId), Vec<TrustRule>)>,
    pub sessions: Vec<(SecretDigest, UserSession)>,
    /// When each bucket is full again.
    pub throttles: BTreeMap<String, i64>,
}

impl IdentityStore for MemoryStore {
    fn list_identity_providers<'a>(
        &'a self,
        account: &'a AccountId,
    ) -> StoreFuture<'a, Vec<IdentityProvider>> {
        self.with(|state| {
            let all = state.sign_ins.providers.iter();
            let mut own: Vec<_> = all.filter(|it| it.account == *account).cloned().collect();
            own.sort_by(|a, b| a.provider.cmp(&b.provider));
            own
        })
    }

    fn find_identity_provider<'a>(
        &'a self,
        account: &'a AccountId,
        provider: &'a ProviderName,
    ) -> StoreFuture<'a, Option<IdentityProvider>> {
        self.with(|state| state.provider(account, provider).cloned())
    }

    fn create_identity_provider<'a>(
        &'a self,
        request: &'a UserRequest,
        provider: &'a IdentityProvider,
    ) -> StoreFuture<'a, Change<IdentityProvider>> {
        self.with(|state| {
            let (account, name) = (&provider.account, &provider.provider);
            if let Some(recorded) = state.recall(request) {
                return state.repeated(&recorded, |state| state.provider(account, name).cloned());
            }
            if state.is_overtaken(request) {
                return Change::Overtaken;
            }
            if let Some(role) = state.unknown_given(request, &provider.settings) {
                return Change::RoleUnknown(role);
            }
            if state.provider(account, name).is_some() {
                return Change::NameTaken;
            }
            let there = state.sign_ins.providers.iter();
            if there.filter(|it| it.account == *account).count() >= MOST_PROVIDERS {
                return Change::Full;
            }
            state.sign_ins.providers.push(provider.clone());
            state.remember(request, name.as_str(), provider.created_at);
            Change::Made(Recorded::First(provider.clone()))
        })
    }

    fn update_identity_provider<'a>(
        &'a self,
        request: &'a UserRequest,
        changed: &'a IdentityProvider,
        version: &'a str,
        now: i64,
    ) -> StoreFuture<'a, Change<IdentityProvider>> {
        self.with(|state| {
            let (provider, settings) = (&changed.provider, &changed.settings);
            if let Some(recorded) = state.recall(request) {
                return state.repeated(&recorded, |state| {
                    state.provider(&request.account, provider).cloned()
                });
            }
            let Some(found) = state.provider(&request.account, provider) else {
                return Change::Unknown;
            };
            let there = found.version();
            if state.is_overtaken(request) {
                return Change::Overtaken;
            }
            if there != version {
                return Change::Stale;
            }
            if let Some(role) = state.unknown_given(request, settings) {
                return Change::RoleUnknown(role);
            }
            let own = |it: &&mut IdentityProvider| {
                it.account == request.account && it.provider == *provider
            };
            let found = state.sign_ins.providers.iter_mut().find(own);
            let found = found.expect("it was found just now");
            let same = found.settings.lets_in_the_same(settings);
            let same_names = found.settings.user_claim == settings.user_claim;
            found.change_to(changed);
            let changed = found.clone();
            let account = &request.account;
            if !same {
                state.end_sessions(account, SessionSelector::Provider(provider), now);
            }
            let waits = |(of, it): &(AccountId, Identity)| {
                of == account && it.provider == *provider && it.subject.is_none()
            };
            let rows = &mut state.sign_ins.identities;
            rows.retain(|row| same_names || !waits(row));
            state.changed(request, provider.as_str(), now);
            Change::Made(Recorded::First(changed))
        })
    }

    fn delete_identity_provider<'a>(
        &'a self,
        request: &'a UserRequest,
        provider: &'a ProviderName,
        now: i64,
    ) -> StoreFuture<'a, Change<()>> {
        self.with(|state| {
            if let Some(recorded) = state.recall(request) {
                return state.repeated(&recorded, |_| Some(()));
            }
            let account = &request.account;
            if state.is_overtaken(request) {
                return Change::Overtaken;
            }
            if state.provider(account, provider).is_none() {
                return Change::Unknown;
            }
            let rows = &mut state.sign_ins;
            rows.providers
                .retain(|it| it.account != *account || it.provider != *provider);
            rows.identities
                .retain(|(of, it)| of != account || it.provider != *provider);
            state.end_sessions(account, SessionSelector::Provider(provider), now);
            state.changed(request, provider.as_str(), now);
            Change::Made(Recorded::First(()))
        })
    }

    fn list_sealed<'a>(
        &'a self,
        behind: Option<&'a IdentityProvider>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<IdentityProvider>> {
        self.with(|state| {
            let place = |it: &IdentityProvider| (it.account.clone(), it.provider.clone());
            let behind = behind.map(place);
            let sealed = state.sign_ins.providers.iter();
            let mut sealed: Vec<_> = sealed
                .filter(|it| it.secret.is_some() && Some(place(it)) > behind)
                .cloned()
                .collect();
            sealed.sort_by_key(place);
            sealed.truncate(limit as usize);
            sealed
        })
    }

    fn reseal<'a>(
        &'a self,
        provider: &'a IdentityProvider,
        sealed: Vec<u8>,
    ) -> StoreFuture<'a, ()> {
        self.with(|state| {
            let same = |it: &&mut IdentityProvider| {
                (&it.account, &it.provider) == (&provider.account, &provider.provider)
                    && it.secret == provider.secret
            };
            let found = state.sign_ins.providers.iter_mut().find(same);
            if let Some(secret) = found.and_then(|found| found.secret.as_mut()) {
                secret.sealed = sealed;
            }
        })
    }

    fn link_identity<'a>(
        &'a self,
        request: &'a UserRequest,
        identity: &'a Identity,
    ) -> StoreFuture<'a, Change<Identity>> {
        self.with(|state| {
            let account = &request.account;
            let found = |state: &State| state.same_link(account, identity).cloned();
            if let Some(recorded) = state.recall(request) {
                return state.repeated(&recorded, found);
            }
            if state.is_overtaken(request) {
                return Change::Overtaken;
            }
            let user = state.user(account, &identity.user);
            let there = user.is_some_and(|user| user.standing() != UserStatus::Deleted);
            let serves = state.service_account(account, &identity.user).is_some();
            if !there || serves || state.provider(account, &identity.provider).is_none() {
                return Change::Unknown;
            }
            if state.is_taken(account, identity) {
                return Change::NameTaken;
            }
            let row = (account.clone(), identity.clone());
            state.sign_ins.identities.push(row);
            state.remember(request, identity.user.as_str(), identity.linked_at);
            Change::Made(Recorded::First(identity.clone()))
        })
    }

    fn unlink_identity<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a UserId,
        provider: &'a ProviderName,
        now: i64,
    ) -> StoreFuture<'a, Change<()>> {
        self.with(|state| {
            if let Some(recorded) = state.recall(request) {
                return state.repeated(&recorded, |_| Some(()));
            }
            if state.is_overtaken(request) {
                return Change::Overtaken;
            }
            let account = &request.account;
            let rows = &mut state.sign_ins.identities;
            let before = rows.len();
            rows.retain(|(of, it)| of != account || it.provider != *provider || it.user != *user);
            if rows.len() == before {
                return Change::Unknown;
            }
            state.end_sessions(
                account,
                SessionSelector::UserByProvider(user, provider),
                now,
            );
            state.changed(request, user.as_str(), now);
            Change::Made(Recorded::First(()))
        })
    }

    fn list_identities<'a>(
        &'a self,
        account: &'a AccountId,
        user: &'a UserId,
        (behind, limit): (Option<&'a LinkPlace>, u32),
    ) -> StoreFuture<'a, Vec<Identity>> {
        self.with(|state| {
            let all = state.sign_ins.identities.iter();
            let own = all.filter(|(of, it)| {
                of == account
                    && it.user == *user
                    && behind.is_none_or(|behind| it.place() > *behind)
            });
            let mut own: Vec<_> = own.map(|(_, it)| it.clone()).collect();
            own.sort_by_key(Identity::place);
            own.truncate(limit as usize);
            own
        })
    }

    fn create_service_account<'a>(
        &'a self,
        request: &'a UserRequest,
        service_account: &'a ServiceAccount,
    ) -> StoreFuture<'a, Change<ServiceAccount>> {
        self.with(|state| {
            let user = &service_account.user;
            if let Some(recorded) = state.recall(request) {
                return state.repeated(&recorded, |state| {
                    state.service_account(&user.account, &user.user)
                });
            }
            if state.is_overtaken(request) {
                return Change::Overtaken;
            }
            if let Some(unknown) = state.unknown_role(request, &user.roles) {
                return Change::RoleUnknown(unknown);
            }
            if state.has_user(user) {
                return Change::NameTaken;
            }
            state.create_user(user);
            let key = (user.account.clone(), user.user.clone());
            let row = (key, service_account.trust.clone());
            state.sign_ins.trust.push(row);
            state.changed(request, user.user.as_str(), user.created_at);
            Change::Made(Recorded::First(service_account.clone()))
        })
    }

    fn set_trust_rules<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a UserId,
        trust: &'a [TrustRule],
        now: i64,
    ) -> StoreFuture<'a, Change<ServiceAccount>> {
        self.with(|state| {
            let account = &request.account;
            let found = |state: &State| state.service_account(account, user);
            if let Some(recorded) = state.recall(request) {
                return state.repeated(&recorded, found);
            }
            let known = found(state).filter(|it| it.user.standing() != UserStatus::Deleted);
            let Some(mut changed) = known else {
                return Change::Unknown;
            };
            if state.is_overtaken(request) {
                return Change::Overtaken;
            }
            changed.trust = trust.to_vec();
            let mut rows = state.sign_ins.trust.iter_mut();
            let row = rows.find(|((of, it), _)| of == account && it == user);
            if let Some((_, rules)) = row {
                *rules = trust.to_vec();
            }
            state.end_sessions(account, SessionSelector::User(user), now);
            state.changed(request, user.as_str(), now);
            Change::Made(Recorded::First(changed))
        })
    }

    fn list_service_accounts<'a>(
        &'a self,
        account: &'a AccountId,
        behind: Option<&'a UserId>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<ServiceAccount>> {
        self.with(|state| {
            let all = state.sign_ins.trust.iter();
            let own = all.filter(|((of, user), _)| {
                of == account && behind.is_none_or(|behind| user > behind)
            });
            let mut own: Vec<_> = own
                .filter_map(|((_, user), _)| state.service_account(account, user))
                .filter(|it| it.user.standing() != UserStatus::Deleted)
                .collect();
            own.sort_by(|a, b| a.user.user.cmp(&b.user.user));
            own.truncate(limit as usize);
            own
        })
    }

    fn find_service_account<'a>(
        &'a self,
        account: &'a AccountId,
        user: &'a UserId,
    ) -> StoreFuture<'a, Option<ServiceAccount>> {
        self.with(|state| state.service_account(account, user))
    }
}

impl State {
    pub(crate) fn provider(
        &self,
        account: &AccountId,
        provider: &ProviderName,
    ) -> Option<&IdentityProvider> {
        let mut providers = self.sign_ins.providers.iter();
        providers.find(|it| it.account == *account && it.provider == *provider)
    }

    pub(crate) fn service_account(
        &self,
        account: &AccountId,
        user: &UserId,
    ) -> Option<ServiceAccount> {
        let mut rows = self.sign_ins.trust.iter();
        let (_, trust) = rows.find(|((of, it), _)| of == account && it == user)?;
        Some(ServiceAccount {
            user: self.user(account, user)?.clone(),
            trust: trust.clone(),
        })
    }

    /// The link that stands where this one would.
    pub(crate) fn same_link(&self, account: &AccountId, link: &Identity) -> Option<&Identity> {
        let same = |it: &Identity| match (&it.subject, &link.subject) {
            (Some(one), Some(other)) => one == other,
            (None, None) => it.name == link.name,
            (Some(_), None) | (None, Some(_)) => false,
        };
        let mut rows = self.sign_ins.identities.iter();
        let found = rows.find(|(of, it)| of == account && it.provider == link.provider && same(it));
        found.map(|(_, it)| it)
    }

    /// True if a subject is linked, or somebody of a name is. Links by name that are over are removed.
    pub(crate) fn is_taken(&mut self, account: &AccountId, link: &Identity) -> bool {
        let rows = &mut self.sign_ins.identities;
        rows.retain(|(_, it)| !it.is_over(link.linked_at));
        if self.same_link(account, link).is_some() {
            return true;
        }
        let mut rows = self.sign_ins.identities.iter();
        let named = |it: &Identity| it.provider == link.provider && it.name == link.name;
        link.subject.is_none() && rows.any(|(of, it)| of == account && named(it))
    }

    pub(crate) fn unknown_given(
        &self,
        request: &UserRequest,
        settings: &Settings,
    ) -> Option<RoleName> {
        let given: Vec<_> = settings.group_roles.values().flatten().cloned().collect();
        self.unknown_role(request, &given)
    }

    /// Which provider gives a role to a group, in words.
    pub(crate) fn giving_provider(&self, account: &AccountId, role: &RoleName) -> Option<String> {
        let mut providers = self.sign_ins.providers.iter();
        let giving = providers.find(|it| it.account == *account && it.settings.gives(role));
        giving.map(|it| format!("a group of the identity provider {}", it.provider))
    }
}
