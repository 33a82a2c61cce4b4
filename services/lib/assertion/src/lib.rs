//! Caller assertions: signed JWTs with the subject, audience, method and scope of one call.
//!
//! A [`SigningKey`] or [`PartKey`] signs an assertion; a [`Verifier`] checks it before a handler runs. The key, not the text of the
//! assertion, decides what may be asserted: see [`Authority`].

mod authority;
mod caller;
mod certificate_cache;
mod claims;
pub mod development_ca;
mod glob;
mod jwt;
mod key;
mod part_key;
pub mod private_file;
mod replay_cache;
mod revocation;
mod scope;
mod seal;
mod side;
mod subject;
mod token_cache;
mod verifier;

pub use authority::Authority;
pub use caller::Caller;
pub use certificate_cache::CertificateError;
pub use claims::{Claims, MAX_LIFETIME, MalformedAssertion};
pub use glob::{glob_matches, is_glob, is_match_all};
pub use key::{
    KeySource, KeySourceError, PublicKey, SigningKey, SigningKeyError, StaticKeys, TrustedKey,
};
pub use part_key::{
    KeyHolder, MAX_CERTIFICATE_SECONDS, MalformedCertificate, PartCertificate, PartKey,
    PartKeyError,
};
pub use revocation::{RevocationNotifier, RevocationSignal};
pub use scope::{
    ApplicationAttributes, MAX_RULES, MAX_SCOPE_BYTES, Scope, ScopeRule, ScopeTooLarge,
    UnownedObject,
};
pub use seal::{SealError, SealPurpose, Sealed};
pub use side::Side;
pub use subject::{Audience, ExpectedAudience, PLATFORM_ACCOUNT, Subject, SubjectError};
pub use verifier::{VerifiedAssertion, Verifier, VerifyError};

/// Tolerated clock difference between two machines.
pub const LEEWAY_SECONDS: u64 = 60;

/// Longer tokens are rejected before parsing.
pub const MAX_ASSERTION_BYTES: usize = 8 * 1024;

/// Returns the Unix time in seconds.
#[must_use]
pub fn now() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::SystemTime::UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_secs())
}

#[cfg(test)]
mod tests;
