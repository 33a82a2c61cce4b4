//! Store trait for accounts, users and roles.
//!
//! Every change, and the end of a key or session, raises the policy version of its account in the same transaction. The
//! preconditions of a change (roles exist, an admin remains, the checked policy is current) are verified inside of it.

use causeway_proto::ids::{AccountId, RoleName, UserId};

use crate::store::Answer;
use crate::{
    accounts::model::Account,
    api_keys::model::ApiKey,
    request::{Recorded, UserRequest},
    roles::model::{Role, Roles},
    secret::SecretDigest,
    users::model::{Standing, User},
};

/// How a change of accounts, users or roles ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Change<T> {
    /// It is made.
    Made(Recorded<T>),
    /// There is none of that name.
    Unknown,
    /// There is one of that name, or was.
    NameTaken,
    /// A role that is named is not there.
    RoleUnknown(RoleName),
    /// A user or a key that was not revoked has the role.
    RoleInUse(String),
    /// The account would have no admin.
    LastAdmin,
    /// The account has as many as it can have.
    Full,
    /// The account's policy is another one by now than when the request was checked.
    Overtaken,
    /// It is another one by now than that which the change was made from.
    Stale,
}

/// Whether a role that is saved is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Save {
    /// It is not.
    New,
    /// It is.
    Changed,
}

/// Accounts, users and roles.
pub(crate) trait PolicyStore: Send + Sync {
    /// Makes an account with its first user and key, for a user of another account.
    fn found_account<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a User,
        key: &'a ApiKey,
        digest: SecretDigest,
    ) -> Answer<'a, Change<Account>>;

    /// Accounts behind one, in the order of names.
    fn list_accounts<'a>(
        &'a self,
        behind: Option<&'a AccountId>,
        limit: u32,
    ) -> Answer<'a, Vec<Account>>;

    /// An account's own roles with the version of its policy.
    fn roles<'a>(&'a self, account: &'a AccountId) -> Answer<'a, Roles>;

    /// Makes a role or gives one other rules; when it was made stays.
    fn save_role<'a>(
        &'a self,
        request: &'a UserRequest,
        role: &'a Role,
        save: Save,
    ) -> Answer<'a, Change<Role>>;

    /// Removes a role that nobody has.
    fn delete_role<'a>(
        &'a self,
        request: &'a UserRequest,
        name: &'a RoleName,
        now: i64,
    ) -> Answer<'a, Change<RoleName>>;

    /// A user, removed ones too.
    fn find_user<'a>(
        &'a self,
        account: &'a AccountId,
        user: &'a UserId,
    ) -> Answer<'a, Option<User>>;

    /// Users behind one in the order of names, without removed ones.
    fn list_users<'a>(
        &'a self,
        account: &'a AccountId,
        behind: Option<&'a UserId>,
        limit: u32,
    ) -> Answer<'a, Vec<User>>;

    /// Adds a user.
    fn create_user<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a User,
    ) -> Answer<'a, Change<User>>;

    /// Gives a user that was not removed other roles.
    fn set_user_roles<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a UserId,
        roles: &'a [RoleName],
        now: i64,
    ) -> Answer<'a, Change<User>>;

    /// Lets a user that was not removed in again, or ends what it may do, its keys, and the join tokens of its making
    /// that nobody used.
    fn set_user_standing<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a UserId,
        standing: Standing,
        now: i64,
    ) -> Answer<'a, Change<User>>;
}
