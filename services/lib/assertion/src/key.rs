//! Signing keys and sources of their public halves.

use std::{collections::HashMap, fmt, path::Path};

use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use causeway_proto::ids::KeyId;
use futures::future::{BoxFuture, ready};
use rcgen::{KeyPair, PublicKeyData as _};
use sha2::{Digest as _, Sha256};

use super::{Authority, Claims, RevocationSignal};

/// P-256 private key. Its id is derived from the public half, so all holders agree on it.
pub struct SigningKey {
    pair: KeyPair,
    public: PublicKey,
    id: KeyId,
    encoding: jsonwebtoken::EncodingKey,
}

#[derive(Debug, thiserror::Error)]
pub enum SigningKeyError {
    #[error("not a P-256 private key as PKCS#8 in PEM (-----BEGIN PRIVATE KEY-----)")]
    Pem,
    #[error("cannot generate a key")]
    Generate(#[source] rcgen::Error),
    #[error("cannot sign")]
    Sign(#[source] jsonwebtoken::errors::Error),
}

impl SigningKey {
    pub fn generate() -> Result<Self, SigningKeyError> {
        Self::new(KeyPair::generate().map_err(SigningKeyError::Generate)?)
    }

    pub fn from_pem(pem: &str) -> Result<Self, SigningKeyError> {
        Self::new(KeyPair::from_pem(pem).map_err(|_| SigningKeyError::Pem)?)
    }

    /// Reads the key from a file, or creates it with mode 0600.
    pub fn open_or_create(file: &Path) -> anyhow::Result<Self> {
        use anyhow::Context as _;
        let read = |pem: &str| Self::from_pem(pem).with_context(|| file.display().to_string());
        let failed = || format!("read {}", file.display());
        match std::fs::read_to_string(file) {
            Ok(pem) => read(&pem),
            Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound) => {
                let key = Self::generate()?;
                if crate::private_file::create_private(file, key.to_pem().as_bytes())? {
                    Ok(key)
                } else {
                    // Another process created the file first; all processes must use its key.
                    read(&std::fs::read_to_string(file).with_context(failed)?)
                }
            }
            Err(error) => Err(error).with_context(failed),
        }
    }

    fn new(pair: KeyPair) -> Result<Self, SigningKeyError> {
        let public = PublicKey::from_bytes(pair.der_bytes()).ok_or(SigningKeyError::Pem)?;
        Ok(Self {
            id: public.id(),
            encoding: jsonwebtoken::EncodingKey::from_ec_der(pair.serialized_der()),
            pair,
            public,
        })
    }

    /// Returns the key as PKCS#8 in PEM, which is secret.
    #[must_use]
    pub fn to_pem(&self) -> String {
        self.pair.serialize_pem()
    }

    pub(super) fn pkcs8(&self) -> &[u8] {
        self.pair.serialized_der()
    }

    #[must_use]
    pub fn kid(&self) -> &KeyId {
        &self.id
    }

    #[must_use]
    pub fn public_key(&self) -> &PublicKey {
        &self.public
    }

    /// Returns the public half as a JSON Web Key.
    #[must_use]
    pub fn public_jwk(&self) -> serde_json::Value {
        let (x, y) = self.public.0[1..].split_at(32);
        serde_json::json!({
            "kty": "EC",
            "crv": "P-256",
            "alg": "ES256",
            "use": "sig",
            "kid": self.id.as_str(),
            "x": BASE64_URL_SAFE_NO_PAD.encode(x),
            "y": BASE64_URL_SAFE_NO_PAD.encode(y),
        })
    }

    /// Signs an assertion for use as a bearer token.
    pub fn sign(&self, claims: &Claims) -> Result<String, SigningKeyError> {
        self.sign_with(claims, None)
    }

    /// Signs an assertion with a certificate in its header.
    pub(super) fn sign_with(
        &self,
        claims: &Claims,
        certificate: Option<&str>,
    ) -> Result<String, SigningKeyError> {
        claims.encode(self, certificate)
    }

    /// Signs bytes with ECDSA and SHA-256: 64 bytes, r then s.
    pub fn sign_bytes(&self, bytes: &[u8]) -> Result<Vec<u8>, SigningKeyError> {
        let text =
            jsonwebtoken::crypto::sign(bytes, &self.encoding, jsonwebtoken::Algorithm::ES256)
                .map_err(SigningKeyError::Sign)?;
        Ok(BASE64_URL_SAFE_NO_PAD
            .decode(text)
            .expect("the library encodes what it signed"))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningKey({})", self.id)
    }
}

/// P-256 public key as an uncompressed point: 65 bytes starting with 4.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub struct PublicKey([u8; 65]);

/// DER prefix before the point in a SubjectPublicKeyInfo of P-256.
const SPKI_PREFIX: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a,
    0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

impl PublicKey {
    /// Parses an uncompressed point or a SubjectPublicKeyInfo in DER.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let point = bytes.strip_prefix(&SPKI_PREFIX).unwrap_or(bytes);
        let point: [u8; 65] = point.try_into().ok()?;
        let on_curve =
            aws_lc_rs::agreement::UnparsedPublicKey::new(&aws_lc_rs::agreement::ECDH_P256, point);
        let parsed = aws_lc_rs::agreement::ParsedPublicKey::try_from(&on_curve);
        (point[0] == 4 && parsed.is_ok()).then_some(Self(point))
    }

    /// Returns the uncompressed point, 65 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the SubjectPublicKeyInfo in DER, 91 bytes.
    #[must_use]
    pub fn to_spki(&self) -> Vec<u8> {
        [&SPKI_PREFIX[..], &self.0].concat()
    }

    /// Returns the first 16 bytes of the SHA-256 of the point in hexadecimal.
    #[must_use]
    pub fn id(&self) -> KeyId {
        let digest = Sha256::digest(self.0);
        let hex: String = digest[..16]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        hex.parse().expect("hex digits are a valid id")
    }

    /// Verifies a signature of [`SigningKey::sign_bytes`].
    #[must_use]
    pub fn verifies(&self, bytes: &[u8], signature: &[u8]) -> bool {
        aws_lc_rs::signature::UnparsedPublicKey::new(
            &aws_lc_rs::signature::ECDSA_P256_SHA256_FIXED,
            self.0,
        )
        .verify(bytes, signature)
        .is_ok()
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.id())
    }
}

/// Public key with its authority.
#[derive(Clone, Debug)]
pub struct TrustedKey {
    pub key: PublicKey,
    pub authority: Authority,
}

/// The keys are currently unavailable. The text is for the log.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct KeySourceError(pub String);

/// Source of verification keys. It is called for each new assertion, so remote implementations cache.
pub trait KeySource: Send + Sync + 'static {
    /// Returns none for an unknown or revoked key.
    fn key<'a>(
        &'a self,
        kid: &'a KeyId,
    ) -> BoxFuture<'a, Result<Option<TrustedKey>, KeySourceError>>;

    /// Signals that cached keys must be looked up again.
    fn revocations(&self) -> RevocationSignal {
        RevocationSignal::none()
    }
}

/// Fixed set of keys.
#[derive(Clone, Debug, Default)]
pub struct StaticKeys(HashMap<KeyId, TrustedKey>);

impl StaticKeys {
    #[must_use]
    pub fn new(keys: impl IntoIterator<Item = TrustedKey>) -> Self {
        Self(keys.into_iter().map(|key| (key.key.id(), key)).collect())
    }
}

impl KeySource for StaticKeys {
    fn key<'a>(
        &'a self,
        kid: &'a KeyId,
    ) -> BoxFuture<'a, Result<Option<TrustedKey>, KeySourceError>> {
        Box::pin(ready(Ok(self.0.get(kid).cloned())))
    }
}
