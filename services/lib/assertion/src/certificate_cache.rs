//! Cache of part certificates whose signature, issuer and lifetime are verified. Their validity period is checked at each use.

use std::sync::Arc;

use causeway_proto::{error::v1::Reason, ids::KeyId};

use super::{
    LEEWAY_SECONDS, MAX_CERTIFICATE_SECONDS, MalformedCertificate, PartCertificate, TrustedKey,
    token_cache::TokenCache,
};

/// Each part creates two certificates a day.
const REMEMBERED: usize = 1_000;

/// Reason why a part certificate is rejected.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum CertificateError {
    #[error(transparent)]
    Malformed(#[from] MalformedCertificate),
    #[error("its issuer did not sign it")]
    BadSignature,
    #[error("the key {issuer} may not certify {holder}")]
    Issuer { issuer: KeyId, holder: String },
    #[error("it is for another key than the one that signed")]
    Key,
    #[error("it holds for {life} s, and at most {MAX_CERTIFICATE_SECONDS} s are allowed")]
    Life { life: u64 },
    #[error(
        "it expired {ago} s ago; the part must get another (if it is new: clock off by at least {ago} s)"
    )]
    Expired { ago: u64 },
    #[error("it begins {ahead} s in the future: clock off by {ahead} s")]
    Future { ahead: u64 },
}

impl CertificateError {
    pub(super) fn reason(&self) -> Reason {
        match self {
            Self::Malformed(_)
            | Self::BadSignature
            | Self::Issuer { .. }
            | Self::Key
            | Self::Life { .. } => Reason::CredentialInvalid,
            Self::Expired { .. } => Reason::CredentialExpired,
            Self::Future { .. } => Reason::ClockSkew,
        }
    }
}

/// Validity period in Unix seconds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Validity {
    not_before: u64,
    not_after: u64,
}

/// Part key with a valid issuer signature.
#[derive(Debug)]
pub(super) struct VerifiedCertificate {
    pub(super) key: TrustedKey,
    pub(super) issuer: KeyId,
    pub(super) window: Validity,
    kid: KeyId,
    /// Revocation count before the issuer key was looked up; a later revocation invalidates the entry.
    revocations: u64,
}

/// Verified certificates, keyed by their text.
pub(super) struct CertificateCache(TokenCache<VerifiedCertificate>);

impl CertificateCache {
    pub(super) fn new() -> Self {
        Self(TokenCache::new(REMEMBERED))
    }

    pub(super) fn get(&self, text: &str, revocations: u64) -> Option<Arc<VerifiedCertificate>> {
        let certified = self.0.get(text)?;
        (certified.revocations == revocations).then_some(certified)
    }

    pub(super) fn read(text: &str) -> Result<PartCertificate, CertificateError> {
        Ok(text.parse()?)
    }

    /// Verifies a certificate with the key of its issuer and caches it.
    pub(super) fn check(
        &self,
        text: &str,
        certificate: PartCertificate,
        issuer: &TrustedKey,
        revocations: u64,
    ) -> Result<Arc<VerifiedCertificate>, CertificateError> {
        if !certificate.is_signed_by(&issuer.key) {
            return Err(CertificateError::BadSignature);
        }
        let Some(authority) = issuer.authority.certifies(&certificate) else {
            return Err(CertificateError::Issuer {
                issuer: certificate.issuer,
                holder: certificate.holder.to_string(),
            });
        };
        let window = Validity::of(&certificate)?;
        let certified = Arc::new(VerifiedCertificate {
            kid: certificate.key.id(),
            key: TrustedKey {
                key: certificate.key,
                authority,
            },
            issuer: certificate.issuer,
            window,
            revocations,
        });
        self.0.insert(text, Arc::clone(&certified));
        Ok(certified)
    }
}

impl VerifiedCertificate {
    /// Checks that the certificate belongs to the key named in the token header.
    pub(super) fn check_key(&self, kid: &KeyId) -> Result<(), CertificateError> {
        if self.kid == *kid {
            return Ok(());
        }
        Err(CertificateError::Key)
    }
}

impl Validity {
    fn of(certificate: &PartCertificate) -> Result<Self, CertificateError> {
        let PartCertificate {
            not_before,
            not_after,
            ..
        } = *certificate;
        let life = not_after.saturating_sub(not_before);
        if life == 0 || life > MAX_CERTIFICATE_SECONDS {
            return Err(CertificateError::Life { life });
        }
        Ok(Self {
            not_before,
            not_after,
        })
    }

    pub(super) fn check(self, now: u64) -> Result<(), CertificateError> {
        if self.not_before > now.saturating_add(LEEWAY_SECONDS) {
            let ahead = self.not_before - now;
            return Err(CertificateError::Future { ahead });
        }
        if now > self.not_after.saturating_add(LEEWAY_SECONDS) {
            let ago = now - self.not_after;
            return Err(CertificateError::Expired { ago });
        }
        Ok(())
    }
}
