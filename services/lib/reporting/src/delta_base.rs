//! Compressed base states: the next state of an object is sent as a delta against the last acknowledged one.
//! Bounds the memory that base states take.

use std::collections::HashSet;

use bytes::Bytes;
use causeway_proto::inventory::v1 as pb;
use prost::Message as _;

use crate::manifest::{Content, Digest};

/// How many bytes of packed states are kept in all; of objects beyond it the whole state goes.
pub(crate) const MOST_BYTES: usize = 64 << 20;
/// Above all states that are sent.
const LARGEST: usize = 5 << 20;
/// How many manifests go with a state, and how many packed bytes of them.
const MOST_MANIFESTS: usize = 16;
const MANIFEST_BYTES: usize = 64 << 10;
/// Field 1 with 32 bytes, by which a state begins.
const HEAD: usize = 2 + 32;

/// A state as its receiver has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Base {
    /// Of the state.
    pub(crate) root: Digest,
    packed: Bytes,
}

impl Base {
    /// How many bytes it takes.
    pub(crate) fn len(&self) -> usize {
        self.packed.len()
    }

    fn unpacked(&self) -> Option<Bytes> {
        causeway_proto::delta::apply(b"", &self.packed, LARGEST).ok()
    }
}

/// The state of an Application as what it has that `base` has not, with the manifests that only it names, and what a next one may
/// be told by. Nothing of other changes.
pub(crate) fn delta(
    change: &pb::report::Change,
    root: Digest,
    base: Option<&Base>,
    contents: &[Content],
) -> Option<(pb::StateDelta, Base)> {
    let pb::report::Change::Application(state) = change else {
        return None;
    };
    let encoded = state.encode_to_vec();
    let canonical = encoded.get(HEAD..)?;
    let packed = Bytes::from(causeway_proto::delta::encode(b"", canonical));
    let known = base.and_then(|base| Some((base.root, base.unpacked()?)));
    let next = Base {
        root,
        packed: packed.clone(),
    };
    let mut delta = pb::StateDelta {
        root_digest: root.to_bytes(),
        patch: packed,
        ..pb::StateDelta::default()
    };
    if let Some((known_root, known)) = known {
        delta.base_root_digest = known_root.to_bytes();
        delta.patch = causeway_proto::delta::encode(&known, canonical).into();
        delta.manifests = only_named_by(state, &known, contents);
    }
    Some((delta, next))
}

/// Manifests that a state names and its base does not; none where they are too many to go without being wanted.
fn only_named_by(
    state: &pb::ApplicationState,
    base: &Bytes,
    contents: &[Content],
) -> Vec<pb::Manifest> {
    if contents.is_empty() {
        return Vec::new();
    }
    let Ok(before) = pb::ApplicationState::decode(base.clone()) else {
        return Vec::new();
    };
    let (named, known) = (names(state), names(&before));
    let new = |content: &&Content| {
        let digest = content.digest.as_bytes();
        named.contains(&digest[..]) && !known.contains(&digest[..])
    };
    let new: Vec<&Content> = contents
        .iter()
        .filter(new)
        .take(MOST_MANIFESTS + 1)
        .collect();
    let manifests: Vec<pb::Manifest> = new.into_iter().map(packed).collect();
    let bytes: usize = manifests.iter().map(prost::Message::encoded_len).sum();
    if manifests.len() > MOST_MANIFESTS || bytes > MANIFEST_BYTES {
        Vec::new()
    } else {
        manifests
    }
}

fn names(state: &pb::ApplicationState) -> HashSet<&[u8]> {
    let resources = state.status.iter().flat_map(|status| &status.resources);
    let digests = resources.flat_map(|it| [&it.live_digest[..], &it.desired_digest[..]]);
    digests.collect()
}

/// A manifest as it is sent to a receiver that takes it packed.
pub(crate) fn packed(content: &Content) -> pb::Manifest {
    let packed = causeway_proto::delta::encode(b"", &content.bytes);
    let mut manifest = pb::Manifest {
        digest: content.digest.to_bytes(),
        ..pb::Manifest::default()
    };
    if packed.len() < content.bytes.len() {
        manifest.packed = packed.into()
    } else {
        manifest.content = content.bytes.clone()
    }
    manifest
}

#[cfg(test)]
mod tests;
