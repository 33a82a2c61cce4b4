//! The platform's own keys: the root key, the signing key that it certifies, and the key that certifies those of its parts.
//!
//! They are files, never rows. The root key signs nothing but certifications.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::Context as _;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use causeway_proto::ids::KeyId;
use causeway_shell::assertion::{
    Authority, Claims, KeyError, KeySource, PublicKey, Revocations, Revoker, SigningKey,
    SigningKeyError, TrustedKey,
};
use futures::future::BoxFuture;

use crate::{data_folder::make_private, store::Store};

/// The file of the key that certifies the keys of the platform's parts.
pub(crate) const PARTS_KEY: &str = "parts.pem";
/// The public half of the root key, for whoever verifies: its point in base64.
const ROOT_PUBLIC: &str = "root.pub";
/// How long a certification holds, in seconds.
const HOLDS_FOR: i64 = 30 * 24 * 60 * 60;
/// A certification is used again for this long, in seconds.
const RENEWED_AFTER: i64 = 60 * 60;
/// A certification begins this much earlier, for clocks that are behind, in seconds.
const BEGINS_EARLIER: i64 = 60 * 60;
/// Opens the bytes that the root key signs.
const CONTEXT: &[u8] = b"causeway-signing-key-v1";

/// The keys.
#[derive(Debug)]
pub(crate) struct KeyRing {
    root: SigningKey,
    signing: SigningKey,
    parts: SigningKey,
    certified: Mutex<Option<CertifiedKey>>,
}

/// The public half of the signing key with what the root key says of it. Times are seconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertifiedKey {
    /// The key.
    pub key: PublicKey,
    /// From when on it may be used.
    pub not_before: i64,
    /// Until when it may be used.
    pub not_after: i64,
    /// The root key's signature over [`statement`], 64 bytes.
    pub root_signature: Vec<u8>,
}

impl KeyRing {
    /// Reads the keys of a folder, and makes those that are not there.
    pub(crate) fn open(folder: &Path) -> anyhow::Result<Self> {
        make_private(folder)?;
        let open = |name: &str| {
            let key = SigningKey::open_or_create(&folder.join(name));
            key.with_context(|| format!("the platform's key {name}"))
        };
        let root = open("root.pem")?;
        let public = folder.join(ROOT_PUBLIC);
        if !public.exists() {
            let point = BASE64_STANDARD.encode(root.public_key().as_bytes());
            std::fs::write(&public, format!("{point}\n")).context("the platform's key root.pub")?;
        }
        Ok(Self {
            root,
            signing: open("signing.pem")?,
            parts: open(PARTS_KEY)?,
            certified: Mutex::new(None),
        })
    }

    /// What runtimes pin.
    pub(crate) fn root(&self) -> &PublicKey {
        self.root.public_key()
    }

    /// Signs an assertion for a user.
    pub(crate) fn sign(&self, claims: &Claims) -> Result<String, SigningKeyError> {
        self.signing.sign(claims)
    }

    /// Signs what whoever has the root key can verify by [`Self::certified`]: 64 bytes.
    pub(crate) fn sign_bytes(&self, bytes: &[u8]) -> Result<Vec<u8>, SigningKeyError> {
        self.signing.sign_bytes(bytes)
    }

    /// The signing key as the root key vouches for it. `now` is in seconds since 1970.
    pub(crate) fn certified(&self, now: i64) -> Result<CertifiedKey, SigningKeyError> {
        let mut certified = self
            .certified
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let fresh = |known: &&CertifiedKey| {
            let made = known.not_before + BEGINS_EARLIER;
            (made..made + RENEWED_AFTER).contains(&now)
        };
        if let Some(known) = certified.as_ref().filter(fresh) {
            return Ok(known.clone());
        }
        let made = self.certify(now)?;
        *certified = Some(made.clone());
        Ok(made)
    }

    /// One of the platform's own public keys.
    pub(crate) fn own(&self, key_id: &KeyId) -> Option<TrustedKey> {
        let trusted = |key: &SigningKey, authority| TrustedKey {
            key: *key.public_key(),
            authority,
        };
        if key_id == self.signing.kid() {
            return Some(trusted(&self.signing, Authority::Platform));
        }
        let parts = key_id == self.parts.kid();
        parts.then(|| trusted(&self.parts, Authority::PlatformParts))
    }

    fn certify(&self, now: i64) -> Result<CertifiedKey, SigningKeyError> {
        let key = *self.signing.public_key();
        let (not_before, not_after) = (now - BEGINS_EARLIER, now + HOLDS_FOR);
        let root_signature = self
            .root
            .sign_bytes(&statement(&key, not_before, not_after))?;
        Ok(CertifiedKey {
            key,
            not_before,
            not_after,
            root_signature,
        })
    }
}

/// The bytes that the root key signs: context, key id and point, each behind its length in four big-endian bytes, then both
/// times in eight.
pub(crate) fn statement(key: &PublicKey, not_before: i64, not_after: i64) -> Vec<u8> {
    let id = key.id();
    let mut statement = Vec::new();
    for field in [CONTEXT, id.as_str().as_bytes(), key.as_bytes()] {
        let length = u32::try_from(field.len()).expect("the fields are short");
        statement.extend(length.to_be_bytes());
        statement.extend(field);
    }
    statement.extend(not_before.to_be_bytes());
    statement.extend(not_after.to_be_bytes());
    statement
}

/// The keys that the platform trusts: its own, and those of runtimes that were not put out.
pub(crate) struct PlatformKeySource {
    ring: Arc<KeyRing>,
    store: Arc<dyn Store>,
    revoker: Revoker,
}

impl PlatformKeySource {
    /// Over a ring and a store.
    pub(crate) fn new(ring: Arc<KeyRing>, store: Arc<dyn Store>) -> Self {
        let revoker = Revoker::default();
        Self {
            ring,
            store,
            revoker,
        }
    }

    /// Tells all who remember that something was revoked. To be called when it is durable.
    pub(crate) fn revoked(&self) {
        self.revoker.revoked();
    }
}

impl KeySource for PlatformKeySource {
    fn key<'a>(&'a self, kid: &'a KeyId) -> BoxFuture<'a, Result<Option<TrustedKey>, KeyError>> {
        Box::pin(async move {
            if let Some(own) = self.ring.own(kid) {
                return Ok(Some(own));
            }
            let found = self.store.find_runtime_by_key(kid).await;
            let found =
                found.map_err(|error| KeyError(format!("{:#}", anyhow::Error::from(error))))?;
            Ok(found.map(|runtime| TrustedKey {
                key: runtime.identity_key,
                authority: Authority::Runtime {
                    account: runtime.account,
                    runtime: runtime.runtime_id,
                },
            }))
        })
    }

    fn revocations(&self) -> Revocations {
        self.revoker.revocations()
    }
}

#[cfg(test)]
mod tests;
