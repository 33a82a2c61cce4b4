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
pub(crate) use entry::{CachedValue, Entry, Presence, Remote, Sender};

/// Names of unreadable objects in one notice.
const MAX_LISTED_NAMES: usize = 3;
/// Bounds one pass, which blocks the task that owns the cache.
const MAX_COMPRESSED_AT_ONCE: usize = 200;

/// All objects by key.
pub(crate) struct ObjectCache<R: ReportedKind> {
    entries: BTreeMap<ObjectKey, Entry<R>>,
    quarantine: HashMap<(String, String), Quarantined>,
    listings: HashMap<WatchScope, Listing>,
}

/// Progress of the lists and watches of one scope.
#[derive(Debug, Clone, Copy, Default)]
struct Listing {
    /// Number of lists started.
    generation: u64,
    under_way: bool,
    /// Newest resource version seen.
    newest: u64,
}

#[derive(Debug)]
struct Quarantined {
    resource_version: String,
    generation: u64,
}

/// Effect of an event on the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CacheUpdate {
    Changed,
    Unchanged,
}

/// Order of resource versions across lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Continuity {
    Continued,
    /// Versions went back: the cluster's store was restored from a backup.
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
    /// Stores a state of an object, unless a newer one is known.
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
        entry.calm = entry.resource_version == 0 || entry.is_idle(now);
        entry.since = now;
        entry.presence = Presence::Live(CachedValue::Whole(object));
        entry.compressed = false;
        entry.resource_version = version;
        (key, CacheUpdate::Changed)
    }

    /// Marks an object as deleted. Unknown objects count as well, because the inventory may hold them.
    pub(crate) fn delete(&mut self, key: &ObjectKey, resource_version: u64) -> CacheUpdate {
        self.observe(&key.namespace, resource_version);
        self.quarantine.remove(&name_of(key));
        let entry = self.entries.entry(key.clone()).or_default();
        if resource_version < entry.resource_version {
            return CacheUpdate::Unchanged;
        }
        entry.mark_gone(Evidence::Watched, resource_version);
        CacheUpdate::Changed
    }

    /// Removes an object that exists but no longer matches the selection.
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

    /// Marks all objects of a scope as deleted, since the cluster no longer serves the kind.
    pub(crate) fn clear_scope(&mut self, scope: &WatchScope) -> Vec<ObjectKey> {
        self.listings.entry(scope.clone()).or_default().generation += 1;
        self.complete_list(scope)
    }

    /// Records an unreadable object; a change only once per version.
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

    /// Starts a complete list. A list older than what was seen means that the store was restored, so known versions are
    /// reset.
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

    /// Ends a complete list and returns the objects of its scope that were missing from it.
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
                entry.mark_gone(Evidence::Listed, newest);
                gone.push(key.clone());
            }
        }
        gone
    }

    /// Marks an object that only the inventory holds as deleted, unless it exists and is unreadable.
    pub(crate) fn mark_absent(&mut self, key: &ObjectKey, held: u64) -> CacheUpdate {
        if self.entries.contains_key(key) || self.quarantine.contains_key(&name_of(key)) {
            return CacheUpdate::Unchanged;
        }
        let version = self.newest(&key.namespace).max(held);
        let entry = self.entries.entry(key.clone()).or_default();
        entry.mark_gone(Evidence::Listed, version);
        CacheUpdate::Changed
    }

    pub(crate) fn get(&self, key: &ObjectKey) -> Option<&Entry<R>> {
        self.entries.get(key)
    }

    pub(crate) fn get_mut(&mut self, key: &ObjectKey) -> Option<&mut Entry<R>> {
        self.entries.get_mut(key)
    }

    /// Removes a deleted object once its deletion is acknowledged.
    pub(crate) fn forget(&mut self, key: &ObjectKey) {
        self.entries.remove(key);
    }

    pub(crate) fn keys(&self) -> impl Iterator<Item = &ObjectKey> {
        self.entries.keys()
    }

    /// Existing objects of a scope.
    pub(crate) fn live(&self, scope: &WatchScope) -> impl Iterator<Item = (&ObjectKey, &Entry<R>)> {
        let within = |key: &ObjectKey| scope.contains(&key.namespace);
        let entries = self.entries.iter();
        entries.filter(move |(key, entry)| within(key) && !entry.is_gone())
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&ObjectKey, &mut Entry<R>)> {
        self.entries.iter_mut()
    }

    pub(crate) fn entries_mut(&mut self) -> impl Iterator<Item = &mut Entry<R>> {
        self.entries.values_mut()
    }

    /// Compresses some of the idle objects.
    pub(crate) fn compress_idle(&mut self, now: Instant) {
        let uncompressed = self.entries.values_mut().filter(|it| !it.compressed);
        let idle = uncompressed.filter(|it| it.is_idle(now));
        idle.take(MAX_COMPRESSED_AT_ONCE).for_each(Entry::compress);
    }

    pub(crate) fn is_listing(&self, namespace: &str) -> bool {
        let mut listings = self.listings.iter();
        listings.any(|(scope, listing)| listing.under_way && scope.contains(namespace))
    }

    /// Newest resource version seen in the scope of a namespace; 0 before the first list.
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

    pub(crate) fn in_quarantine(&self) -> usize {
        self.quarantine.len()
    }

    /// Notice that lists the first unreadable objects.
    pub(crate) fn unreadable(&self, noun: &str) -> Option<String> {
        let mut names: Vec<_> = self.quarantine.keys().collect();
        names.sort_unstable();
        let named = names
            .iter()
            .take(MAX_LISTED_NAMES)
            .map(|(space, name)| format!("{space}/{name}"));
        let named = named.collect::<Vec<_>>().join(", ");
        let more = match names.len() {
            0 => return None,
            count if count > MAX_LISTED_NAMES => format!(" and {} more", count - MAX_LISTED_NAMES),
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
