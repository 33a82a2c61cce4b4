//! Cache of all watched objects, including deleted ones that are not yet reported. Detects deletions from the watch
//! and from complete lists.

mod entry;

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use tokio::time::Instant;

use crate::{
    object::{Evidence, Malformed, ObjectKey, WatchScope},
    reported_kind::ReportedKind,
};
pub(crate) use entry::{Entry, Kept, Presence, Remote, Sender};

/// How many objects that cannot be read are named.
const NAMED: usize = 3;
/// Nothing else is done meanwhile.
const PACKED_AT_ONCE: usize = 200;

/// All objects by key.
pub(crate) struct ObjectCache<R: ReportedKind> {
    entries: BTreeMap<ObjectKey, Entry<R>>,
    quarantine: HashMap<(String, String), Quarantined>,
    listings: HashMap<WatchScope, Listing>,
}

/// How far a scope has been listed and watched. Scopes are listed each for itself.
#[derive(Debug, Clone, Copy, Default)]
struct Listing {
    /// How often a list of it began.
    generation: u64,
    /// Whether the last one has not ended.
    under_way: bool,
    /// The newest resource version that was seen in it.
    newest: u64,
}

#[derive(Debug)]
struct Quarantined {
    resource_version: String,
    generation: u64,
}

/// What an event changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CacheUpdate {
    /// The object has to be reported.
    Changed,
    /// Nothing has to be reported.
    Unchanged,
}

/// Whether resource versions went on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Continuity {
    /// They did.
    Continued,
    /// They went back: the cluster's store was restored.
    Restored,
}

impl<R: ReportedKind> Default for ObjectCache<R> {
    fn default() -> Self {
        Self {
            entries: BTreeMap::new(),
            quarantine: HashMap::new(),
            listings: HashMap::new(),
        }
    }
}

impl<R: ReportedKind> ObjectCache<R> {
    /// An object is so. An older state than the known one changes nothing.
    pub(crate) fn apply(&mut self, object: Arc<R::Object>) -> (ObjectKey, CacheUpdate) {
        let (key, version) = (R::key(&object), R::resource_version(&object));
        let generation = self.observe(&key.namespace, version);
        self.quarantine.remove(&name_of(&key));
        let entry = self.entries.entry(key.clone()).or_default();
        entry.generation = generation;
        if version <= entry.resource_version {
            return (key, CacheUpdate::Unchanged);
        }
        let now = Instant::now();
        entry.calm = entry.resource_version == 0 || entry.rests(now);
        entry.since = now;
        entry.presence = Presence::Live(Kept::Whole(object));
        entry.packed = false;
        entry.resource_version = version;
        (key, CacheUpdate::Changed)
    }

    /// An object is gone. One that was never seen here may be known elsewhere, so that it is told, too.
    pub(crate) fn delete(&mut self, key: &ObjectKey, resource_version: u64) -> CacheUpdate {
        self.observe(&key.namespace, resource_version);
        self.quarantine.remove(&name_of(key));
        let entry = self.entries.entry(key.clone()).or_default();
        if resource_version < entry.resource_version {
            return CacheUpdate::Unchanged;
        }
        entry.go(Evidence::Watched, resource_version);
        CacheUpdate::Changed
    }

    /// An object is there and no longer of interest.
    pub(crate) fn deselect(&mut self, key: &ObjectKey, resource_version: u64) -> CacheUpdate {
        match self.entries.get(key) {
            Some(entry) if !entry.is_gone() => self.delete(key, resource_version),
            Some(_) | None => {
                self.observe(&key.namespace, resource_version);
                self.quarantine.remove(&name_of(key));
                CacheUpdate::Unchanged
            }
        }
    }

    /// The cluster has no such objects: all that were in the scope are gone.
    pub(crate) fn clear_scope(&mut self, scope: &WatchScope) -> Vec<ObjectKey> {
        self.listings.entry(scope.clone()).or_default().generation += 1;
        self.complete_list(scope)
    }

    /// An object is there but cannot be read. New once for each version of it.
    pub(crate) fn quarantine(&mut self, object: &Malformed) -> CacheUpdate {
        let key = &object.key;
        let generation = self.observe(&key.namespace, 0);
        if let Some(entry) = self.entries.get_mut(key) {
            entry.generation = generation;
        }
        let now = Quarantined {
            resource_version: object.resource_version.clone(),
            generation,
        };
        match self.quarantine.insert(name_of(key), now) {
            Some(before) if before.resource_version == object.resource_version => {
                CacheUpdate::Unchanged
            }
            Some(_) | None => CacheUpdate::Changed,
        }
    }

    /// A complete list begins. A list that is older than what was seen before means that the store was restored; then its
    /// versions count anew.
    pub(crate) fn start_list(&mut self, scope: &WatchScope, resource_version: u64) -> Continuity {
        let listing = self.listings.entry(scope.clone()).or_default();
        listing.generation += 1;
        listing.under_way = true;
        if resource_version >= listing.newest {
            listing.newest = resource_version;
            return Continuity::Continued;
        }
        listing.newest = resource_version;
        let within = |key: &ObjectKey| scope.contains(&key.namespace);
        for (_, entry) in self.entries.iter_mut().filter(|(key, _)| within(key)) {
            entry.resource_version = 0;
        }
        Continuity::Restored
    }

    /// A complete list has ended: what is in its scope and was not in it is gone.
    pub(crate) fn complete_list(&mut self, scope: &WatchScope) -> Vec<ObjectKey> {
        let listing = self.listings.entry(scope.clone()).or_default();
        listing.under_way = false;
        let (generation, newest) = (listing.generation, listing.newest);
        self.quarantine
            .retain(|(space, _), object| object.generation == generation || !scope.contains(space));
        let mut gone = Vec::new();
        for (key, entry) in &mut self.entries {
            let missing = entry.generation != generation && scope.contains(&key.namespace);
            if missing && !entry.is_gone() {
                entry.go(Evidence::Listed, newest);
                gone.push(key.clone());
            }
        }
        gone
    }

    /// Something is held elsewhere that is not here: it is gone, unless it is here and cannot be read.
    pub(crate) fn mark_absent(&mut self, key: &ObjectKey, held: u64) -> CacheUpdate {
        if self.entries.contains_key(key) || self.quarantine.contains_key(&name_of(key)) {
            return CacheUpdate::Unchanged;
        }
        let version = self.newest(&key.namespace).max(held);
        let entry = self.entries.entry(key.clone()).or_default();
        entry.go(Evidence::Listed, version);
        CacheUpdate::Changed
    }

    /// An object.
    pub(crate) fn get(&self, key: &ObjectKey) -> Option<&Entry<R>> {
        self.entries.get(key)
    }

    /// An object.
    pub(crate) fn get_mut(&mut self, key: &ObjectKey) -> Option<&mut Entry<R>> {
        self.entries.get_mut(key)
    }

    /// Forgets an object that is gone and told.
    pub(crate) fn forget(&mut self, key: &ObjectKey) {
        self.entries.remove(key);
    }

    /// All keys.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &ObjectKey> {
        self.entries.keys()
    }

    /// Those of a scope that are there.
    pub(crate) fn live(&self, scope: &WatchScope) -> impl Iterator<Item = (&ObjectKey, &Entry<R>)> {
        let within = |key: &ObjectKey| scope.contains(&key.namespace);
        let entries = self.entries.iter();
        entries.filter(move |(key, entry)| within(key) && !entry.is_gone())
    }

    /// All objects with their keys.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&ObjectKey, &mut Entry<R>)> {
        self.entries.iter_mut()
    }

    /// All objects.
    pub(crate) fn entries_mut(&mut self) -> impl Iterator<Item = &mut Entry<R>> {
        self.entries.values_mut()
    }

    /// Packs some of the objects that are at rest.
    pub(crate) fn pack_at_rest(&mut self, now: Instant) {
        let unpacked = self.entries.values_mut().filter(|it| !it.packed);
        let resting = unpacked.filter(|it| it.rests(now));
        resting.take(PACKED_AT_ONCE).for_each(Entry::pack);
    }

    /// Whether objects of a namespace are being listed.
    pub(crate) fn is_listing(&self, namespace: &str) -> bool {
        let mut listings = self.listings.iter();
        listings.any(|(scope, listing)| listing.under_way && scope.contains(namespace))
    }

    /// The newest resource version that was seen in the scope of a namespace; 0 where nothing was.
    pub(crate) fn newest(&self, namespace: &str) -> u64 {
        let watched = self
            .listings
            .iter()
            .filter(|(scope, _)| scope.contains(namespace));
        watched
            .map(|(_, listing)| listing.newest)
            .max()
            .unwrap_or(0)
    }

    /// How many objects cannot be read.
    pub(crate) fn in_quarantine(&self) -> usize {
        self.quarantine.len()
    }

    /// A line that names what cannot be read; the first few where there is much.
    pub(crate) fn unreadable(&self, noun: &str) -> Option<String> {
        let mut names: Vec<_> = self.quarantine.keys().collect();
        names.sort_unstable();
        let named = names
            .iter()
            .take(NAMED)
            .map(|(space, name)| format!("{space}/{name}"));
        let named = named.collect::<Vec<_>>().join(", ");
        let more = match names.len() {
            0 => return None,
            count if count > NAMED => format!(" and {} more", count - NAMED),
            _ => String::new(),
        };
        Some(format!(
            "cannot read {} of the {noun} and leaves them out: {named}{more}; see its log for what is wrong",
            names.len()
        ))
    }

    fn observe(&mut self, namespace: &str, resource_version: u64) -> u64 {
        let mut watched = self.listings.iter_mut();
        let Some((_, listing)) = watched.find(|(scope, _)| scope.contains(namespace)) else {
            return 0;
        };
        listing.newest = listing.newest.max(resource_version);
        listing.generation
    }
}

fn name_of(key: &ObjectKey) -> (String, String) {
    (key.namespace.clone(), key.name.clone())
}

#[cfg(test)]
mod tests;
