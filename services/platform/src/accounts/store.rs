//! Store trait for accounts, users and roles.
//!
//! Every change, and the end of a key or session, raises the policy version of its account in the same transaction. The
//! preconditions of a change (roles exist, an admin remains, the checked policy is current) are verified inside of it.

use causeway_proto::ids::{AccountId, RoleName, UserId};

use crate::store::StoreFuture;
use crate::{
    accounts::model::Account,
    api_keys::model::ApiKey,
    request::{Recorded, UserRequest},
    roles::model::{Role, Roles},
    secret::SecretDigest,
    users::model::{User, UserStatus},
};

/// Result of a mutation of accounts, users, roles, keys or identity providers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change<T> {
    /// Changed, now or by an earlier attempt of the same request.
    Made(Recorded<T>),
    /// No object has that name.
    Unknown,
    /// An object has that name, or had it.
    NameTaken,
    /// A named role does not exist.
    RoleUnknown(RoleName),
    /// A user or an active key has the role.
    RoleInUse(String),
    /// The account would be left without an admin.
    LastAdmin,
    /// The account has reached its limit.
    Full,
    /// The account's policy changed after the request was authorized.
    Overtaken,
    /// The object changed since the caller read it.
    Stale,
}

impl<T> Change<T> {
    /// Result of the first attempt of a request.
    pub(crate) fn first(value: T) -> Self {
        Self::Made(Recorded::First(value))
    }
}

/// Create or update of a role.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Save {
    New,
    Changed,
}

/// Store of accounts, users and roles.
pub(crate) trait PolicyStore: Send + Sync {
    /// Creates an account with its first user and key, for a user of another account.
    fn found_account<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a User,
        key: &'a ApiKey,
        digest: SecretDigest,
    ) -> StoreFuture<'a, Change<Account>>;

    /// Lists accounts after `behind`, ordered by name.
    fn list_accounts<'a>(
        &'a self,
        behind: Option<&'a AccountId>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<Account>>;

    /// An account's own roles with the version of its policy.
    fn roles<'a>(&'a self, account: &'a AccountId) -> StoreFuture<'a, Roles>;

    /// Makes a role or gives one other rules; when it was made stays.
    fn save_role<'a>(
        &'a self,
        request: &'a UserRequest,
        role: &'a Role,
        save: Save,
    ) -> StoreFuture<'a, Change<Role>>;

    /// Removes a role that no user has.
    fn delete_role<'a>(
        &'a self,
        request: &'a UserRequest,
        name: &'a RoleName,
        now: i64,
    ) -> StoreFuture<'a, Change<RoleName>>;

    /// A user, removed ones too.
    fn find_user<'a>(
        &'a self,
        account: &'a AccountId,
        user: &'a UserId,
    ) -> StoreFuture<'a, Option<User>>;

    /// Users behind one in the order of names, without removed ones.
    fn list_users<'a>(
        &'a self,
        account: &'a AccountId,
        behind: Option<&'a UserId>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<User>>;

    /// Adds a user.
    fn create_user<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a User,
    ) -> StoreFuture<'a, Change<User>>;

    /// Gives a user that was not removed other roles.
    fn set_user_roles<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a UserId,
        roles: &'a [RoleName],
        now: i64,
    ) -> StoreFuture<'a, Change<User>>;

    /// Lets a user that was not removed in again, or ends what it may do, its keys, and the join tokens of its making
    /// that are unused.
    fn set_user_standing<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a UserId,
        standing: UserStatus,
        now: i64,
    ) -> StoreFuture<'a, Change<User>>;
}
