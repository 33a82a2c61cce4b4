use std::sync::Arc;

use tokio::time::Instant;

use super::{
    CacheUpdate, CachedValue, Continuity, MAX_COMPRESSED_AT_ONCE, Presence, entry::IDLE_AFTER,
};
use crate::{
    fixtures::{Thing, Things},
    object::{Malformed, ObjectKey, WatchScope},
};

type ObjectCache = super::ObjectCache<Things>;

fn thing(name: &str, version: u64) -> Arc<Thing> {
    Arc::new(Thing::new(name, version))
}

fn key(name: &str) -> ObjectKey {
    Thing::new(name, 1).key
}

fn malformed(name: &str, version: &str) -> Malformed {
    Malformed {
        key: key(name),
        resource_version: version.to_owned(),
        cause: "wrong".to_owned(),
    }
}

/// A list of these objects at a version; gives what is gone by it.
fn list(cache: &mut ObjectCache, version: u64, objects: &[Arc<Thing>]) -> Vec<String> {
    cache.start_list(&WatchScope::All, version);
    for object in objects {
        cache.apply(Arc::clone(object));
    }
    let gone = cache.complete_list(&WatchScope::All);
    gone.into_iter().map(|key| key.name).collect()
}

#[test]
fn what_a_complete_list_does_not_have_is_gone() {
    let mut cache = ObjectCache::default();
    list(&mut cache, 10, &[thing("a", 1), thing("b", 2)]);
    assert_eq!(list(&mut cache, 20, &[thing("a", 1)]), ["b"]);
    let gone = cache.get(&key("b")).unwrap();
    assert!(gone.is_gone());
    assert_eq!(gone.resource_version, 20);
    assert!(list(&mut cache, 30, &[thing("a", 1)]).is_empty());
}

#[test]
fn what_cannot_be_read_is_named_until_it_can_be_or_is_gone() {
    let mut cache = ObjectCache::default();
    cache.start_list(&WatchScope::All, 1);
    assert_eq!(cache.unreadable("things"), None);
    for name in ["e", "d", "c", "b", "a"] {
        cache.quarantine(&malformed(name, "2"));
    }
    let line = cache.unreadable("things").unwrap();
    assert!(
        line.contains("5 of the things")
            && line.contains("argocd/a, argocd/b, argocd/c and 2 more"),
        "{line}"
    );
    for name in ["a", "b", "c", "d"] {
        cache.apply(thing(name, 3));
    }
    let line = cache.unreadable("things").unwrap();
    assert!(line.contains("out: argocd/e;"), "{line}");
    cache.delete(&key("e"), 4);
    assert_eq!(cache.unreadable("things"), None);
}

#[test]
fn older_and_equal_states_change_nothing() {
    let mut cache = ObjectCache::default();
    cache.start_list(&WatchScope::All, 1);
    assert_eq!(cache.apply(thing("a", 5)).1, CacheUpdate::Changed);
    assert_eq!(cache.apply(thing("a", 5)).1, CacheUpdate::Unchanged);
    assert_eq!(cache.apply(thing("a", 4)).1, CacheUpdate::Unchanged);
    assert_eq!(cache.delete(&key("a"), 4), CacheUpdate::Unchanged);
    assert_eq!(cache.delete(&key("a"), 6), CacheUpdate::Changed);
    assert_eq!(cache.apply(thing("a", 5)).1, CacheUpdate::Unchanged);
}

#[test]
fn a_deletion_of_something_never_seen_is_told() {
    let mut cache = ObjectCache::default();
    assert_eq!(cache.delete(&key("a"), 6), CacheUpdate::Changed);
    assert!(cache.get(&key("a")).unwrap().is_gone());
}

#[test]
fn an_object_that_cannot_be_read_is_not_gone() {
    let mut cache = ObjectCache::default();
    list(&mut cache, 10, &[thing("a", 1)]);
    cache.start_list(&WatchScope::All, 20);
    assert_eq!(
        cache.quarantine(&malformed("a", "15")),
        CacheUpdate::Changed
    );
    assert_eq!(
        cache.quarantine(&malformed("a", "15")),
        CacheUpdate::Unchanged
    );
    assert!(cache.complete_list(&WatchScope::All).is_empty());
    assert_eq!(
        (
            cache.in_quarantine(),
            cache.get(&key("a")).unwrap().is_gone()
        ),
        (1, false)
    );
    assert_eq!(
        cache.quarantine(&malformed("a", "16")),
        CacheUpdate::Changed
    );
    assert_eq!(cache.apply(thing("a", 17)).1, CacheUpdate::Changed);
    assert_eq!(cache.in_quarantine(), 0);
}

#[test]
fn what_is_held_elsewhere_and_cannot_be_read_here_is_not_gone() {
    let mut cache = ObjectCache::default();
    cache.start_list(&WatchScope::All, 20);
    cache.quarantine(&malformed("a", "15"));
    cache.complete_list(&WatchScope::All);
    assert_eq!(cache.mark_absent(&key("a"), 3), CacheUpdate::Unchanged);
    assert_eq!(cache.mark_absent(&key("b"), 3), CacheUpdate::Changed);
    assert_eq!(cache.get(&key("b")).unwrap().resource_version, 20);
}

#[test]
fn a_list_from_before_means_that_the_store_was_restored() {
    let mut cache = ObjectCache::default();
    list(&mut cache, 100, &[thing("a", 90), thing("b", 91)]);
    assert_eq!(cache.start_list(&WatchScope::All, 50), Continuity::Restored);
    assert_eq!(cache.apply(thing("a", 40)).1, CacheUpdate::Changed);
    assert_eq!(cache.complete_list(&WatchScope::All).len(), 1);
    assert_eq!(cache.get(&key("b")).unwrap().resource_version, 50);
}

#[test]
fn namespaces_are_listed_each_for_itself() {
    let mut cache = ObjectCache::default();
    let (own, other) = (
        WatchScope::Namespace("argocd".to_owned()),
        WatchScope::Namespace("x".to_owned()),
    );
    cache.start_list(&own, 10);
    cache.apply(thing("a", 1));
    cache.start_list(&other, 5);
    cache.apply(thing("b", 2));
    assert!(cache.complete_list(&other).is_empty());
    assert!(cache.complete_list(&own).is_empty());
    assert_eq!((cache.newest("argocd"), cache.newest("x")), (10, 5));
}

#[test]
fn what_is_no_longer_of_interest_is_gone_and_what_never_was_is_not_told() {
    let mut cache = ObjectCache::default();
    cache.start_list(&WatchScope::All, 1);
    cache.apply(thing("a", 2));
    assert_eq!(cache.deselect(&key("a"), 3), CacheUpdate::Changed);
    assert!(cache.get(&key("a")).unwrap().is_gone());
    assert_eq!(cache.deselect(&key("a"), 4), CacheUpdate::Unchanged);
    assert_eq!(cache.deselect(&key("b"), 4), CacheUpdate::Unchanged);
    assert!(cache.get(&key("b")).is_none());
}

#[test]
fn of_a_kind_that_is_not_there_all_objects_are_gone() {
    let mut cache = ObjectCache::default();
    list(&mut cache, 10, &[thing("a", 1), thing("b", 2)]);
    assert_eq!(cache.clear_scope(&WatchScope::All), [key("a"), key("b")]);
    assert_eq!(cache.get(&key("a")).unwrap().resource_version, 10);
    assert!(cache.clear_scope(&WatchScope::All).is_empty());
}

/// Number of objects that are kept as fewer bytes.
fn packed(cache: &mut ObjectCache) -> usize {
    let packed = |it: &&mut super::Entry<Things>| {
        matches!(it.presence, Presence::Live(CachedValue::Compressed(_)))
    };
    cache.entries_mut().filter(packed).count()
}

#[tokio::test(start_paused = true)]
async fn what_is_at_rest_is_packed_some_at_once_and_is_what_it_was() {
    let mut cache = ObjectCache::default();
    let names: Vec<String> = (0..=MAX_COMPRESSED_AT_ONCE)
        .map(|it| it.to_string())
        .collect();
    let things: Vec<_> = names.iter().map(|name| thing(name, 1)).collect();
    list(&mut cache, 1, &things);
    cache.compress_idle(Instant::now());
    assert_eq!(packed(&mut cache), 0, "all have just come");
    tokio::time::advance(IDLE_AFTER).await;
    cache.compress_idle(Instant::now());
    assert_eq!(packed(&mut cache), MAX_COMPRESSED_AT_ONCE);
    cache.compress_idle(Instant::now());
    assert_eq!(packed(&mut cache), MAX_COMPRESSED_AT_ONCE + 1);
    for thing in &things {
        let entry = cache.get(&thing.key).unwrap();
        assert_eq!(entry.object().as_ref(), Some(thing));
    }
    let (_, change) = cache.apply(thing("7", 2));
    assert_eq!(change, CacheUpdate::Changed);
    assert_eq!(packed(&mut cache), MAX_COMPRESSED_AT_ONCE);
    cache.delete(&key("8"), 3);
    assert!(cache.get(&key("8")).unwrap().object().is_none());
}
