//! In-memory store of sessions.

use std::cmp::Reverse;

use causeway_proto::ids::{AccountId, KeyId, ProviderName, SessionId, UserId};

use super::{MemoryStore, State};
use crate::{
    identity_providers::model::{Identity, Person},
    request::{Recorded, UserRequest},
    secret::SecretDigest,
    sessions::model::{MOST_SESSIONS, SessionHolder, SessionPlace, UserSession},
    store::{Authenticated, Change, SessionRequest, SessionStore, SignInOutcome, StoreFuture},
    users::model::User,
};

/// Selects sessions.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SessionSelector<'a> {
    Id(&'a SessionId),
    User(&'a UserId),
    Key(&'a KeyId),
    Provider(&'a ProviderName),
    UserByProvider(&'a UserId, &'a ProviderName),
}

impl SessionStore for MemoryStore {
    fn begin_session<'a>(
        &'a self,
        beginning: &'a SessionRequest,
        session_id: &'a SessionId,
        digest: SecretDigest,
    ) -> StoreFuture<'a, SignInOutcome> {
        self.with(|state| {
            let user = match state.arrive(beginning) {
                Ok(user) => user,
                Err(refused) => return refused,
            };
            let found = state.user(&beginning.account, &user);
            if !found.is_some_and(User::may_sign_in) {
                return SignInOutcome::Disabled(user);
            }
            let session = beginning.session(session_id, user);
            state.sign_ins.sessions.push((digest, session.clone()));
            state.make_room(&session);
            SignInOutcome::Session(Box::new(session))
        })
    }

    fn create_session<'a>(
        &'a self,
        request: &'a UserRequest,
        session: &'a UserSession,
        digest: SecretDigest,
    ) -> StoreFuture<'a, Change<UserSession>> {
        self.with(|state| match state.recall(request) {
            Some(Recorded::Repeated(id)) => {
                let found = id.parse().ok();
                let found = found.and_then(|id| state.session(&request.account, &id).cloned());
                found.map_or(Change::Unknown, |it| Change::Made(Recorded::Repeated(it)))
            }
            Some(_) => Change::Made(Recorded::Reused),
            None if state.is_overtaken(request) => Change::Overtaken,
            None if !state.has_key(session) => Change::Unknown,
            None => {
                state.sign_ins.sessions.push((digest, session.clone()));
                state.make_room(session);
                state.remember(request, session.session_id.as_str(), session.created_at);
                Change::first(session.clone())
            }
        })
    }

    fn find_session_holder(&self, digest: SecretDigest) -> StoreFuture<'_, Option<SessionHolder>> {
        self.with(|state| {
            let mut rows = state.sign_ins.sessions.iter();
            let (_, session) = rows.find(|(known, _)| *known == digest)?;
            let session = session.clone();
            state.session_holder(&session)
        })
    }

    fn find_session<'a>(
        &'a self,
        account: &'a AccountId,
        session_id: &'a SessionId,
    ) -> StoreFuture<'a, Option<SessionHolder>> {
        self.with(|state| {
            let session = state.session(account, session_id)?.clone();
            state.session_holder(&session)
        })
    }

    fn list_sessions<'a>(
        &'a self,
        account: &'a AccountId,
        user: Option<&'a UserId>,
        (behind, limit): (Option<&'a SessionPlace>, u32),
        now: i64,
    ) -> StoreFuture<'a, Vec<UserSession>> {
        self.with(|state| {
            let place = |(created_at, id): SessionPlace| (Reverse(created_at), id);
            let behind = behind.cloned().map(place);
            let all = state.sign_ins.sessions.iter().map(|(_, session)| session);
            let good = all.filter(|it| {
                it.account == *account
                    && it.revoked_at.is_none()
                    && it.expires_at > now
                    && user.is_none_or(|user| it.user == *user)
                    && Some(place(it.place())) > behind
            });
            let mut good: Vec<_> = good.cloned().collect();
            good.sort_by_key(|it| place(it.place()));
            good.truncate(limit as usize);
            good
        })
    }

    fn revoke_session<'a>(
        &'a self,
        request: &'a UserRequest,
        session_id: &'a SessionId,
        now: i64,
    ) -> StoreFuture<'a, Option<Recorded<UserSession>>> {
        self.with(|state| {
            let before = state.recall(request);
            if before == Some(Recorded::Reused) {
                return Some(Recorded::Reused);
            }
            let account = &request.account;
            let known = state.session(account, session_id)?.clone();
            if before.is_some() {
                return Some(Recorded::Repeated(known));
            }
            state.end_sessions(account, SessionSelector::Id(session_id), now);
            state.changed(request, session_id.as_str(), now);
            Some(Recorded::First(state.session(account, session_id)?.clone()))
        })
    }

    fn touch_sessions(&self, used: Vec<(AccountId, SessionId, i64)>) -> StoreFuture<'_, ()> {
        self.with(|state| {
            for (account, session_id, at) in used {
                let rows = state.sign_ins.sessions.iter_mut();
                rows.map(|(_, it)| it)
                    .filter(|it| it.account == account && it.session_id == session_id)
                    .for_each(|it| it.last_seen_at = Some(at));
            }
        })
    }
}

impl State {
    fn session(&self, account: &AccountId, session_id: &SessionId) -> Option<&UserSession> {
        let mut rows = self.sign_ins.sessions.iter().map(|(_, session)| session);
        rows.find(|it| it.account == *account && it.session_id == *session_id)
    }

    fn has_key(&mut self, session: &UserSession) -> bool {
        let key = session.key_id.as_ref();
        let row = key.and_then(|it| self.key(&session.account, it.as_str()));
        row.is_some_and(|row| row.key.check(session.created_at).is_ok())
    }

    fn session_holder(&mut self, session: &UserSession) -> Option<SessionHolder> {
        let key = session.key_id.as_ref();
        let key = key.and_then(|it| self.key(&session.account, it.as_str()));
        let key = key.map(|row| row.key.clone());
        let provider = session.provider.as_ref();
        let provider = provider.and_then(|name| self.provider(&session.account, name));
        Some(SessionHolder {
            session: session.clone(),
            owner: self.user(&session.account, &session.user)?.clone(),
            provider: provider.cloned(),
            key,
        })
    }

    /// The user whom somebody is, or becomes.
    fn arrive(&mut self, beginning: &SessionRequest) -> Result<UserId, SignInOutcome> {
        let (account, now) = (&beginning.account, beginning.created_at);
        let (provider, person, user_names) = match &beginning.arrival {
            Authenticated::Service(user, rule) => {
                let found = self.service_account(account, user);
                let found = found.filter(|it| it.trust.contains(rule));
                return found.map(|it| it.user.user).ok_or(SignInOutcome::Gone);
            }
            Authenticated::Person {
                provider,
                person,
                user_names,
            } => (provider, person, user_names),
        };
        if self.provider(account, &provider.provider) != Some(provider) {
            return Err(SignInOutcome::Gone);
        }
        let provider = &provider.provider;
        if let Some(user) = self.resolve(account, provider, person, now) {
            return Ok(user);
        }
        let free = |name: &&UserId| self.user(account, name).is_none();
        let name = user_names
            .iter()
            .find(free)
            .ok_or(SignInOutcome::NotLinked)?;
        let display = person.name.clone();
        let user = User::new(account.clone(), name.clone(), display, Vec::new(), now);
        self.users.push(user);
        let identity = Identity::of(provider, person, name.clone(), now);
        self.sign_ins.identities.push((account.clone(), identity));
        Ok(name.clone())
    }

    /// The user whom a person is linked to. A link by name becomes one by subject.
    fn resolve(
        &mut self,
        account: &AccountId,
        provider: &ProviderName,
        person: &Person,
        now: i64,
    ) -> Option<UserId> {
        let rows = &mut self.sign_ins.identities;
        let own = |of: &AccountId, it: &Identity| of == account && it.provider == *provider;
        let by_subject = |(of, it): &&mut (AccountId, Identity)| {
            own(of, it) && it.subject.as_deref() == Some(&person.subject)
        };
        if let Some((_, found)) = rows.iter_mut().find(by_subject) {
            found.name = Some(person.name.clone());
            return Some(found.user.clone());
        }
        let by_name = |(of, it): &&mut (AccountId, Identity)| {
            let named = it.subject.is_none() && it.name.as_deref() == Some(&person.name);
            own(of, it) && named && !it.is_over(now)
        };
        let (_, found) = rows.iter_mut().find(by_name)?;
        *found = Identity::of(provider, person, found.user.clone(), now);
        Some(found.user.clone())
    }

    pub(crate) fn end_sessions(
        &mut self,
        account: &AccountId,
        whose: SessionSelector<'_>,
        now: i64,
    ) {
        let rows = self.sign_ins.sessions.iter_mut().map(|(_, it)| it);
        let meant = rows.filter(|it| {
            it.account == *account
                && match whose {
                    SessionSelector::Id(id) => it.session_id == *id,
                    SessionSelector::User(user) => it.user == *user,
                    SessionSelector::Key(key_id) => it.key_id.as_ref() == Some(key_id),
                    SessionSelector::Provider(provider) => it.provider.as_ref() == Some(provider),
                    SessionSelector::UserByProvider(user, provider) => {
                        it.user == *user && it.provider.as_ref() == Some(provider)
                    }
                }
        });
        for session in meant {
            session.revoked_at.get_or_insert(now);
        }
    }

    fn make_room(&mut self, session: &UserSession) {
        let now = session.created_at;
        let others = |it: &&UserSession| {
            let own = it.account == session.account && it.user == session.user;
            own && it.session_id != session.session_id
        };
        let rows = self.sign_ins.sessions.iter().map(|(_, it)| it);
        let mut kept: Vec<_> = rows.filter(others).cloned().collect();
        kept.sort_by_key(|it| {
            (
                !it.is_open(now),
                Reverse(it.created_at),
                it.session_id.clone(),
            )
        });
        let gone = kept.split_off(kept.len().min(MOST_SESSIONS as usize - 1));
        let rows = &mut self.sign_ins.sessions;
        rows.retain(|(_, it)| !gone.contains(it));
        if gone.iter().any(|it| it.is_open(now)) {
            self.revocations += 1;
        }
    }
}
