//! Bearer secrets: 256 random bits with a type prefix. The store holds their SHA-256 only.

use std::fmt;

use aws_lc_rs::{
    digest::{SHA256, digest},
    rand::{SecureRandom as _, SystemRandom},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

/// Opens an API key.
pub(crate) const API_KEY_PREFIX: &str = "cwk_";
/// Opens a session.
pub(crate) const SESSION_PREFIX: &str = "cws_";
/// Opens a join token.
pub(crate) const JOIN_TOKEN_PREFIX: &str = "cwj_";

/// Longer texts are no secret of ours and are not even digested.
const MAX_BYTES: usize = 128;

/// A bearer secret: the prefix and 43 characters of unpadded base64url. Does not show itself in logs.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

/// The SHA-256 of a secret, under which it is stored and found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretDigest(pub [u8; 32]);

impl Secret {
    /// A new one from the system's source of randomness.
    pub(crate) fn generate(prefix: &str) -> Self {
        Self(format!(
            "{prefix}{}",
            URL_SAFE_NO_PAD.encode(random_bytes::<32>())
        ))
    }

    /// Reads a secret that was made elsewhere; none if it has not exactly the form of a generated one.
    pub(crate) fn parse(prefix: &str, text: &str) -> Option<Self> {
        let body = text.strip_prefix(prefix)?;
        let bytes = URL_SAFE_NO_PAD.decode(body).ok()?;
        (bytes.len() == 32).then(|| Self(text.to_owned()))
    }

    /// The text that its holder shows.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// What the store keeps of it.
    pub(crate) fn digest(&self) -> SecretDigest {
        SecretDigest(sha256(self.0.as_bytes()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret")
    }
}

impl SecretDigest {
    /// Digest of a presented secret; none for a text longer than any secret.
    pub fn of(text: &str) -> Option<Self> {
        (text.len() <= MAX_BYTES).then(|| Self(sha256(text.as_bytes())))
    }
}

impl fmt::Debug for SecretDigest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SecretDigest")
    }
}

/// The SHA-256 of bytes.
pub(crate) fn sha256(bytes: &[u8]) -> [u8; 32] {
    let mut out = [0; 32];
    out.copy_from_slice(digest(&SHA256, bytes).as_ref());
    out
}

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Random lower-case hexadecimal, two digits for each byte.
pub(crate) fn random_hex<const BYTES: usize>() -> String {
    hex(&random_bytes::<BYTES>())
}

/// Bytes from the system's source of randomness.
pub(crate) fn random_bytes<const BYTES: usize>() -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    SystemRandom::new()
        .fill(&mut bytes)
        .expect("the system's source of randomness does not fail once it is seeded");
    bytes
}

#[cfg(test)]
mod tests;
