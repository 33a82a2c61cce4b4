//! What each role may do: a fixed table, deny by default. Never looks at a request or a store.

use std::{fmt, str::FromStr};

/// The version of the table below, told in every assertion.
pub(crate) const POLICY_VERSION: u64 = 1;

/// What a user or an API key may do at most, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Reads.
    Viewer,
    /// Reads and acts on applications.
    Operator,
    /// Everything.
    Admin,
}

/// A text that is not a role.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the role must be admin, operator or viewer")]
pub struct RoleError;

impl Role {
    const ALL: [Self; 3] = [Self::Viewer, Self::Operator, Self::Admin];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Operator => "operator",
            Self::Admin => "admin",
        }
    }

    /// Whether it holds a permission of the form `<entity>.<action>`; never for any other text.
    pub fn allows(self, permission: &str) -> bool {
        let Some((entity, action)) = permission.split_once('.') else {
            return false;
        };
        let reads = matches!(action, "get" | "list" | "watch");
        match self {
            Self::Viewer => reads,
            Self::Operator => reads || entity == "application",
            Self::Admin => true,
        }
    }
}

impl FromStr for Role {
    type Err = RoleError;

    fn from_str(text: &str) -> Result<Self, RoleError> {
        let found = Self::ALL.into_iter().find(|role| role.as_str() == text);
        found.ok_or(RoleError)
    }
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests;
