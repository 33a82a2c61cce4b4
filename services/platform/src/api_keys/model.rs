//! API keys and the permissions of their holders. Holds no secrets.

use causeway_proto::ids::{AccountId, KeyId, RoleName, UserId};

use crate::{
    secret::random_hex,
    users::model::{User, UserStatus},
};

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
    /// What limits it beside what its owner may; none for no more limits.
    pub role: Option<RoleName>,
    /// When it was made.
    pub created_at: i64,
    /// When it ends.
    pub expires_at: Option<i64>,
    /// When it was last used.
    pub last_used_at: Option<i64>,
    /// When it was revoked.
    pub revoked_at: Option<i64>,
    /// When it last got a new secret, and until when the former one is good.
    pub rotation: Option<Rotation>,
}

/// Where a key stands in a list, newest first: when it was made, and its id.
pub(crate) type KeyPlace = (i64, KeyId);

/// A new secret in the place of another one. Times are milliseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rotation {
    /// When it was made.
    pub rotated_at: i64,
    /// When the former one ends.
    pub former_ends_at: i64,
}

/// Current or former secret of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PresentedSecret {
    /// The one that it has.
    Present,
    /// The one that it had before.
    Former,
}

/// A key with its owner, as the store has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Holder {
    /// The key.
    pub key: ApiKey,
    /// By which of its secrets it was found.
    pub shown: PresentedSecret,
    /// Whose it is.
    pub owner: User,
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
    /// It has another secret by now.
    #[error("the API key was rotated: use its new secret")]
    Rotated,
    /// Its owner may not sign in.
    #[error("the user of this API key is disabled: ask an admin")]
    Disabled,
}

impl ApiKey {
    /// A new public id.
    pub fn new_id() -> KeyId {
        let id = format!("key-{}", random_hex::<8>());
        id.parse()
            .expect("hexadecimal digits fit the grammar of ids")
    }

    /// Where it stands in a list.
    pub(crate) fn place(&self) -> KeyPlace {
        (self.created_at, self.key_id.clone())
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

    /// True if what was shown of it at a time still opens something: the secret that it had then may have ended since.
    pub(crate) fn is_good_still(&self, shown_at: i64, now: i64) -> bool {
        let ended = |it: Rotation| shown_at <= it.rotated_at && it.former_ends_at <= now;
        self.check(now).is_ok() && !self.rotation.is_some_and(ended)
    }
}

impl Holder {
    /// When what was shown ends, where it does.
    pub(crate) fn ends_at(&self) -> Option<i64> {
        let rotation = self
            .key
            .rotation
            .filter(|_| self.shown == PresentedSecret::Former);
        let former = rotation.map(|it| it.former_ends_at);
        former.into_iter().chain(self.key.expires_at).min()
    }

    /// Whether it opens anything at a time.
    pub(crate) fn check(&self, now: i64) -> Result<(), KeyRefusal> {
        self.key.check(now)?;
        let good = |rotation: &Rotation| now < rotation.former_ends_at;
        if self.shown == PresentedSecret::Former && !self.key.rotation.as_ref().is_some_and(good) {
            return Err(KeyRefusal::Rotated);
        }
        match self.owner.standing() {
            UserStatus::Enabled => Ok(()),
            UserStatus::Disabled | UserStatus::Deleted => Err(KeyRefusal::Disabled),
        }
    }
}

#[cfg(test)]
mod tests;
