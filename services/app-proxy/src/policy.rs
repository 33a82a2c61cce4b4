//! The runtime's own allow list: even a compromised platform can act only within it. A list of subject x method x
//! selector; everything else is denied.
//!
//! An application that no entry of a user is about is as if it were not there, so that the list itself cannot be read by asking.

mod entry;

use std::fmt;

use causeway_assertion::{ApplicationAttributes, UnownedObject};
use causeway_proto::ids::UserId;

pub(crate) use entry::syntax;
pub use entry::{Entry, EntryError};

/// Something that a user can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    /// See the live object
    Read,
    /// Start a sync
    Sync,
    /// Ask for a new comparison
    Refresh,
    /// End an operation
    Terminate,
    /// Sync to what was deployed before
    Rollback,
    /// Delete the application
    Delete,
    /// Change what it is rendered with
    Update,
    /// Read what pods write
    Logs,
    /// Run commands in containers
    Exec,
    /// Run an action that Argo CD has for a resource
    ResourceAction,
    /// Delete a resource
    ResourceDelete,
    /// Act on rollouts
    Rollout,
    /// Act on workflows, and begin new ones
    Workflow,
    /// See integrations, and what a change of a repository would do
    GitRead,
    /// Commit to repositories, and open, merge and close pull requests
    Commit,
    /// Create and delete integrations
    Integration,
    /// Create, change and delete restricted Git sources
    GitSource,
}

/// What is allowed; everything else is not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Policy {
    entries: Vec<Entry>,
}

/// An action that is not on the list.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "this runtime does not allow {user} to {action} {what}: its app-proxy must be started with --allow {action}, or with an entry that holds for it"
)]
pub struct NotAllowed {
    action: Action,
    user: UserId,
    what: String,
}

/// Decision of the allow list for an action on an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyDecision {
    /// It may be done.
    Allowed,
    /// Something else may be done with it.
    Denied,
    /// Nothing may be done with it.
    Hidden,
}

impl Policy {
    /// Allows these.
    pub fn new(entries: impl IntoIterator<Item = Entry>) -> Self {
        Self {
            entries: entries.into_iter().collect(),
        }
    }

    /// The actions that an entry is about, for the platform to show.
    #[must_use]
    pub fn actions(&self) -> Vec<String> {
        let about = |action: &&Action| self.entries.iter().any(|entry| entry.is_about(**action));
        let named = Action::ALL.iter().filter(about);
        named.map(Action::to_string).collect()
    }

    /// Whether there is anything at all that the user may do so.
    ///
    /// # Errors
    /// There is not.
    pub fn check(&self, action: Action, user: &UserId) -> Result<(), NotAllowed> {
        let named = |entry: &Entry| entry.is_about(action) && entry.is_for(user);
        if self.entries.iter().any(named) {
            Ok(())
        } else {
            Err(NotAllowed::new(action, user, "anything"))
        }
    }

    /// True if the user may do so with whatever there is.
    #[must_use]
    pub fn is_unlimited(&self, action: Action, user: &UserId) -> bool {
        let about = |entry: &Entry| entry.is_about(action) && entry.is_for(user);
        let mut about = self.entries.iter().filter(|entry| about(entry));
        about.any(Entry::selects_all)
    }

    /// What the user may do with an application.
    #[must_use]
    pub fn answer(
        &self,
        action: Action,
        user: &UserId,
        object: &ApplicationAttributes<'_>,
    ) -> PolicyDecision {
        self.answer_of(action, user, |entry| entry.selects(object))
    }

    /// What the user may do with something that belongs to no application: by entries that limit neither projects, names nor
    /// labels.
    #[must_use]
    pub fn answer_on(
        &self,
        action: Action,
        user: &UserId,
        ground: &UnownedObject<'_>,
    ) -> PolicyDecision {
        self.answer_of(action, user, |entry| entry.covers(ground))
    }

    fn answer_of(
        &self,
        action: Action,
        user: &UserId,
        is_so: impl Fn(&Entry) -> bool,
    ) -> PolicyDecision {
        let holds = |entry: &&Entry| entry.is_for(user) && is_so(entry);
        let about: Vec<&Entry> = self.entries.iter().filter(holds).collect();
        if about.is_empty() {
            return PolicyDecision::Hidden;
        }
        if about.iter().any(|entry| entry.is_about(action)) {
            PolicyDecision::Allowed
        } else {
            PolicyDecision::Denied
        }
    }
}

impl NotAllowed {
    pub(crate) fn new(action: Action, user: &UserId, what: impl Into<String>) -> Self {
        Self {
            action,
            user: user.clone(),
            what: what.into(),
        }
    }
}

impl Action {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::Read,
        Self::Sync,
        Self::Refresh,
        Self::Terminate,
        Self::Rollback,
        Self::Delete,
        Self::Update,
        Self::Logs,
        Self::Exec,
        Self::ResourceAction,
        Self::ResourceDelete,
        Self::Rollout,
        Self::Workflow,
        Self::GitRead,
        Self::Commit,
        Self::Integration,
        Self::GitSource,
    ];

    /// All of them, for a person.
    fn names() -> String {
        let names: Vec<String> = Self::ALL.iter().map(Self::to_string).collect();
        names.join(", ")
    }
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Read => "read",
            Self::Sync => "sync",
            Self::Refresh => "refresh",
            Self::Terminate => "terminate",
            Self::Rollback => "rollback",
            Self::Delete => "delete",
            Self::Update => "update",
            Self::Logs => "logs",
            Self::Exec => "exec",
            Self::ResourceAction => "resource-action",
            Self::ResourceDelete => "resource-delete",
            Self::Rollout => "rollout",
            Self::Workflow => "workflow",
            Self::GitRead => "git-read",
            Self::Commit => "commit",
            Self::Integration => "integration",
            Self::GitSource => "git-source",
        })
    }
}

#[cfg(test)]
mod tests;
