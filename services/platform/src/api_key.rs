//! API keys and what a holder of one may be. Never holds a secret.

use causeway_proto::ids::{AccountId, KeyId, UserId};

use crate::{role::Role, secret::random_hex};

/// A user of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct User {
    /// Its account.
    pub account: AccountId,
    /// Its id.
    pub user: UserId,
    /// What it may do at most.
    pub role: Role,
}

/// A key as it is listed. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiKey {
    /// The account that its calls act in.
    pub account: AccountId,
    /// Its public id.
    pub key_id: KeyId,
    /// What its owner calls it.
    pub display_name: String,
    /// Whose it is.
    pub user: UserId,
    /// What it may do at most.
    pub role: Role,
    /// When it was made.
    pub created_at: i64,
    /// When it ends.
    pub expires_at: Option<i64>,
    /// When it was last used.
    pub last_used_at: Option<i64>,
    /// When it was revoked.
    pub revoked_at: Option<i64>,
}

/// A key together with the present role of its owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grant {
    /// The key.
    pub key: ApiKey,
    /// The owner's role.
    pub owner_role: Role,
}

/// Why a key opens nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyRefusal {
    /// It was revoked.
    #[error("the API key was revoked: ask an admin for a new one")]
    Revoked,
    /// It is over its time.
    #[error("the API key has expired: ask an admin for a new one")]
    Expired,
}

impl ApiKey {
    /// A new public id.
    pub fn new_id() -> KeyId {
        let id = format!("key-{}", random_hex::<8>());
        id.parse()
            .expect("hexadecimal digits fit the grammar of ids")
    }

    /// Whether it may be used at a time.
    pub fn check(&self, now: i64) -> Result<(), KeyRefusal> {
        if self.revoked_at.is_some() {
            return Err(KeyRefusal::Revoked);
        }
        if self.expires_at.is_some_and(|end| end <= now) {
            return Err(KeyRefusal::Expired);
        }
        Ok(())
    }
}

impl Grant {
    /// The lesser of the key's role and its owner's.
    pub(crate) fn role(&self) -> Role {
        self.key.role.min(self.owner_role)
    }
}
