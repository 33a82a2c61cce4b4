//! Manifests by content: redacted, in one way of writing, named by their digest.

use std::{borrow::Cow, fmt};

use bytes::Bytes;
use causeway_argocd::redact::Redactor;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// The largest manifest that the inventory takes.
const LARGEST: usize = 3 << 20;
/// The largest one that is kept packed, and its packed bytes.
const LARGEST_KEPT: usize = 1 << 20;
const LARGEST_PACKED: usize = 256 << 10;

/// A SHA-256.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// A manifest that may leave the cluster.
#[derive(Clone, PartialEq, Eq)]
pub struct Content {
    /// Of the bytes.
    pub digest: Digest,
    /// JSON text.
    pub bytes: Bytes,
}

/// A manifest as it is kept beside an object for as long as that is there.
#[derive(Clone, PartialEq, Eq)]
pub struct Kept {
    /// Of the manifest.
    pub digest: Digest,
    packed: Bytes,
}

impl Content {
    /// Redacts the JSON text of an object; nothing where there is no object, it cannot be read, or it is too large.
    pub fn redacted(redactor: &Redactor, text: &str) -> Option<Self> {
        let mut value: Value = serde_json::from_str(text).ok()?;
        if !value.is_object() {
            return None;
        }
        redactor.manifest(&mut value);
        Self::of(&mut value)
    }

    /// Of an object that is redacted already, whose fields it puts in order; nothing where it is too large.
    pub fn of(object: &mut Value) -> Option<Self> {
        object.sort_all_objects();
        let bytes = Bytes::from(object.to_string());
        (bytes.len() <= LARGEST).then(|| Self {
            digest: Digest::of(&bytes),
            bytes,
        })
    }
}

impl Kept {
    /// Nothing where it is too large to be kept.
    pub fn of(content: &Content) -> Option<Self> {
        if content.bytes.len() > LARGEST_KEPT {
            return None;
        }
        let packed = causeway_proto::delta::encode(b"", &content.bytes);
        (packed.len() <= LARGEST_PACKED).then(|| Self {
            digest: content.digest,
            packed: packed.into(),
        })
    }

    /// The manifest.
    pub fn content(&self) -> Option<Content> {
        let bytes = causeway_proto::delta::apply(b"", &self.packed, LARGEST_KEPT).ok()?;
        Some(Content {
            digest: self.digest,
            bytes,
        })
    }
}

impl Digest {
    /// The digest of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The 32 bytes.
    pub(crate) fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The 32 bytes, to be sent.
    pub fn to_bytes(self) -> Bytes {
        Bytes::copy_from_slice(&self.0)
    }

    /// 32 bytes as a digest; nothing where there are more or fewer.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }
}

/// As text, in hexadecimal.
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
        let digest = bytes.and_then(|bytes| Self::read(&bytes));
        digest.ok_or_else(|| D::Error::custom("is no digest"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .iter()
            .try_for_each(|byte| write!(formatter, "{byte:02x}"))
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{:?} ({} bytes packed)",
            self.digest,
            self.packed.len()
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
