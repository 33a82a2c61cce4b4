//! The root key's signature over the manifest of a backup, and so over every file in it.

use anyhow::{Context as _, ensure};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use causeway_assertion::{PublicKey, SigningKey};
use serde::{Deserialize, Serialize};

/// Opens the bytes that are signed, so that no other signature of the root key counts here.
const CONTEXT: &[u8] = b"causeway-backup-v1\0";

/// The signature with the key that made it, both in base64.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Signature {
    root_key: String,
    signature: String,
}

impl Signature {
    pub(super) fn sign(manifest: &[u8], root: &SigningKey) -> anyhow::Result<Self> {
        let signature = root.sign_bytes(&statement(manifest))?;
        Ok(Self {
            root_key: BASE64_STANDARD.encode(root.public_key().as_bytes()),
            signature: BASE64_STANDARD.encode(signature),
        })
    }

    pub(super) fn to_bytes(&self) -> anyhow::Result<Vec<u8>> {
        serde_json::to_vec(self).context("writing JSON")
    }

    pub(super) fn read(text: &[u8]) -> anyhow::Result<Self> {
        serde_json::from_slice(text).context("its signature cannot be read")
    }

    /// Verifies the signature and returns the id of its key.
    pub(super) fn verified_signer(&self, manifest: &[u8]) -> anyhow::Result<String> {
        let key = BASE64_STANDARD.decode(&self.root_key).ok();
        let key = key.and_then(|point| PublicKey::from_bytes(&point));
        let key = key.context("its signature names no key")?;
        let signature = BASE64_STANDARD.decode(&self.signature).ok();
        ensure!(
            signature.is_some_and(|signature| key.verifies(&statement(manifest), &signature)),
            "its signature does not hold: it was changed after it was made"
        );
        Ok(key.id().to_string())
    }
}

fn statement(manifest: &[u8]) -> Vec<u8> {
    [CONTEXT, manifest].concat()
}
