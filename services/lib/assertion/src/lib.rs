//! The caller assertion: who asks, for whom it may be shown, which method, and within which scope.
//!
//! It is made by whoever holds a [`SigningKey`] or a [`PartKey`] and checked by a [`Verifier`] before a handler runs. The key, not the text
//! of the assertion, decides what may be asserted: see [`Authority`].

mod authority;
mod caller;
pub mod certificate;
mod certified;
mod claims;
mod glob;
mod jwt;
mod key;
mod memory;
mod part_key;
mod replay;
mod revocation;
mod scope;
mod side;
mod subject;
mod verify;

pub use authority::Authority;
pub use caller::Caller;
pub use certified::CertificateRefusal;
pub use claims::{Claims, LONGEST_LIFE, MalformedAssertion};
pub use glob::{glob_matches, is_any, is_glob};
pub use key::{
    KeyError, KeySource, PublicKey, SigningKey, SigningKeyError, StaticKeys, TrustedKey,
};
pub use part_key::{
    Holder, LONGEST_CERTIFICATE_LIFE, MalformedCertificate, PartCertificate, PartKey, PartKeyError,
};
pub use revocation::{Revocations, Revoker};
pub use scope::{Ground, LARGEST_SCOPE, MOST_RULES, Object, Scope, ScopeRule, ScopeTooLarge};
pub use side::Side;
pub use subject::{Audience, PLATFORM_ACCOUNT, Recipient, Subject, SubjectError};
pub use verify::{Verified, Verifier, VerifyError};

/// The clocks of two machines may differ by this many seconds.
pub const LEEWAY_SECONDS: u64 = 60;

/// Longest assertion in bytes that is looked at.
pub const LONGEST_ASSERTION: usize = 8 * 1024;

/// Seconds since 1970.
#[must_use]
pub fn now() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::SystemTime::UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_secs())
}

#[cfg(test)]
mod tests;
