use std::sync::Arc;

use tokio::time::Instant;

use super::{Change, Continuity, Kept, PACKED_AT_ONCE, Presence, entry::AT_REST};
use crate::{
    fixtures::{Thing, Things},
    object::{Malformed, ObjectKey, WatchScope},
};

type Book = super::Book<Things>;

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
fn list(book: &mut Book, version: u64, objects: &[Arc<Thing>]) -> Vec<String> {
    book.list_started(&WatchScope::All, version);
    for object in objects {
        book.applied(Arc::clone(object));
    }
    let gone = book.listed(&WatchScope::All);
    gone.into_iter().map(|key| key.name).collect()
}

#[test]
fn what_a_complete_list_does_not_have_is_gone() {
    let mut book = Book::default();
    list(&mut book, 10, &[thing("a", 1), thing("b", 2)]);
    assert_eq!(list(&mut book, 20, &[thing("a", 1)]), ["b"]);
    let gone = book.get(&key("b")).unwrap();
    assert!(gone.is_gone());
    assert_eq!(gone.resource_version, 20);
    assert!(list(&mut book, 30, &[thing("a", 1)]).is_empty());
}

#[test]
fn what_cannot_be_read_is_named_until_it_can_be_or_is_gone() {
    let mut book = Book::default();
    book.list_started(&WatchScope::All, 1);
    assert_eq!(book.unreadable("things"), None);
    for name in ["e", "d", "c", "b", "a"] {
        book.quarantined(&malformed(name, "2"));
    }
    let line = book.unreadable("things").unwrap();
    assert!(
        line.contains("5 of the things")
            && line.contains("argocd/a, argocd/b, argocd/c and 2 more"),
        "{line}"
    );
    for name in ["a", "b", "c", "d"] {
        book.applied(thing(name, 3));
    }
    let line = book.unreadable("things").unwrap();
    assert!(line.contains("out: argocd/e;"), "{line}");
    book.deleted(&key("e"), 4);
    assert_eq!(book.unreadable("things"), None);
}

#[test]
fn older_and_equal_states_change_nothing() {
    let mut book = Book::default();
    book.list_started(&WatchScope::All, 1);
    assert_eq!(book.applied(thing("a", 5)).1, Change::New);
    assert_eq!(book.applied(thing("a", 5)).1, Change::Nothing);
    assert_eq!(book.applied(thing("a", 4)).1, Change::Nothing);
    assert_eq!(book.deleted(&key("a"), 4), Change::Nothing);
    assert_eq!(book.deleted(&key("a"), 6), Change::New);
    assert_eq!(book.applied(thing("a", 5)).1, Change::Nothing);
}

#[test]
fn a_deletion_of_something_never_seen_is_told() {
    let mut book = Book::default();
    assert_eq!(book.deleted(&key("a"), 6), Change::New);
    assert!(book.get(&key("a")).unwrap().is_gone());
}

#[test]
fn an_object_that_cannot_be_read_is_not_gone() {
    let mut book = Book::default();
    list(&mut book, 10, &[thing("a", 1)]);
    book.list_started(&WatchScope::All, 20);
    assert_eq!(book.quarantined(&malformed("a", "15")), Change::New);
    assert_eq!(book.quarantined(&malformed("a", "15")), Change::Nothing);
    assert!(book.listed(&WatchScope::All).is_empty());
    assert_eq!(
        (book.in_quarantine(), book.get(&key("a")).unwrap().is_gone()),
        (1, false)
    );
    assert_eq!(book.quarantined(&malformed("a", "16")), Change::New);
    assert_eq!(book.applied(thing("a", 17)).1, Change::New);
    assert_eq!(book.in_quarantine(), 0);
}

#[test]
fn what_is_held_elsewhere_and_cannot_be_read_here_is_not_gone() {
    let mut book = Book::default();
    book.list_started(&WatchScope::All, 20);
    book.quarantined(&malformed("a", "15"));
    book.listed(&WatchScope::All);
    assert_eq!(book.absent(&key("a"), 3), Change::Nothing);
    assert_eq!(book.absent(&key("b"), 3), Change::New);
    assert_eq!(book.get(&key("b")).unwrap().resource_version, 20);
}

#[test]
fn a_list_from_before_means_that_the_store_was_restored() {
    let mut book = Book::default();
    list(&mut book, 100, &[thing("a", 90), thing("b", 91)]);
    assert_eq!(
        book.list_started(&WatchScope::All, 50),
        Continuity::Restored
    );
    assert_eq!(book.applied(thing("a", 40)).1, Change::New);
    assert_eq!(book.listed(&WatchScope::All).len(), 1);
    assert_eq!(book.get(&key("b")).unwrap().resource_version, 50);
}

#[test]
fn namespaces_are_listed_each_for_itself() {
    let mut book = Book::default();
    let (own, other) = (
        WatchScope::Namespace("argocd".to_owned()),
        WatchScope::Namespace("x".to_owned()),
    );
    book.list_started(&own, 10);
    book.applied(thing("a", 1));
    book.list_started(&other, 5);
    book.applied(thing("b", 2));
    assert!(book.listed(&other).is_empty());
    assert!(book.listed(&own).is_empty());
    assert_eq!((book.newest("argocd"), book.newest("x")), (10, 5));
}

#[test]
fn what_is_no_longer_of_interest_is_gone_and_what_never_was_is_not_told() {
    let mut book = Book::default();
    book.list_started(&WatchScope::All, 1);
    book.applied(thing("a", 2));
    assert_eq!(book.left(&key("a"), 3), Change::New);
    assert!(book.get(&key("a")).unwrap().is_gone());
    assert_eq!(book.left(&key("a"), 4), Change::Nothing);
    assert_eq!(book.left(&key("b"), 4), Change::Nothing);
    assert!(book.get(&key("b")).is_none());
}

#[test]
fn of_a_kind_that_is_not_there_all_objects_are_gone() {
    let mut book = Book::default();
    list(&mut book, 10, &[thing("a", 1), thing("b", 2)]);
    assert_eq!(book.none(&WatchScope::All), [key("a"), key("b")]);
    assert_eq!(book.get(&key("a")).unwrap().resource_version, 10);
    assert!(book.none(&WatchScope::All).is_empty());
}

/// How many objects are kept as fewer bytes.
fn packed(book: &mut Book) -> usize {
    let packed =
        |it: &&mut super::Entry<Things>| matches!(it.presence, Presence::Live(Kept::Packed(_)));
    book.entries_mut().filter(packed).count()
}

#[tokio::test(start_paused = true)]
async fn what_is_at_rest_is_packed_some_at_once_and_is_what_it_was() {
    let mut book = Book::default();
    let names: Vec<String> = (0..=PACKED_AT_ONCE).map(|it| it.to_string()).collect();
    let things: Vec<_> = names.iter().map(|name| thing(name, 1)).collect();
    list(&mut book, 1, &things);
    book.pack_at_rest(Instant::now());
    assert_eq!(packed(&mut book), 0, "all have just come");
    tokio::time::advance(AT_REST).await;
    book.pack_at_rest(Instant::now());
    assert_eq!(packed(&mut book), PACKED_AT_ONCE);
    book.pack_at_rest(Instant::now());
    assert_eq!(packed(&mut book), PACKED_AT_ONCE + 1);
    for thing in &things {
        let entry = book.get(&thing.key).unwrap();
        assert_eq!(entry.object().as_ref(), Some(thing));
    }
    let (_, change) = book.applied(thing("7", 2));
    assert_eq!(change, Change::New);
    assert_eq!(packed(&mut book), PACKED_AT_ONCE);
    book.deleted(&key("8"), 3);
    assert!(book.get(&key("8")).unwrap().object().is_none());
}
