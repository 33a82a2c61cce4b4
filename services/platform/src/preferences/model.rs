//! Preferences and saved views.

use causeway_proto::ids::{AccountId, RoleName, UserId};

/// Maximum number of saved views of a user.
pub(crate) const MOST_VIEWS: u32 = 200;

/// Preferences of a user. The content belongs to the client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Preferences {
    /// JSON text; empty if there is none.
    pub content: String,
    /// Rises with each change; 0 if there is none.
    pub version: u64,
}

/// A saved view of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SavedView {
    pub account: AccountId,
    pub owner: UserId,
    pub name: String,
    pub page: String,
    pub query: String,
    /// Roles that it is shared with.
    pub roles: Vec<RoleName>,
    /// Milliseconds since 1970.
    pub updated_at: i64,
}

/// Position of a view in a list.
pub(crate) type ViewPlace = (UserId, String);

impl SavedView {
    pub(crate) fn place(&self) -> ViewPlace {
        (self.owner.clone(), self.name.clone())
    }

    /// True for the owner's own view, and for one that is shared with a role.
    pub(crate) fn is_visible(&self, user: &UserId, roles: &[RoleName]) -> bool {
        self.owner == *user || self.roles.iter().any(|role| roles.contains(role))
    }
}
