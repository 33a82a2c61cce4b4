//! Verification of an assertion: form, key, signature, authority, audience, method, time, single use.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use causeway_proto::{error::v1::Reason, ids::KeyId};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use tonic::{Code, Status};

use super::{
    Authority, Caller, Claims, ExpectedAudience, KeySource, KeySourceError, LEEWAY_SECONDS,
    MAX_ASSERTION_BYTES, MAX_LIFETIME, MalformedAssertion, RevocationSignal, TrustedKey,
    certificate_cache::{CertificateCache, CertificateError, Validity},
    jwt::Token,
    replay_cache::{ReplayCache, UseResult},
    token_cache::TokenCache,
};
use causeway_proto::status::status;

/// Expired entries are rejected on use, so the cache needs no eviction by time.
const REMEMBERED: usize = 5_000;
/// Retry interval if the key of an open stream cannot be looked up.
const ASK_AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Verifies assertions for one audience. Cheap to clone; clones share their caches.
#[derive(Clone)]
pub struct Verifier(Arc<Inner>);

struct Inner {
    keys: Arc<dyn KeySource>,
    recipient: ExpectedAudience,
    revocations: RevocationSignal,
    certificates: CertificateCache,
    /// Entries hold the revocation count from before their key was looked up.
    verified: TokenCache<VerifiedAssertion>,
    used: ReplayCache,
    /// Start time: earlier one-time assertions are rejected because their use before the start is unknown.
    began: u64,
}

/// Assertion with verified signature, authority and audience.
#[derive(Debug)]
pub struct VerifiedAssertion {
    /// The key that signed.
    kid: KeyId,
    /// Key from the key source: the signing key itself, or the key that certified it.
    trusted: KeyId,
    /// Validity of the certificate, if there is one.
    certified: Option<Validity>,
    revocations: u64,
    claims: Claims,
    caller: Arc<Caller>,
}

impl VerifiedAssertion {
    #[must_use]
    pub fn claims(&self) -> &Claims {
        &self.claims
    }

    #[must_use]
    pub fn caller(&self) -> &Arc<Caller> {
        &self.caller
    }

    /// Key from the key source: the signing key itself, or the key that certified it.
    #[must_use]
    pub fn trusted_key(&self) -> &KeyId {
        &self.trusted
    }

    fn check(&self, method: &str, now: u64) -> Result<(), VerifyError> {
        if let Some(window) = &self.certified {
            window.check(now)?;
        }
        check_time(&self.claims, now)?;
        check_method(&self.claims, method)
    }
}

/// Resolved signer of a token.
struct Signer {
    key: TrustedKey,
    trusted: KeyId,
    certified: Option<Validity>,
}

/// Reason why an assertion is rejected.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    #[error("the assertion is longer than {MAX_ASSERTION_BYTES} bytes")]
    TooLong,
    #[error("the assertion is malformed: {0}")]
    Malformed(#[from] MalformedAssertion),
    #[error("the certificate of the assertion's key does not count: {0}")]
    Certificate(#[from] CertificateError),
    #[error("the assertion is signed by the unknown or revoked key {0}; ask for a new one")]
    UnknownKey(KeyId),
    #[error("the assertion's signature is wrong")]
    BadSignature,
    #[error("the keys that verify assertions are not at hand; try again")]
    Keys(#[source] KeySourceError),
    #[error("the key {kid} may not assert {subject} for {audience}")]
    Authority {
        kid: KeyId,
        subject: String,
        audience: String,
    },
    #[error("the assertion is for {shown}, this is {own}")]
    Audience { shown: String, own: String },
    #[error("the assertion is for the method {shown}, not for {called}")]
    Method { shown: String, called: String },
    #[error(
        "the assertion expired {ago} s ago; ask for a new one (if it is new: clock off by at least {ago} s)"
    )]
    Expired { ago: u64 },
    #[error("the assertion is from {ahead} s in the future: clock off by {ahead} s")]
    Future { ahead: u64 },
    #[error("the assertion lives {life} s, and at most {} s are allowed", MAX_LIFETIME.as_secs())]
    Life { life: u64 },
    #[error(
        "this call needs an assertion of its own, with a one-time id, a request id and the request's digest"
    )]
    NotOneTime,
    #[error("the request is not the one that the assertion was made for; ask for a new one")]
    Digest,
    #[error("the assertion was used before; ask for a new one")]
    Replayed,
    #[error(
        "the assertion is from before this process began, which does not know whether it was used; ask for a new one"
    )]
    BeforeBeginning,
    #[error("too many one-time assertions at once; try again in a minute")]
    WindowFull,
}

impl Verifier {
    #[must_use]
    pub fn new(keys: Arc<dyn KeySource>, recipient: ExpectedAudience) -> Self {
        Self(Arc::new(Inner {
            revocations: keys.revocations(),
            keys,
            recipient,
            certificates: CertificateCache::new(),
            verified: TokenCache::new(REMEMBERED),
            used: ReplayCache::new(),
            began: super::now(),
        }))
    }

    /// Verifies everything except single use and digest, for a call of `method` now.
    pub async fn verify(
        &self,
        token: &str,
        method: &str,
    ) -> Result<Arc<VerifiedAssertion>, VerifyError> {
        self.verify_at(token, method, super::now()).await
    }

    /// Checks an assertion that is in the cache, without waiting. Returns none for other assertions.
    #[must_use]
    pub fn verify_cached(
        &self,
        token: &str,
        method: &str,
    ) -> Option<Result<Arc<VerifiedAssertion>, VerifyError>> {
        let verified = self.remembered(token)?;
        let checked = verified.check(method, super::now());
        Some(checked.map(|()| verified))
    }

    /// Resolves when the key of the assertion is revoked. A key stays valid while the key source is unavailable.
    pub async fn wait_for_revocation(&self, verified: &VerifiedAssertion) -> VerifyError {
        let mut known = verified.revocations;
        loop {
            known = self.0.revocations.changed_since(known).await;
            let mut asked = self.0.keys.key(&verified.trusted).await;
            while asked.is_err() {
                tokio::time::sleep(ASK_AGAIN_AFTER).await;
                asked = self.0.keys.key(&verified.trusted).await;
            }
            if let Ok(None) = asked {
                return VerifyError::UnknownKey(verified.trusted.clone());
            }
        }
    }

    /// Capacity of the caches of assertions and one-time ids.
    #[cfg(test)]
    pub(super) fn kept(&self) -> (usize, usize) {
        (self.0.verified.len(), self.0.used.len())
    }

    pub(super) async fn verify_at(
        &self,
        token: &str,
        method: &str,
        now: u64,
    ) -> Result<Arc<VerifiedAssertion>, VerifyError> {
        if token.len() > MAX_ASSERTION_BYTES {
            return Err(VerifyError::TooLong);
        }
        if let Some(verified) = self.remembered(token) {
            verified.check(method, now)?;
            return Ok(verified);
        }
        let verified = Arc::new(self.verify_new(token).await?);
        verified.check(method, now)?;
        if verified.claims.jti.is_none() {
            self.0.verified.insert(token, Arc::clone(&verified));
        }
        Ok(verified)
    }

    fn remembered(&self, token: &str) -> Option<Arc<VerifiedAssertion>> {
        let verified = self.0.verified.get(token)?;
        (verified.revocations == self.0.revocations.count()).then_some(verified)
    }

    async fn verify_new(&self, text: &str) -> Result<VerifiedAssertion, VerifyError> {
        let revocations = self.0.revocations.count();
        let token = Token::parse(text)?;
        let signer = self.signer(&token, revocations).await?;
        if !token.is_signed_by(&signer.key.key) {
            return Err(VerifyError::BadSignature);
        }
        let claims = Claims::read(&token)?;
        let authority = &signer.key.authority;
        self.check_parties(&token.head.kid, authority, &claims)?;
        Ok(VerifiedAssertion {
            caller: Arc::new(caller(authority, &claims)),
            kid: token.head.kid,
            trusted: signer.trusted,
            certified: signer.certified,
            revocations,
            claims,
        })
    }

    /// Returns the key of a token and its authority.
    async fn signer(&self, token: &Token<'_>, revocations: u64) -> Result<Signer, VerifyError> {
        let kid = &token.head.kid;
        let Some(text) = &token.head.certificate else {
            return Ok(Signer {
                key: self.trusted(kid).await?,
                trusted: kid.clone(),
                certified: None,
            });
        };
        let certified = match self.0.certificates.get(text, revocations) {
            Some(certified) => certified,
            None => {
                let certificate = CertificateCache::read(text)?;
                let issuer = self.trusted(&certificate.issuer).await?;
                self.0
                    .certificates
                    .check(text, certificate, &issuer, revocations)?
            }
        };
        certified.check_key(kid)?;
        Ok(Signer {
            key: certified.key.clone(),
            trusted: certified.issuer.clone(),
            certified: Some(certified.window),
        })
    }

    async fn trusted(&self, kid: &KeyId) -> Result<TrustedKey, VerifyError> {
        let found = self.0.keys.key(kid).await.map_err(VerifyError::Keys)?;
        found.ok_or_else(|| VerifyError::UnknownKey(kid.clone()))
    }

    fn check_parties(
        &self,
        kid: &KeyId,
        authority: &Authority,
        claims: &Claims,
    ) -> Result<(), VerifyError> {
        if !authority.may_assert(claims) {
            return Err(VerifyError::Authority {
                kid: kid.clone(),
                subject: claims.sub.to_string(),
                audience: claims.aud.to_string(),
            });
        }
        if !self.0.recipient.accepts(&claims.aud) {
            return Err(VerifyError::Audience {
                shown: claims.aud.to_string(),
                own: self.0.recipient.to_string(),
            });
        }
        Ok(())
    }

    /// Consumes a single-use assertion for exactly this request: the uncompressed protobuf message.
    pub fn consume(&self, verified: &VerifiedAssertion, message: &[u8]) -> Result<(), VerifyError> {
        self.spend_at(verified, message, super::now())
    }

    /// Consumes an assertion that opens a session, not before the time of its issue.
    ///
    /// The issuer's clock may be ahead. Used at once, such an assertion would be younger than a restart that forgets its use.
    pub async fn consume_for_session(
        &self,
        verified: &VerifiedAssertion,
        message: &[u8],
    ) -> Result<(), VerifyError> {
        let issued = SystemTime::UNIX_EPOCH + Duration::from_secs(verified.claims.iat);
        let ahead = issued.duration_since(SystemTime::now());
        tokio::time::sleep(ahead.unwrap_or_default()).await;
        self.consume(verified, message)
    }

    pub(super) fn spend_at(
        &self,
        verified: &VerifiedAssertion,
        message: &[u8],
        now: u64,
    ) -> Result<(), VerifyError> {
        let claims = &verified.claims;
        let (Some(jti), Some(digest), Some(_)) = (&claims.jti, &claims.digest, &claims.request_id)
        else {
            return Err(VerifyError::NotOneTime);
        };
        if claims.iat < self.0.began {
            return Err(VerifyError::BeforeBeginning);
        }
        let actual = Sha256::digest(message);
        if !bool::from(actual.as_slice().ct_eq(digest)) {
            return Err(VerifyError::Digest);
        }
        let id = format!("{}/{jti}", verified.kid);
        match self.0.used.take(&id, claims.exp + LEEWAY_SECONDS, now) {
            UseResult::First => Ok(()),
            UseResult::Again => Err(VerifyError::Replayed),
            UseResult::Full => Err(VerifyError::WindowFull),
        }
    }
}

fn caller(authority: &Authority, claims: &Claims) -> Caller {
    Caller {
        subject: claims.sub.clone(),
        account: claims.aud.account.clone(),
        runtime: authority.runtime().cloned(),
        scope: claims.scope.clone(),
        request_id: claims.request_id,
        issued_at: claims.iat,
        jti: claims.jti.clone(),
        credential: claims.credential.clone(),
    }
}

fn check_time(claims: &Claims, now: u64) -> Result<(), VerifyError> {
    let life = claims.exp.saturating_sub(claims.iat);
    if life == 0 || life > MAX_LIFETIME.as_secs() {
        return Err(VerifyError::Life { life });
    }
    if claims.iat > now.saturating_add(LEEWAY_SECONDS) {
        return Err(VerifyError::Future {
            ahead: claims.iat - now,
        });
    }
    if now > claims.exp.saturating_add(LEEWAY_SECONDS) {
        return Err(VerifyError::Expired {
            ago: now - claims.exp,
        });
    }
    Ok(())
}

fn check_method(claims: &Claims, called: &str) -> Result<(), VerifyError> {
    if claims.method == called {
        return Ok(());
    }
    Err(VerifyError::Method {
        shown: claims.method.clone(),
        called: called.to_owned(),
    })
}

impl From<VerifyError> for Status {
    fn from(error: VerifyError) -> Self {
        let text = error.to_string();
        let (code, reason) = match error {
            VerifyError::TooLong
            | VerifyError::Malformed(_)
            | VerifyError::UnknownKey(_)
            | VerifyError::BadSignature
            | VerifyError::Life { .. }
            | VerifyError::Authority { .. }
            | VerifyError::NotOneTime => (Code::Unauthenticated, Reason::CredentialInvalid),
            VerifyError::Audience { .. } | VerifyError::Method { .. } => {
                (Code::Unauthenticated, Reason::AudienceMismatch)
            }
            VerifyError::Certificate(refusal) => (Code::Unauthenticated, refusal.reason()),
            VerifyError::Expired { .. } => (Code::Unauthenticated, Reason::CredentialExpired),
            VerifyError::Future { .. } => (Code::Unauthenticated, Reason::ClockSkew),
            VerifyError::Digest => (Code::Unauthenticated, Reason::DigestMismatch),
            VerifyError::Replayed | VerifyError::BeforeBeginning => {
                (Code::Unauthenticated, Reason::Replayed)
            }
            VerifyError::Keys(error) => {
                tracing::warn!(%error, "keys of callers cannot be asked for");
                (Code::Unavailable, Reason::UpstreamUnavailable)
            }
            VerifyError::WindowFull => (Code::ResourceExhausted, Reason::Overloaded),
        };
        status(code, reason, text)
    }
}
