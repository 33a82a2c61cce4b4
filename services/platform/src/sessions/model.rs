//! Sessions of signed-in users. Holds no tokens.

use causeway_proto::ids::{AccountId, KeyId, ProviderName, RoleName, SessionId, UserId};

use crate::{
    api_keys::model::ApiKey,
    identity_providers::model::IdentityProvider,
    secret::random_hex,
    users::model::{User, UserStatus, in_order},
};

/// A user has at most so many sessions; those that have ended go first, and then the oldest.
pub(crate) const MOST_SESSIONS: u32 = 100;
/// How long a session of a service account lasts, in milliseconds.
pub(crate) const SERVICE_SESSION_LIFE: i64 = 15 * 60 * 1000;
/// Maximum lifetime of a session of an API key, in milliseconds.
pub(crate) const KEY_SESSION_LIFE: i64 = 12 * 60 * 60 * 1000;
/// How long an ended session stays in sight, in milliseconds.
pub(crate) const KEPT_ENDED: i64 = 7 * 24 * 60 * 60 * 1000;

/// A session as it is listed. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UserSession {
    pub account: AccountId,
    pub session_id: SessionId,
    pub user: UserId,
    /// None for a service account and for an API key.
    pub provider: Option<ProviderName>,
    /// The API key that it ends with, and whose role limits it.
    pub key_id: Option<KeyId>,
    /// The subject at the provider; for a service account, issuer and subject of its token.
    pub identity: String,
    /// Those that give roles.
    pub groups: Vec<String>,
    pub created_at: i64,
    pub last_seen_at: Option<i64>,
    pub expires_at: i64,
    pub revoked_at: Option<i64>,
    pub source_address: String,
}

/// Where a session stands in a list, newest first: when it began, and its id.
pub(crate) type SessionPlace = (i64, SessionId);

/// A session with its owner and where it came from, as the store has them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionHolder {
    pub session: UserSession,
    pub owner: User,
    pub provider: Option<IdentityProvider>,
    pub key: Option<ApiKey>,
}

/// Why a session opens nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SessionRefusal {
    /// It was ended.
    #[error("the session was ended: sign in again with 'causeway login'")]
    Revoked,
    /// It is over its time.
    #[error("the session has expired: sign in again with 'causeway login'")]
    Expired,
    /// Its API key was revoked, rotated or has expired.
    #[error("the API key of this session has ended: sign in again")]
    KeyEnded,
    /// Its owner may not sign in.
    #[error("the user of this session is disabled: ask an admin")]
    Disabled,
}

impl UserSession {
    /// Where it stands in a list.
    pub(crate) fn place(&self) -> SessionPlace {
        (self.created_at, self.session_id.clone())
    }

    /// A new session of an API key that ends with the key.
    pub(crate) fn of_key(key: &ApiKey, now: i64) -> Self {
        // A session does not tell which secret was shown, so it ends with the former one where that is still good.
        let former = key.rotation.map(|it| it.former_ends_at);
        let former = former.filter(|end| *end > now);
        let ends = [Some(now + KEY_SESSION_LIFE), key.expires_at, former];
        Self {
            account: key.account.clone(),
            session_id: Self::new_id(),
            user: key.user.clone(),
            provider: None,
            identity: format!("key:{}", key.key_id),
            key_id: Some(key.key_id.clone()),
            groups: Vec::new(),
            created_at: now,
            last_seen_at: None,
            expires_at: ends.into_iter().flatten().min().unwrap_or(now),
            revoked_at: None,
            source_address: String::new(),
        }
    }

    /// A new public id.
    pub(crate) fn new_id() -> SessionId {
        let id = format!("ses-{}", random_hex::<8>());
        id.parse()
            .expect("hexadecimal digits fit the grammar of ids")
    }

    /// True if it was neither ended nor is over its time.
    pub(crate) fn is_open(&self, now: i64) -> bool {
        self.revoked_at.is_none() && self.expires_at > now
    }
}

impl SessionHolder {
    /// Whether it opens anything at a time.
    pub(crate) fn check(&self, now: i64) -> Result<(), SessionRefusal> {
        let session = &self.session;
        if session.revoked_at.is_some() || session.provider.is_some() != self.provider.is_some() {
            return Err(SessionRefusal::Revoked);
        }
        if session.expires_at <= now {
            return Err(SessionRefusal::Expired);
        }
        let key = self.key.as_ref();
        let is_good = |key: &ApiKey| key.is_good_still(session.created_at, now);
        if session.key_id.is_some() && !key.is_some_and(is_good) {
            return Err(SessionRefusal::KeyEnded);
        }
        match self.owner.standing() {
            UserStatus::Enabled => Ok(()),
            UserStatus::Disabled | UserStatus::Deleted => Err(SessionRefusal::Disabled),
        }
    }

    /// The role that limits it.
    pub(crate) fn limit(&self) -> Option<&RoleName> {
        self.key.as_ref()?.role.as_ref()
    }

    /// The user's own roles and those that its groups give now.
    pub(crate) fn roles(&self) -> Vec<RoleName> {
        let provider = self.provider.as_ref();
        let given = provider.map(|it| it.settings.roles_of(&self.session.groups));
        let own = self.owner.roles.iter().cloned();
        in_order(own.chain(given.unwrap_or_default()).collect())
    }
}

#[cfg(test)]
mod tests;
