//! A kind for tests: things with a name and a version.

use bytes::Bytes;
use causeway_proto::{inventory::v1 as pb, time::millis_to_timestamp};
use prost::Message as _;
use serde_json::Value;

use crate::{
    manifest::{Content, Digest},
    object::{Malformed, ObjectKey},
    reported_kind::{Kind, ReportedKind},
};

/// Things.
#[derive(Debug, Clone)]
pub(crate) struct Things {
    kind: Kind,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Thing {
    pub(crate) key: ObjectKey,
    pub(crate) version: u64,
}

impl Thing {
    pub(crate) fn new(name: &str, version: u64) -> Self {
        let key = ObjectKey {
            namespace: "argocd".to_owned(),
            name: name.to_owned(),
            uid: format!("uid-{name}"),
        };
        Self { key, version }
    }
}

/// The state of a thing: much that only its name decides, and its version.
pub(crate) fn state(thing: &Thing) -> pb::ApplicationState {
    let part = |number: u8| {
        format!(
            "{:?}",
            Digest::compute(&[thing.key.name.as_bytes(), &[number]].concat())
        )
    };
    let parts: Vec<String> = (0..20).map(part).collect();
    let labels = [
        ("parts", parts.concat()),
        ("version", thing.version.to_string()),
    ];
    pb::ApplicationState {
        labels: labels
            .map(|(label, value)| (label.to_owned(), value))
            .into(),
        ..pb::ApplicationState::default()
    }
}

impl Default for Things {
    fn default() -> Self {
        let kind = Kind::new("example.com", "v1", "things");
        Self { kind }
    }
}

impl ReportedKind for Things {
    type Object = Thing;
    type Enrichment = ();

    fn kind(&self) -> &Kind {
        &self.kind
    }

    fn noun(&self) -> &str {
        "things"
    }

    fn read(&self, object: Value) -> Result<Option<Thing>, Malformed> {
        let metadata = |field: &str| object["metadata"][field].as_str().unwrap_or_default();
        let thing = Thing::new(metadata("name"), 0);
        let version = metadata("resourceVersion");
        match version.parse() {
            Ok(version) => Ok(Some(Thing { version, ..thing })),
            Err(_) => Err(Malformed {
                key: thing.key,
                resource_version: version.to_owned(),
                cause: "it has no version".to_owned(),
            }),
        }
    }

    fn compress(object: &Thing) -> Option<Bytes> {
        let Thing { key, version } = object;
        let fields = [&key.namespace, &key.name, &key.uid, &version.to_string()];
        Some(fields.map(String::as_str).join("\n").into())
    }

    fn decompress(packed: &Bytes) -> Option<Thing> {
        let text = std::str::from_utf8(packed).ok()?;
        let fields: Vec<&str> = text.split('\n').collect();
        let [namespace, name, uid, version] = fields[..] else {
            return None;
        };
        let key = ObjectKey {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            uid: uid.to_owned(),
        };
        let version = version.parse().ok()?;
        Some(Thing { key, version })
    }

    fn key(object: &Thing) -> ObjectKey {
        object.key.clone()
    }

    fn resource_version(object: &Thing) -> u64 {
        object.version
    }

    /// Each version of a thing that is synced ended an operation. One with a history lists those of earlier versions too.
    fn ended_operations(&self, object: &Thing) -> Vec<pb::OperationRecord> {
        let ended = |version| {
            let at = i64::try_from(version).unwrap() * 1_000;
            pb::OperationRecord {
                started_at: Some(millis_to_timestamp(at)),
                finished_at: Some(millis_to_timestamp(at)),
                ..pb::OperationRecord::default()
            }
        };
        let last = object.version;
        if object.key.name.starts_with("synced-history") {
            (1..=last).map(ended).collect()
        } else if object.key.name.starts_with("synced") {
            vec![ended(last)]
        } else {
            Vec::new()
        }
    }

    /// Of one that is large, half a mebibyte.
    fn manifest(&self, object: &Thing) -> Option<Content> {
        let is_large = object.key.name.starts_with("large");
        is_large.then(|| {
            let bytes = Bytes::from(vec![b' '; 512 << 10]);
            let digest = Digest::compute(&bytes);
            Content { digest, bytes }
        })
    }

    fn to_change(&self, object: &Thing, (): &()) -> Option<(pb::report::Change, Digest)> {
        let mut state = state(object);
        let root = Digest::compute(&state.encode_to_vec());
        state.root_digest = root.to_bytes();
        Some((pb::report::Change::Application(state), root))
    }
}
