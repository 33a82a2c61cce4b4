//! In-memory store of accounts, users and roles.

use causeway_proto::ids::{AccountId, RoleName, UserId};

use super::{MemoryStore, State, TokenRow, sessions::SessionSelector};
use crate::{
    accounts::model::Account,
    api_keys::model::ApiKey,
    request::{Recorded, UserRequest},
    roles::{
        model as role,
        model::{MOST_ROLES, Role, RoleTimes, Roles},
    },
    secret::SecretDigest,
    store::{Change, PolicyStore, Save, StoreFuture},
    users::model::{User, UserStatus},
};

impl PolicyStore for MemoryStore {
    fn found_account<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a User,
        key: &'a ApiKey,
        digest: SecretDigest,
    ) -> StoreFuture<'a, Change<Account>> {
        self.with(|state| {
            if let Some(recorded) = state.recall(request) {
                return Change::Made(recorded.map(|_| {
                    let found = state.account(&user.account);
                    found.expect("accounts are never removed").0.clone()
                }));
            }
            if state.is_overtaken(request) {
                return Change::Overtaken;
            }
            if state.account(&user.account).is_some() {
                return Change::NameTaken;
            }
            let account = state.add_account(user, key, digest);
            state.remember(request, user.account.as_str(), key.created_at);
            Change::Made(Recorded::First(account))
        })
    }

    fn list_accounts<'a>(
        &'a self,
        behind: Option<&'a AccountId>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<Account>> {
        self.with(|state| {
            let accounts = state.accounts.iter().map(|(account, _)| account);
            let mut accounts: Vec<_> = accounts
                .filter(|known| behind.is_none_or(|behind| known.account > *behind))
                .cloned()
                .collect();
            accounts.sort_by(|a, b| a.account.cmp(&b.account));
            accounts.truncate(limit as usize);
            accounts
        })
    }

    fn roles<'a>(&'a self, account: &'a AccountId) -> StoreFuture<'a, Roles> {
        self.with(|state| {
            let version = state.account(account).map_or(0, |(_, version)| *version);
            let own = state.roles.iter().filter(|(of, _)| of == account);
            Roles::new(version, own.map(|(_, role)| role.clone()))
        })
    }

    fn save_role<'a>(
        &'a self,
        request: &'a UserRequest,
        role: &'a Role,
        save: Save,
    ) -> StoreFuture<'a, Change<Role>> {
        self.with(|state| {
            if let Some(recorded) = state.recall(request) {
                return state.repeated(&recorded, |state| state.own_role(request, &role.name));
            }
            if state.is_overtaken(request) {
                return Change::Overtaken;
            }
            let before = state.own_role(request, &role.name);
            match (&before, save) {
                (Some(_), Save::New) => return Change::NameTaken,
                (None, Save::Changed) => return Change::Unknown,
                (None, Save::New) if state.count_roles(request) >= MOST_ROLES => {
                    return Change::Full;
                }
                (None, Save::New) | (Some(_), Save::Changed) => {}
            }
            let mut role = role.clone();
            let times = before.and_then(|before| before.times);
            if let (Some(times), Some(before)) = (&mut role.times, times) {
                times.created_at = before.created_at;
            }
            let own =
                |(of, known): &(AccountId, Role)| *of == request.account && known.name == role.name;
            state.roles.retain(|known| !own(known));
            state.roles.push((request.account.clone(), role.clone()));
            let now = role.times.map_or(0, |times: RoleTimes| times.updated_at);
            state.changed(request, role.name.as_str(), now);
            Change::Made(Recorded::First(role))
        })
    }

    fn delete_role<'a>(
        &'a self,
        request: &'a UserRequest,
        name: &'a RoleName,
        now: i64,
    ) -> StoreFuture<'a, Change<RoleName>> {
        self.with(|state| {
            if let Some(recorded) = state.recall(request) {
                return Change::Made(recorded.map(|_| name.clone()));
            }
            if state.is_overtaken(request) {
                return Change::Overtaken;
            }
            if state.own_role(request, name).is_none() {
                return Change::Unknown;
            }
            if let Some(holder) = state.holder(&request.account, name) {
                return Change::RoleInUse(holder);
            }
            let own =
                |(of, known): &(AccountId, Role)| *of == request.account && known.name == *name;
            state.roles.retain(|known| !own(known));
            state.changed(request, name.as_str(), now);
            Change::Made(Recorded::First(name.clone()))
        })
    }

    fn find_user<'a>(
        &'a self,
        account: &'a AccountId,
        user: &'a UserId,
    ) -> StoreFuture<'a, Option<User>> {
        self.with(|state| state.user(account, user).cloned())
    }

    fn list_users<'a>(
        &'a self,
        account: &'a AccountId,
        behind: Option<&'a UserId>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<User>> {
        self.with(|state| {
            let users = state.users.iter().filter(|user| {
                user.account == *account
                    && user.deleted_at.is_none()
                    && behind.is_none_or(|behind| user.user > *behind)
            });
            let mut users: Vec<User> = users.cloned().collect();
            users.sort_by(|a, b| a.user.cmp(&b.user));
            users.truncate(limit as usize);
            users
        })
    }

    fn create_user<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a User,
    ) -> StoreFuture<'a, Change<User>> {
        self.with(|state| {
            if let Some(recorded) = state.recall(request) {
                return state.repeated(&recorded, |state| {
                    state.user(&user.account, &user.user).cloned()
                });
            }
            if state.is_overtaken(request) {
                return Change::Overtaken;
            }
            if state.has_user(user) {
                return Change::NameTaken;
            }
            if let Some(unknown) = state.unknown_role(request, &user.roles) {
                return Change::RoleUnknown(unknown);
            }
            state.create_user(user);
            state.changed(request, user.user.as_str(), user.created_at);
            Change::Made(Recorded::First(user.clone()))
        })
    }

    fn set_user_roles<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a UserId,
        roles: &'a [RoleName],
        now: i64,
    ) -> StoreFuture<'a, Change<User>> {
        self.with(|state| {
            if let Some(unknown) = state.unknown_role(request, roles) {
                return Change::RoleUnknown(unknown);
            }
            state.change_user(request, user, now, |user| user.roles = roles.to_vec())
        })
    }

    fn set_user_standing<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a UserId,
        standing: UserStatus,
        now: i64,
    ) -> StoreFuture<'a, Change<User>> {
        self.with(|state| {
            let changed = state.change_user(request, user, now, |user| match standing {
                UserStatus::Enabled => user.disabled_at = None,
                UserStatus::Disabled => user.disabled_at = user.disabled_at.or(Some(now)),
                UserStatus::Deleted => user.deleted_at = Some(now),
            });
            let made = matches!(changed, Change::Made(Recorded::First(_)));
            if made && standing != UserStatus::Enabled {
                let keys = state.keys.iter_mut().map(|row| &mut row.key);
                keys.filter(|key| key.account == request.account && key.user == *user)
                    .for_each(|key| {
                        key.revoked_at.get_or_insert(now);
                    });
                state.end_sessions(&request.account, SessionSelector::User(user), now);
                state.tokens.retain(|TokenRow { token, used_by, .. }| {
                    let theirs = token.account == request.account && token.created_by == *user;
                    !theirs || used_by.is_some()
                });
            }
            changed
        })
    }
}

impl State {
    pub(crate) fn add_account(
        &mut self,
        user: &User,
        key: &ApiKey,
        digest: SecretDigest,
    ) -> Account {
        let account = Account {
            account: user.account.clone(),
            created_at: key.created_at,
        };
        self.accounts.push((account.clone(), 1));
        self.users.push(user.clone());
        self.add_key(key, digest);
        account
    }

    pub(crate) fn account(&self, account: &AccountId) -> Option<&(Account, u64)> {
        let mut accounts = self.accounts.iter();
        accounts.find(|(known, _)| known.account == *account)
    }

    pub(crate) fn user(&self, account: &AccountId, user: &UserId) -> Option<&User> {
        let mut users = self.users.iter();
        users.find(|known| known.account == *account && known.user == *user)
    }

    pub(crate) fn has_user(&self, user: &User) -> bool {
        let known = self.user(&user.account, &user.user);
        known.is_some_and(|known| known.deleted_at.is_none())
    }

    /// Adds a user without what a deleted one of its name left.
    pub(crate) fn create_user(&mut self, user: &User) {
        let (account, name) = (&user.account, &user.user);
        self.users
            .retain(|it| it.account != *account || it.user != *name);
        let links = &mut self.sign_ins.identities;
        links.retain(|(of, link)| of != account || link.user != *name);
        let trust = &mut self.sign_ins.trust;
        trust.retain(|((of, whose), _)| of != account || whose != name);
        self.preferences.remove(&(account.clone(), name.clone()));
        let views = &mut self.saved_views;
        views.retain(|view| view.account != *account || view.owner != *name);
        self.users.push(user.clone());
    }

    pub(crate) fn own_role(&self, request: &UserRequest, name: &RoleName) -> Option<Role> {
        let mut roles = self.roles.iter();
        let found = roles.find(|(of, role)| *of == request.account && role.name == *name);
        found.map(|(_, role)| role.clone())
    }

    pub(crate) fn count_roles(&self, request: &UserRequest) -> usize {
        let own = self.roles.iter().filter(|(of, _)| *of == request.account);
        own.count()
    }

    pub(crate) fn unknown_role(
        &self,
        request: &UserRequest,
        roles: &[RoleName],
    ) -> Option<RoleName> {
        let known = |name: &RoleName| {
            role::find_built_in(name).is_some() || self.own_role(request, name).is_some()
        };
        roles.iter().find(|name| !known(name)).cloned()
    }

    /// Who has a role, in words.
    pub(crate) fn holder(&self, account: &AccountId, role: &RoleName) -> Option<String> {
        let mut users = self.users.iter();
        let user = users.find(|user| {
            user.account == *account && user.deleted_at.is_none() && user.roles.contains(role)
        });
        let mut keys = self.keys.iter().map(|row| &row.key);
        let key = keys.find(|key| {
            key.account == *account && key.revoked_at.is_none() && key.role.as_ref() == Some(role)
        });
        let user = user.map(|user| format!("the user {}", user.user));
        user.or_else(|| key.map(|key| format!("the API key {}", key.key_id)))
            .or_else(|| self.giving_provider(account, role))
    }

    pub(crate) fn change_user(
        &mut self,
        request: &UserRequest,
        user: &UserId,
        now: i64,
        change: impl FnOnce(&mut User),
    ) -> Change<User> {
        if let Some(recorded) = self.recall(request) {
            return self.repeated(&recorded, |state| {
                state.user(&request.account, user).cloned()
            });
        }
        if self.is_overtaken(request) {
            return Change::Overtaken;
        }
        let found = |known: &User| {
            known.account == request.account && known.user == *user && known.deleted_at.is_none()
        };
        let Some(index) = self.users.iter().position(found) else {
            return Change::Unknown;
        };
        let mut changed = self.users[index].clone();
        change(&mut changed);
        let admin = role::admin();
        let was = std::mem::replace(&mut self.users[index], changed.clone());
        let left = |known: &User| known.account == request.account && known.has(&admin);
        if was.has(&admin) && !self.users.iter().any(left) {
            self.users[index] = was;
            return Change::LastAdmin;
        }
        self.changed(request, user.as_str(), now);
        Change::Made(Recorded::First(changed))
    }

    pub(crate) fn is_overtaken(&self, request: &UserRequest) -> bool {
        let version = self.account(&request.account).map(|(_, version)| *version);
        request.policy_version.is_some() && request.policy_version != version
    }

    pub(crate) fn changed(&mut self, request: &UserRequest, outcome: &str, now: i64) {
        let mut accounts = self.accounts.iter_mut();
        if let Some((_, version)) = accounts.find(|(known, _)| known.account == request.account) {
            *version += 1;
        }
        self.revocations += 1;
        self.remember(request, outcome, now);
    }

    pub(crate) fn repeated<T>(
        &self,
        recorded: &Recorded<String>,
        find: impl FnOnce(&Self) -> Option<T>,
    ) -> Change<T> {
        match recorded {
            Recorded::Reused => Change::Made(Recorded::Reused),
            Recorded::First(_) | Recorded::Repeated(_) => match find(self) {
                Some(found) => Change::Made(Recorded::Repeated(found)),
                None => Change::Unknown,
            },
        }
    }
}
