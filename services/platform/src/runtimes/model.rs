//! Runtimes and single-use join tokens. Validates joining runtimes; the store decides which use wins.

use causeway_assertion::PublicKey;
use causeway_proto::ids::{AccountId, KeyId, RuntimeId, RuntimeName, UserId};

use crate::secret::{SecretDigest, hex, random_hex, sha256};

/// How long a join token lasts, in milliseconds.
pub(crate) const JOIN_TOKEN_LIFE: i64 = 15 * 60 * 1000;
/// How far two clocks may be apart, in milliseconds.
pub(crate) const CLOCK_LEEWAY: i64 = 60 * 1000;
/// Maximum number of unused join tokens of an account that are listed.
pub(crate) const MOST_TOKENS: u32 = 10_000;
/// Separates ids of join tokens from other digests.
const JOIN_TOKEN_CONTEXT: &[u8] = b"causeway-join-token-id";
/// Opens the bytes that a joining runtime signs.
const JOIN_CONTEXT: &[u8] = b"causeway-join-v1";

/// The permission for one runtime to join. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JoinToken {
    /// The account to join.
    pub account: AccountId,
    /// The name that the runtime will have, or has.
    pub name: RuntimeName,
    /// What it is for.
    pub purpose: Purpose,
    /// Under what the secret is found.
    pub digest: SecretDigest,
    /// Who made it.
    pub created_by: UserId,
    /// When it was made.
    pub created_at: i64,
    /// When it ends.
    pub expires_at: i64,
}

/// The public id of a join token. It follows from the digest of the secret and tells nothing of the secret.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct JoinTokenId(pub String);

impl JoinToken {
    pub(crate) fn id(&self) -> JoinTokenId {
        JoinTokenId::of(self.digest)
    }

    /// Position in a list, newest first.
    pub(crate) fn place(&self) -> (i64, String) {
        (-self.created_at, self.id().0)
    }
}

impl JoinTokenId {
    pub(crate) fn of(digest: SecretDigest) -> Self {
        let id = sha256(&[JOIN_TOKEN_CONTEXT, &digest.0].concat());
        Self(format!("jtk-{}", hex(&id[..8])))
    }
}

/// What a join token is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// A runtime that is not there yet.
    Join,
    /// New keys for the runtime that has the name.
    Rejoin,
}

/// What a join token would do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Offer {
    /// The name that a runtime will have.
    pub name: RuntimeName,
    /// What it is for.
    pub purpose: Purpose,
    /// When it ends, in milliseconds since 1970.
    pub expires_at: i64,
    /// Why no runtime may use it, where none may.
    pub bar: Option<TokenRejection>,
}

/// A runtime that joined. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runtime {
    /// Its account.
    pub account: AccountId,
    /// Its opaque id.
    pub runtime_id: RuntimeId,
    /// Its name.
    pub name: RuntimeName,
    /// The public half of its identity key.
    pub identity_key: PublicKey,
    /// The public half of the key that secrets for it are sealed to.
    pub sealing_key: PublicKey,
    /// Its version when it last told.
    pub version: String,
    /// When it joined.
    pub joined_at: i64,
    /// When it was last heard of.
    pub last_seen_at: Option<i64>,
    /// When it was put out.
    pub revoked_at: Option<i64>,
}

/// What a joining runtime brings, beside its token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Joining {
    /// The id that it will have if it is let in.
    pub runtime_id: RuntimeId,
    /// The public half of its identity key.
    pub identity_key: PublicKey,
    /// The public half of its sealing key.
    pub sealing_key: PublicKey,
    /// Its version.
    pub version: String,
}

/// How a use of a join token ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum JoinOutcome {
    /// The runtime is in, now or by an earlier use of the token with the same keys whose answer was lost.
    Joined(Box<Runtime>),
    /// The runtime was in, and has these keys in the place of its former ones now.
    Rejoined(Box<Runtime>),
    /// The token is unknown or over its time.
    Invalid,
    /// The token is good, but the runtime may not use it.
    Barred {
        /// The token's account.
        account: AccountId,
        /// The token's name.
        name: RuntimeName,
        /// Why.
        bar: TokenRejection,
    },
}

/// Reason why a runtime may not use a valid join token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenRejection {
    /// Another runtime used it.
    #[error("the join token was already used: create a new one")]
    Used,
    /// Another runtime has the name by now.
    #[error(
        "another runtime has this name by now: make a token with another name, or revoke that runtime"
    )]
    NameTaken,
    /// A runtime that was not put out has the same identity key.
    #[error("these keys already belong to a runtime: join from an empty runtime folder")]
    KeyTaken,
    /// The runtime that was to join again was put out since.
    #[error("the runtime was revoked: create a join token for a new runtime")]
    Gone,
}

/// Why a join is refused before its token is looked at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JoinRefusal {
    /// The signature over token and keys does not fit the identity key.
    #[error("proof: the signature does not match the identity key; create new keys and join again")]
    Proof,
    /// The clocks are too far apart.
    #[error("clock off by {seconds} s: set the runtime's clock and join again")]
    Clock {
        /// How many seconds the runtime is before (positive) or behind (negative) the platform.
        seconds: i64,
    },
}

impl Joining {
    /// Brings keys under a new id.
    pub fn new(identity_key: PublicKey, sealing_key: PublicKey, version: String) -> Self {
        let id = format!("rt-{}", random_hex::<10>());
        Self {
            runtime_id: id
                .parse()
                .expect("hexadecimal digits fit the grammar of ids"),
            identity_key,
            sealing_key,
            version,
        }
    }

    /// The runtime that it becomes.
    pub fn into_runtime(self, account: AccountId, name: RuntimeName, now: i64) -> Runtime {
        Runtime {
            account,
            runtime_id: self.runtime_id,
            name,
            identity_key: self.identity_key,
            sealing_key: self.sealing_key,
            version: self.version,
            joined_at: now,
            last_seen_at: None,
            revoked_at: None,
        }
    }

    /// Whether it holds the private half of its identity key.
    pub fn check_proof(&self, token: &SecretDigest, proof: &[u8]) -> Result<(), JoinRefusal> {
        let (identity, sealing) = (self.identity_key.as_bytes(), self.sealing_key.as_bytes());
        let statement = [JOIN_CONTEXT, &token.0, identity, sealing].concat();
        if self.identity_key.verifies(&statement, proof) {
            return Ok(());
        }
        Err(JoinRefusal::Proof)
    }
}

impl Runtime {
    /// The id under which its identity key is known.
    pub fn key_id(&self) -> KeyId {
        self.identity_key.id()
    }

    /// The same with the keys that it joins again with.
    pub fn with_keys_of(self, joining: &Joining) -> Self {
        Self {
            identity_key: joining.identity_key,
            sealing_key: joining.sealing_key,
            version: joining.version.clone(),
            ..self
        }
    }

    /// True if it is the one that asks to join again, and was not put out since.
    pub fn is_same(&self, joining: &Joining) -> bool {
        let keys = (self.identity_key, self.sealing_key);
        self.revoked_at.is_none() && keys == (joining.identity_key, joining.sealing_key)
    }
}

/// Whether a runtime's clock is near enough to ours.
pub(crate) fn check_clock(client: i64, now: i64) -> Result<(), JoinRefusal> {
    let offset = client.saturating_sub(now);
    if offset.saturating_abs() <= CLOCK_LEEWAY {
        return Ok(());
    }
    let seconds = offset / 1000;
    Err(JoinRefusal::Clock { seconds })
}

#[cfg(test)]
mod tests;
