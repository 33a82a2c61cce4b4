//! Users of an account and their roles.

use causeway_proto::ids::{AccountId, RoleName, UserId};

/// A user holds at most so many roles.
pub(crate) const MOST_HELD: usize = 32;

/// A person or a program. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// Its account.
    pub account: AccountId,
    /// Its id.
    pub user: UserId,
    /// What people call it.
    pub display_name: String,
    /// What it holds, each once, in the order of names.
    pub roles: Vec<RoleName>,
    /// When it was made.
    pub created_at: i64,
    /// When it was disabled.
    pub disabled_at: Option<i64>,
    /// When it was removed; an admin may create another user of its name.
    pub deleted_at: Option<i64>,
}

/// Status of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UserStatus {
    /// It may.
    Enabled,
    /// It may not until it is enabled again.
    Disabled,
    /// It never may again.
    Deleted,
}

impl User {
    /// A user who may sign in.
    pub(crate) fn new(
        account: AccountId,
        user: UserId,
        display_name: String,
        roles: Vec<RoleName>,
        created_at: i64,
    ) -> Self {
        Self {
            account,
            user,
            display_name,
            roles: in_order(roles),
            created_at,
            disabled_at: None,
            deleted_at: None,
        }
    }

    /// Whether it may sign in.
    pub(crate) fn standing(&self) -> UserStatus {
        match (self.deleted_at, self.disabled_at) {
            (Some(_), _) => UserStatus::Deleted,
            (None, Some(_)) => UserStatus::Disabled,
            (None, None) => UserStatus::Enabled,
        }
    }

    /// True if it is neither disabled nor removed.
    pub(crate) fn may_sign_in(&self) -> bool {
        self.standing() == UserStatus::Enabled
    }

    /// True if it holds a role and may use it.
    pub(crate) fn has(&self, role: &RoleName) -> bool {
        self.may_sign_in() && self.roles.contains(role)
    }
}

/// Roles each once, in the order of names.
pub(crate) fn in_order(mut roles: Vec<RoleName>) -> Vec<RoleName> {
    roles.sort_unstable();
    roles.dedup();
    roles
}
