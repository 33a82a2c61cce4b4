//! Compresses idle objects (JSON and zstd) to save memory.

use bytes::Bytes;
use serde::{Serialize, de::DeserializeOwned};

/// Larger objects stay uncompressed: compressing them takes too long.
const MAX_BYTES: usize = 1 << 20;

pub(crate) fn pack(value: &impl Serialize) -> Option<Bytes> {
    let text = serde_json::to_vec(value).ok();
    let text = text.filter(|text| text.len() <= MAX_BYTES)?;
    Some(causeway_proto::delta::encode(b"", &text).into())
}

pub(crate) fn unpack<T: DeserializeOwned>(packed: &Bytes) -> Option<T> {
    let text = causeway_proto::delta::apply(b"", packed, MAX_BYTES).ok()?;
    serde_json::from_slice(&text).ok()
}
