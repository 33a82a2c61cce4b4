//! Content-addressed manifests: redacted, serialized canonically, identified by their digest.

use std::{borrow::Cow, fmt};

use bytes::Bytes;
use causeway_argocd::redact::Redactor;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// Size limit of the inventory.
const MAX_MANIFEST_BYTES: usize = 3 << 20;
/// Larger manifests are fetched again instead of being held in memory.
const MAX_COMPRESSIBLE_BYTES: usize = 1 << 20;
const MAX_COMPRESSED_BYTES: usize = 256 << 10;

/// SHA-256 of a manifest or a state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// Redacted manifest, which may leave the cluster.
#[derive(Clone, PartialEq, Eq)]
pub struct Content {
    pub digest: Digest,
    /// Canonical JSON.
    pub bytes: Bytes,
}

/// Compressed manifest, stored with its object.
#[derive(Clone, PartialEq, Eq)]
pub struct CompressedContent {
    /// Digest of the uncompressed manifest.
    pub digest: Digest,
    compressed: Bytes,
}

impl Content {
    /// Redacts the JSON text of an object; `None` for invalid JSON, other JSON types and oversized manifests.
    pub fn redacted(redactor: &Redactor, text: &str) -> Option<Self> {
        let mut value: Value = serde_json::from_str(text).ok()?;
        if !value.is_object() {
            return None;
        }
        redactor.manifest(&mut value);
        Self::from_object(&mut value)
    }

    /// Serializes a redacted object with sorted fields; `None` above the size limit.
    pub fn from_object(object: &mut Value) -> Option<Self> {
        object.sort_all_objects();
        let bytes = Bytes::from(object.to_string());
        (bytes.len() <= MAX_MANIFEST_BYTES).then(|| Self {
            digest: Digest::compute(&bytes),
            bytes,
        })
    }
}

impl CompressedContent {
    /// Compresses a manifest; `None` above the size limits.
    pub fn new(content: &Content) -> Option<Self> {
        if content.bytes.len() > MAX_COMPRESSIBLE_BYTES {
            return None;
        }
        let compressed = causeway_proto::delta::encode(b"", &content.bytes);
        (compressed.len() <= MAX_COMPRESSED_BYTES).then(|| Self {
            digest: content.digest,
            compressed: compressed.into(),
        })
    }

    /// Restores the manifest.
    pub fn decompress(&self) -> Option<Content> {
        let bytes =
            causeway_proto::delta::apply(b"", &self.compressed, MAX_COMPRESSIBLE_BYTES).ok()?;
        Some(Content {
            digest: self.digest,
            bytes,
        })
    }
}

impl Digest {
    /// Hashes the bytes.
    pub fn compute(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub fn to_bytes(self) -> Bytes {
        Bytes::copy_from_slice(&self.0)
    }

    /// Accepts exactly 32 bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }
}

/// Serialized in hexadecimal.
impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{self:?}"))
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <Cow<'de, str>>::deserialize(deserializer)?;
        let byte = |two: &[u8]| {
            let two = std::str::from_utf8(two).ok()?;
            u8::from_str_radix(two, 16).ok()
        };
        let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(byte).collect();
        let digest = bytes.and_then(|bytes| Self::from_bytes(&bytes));
        digest.ok_or_else(|| D::Error::custom("expected 64 hexadecimal digits"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for CompressedContent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{:?} ({} bytes compressed)",
            self.digest,
            self.compressed.len()
        )
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} ({} bytes)", self.digest, self.bytes.len())
    }
}

#[cfg(test)]
mod tests;
