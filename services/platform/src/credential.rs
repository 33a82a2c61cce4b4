//! Credentials of users: API keys and sessions.

use causeway_assertion::Subject;
use causeway_proto::ids::{AccountId, UserId};

use crate::{
    api_keys::model::{Holder, KeyRefusal},
    authorization::policy::Policy,
    roles::model::Roles,
    sessions::model::{SessionHolder, SessionRefusal},
    users::model::User,
};

/// What a secret opens.
#[derive(Debug, Clone)]
pub(crate) struct Grant {
    /// What it is, with its owner.
    pub shown: PresentedCredential,
    /// What they may do.
    pub policy: Policy,
}

/// Verified credential with its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PresentedCredential {
    /// An API key.
    Key(Box<Holder>),
    /// A session.
    Session(Box<SessionHolder>),
}

/// Why a credential opens nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// An API key.
    #[error(transparent)]
    Key(#[from] KeyRefusal),
    /// A session.
    #[error(transparent)]
    Session(#[from] SessionRefusal),
}

impl PresentedCredential {
    /// The account that its calls act in.
    pub(crate) fn account(&self) -> &AccountId {
        &self.owner().account
    }

    /// Whose it is.
    pub(crate) fn user(&self) -> &UserId {
        &self.owner().user
    }

    /// As whom it asks.
    pub(crate) fn subject(&self) -> Subject {
        Subject::User(self.user().clone())
    }

    /// Its public name, such as `key:key-0123`.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Key(it) => format!("key:{}", it.key.key_id),
            Self::Session(it) => format!("session:{}", it.session.session_id),
        }
    }

    /// Whether it opens anything at a time.
    pub(crate) fn check(&self, now: i64) -> Result<(), Refusal> {
        match self {
            Self::Key(it) => Ok(it.check(now)?),
            Self::Session(it) => Ok(it.check(now)?),
        }
    }

    /// When it opens nothing any more, in seconds since 1970, where that is known.
    pub(crate) fn ends_at(&self) -> Option<u64> {
        let end = match self {
            Self::Key(it) => it.ends_at(),
            Self::Session(it) => Some(it.session.expires_at),
        };
        end.map(|end| u64::try_from(end.div_euclid(1000)).unwrap_or_default())
    }

    /// What its holder may do by it.
    pub(crate) fn policy(&self, roles: &Roles) -> Policy {
        match self {
            Self::Key(it) => Policy::new(roles, &it.owner.roles, it.key.role.as_ref()),
            Self::Session(it) => Policy::new(roles, &it.roles(), it.limit()),
        }
    }

    fn owner(&self) -> &User {
        match self {
            Self::Key(it) => &it.owner,
            Self::Session(it) => &it.owner,
        }
    }
}
