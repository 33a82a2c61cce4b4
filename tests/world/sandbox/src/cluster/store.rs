//! The objects of the cluster, one global revision, and a bounded window of events per kind.
//!
//! Owns: every accepted write in one order; the journal record of a write is on file before the write is seen.
//! Never: does I/O other than that record, waits, or knows about HTTP.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque},
    path::Path,
    sync::Arc,
};

use serde_json::Value;
use tokio::sync::watch;

use super::{
    journal::{Journal, Record},
    object::{ObjectKey, Stored, set_metadata},
    refusal::{Reason, Refusal},
    resource::{Resource, builtin, from_definition, id_of_definition},
};

use crate::error::SandboxError;

mod read;
mod window;
mod write;

pub(crate) use read::{ListQuery, Page};
pub(crate) use window::{Change, Event, Window};
pub(crate) use write::{Context, DeleteRequest, Outcome, Part, Propagation, keeps_status};

pub(crate) const DEFINITIONS: &str = "customresourcedefinitions.apiextensions.k8s.io";
const FIRST_REVISION: u64 = 1;
const MOST_OBJECTS: usize = 200_000;
const MOST_DELETES: usize = 100_000;

/// All objects of one kind.
pub(crate) struct Collection {
    pub(crate) resource: Arc<Resource>,
    pub(crate) objects: BTreeMap<ObjectKey, Arc<Stored>>,
    pub(crate) window: Window,
    changed: watch::Sender<u64>,
}

/// An object named from anywhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reference {
    pub(crate) resource: Arc<str>,
    pub(crate) key: ObjectKey,
}

/// A deletion that happened since this process began.
#[derive(Clone, Debug)]
pub(crate) struct Deleted {
    pub(crate) reference: Reference,
    pub(crate) uid: String,
    pub(crate) revision: u64,
}

/// See the module text.
pub(crate) struct Store {
    revision: u64,
    collections: BTreeMap<Arc<str>, Collection>,
    by_uid: HashMap<String, Reference>,
    dependents: HashMap<String, BTreeSet<Reference>>,
    deletes: VecDeque<Deleted>,
    journal: Journal,
    changed: watch::Sender<u64>,
}

impl Store {
    /// An empty store in memory, with the built-in kinds.
    pub(crate) fn in_memory() -> Self {
        Self::new(FIRST_REVISION)
    }

    fn new(revision: u64) -> Self {
        let mut store = Self {
            revision,
            collections: BTreeMap::new(),
            by_uid: HashMap::new(),
            dependents: HashMap::new(),
            deletes: VecDeque::new(),
            journal: Journal::none(),
            changed: watch::Sender::new(revision),
        };
        for resource in builtin() {
            store.register(&Arc::new(resource));
        }
        store
    }

    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Loads, compacts and continues the journal in `folder`, creating it if absent.
    ///
    /// # Errors
    /// As [`Journal::open`].
    pub(crate) fn open(folder: &Path) -> Result<Self, SandboxError> {
        let mut store = Self::new(FIRST_REVISION);
        let journal = Journal::open(folder, |record| store.take(record))?;
        store.journal = journal;
        store.forget_events();
        store.compact().map_err(|source| SandboxError::Folder {
            path: folder.to_owned(),
            source,
        })?;
        Ok(store)
    }

    fn take(&mut self, record: Record) {
        match record {
            Record::Header { revision } => self.revision = self.revision.max(revision),
            Record::Put { id, object } => {
                self.restore(&id.into(), &object, Arc::new(Stored::new(&object)))
            }
            Record::Delete { id, key, revision } => {
                self.restore_removal(&id.into(), &key, revision, None)
            }
        }
    }

    pub(crate) fn is_new(&self) -> bool {
        self.revision == FIRST_REVISION
    }

    /// Refuses all further writes, because the process is stopping.
    pub(crate) fn close(&mut self) {
        self.journal = Journal::closed();
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    pub(crate) fn collections(&self) -> impl Iterator<Item = &Collection> {
        self.collections.values()
    }

    pub(crate) fn collection(&self, id: &str) -> Option<&Collection> {
        self.collections.get(id)
    }

    pub(crate) fn by_uid(&self, uid: &str) -> Option<&Reference> {
        self.by_uid.get(uid)
    }

    pub(crate) fn deletes(&self) -> impl Iterator<Item = &Deleted> {
        self.deletes.iter()
    }

    pub(crate) fn get(&self, id: &str, key: &ObjectKey) -> Option<&Arc<Stored>> {
        self.collections.get(id)?.objects.get(key)
    }

    /// Stores `value` as the next revision of its object, whatever was there.
    fn put(&mut self, id: &Arc<str>, mut value: Value) -> Result<Arc<Stored>, Refusal> {
        set_metadata(
            &mut value,
            "resourceVersion",
            (self.revision + 1).to_string(),
        );
        let stored = Arc::new(Stored::new(&value));
        if self.by_uid.len() >= MOST_OBJECTS && !self.by_uid.contains_key(&stored.uid) {
            return Err(Refusal::new(
                Reason::Forbidden,
                format!("a sandbox holds at most {MOST_OBJECTS} objects"),
            ));
        }
        self.journal
            .put(id, &stored)
            .map_err(|error| not_written(&error))?;
        self.restore(id, &value, Arc::clone(&stored));
        self.compact_if_due();
        Ok(stored)
    }

    /// Removes an object; watchers see its last state at the revision of the deletion.
    fn remove(&mut self, id: &Arc<str>, key: &ObjectKey) -> Result<Option<Arc<Stored>>, Refusal> {
        let Some(last) = self.get(id, key).cloned() else {
            return Ok(None);
        };
        let revision = self.revision + 1;
        self.journal
            .delete(id, key, revision)
            .map_err(|error| not_written(&error))?;
        let mut value = last.value();
        set_metadata(&mut value, "resourceVersion", revision.to_string());
        let stored = Arc::new(Stored::new(&value));
        self.restore_removal(id, key, revision, Some(Arc::clone(&stored)));
        self.compact_if_due();
        Ok(Some(stored))
    }

    /// Takes in a written object: also how the journal is read back.
    pub(crate) fn restore(&mut self, id: &Arc<str>, value: &Value, stored: Arc<Stored>) {
        self.revision = self.revision.max(stored.revision);
        if &**id == DEFINITIONS
            && let Ok(resource) = from_definition(value)
        {
            self.register(&Arc::new(resource));
        }
        let Some(collection) = self.collections.get_mut(id) else {
            return;
        };
        let previous = collection
            .objects
            .insert(stored.key.clone(), Arc::clone(&stored));
        self.reindex(id, previous.as_deref(), Some(&stored));
        self.notify(id, Event::written(previous, stored));
    }

    /// Takes in a deletion. `last` is what watchers are shown.
    pub(crate) fn restore_removal(
        &mut self,
        id: &Arc<str>,
        key: &ObjectKey,
        revision: u64,
        last: Option<Arc<Stored>>,
    ) {
        self.revision = self.revision.max(revision);
        let Some(collection) = self.collections.get_mut(id) else {
            return;
        };
        let Some(previous) = collection.objects.remove(key) else {
            return;
        };
        self.reindex(id, Some(&previous), None);
        let reference = Reference {
            resource: Arc::clone(id),
            key: key.clone(),
        };
        if self.deletes.len() == MOST_DELETES {
            self.deletes.pop_front();
        }
        self.deletes.push_back(Deleted {
            reference,
            uid: previous.uid.clone(),
            revision,
        });
        let unregistered = (&**id == DEFINITIONS).then(|| id_of_definition(&previous.value()));
        let last = last.unwrap_or_else(|| Arc::clone(&previous));
        self.notify(id, Event::deleted(revision, previous, last));
        if let Some(gone) = unregistered {
            self.collections.remove(gone.as_str());
        }
    }

    /// Forgets the events so far: what a fresh process knows.
    pub(crate) fn forget_events(&mut self) {
        let revision = self.revision;
        for collection in self.collections.values_mut() {
            collection.window = Window::new(revision);
        }
        self.deletes.clear();
    }

    fn notify(&mut self, id: &Arc<str>, event: Event) {
        let revision = self.revision;
        if let Some(collection) = self.collections.get_mut(id) {
            collection.window.push(Arc::new(event));
            collection.changed.send_replace(revision);
        }
        self.changed.send_replace(revision);
    }

    fn register(&mut self, resource: &Arc<Resource>) {
        let id = Arc::clone(&resource.id);
        let revision = self.revision;
        self.collections
            .entry(id)
            .and_modify(|collection| collection.resource = Arc::clone(resource))
            .or_insert_with(|| Collection {
                resource: Arc::clone(resource),
                objects: BTreeMap::new(),
                window: Window::new(revision),
                changed: watch::Sender::new(revision),
            });
    }

    fn reindex(&mut self, id: &Arc<str>, before: Option<&Stored>, after: Option<&Stored>) {
        if let Some(before) = before {
            let reference = Reference {
                resource: Arc::clone(id),
                key: before.key.clone(),
            };
            self.by_uid.remove(&before.uid);
            for owner in &before.owners {
                if let Some(set) = self.dependents.get_mut(owner) {
                    set.remove(&reference);
                    if set.is_empty() {
                        self.dependents.remove(owner);
                    }
                }
            }
        }
        if let Some(after) = after {
            let reference = Reference {
                resource: Arc::clone(id),
                key: after.key.clone(),
            };
            for owner in &after.owners {
                self.dependents
                    .entry(owner.clone())
                    .or_default()
                    .insert(reference.clone());
            }
            self.by_uid.insert(after.uid.clone(), reference);
        }
    }

    fn compact_if_due(&mut self) {
        if self.journal.is_due()
            && let Err(error) = self.compact()
        {
            tracing::warn!(%error, "cannot compact the journal");
        }
    }

    /// Rewrites the journal with what is live.
    pub(crate) fn compact(&mut self) -> std::io::Result<()> {
        let definitions = self.collections.get(DEFINITIONS).into_iter();
        let others = self
            .collections
            .values()
            .filter(|collection| &*collection.resource.id != DEFINITIONS);
        let live = definitions.chain(others).flat_map(|collection| {
            collection
                .objects
                .values()
                .map(|stored| (&collection.resource.id, stored))
        });
        self.journal.rewrite(self.revision, live)
    }
}

fn not_written(error: &std::io::Error) -> Refusal {
    tracing::error!(%error, "cannot write to the journal");
    Refusal::new(
        Reason::ServiceUnavailable,
        "the sandbox cannot write to its journal, see its log",
    )
}

impl Collection {
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }
}

#[cfg(test)]
mod tests;
