//! The runtime's own list of what may be done: whoever rules the platform can act only within it.

use std::{collections::BTreeSet, fmt};

/// Something that a user can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, clap::ValueEnum)]
pub enum Action {
    /// See the live object
    Read,
    /// Start a sync
    Sync,
    /// Ask for a new comparison
    Refresh,
}

/// What is allowed; everything else is not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    allowed: BTreeSet<Action>,
}

/// An action that is not on the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "this runtime does not allow {action}: its app-proxy must be started with --allow {action}"
)]
pub struct NotAllowed {
    action: Action,
}

impl Policy {
    /// Allows these.
    pub fn new(allowed: impl IntoIterator<Item = Action>) -> Self {
        Self {
            allowed: allowed.into_iter().collect(),
        }
    }

    /// Whether an action is on the list.
    ///
    /// # Errors
    /// It is not.
    pub fn check(&self, action: Action) -> Result<(), NotAllowed> {
        match self.allowed.contains(&action) {
            true => Ok(()),
            false => Err(NotAllowed { action }),
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Read => "read",
            Self::Sync => "sync",
            Self::Refresh => "refresh",
        })
    }
}

#[cfg(test)]
mod tests;
