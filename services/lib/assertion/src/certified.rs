//! Certificates of parts' keys, each verified once: signature, issuer, length of life. Whether one holds now is asked each time.

use std::sync::Arc;

use causeway_proto::{error::v1::Reason, ids::KeyId};

use super::{
    LEEWAY_SECONDS, LONGEST_CERTIFICATE_LIFE, MalformedCertificate, PartCertificate, TrustedKey,
    memory::Memory,
};

/// A part makes two in a day, so this is many parts.
const REMEMBERED: usize = 1_000;

/// Why a certificate does not count.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum CertificateRefusal {
    #[error(transparent)]
    Malformed(#[from] MalformedCertificate),
    #[error("its issuer did not sign it")]
    BadSignature,
    #[error("the key {issuer} may not certify {holder}")]
    Issuer { issuer: KeyId, holder: String },
    #[error("it is for another key than the one that signed")]
    Key,
    #[error("it holds for {life} s, and at most {LONGEST_CERTIFICATE_LIFE} s are allowed")]
    Life { life: u64 },
    #[error(
        "it expired {ago} s ago; the part must get another (if it is new: clock off by at least {ago} s)"
    )]
    Expired { ago: u64 },
    #[error("it begins {ahead} s in the future: clock off by {ahead} s")]
    Future { ahead: u64 },
}

impl CertificateRefusal {
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

/// When a certificate holds, in seconds since 1970.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Window {
    not_before: u64,
    not_after: u64,
}

/// A part's key whose issuer vouches for it.
#[derive(Debug)]
pub(super) struct Certified {
    pub(super) key: TrustedKey,
    pub(super) issuer: KeyId,
    pub(super) window: Window,
    kid: KeyId,
    /// The number of revocations that held before the issuer was asked for.
    revocations: u64,
}

/// What was verified, by the certificate's text.
pub(super) struct Certificates(Memory<Certified>);

impl Certificates {
    pub(super) fn new() -> Self {
        Self(Memory::new(REMEMBERED))
    }

    pub(super) fn known(&self, text: &str, revocations: u64) -> Option<Arc<Certified>> {
        let certified = self.0.get(text)?;
        (certified.revocations == revocations).then_some(certified)
    }

    pub(super) fn read(text: &str) -> Result<PartCertificate, CertificateRefusal> {
        Ok(text.parse()?)
    }

    /// Verifies a certificate by the key that it names as its issuer, and remembers it.
    pub(super) fn check(
        &self,
        text: &str,
        certificate: PartCertificate,
        issuer: &TrustedKey,
        revocations: u64,
    ) -> Result<Arc<Certified>, CertificateRefusal> {
        if !certificate.is_signed_by(&issuer.key) {
            return Err(CertificateRefusal::BadSignature);
        }
        let Some(authority) = issuer.authority.certifies(&certificate) else {
            return Err(CertificateRefusal::Issuer {
                issuer: certificate.issuer,
                holder: certificate.holder.to_string(),
            });
        };
        let window = Window::of(&certificate)?;
        let certified = Arc::new(Certified {
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

impl Certified {
    /// Whether it is for the key that a token names.
    pub(super) fn check_key(&self, kid: &KeyId) -> Result<(), CertificateRefusal> {
        if self.kid == *kid {
            return Ok(());
        }
        Err(CertificateRefusal::Key)
    }
}

impl Window {
    fn of(certificate: &PartCertificate) -> Result<Self, CertificateRefusal> {
        let PartCertificate {
            not_before,
            not_after,
            ..
        } = *certificate;
        let life = not_after.saturating_sub(not_before);
        if life == 0 || life > LONGEST_CERTIFICATE_LIFE {
            return Err(CertificateRefusal::Life { life });
        }
        Ok(Self {
            not_before,
            not_after,
        })
    }

    pub(super) fn check(self, now: u64) -> Result<(), CertificateRefusal> {
        if self.not_before > now.saturating_add(LEEWAY_SECONDS) {
            let ahead = self.not_before - now;
            return Err(CertificateRefusal::Future { ahead });
        }
        if now > self.not_after.saturating_add(LEEWAY_SECONDS) {
            let ago = now - self.not_after;
            return Err(CertificateRefusal::Expired { ago });
        }
        Ok(())
    }
}
