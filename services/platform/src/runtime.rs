//! Runtimes and the tokens that let them join once. Checks what a joining runtime says; the store decides who is first.

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use causeway_proto::ids::{AccountId, KeyId, RuntimeId, RuntimeName, UserId};

use crate::secret::{SecretDigest, random_hex};

/// How long a join token lasts, in milliseconds.
pub const JOIN_TOKEN_LIFE: i64 = 15 * 60 * 1000;
/// How far two clocks may be apart, in milliseconds.
pub const CLOCK_LEEWAY: i64 = 60 * 1000;
/// Opens the bytes that a joining runtime signs.
const JOIN_CONTEXT: &[u8] = b"causeway-join-v1";

/// The permission for one runtime to join. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinToken {
    /// The account to join.
    pub account: AccountId,
    /// The name that the runtime will have.
    pub name: RuntimeName,
    /// Under what the secret is found.
    pub digest: SecretDigest,
    /// Who made it.
    pub created_by: UserId,
    /// When it was made.
    pub created_at: i64,
    /// When it ends.
    pub expires_at: i64,
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
    /// The id of its identity key.
    pub key_id: KeyId,
    /// The public half of its identity key, 65 bytes.
    pub identity_key: Vec<u8>,
    /// The public half of the key that secrets for it are sealed to, 65 bytes.
    pub sealing_key: Vec<u8>,
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
    /// The id that its key will have.
    pub key_id: KeyId,
    /// The public half of its identity key, 65 bytes.
    pub identity_key: Vec<u8>,
    /// The public half of its sealing key, 65 bytes.
    pub sealing_key: Vec<u8>,
    /// Its version.
    pub version: String,
}

/// How a use of a join token ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JoinOutcome {
    /// The runtime is in, now or by an earlier use of the token with the same keys whose answer was lost.
    Joined(Box<Runtime>),
    /// The token is unknown or over its time.
    Invalid,
    /// Another runtime used it.
    Used,
    /// Another runtime has the name by now.
    NameTaken,
}

/// Why a join is refused before its token is looked at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JoinRefusal {
    /// The signature over token and keys does not fit the identity key.
    #[error("proof: the signature does not fit the identity key; make new keys and join again")]
    Proof,
    /// The clocks are too far apart.
    #[error("clock off by {seconds} s: set the runtime's clock and join again")]
    Clock {
        /// How many seconds the runtime is before (positive) or behind (negative) the platform.
        seconds: i64,
    },
}

impl Joining {
    /// Brings keys under new ids.
    pub fn new(identity_key: Vec<u8>, sealing_key: Vec<u8>, version: String) -> Self {
        let id = format!("rt-{}", random_hex::<10>());
        let grammar = "hexadecimal digits fit the grammar of ids";
        Self {
            key_id: format!("{id}-1").parse().expect(grammar),
            runtime_id: id.parse().expect(grammar),
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
            key_id: self.key_id,
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
        let parts: [&[u8]; 4] = [JOIN_CONTEXT, &token.0, &self.identity_key, &self.sealing_key];
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, &self.identity_key)
            .verify(&parts.concat(), proof)
            .map_err(|_| JoinRefusal::Proof)
    }
}

/// Whether a runtime's clock is near enough to ours.
pub fn check_clock(client: i64, now: i64) -> Result<(), JoinRefusal> {
    let offset = client.saturating_sub(now);
    if offset.saturating_abs() <= CLOCK_LEEWAY {
        return Ok(());
    }
    let seconds = offset / 1000;
    Err(JoinRefusal::Clock { seconds })
}

#[cfg(test)]
mod tests;
