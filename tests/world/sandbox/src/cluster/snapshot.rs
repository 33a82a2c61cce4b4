//! Snapshot of the store, for tests to compare with.

use serde_json::Value;

use super::store::Store;

/// A snapshot of everything stored.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// the revision of the snapshot
    pub revision: u64,
    pub objects: Vec<SnapshotObject>,
    /// the deletions since this process began, oldest first, at most 100,000
    pub deletions: Vec<Deletion>,
}

/// One stored object.
#[derive(Clone, Debug)]
pub struct SnapshotObject {
    pub group: String,
    pub kind: String,
    pub namespace: String,
    pub name: String,
    pub uid: String,
    pub resource_version: u64,
    pub object: Value,
}

/// One deleted object.
#[derive(Clone, Debug)]
pub struct Deletion {
    /// `plural.group`, or `plural` in the core group
    pub resource: String,
    pub namespace: String,
    pub name: String,
    pub uid: String,
    pub resource_version: u64,
}

impl Snapshot {
    /// The object of this kind and name.
    #[must_use]
    pub fn find(&self, kind: &str, namespace: &str, name: &str) -> Option<&SnapshotObject> {
        let is_it = |object: &&SnapshotObject| {
            object.kind == kind && object.namespace == namespace && object.name == name
        };
        self.objects.iter().find(is_it)
    }
}

pub(super) fn read(store: &Store) -> Snapshot {
    let objects = store.collections().flat_map(|collection| {
        let resource = &collection.resource;
        collection.objects.values().map(|stored| SnapshotObject {
            group: resource.group.clone(),
            kind: resource.kind.clone(),
            namespace: stored.key.namespace.clone(),
            name: stored.key.name.clone(),
            uid: stored.uid.clone(),
            resource_version: stored.revision,
            object: stored.value(),
        })
    });
    let deletions = store.deletes().map(|deleted| Deletion {
        resource: deleted.reference.resource.to_string(),
        namespace: deleted.reference.key.namespace.clone(),
        name: deleted.reference.key.name.clone(),
        uid: deleted.uid.clone(),
        resource_version: deleted.revision,
    });
    Snapshot {
        revision: store.revision(),
        objects: objects.collect(),
        deletions: deletions.collect(),
    }
}
