//! Creates, changes and deletes users.

use std::sync::Arc;

use causeway_proto::ids::{AccountId, KeyId, RoleName, SessionId, UserId};

use crate::{
    authorization::{
        access::AccessControl,
        policy::{DenialReason, Escalation},
    },
    platform::seen::seen,
    request::{Recorded, UserRequest},
    roles::model::RoleError,
    service_accounts::model::TrustError,
    sign_in::sealing::SealError,
    store::{Change, Store, StoreError, StoreFuture},
    users::model::{User, UserStatus},
};

/// User who requests a change, with the role limit of the credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Requester {
    pub account: AccountId,
    pub user: UserId,
    pub limit: Option<RoleName>,
    /// What was shown, where that is to be looked at again.
    pub shown: Option<Credential>,
}

/// Presented credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Credential {
    /// A session, whose groups may give more roles.
    Session(SessionId),
    /// An API key, and when it was shown, in milliseconds since 1970: since then it may have got a new secret.
    Key(KeyId, i64),
}

impl Requester {
    /// The session that it comes by.
    pub(crate) fn session(&self) -> Option<&SessionId> {
        match &self.shown {
            Some(Credential::Session(session_id)) => Some(session_id),
            Some(Credential::Key(..)) | None => None,
        }
    }
}

/// Why accounts, users, roles or keys are not changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChangeError {
    /// The caller may not, or not any more.
    #[error("{permission}: {lack}")]
    Denied {
        permission: &'static str,
        lack: DenialReason,
    },
    /// The caller may do so with other things than this.
    #[error(
        "{permission}: no rule of yours selects '{name}'; ask an admin, and see 'causeway can-i'"
    )]
    Unselected {
        permission: &'static str,
        name: String,
    },
    /// Accounts belong to the first one.
    #[error("only users of the first account can create accounts")]
    FirstAccountOnly,
    /// The caller would give what they do not hold.
    #[error(transparent)]
    Escalation(#[from] Escalation),
    /// The key would follow whatever roles another user gets.
    #[error(
        "role: a key of another user that has none opens all that the user will ever hold: name a role that you hold"
    )]
    Unlimited,
    /// The person would follow whatever roles another user gets.
    #[error(
        "user: an identity linked to another user gets all rights that the user will ever have: ask a user who may do everything"
    )]
    AnothersLink,
    /// The rules make no role.
    #[error("rules: {0}")]
    Rules(#[from] RoleError),
    /// There is none of that name.
    #[error("no {kind} '{name}'")]
    Unknown { kind: &'static str, name: String },
    /// There is one of that name, or was.
    #[error("the name '{0}' is taken: choose another one")]
    NameTaken(String),
    /// The person, or another one of the name, is linked already.
    #[error(
        "a person with this subject or name is linked already: find out to whom with 'causeway user identities', and take the link away first with 'causeway user unlink'"
    )]
    Linked,
    /// A role that is named is not there.
    #[error("role: no role '{0}'; list the roles with 'causeway role list'")]
    RoleUnknown(RoleName),
    /// A view is shared with the roles of its owner only.
    #[error("roles: you do not have the role '{0}'; share with a role of yours")]
    NotYourRole(RoleName),
    /// A role of every account is not changed.
    #[error("the role '{0}' is built in: create a role with another name")]
    BuiltIn(RoleName),
    /// Somebody has the role.
    #[error("{0} has the role: assign another role first")]
    RoleInUse(String),
    /// The account would have no admin.
    #[error("cannot remove the account's last admin: create another admin first")]
    LastAdmin,
    /// The account has as many as it can have.
    #[error("the account has as many as are possible, and a {0} more is not: delete some")]
    Full(&'static str),
    /// The issuer cannot be used.
    #[error("issuer: {0}")]
    Issuer(&'static str),
    /// A rule of trust is none.
    #[error("trust_rules: {0}")]
    Trust(#[from] TrustError),
    /// There is no session to end.
    #[error(
        "this call is made by an API key, which has no session: 'causeway api-key revoke' ends a key"
    )]
    NoSession,
    /// Only an API key becomes a session.
    #[error("a session is created for the API key that makes the call: send an API key")]
    NoKey,
    /// A secret cannot be sealed.
    #[error(transparent)]
    Seal(#[from] SealError),
    /// The key was revoked before.
    #[error("the API key was revoked: create a new one")]
    Revoked,
    /// Something else was changed between the look and the write.
    #[error("users or roles of the account changed concurrently: try again")]
    Overtaken,
    /// It is another one than that which the change was made from.
    #[error("version: the {kind} '{name}' was changed concurrently: get it again, then change it")]
    Stale { kind: &'static str, name: String },
    /// The request's id belongs to another request.
    #[error("request_id: already used by another request; use a new UUID for each request")]
    Reused,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What came of a change; whether it was a repeat does not matter.
pub(crate) fn made<T>(
    change: Change<T>,
    kind: &'static str,
    name: &str,
) -> Result<Recorded<T>, ChangeError> {
    let name = || name.to_owned();
    match change {
        Change::Made(Recorded::Reused) => Err(ChangeError::Reused),
        Change::Made(recorded) => Ok(recorded),
        Change::Unknown => Err(ChangeError::Unknown { kind, name: name() }),
        Change::NameTaken => Err(ChangeError::NameTaken(name())),
        Change::RoleUnknown(role) => Err(ChangeError::RoleUnknown(role)),
        Change::RoleInUse(holder) => Err(ChangeError::RoleInUse(holder)),
        Change::LastAdmin => Err(ChangeError::LastAdmin),
        Change::Full => Err(ChangeError::Full(kind)),
        Change::Overtaken => Err(ChangeError::Overtaken),
        Change::Stale => Err(ChangeError::Stale { kind, name: name() }),
    }
}

impl<T> Recorded<T> {
    /// What came of it, now or before.
    pub(crate) fn outcome(self) -> Result<T, ChangeError> {
        match self {
            Self::First(outcome) | Self::Repeated(outcome) => Ok(outcome),
            Self::Reused => Err(ChangeError::Reused),
        }
    }
}

/// Users of an account.
#[derive(Clone)]
pub(crate) struct UserService {
    pub store: Arc<dyn Store>,
    pub access: AccessControl,
}

impl UserService {
    /// Adds a user.
    pub(crate) async fn create_user(
        &self,
        requester: &Requester,
        request: &UserRequest,
        user: &User,
    ) -> Result<User, ChangeError> {
        let name = user.user.as_str();
        let policy = self.access.require(requester, "user.create", name).await?;
        self.access
            .check_roles(requester, &policy, &[], &user.roles)
            .await?;
        let request = &request.checked_at(policy.version());
        let change = self.store.create_user(request, user).await?;
        self.access.forget_credentials();
        made(change, "user", name)?.outcome()
    }

    /// Lists the visible users by name, after a cursor.
    pub(crate) async fn list_users(
        &self,
        account: &AccountId,
        behind: Option<UserId>,
        limit: u32,
        sees: impl Fn(&UserId) -> bool,
    ) -> Result<Vec<User>, StoreError> {
        let store = &self.store;
        let read = |behind: Option<UserId>, limit| -> StoreFuture<'_, Vec<User>> {
            Box::pin(async move { store.list_users(account, behind.as_ref(), limit).await })
        };
        let key = |user: &User| user.user.clone();
        seen((behind, limit), read, key, |user| sees(&user.user)).await
    }

    /// Gives a user other roles.
    pub(crate) async fn set_user_roles(
        &self,
        requester: &Requester,
        request: &UserRequest,
        user: &UserId,
        roles: &[RoleName],
        now: i64,
    ) -> Result<User, ChangeError> {
        let policy = self
            .access
            .require(requester, "user.set-roles", user.as_str())
            .await?;
        let found = self.store.find_user(&requester.account, user).await?;
        let had = found.map(|user| user.roles).unwrap_or_default();
        self.access
            .check_roles(requester, &policy, &had, roles)
            .await?;
        let request = &request.checked_at(policy.version());
        let change = self.store.set_user_roles(request, user, roles, now).await?;
        self.access.forget_credentials();
        made(change, "user", user.as_str())?.outcome()
    }

    /// Lets a user in again, or ends what it may do.
    pub(crate) async fn set_user_status(
        &self,
        requester: &Requester,
        request: &UserRequest,
        user: &UserId,
        standing: UserStatus,
        now: i64,
    ) -> Result<User, ChangeError> {
        let permission = match standing {
            UserStatus::Enabled => "user.enable",
            UserStatus::Disabled => "user.disable",
            UserStatus::Deleted => "user.delete",
        };
        let policy = self
            .access
            .require(requester, permission, user.as_str())
            .await?;
        if standing == UserStatus::Enabled {
            let found = self.store.find_user(&requester.account, user).await?;
            let roles = found.map(|user| user.roles).unwrap_or_default();
            self.access
                .check_roles(requester, &policy, &[], &roles)
                .await?;
        }
        let request = &request.checked_at(policy.version());
        let change = self
            .store
            .set_user_standing(request, user, standing, now)
            .await?;
        self.access.forget_credentials();
        made(change, "user", user.as_str())?.outcome()
    }
}

pub(crate) fn unknown_user(user: &UserId) -> ChangeError {
    ChangeError::Unknown {
        kind: "user",
        name: user.to_string(),
    }
}
