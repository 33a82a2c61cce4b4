//! States that come as what their base has not.

use bytes::Bytes;
use causeway_proto::inventory::v1 as pb;
use prost::Message as _;

use crate::{
    application::{
        State, StatePatch,
        convert::{STATE_BYTES, StateError, encoded::EncodedState, to_verified_state},
    },
    digest::Digest,
    patch,
    report::{Delta, Fault, FieldError, MANIFEST_BYTES, ReportedState},
};

/// How many manifests may come with a state.
const MOST_MANIFESTS: usize = 32;

pub(crate) fn to_delta(delta: pb::StateDelta) -> Result<Delta, FieldError> {
    if delta.manifests.len() > MOST_MANIFESTS {
        let count = delta.manifests.len();
        let problem = format!("has {count} entries: at most {MOST_MANIFESTS} are taken");
        return Err(FieldError::new("delta.manifests", problem));
    }
    let base = if delta.base_root_digest.is_empty() {
        None
    } else {
        Some(digest("delta.base_root_digest", &delta.base_root_digest)?)
    };
    Ok(Delta {
        base,
        root: digest("delta.root_digest", &delta.root_digest)?,
        patch: delta.patch,
        manifests: to_contents(delta.manifests)?,
    })
}

fn digest(field: &str, bytes: &[u8]) -> Result<Digest, FieldError> {
    Digest::try_from(bytes).map_err(|_| FieldError::new(field, "must have 32 bytes"))
}

/// Manifests, each with the digest that it names.
fn to_contents(manifests: Vec<pb::Manifest>) -> Result<Vec<(Digest, Bytes)>, FieldError> {
    let mut room = MANIFEST_BYTES;
    let mut contents = Vec::with_capacity(manifests.len());
    for (index, manifest) in manifests.into_iter().enumerate() {
        let field = |name: &str| format!("delta.manifests[{index}].{name}");
        let named = digest(&field("digest"), &manifest.digest)?;
        let content = unpacked(manifest, room)
            .map_err(|problem| FieldError::new(field("packed"), problem))?;
        if Digest::of(&content) != named {
            let problem = format!("is not what {named} is of");
            return Err(FieldError::new(field("content"), problem));
        }
        room = room.saturating_sub(content.len());
        contents.push((named, content));
    }
    Ok(contents)
}

/// The content of a manifest, of at most `limit` bytes where it is packed.
pub(crate) fn unpacked(manifest: pb::Manifest, limit: usize) -> Result<Bytes, String> {
    if manifest.packed.is_empty() {
        return Ok(manifest.content);
    }
    patch::apply(b"", &manifest.packed, limit).map_err(|error| error.to_string())
}

/// The state that a delta makes of its base; where it is of no use, why.
pub(crate) fn from_delta(delta: &Delta, base: &[u8]) -> Result<ReportedState, (Fault, FieldError)> {
    let wrong = |problem: String| (Fault::Field, FieldError::new("delta.patch", problem));
    let made = patch::apply(base, &delta.patch, STATE_BYTES).map_err(|error| {
        let fault = match error {
            patch::PatchError::Malformed => Fault::Field,
            patch::PatchError::TooLarge { .. } => Fault::TooLarge,
        };
        (fault, FieldError::new("delta.patch", error.to_string()))
    })?;
    let root = Digest::of(&made);
    if root != delta.root {
        let told = delta.root;
        return Err(wrong(format!(
            "makes a state with {root}, but {told} was told"
        )));
    }
    // Decoded into a state that has the digest: a second one among the fields of the delta would replace it.
    let mut state = pb::ApplicationState {
        root_digest: Bytes::copy_from_slice(root.as_bytes()),
        ..Default::default()
    };
    state
        .merge(made.clone())
        .map_err(|error| wrong(format!("makes no state: {error}")))?;
    if *state.root_digest != *root.as_bytes() {
        let error = FieldError::new("application.root_digest", "must be encoded first, and once");
        return Err((Fault::Field, error));
    }
    let encoded = EncodedState {
        root_digest: root,
        canonical: made,
    };
    match to_verified_state(state, encoded) {
        Ok(state) => Ok(ReportedState::Application(Box::new(State {
            patch: Some(StatePatch {
                base: delta.base,
                // On its own: a part of a message keeps all of it.
                content: Bytes::copy_from_slice(&delta.patch),
            }),
            ..state
        }))),
        Err(StateError::Field(error)) => Err((Fault::Field, error)),
        Err(StateError::TooLarge(error)) => Err((Fault::TooLarge, error)),
    }
}

#[cfg(test)]
mod tests;
