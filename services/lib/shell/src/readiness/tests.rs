use super::*;

fn pending(readiness: &Readiness) -> Vec<&'static str> {
    match readiness.health() {
        Health::Starting { pending } => pending,
        Health::Ready | Health::Draining => Vec::new(),
    }
}

#[test]
fn new_part_is_unready_until_started() {
    let readiness = Readiness::new();
    assert_eq!(pending(&readiness), ["start"]);
    readiness.started();
    assert_eq!(readiness.health(), Health::Ready);
}

#[test]
fn last_dropped_handle_makes_ready() {
    let readiness = Readiness::new();
    let (cache, store) = (readiness.hold("cache"), readiness.hold("store"));
    assert_eq!(pending(&readiness), ["cache", "store"]);
    drop(cache);
    assert_eq!(pending(&readiness), ["store"]);
    drop(store);
    assert_eq!(readiness.health(), Health::Ready);
}

#[test]
fn later_handle_makes_unready_again() {
    let readiness = Readiness::new();
    drop(readiness.hold("session"));
    let again = readiness.hold("session");
    assert_eq!(pending(&readiness), ["session"]);
    drop(again);
    assert_eq!(readiness.health(), Health::Ready);
}

#[test]
fn handles_of_the_same_name_count_separately() {
    let readiness = Readiness::new();
    let (first, second) = (readiness.hold("watch"), readiness.hold("watch"));
    drop(first);
    assert_eq!(pending(&readiness), ["watch"]);
    drop(second);
    assert_eq!(readiness.health(), Health::Ready);
}

#[test]
fn drain_is_permanent() {
    let readiness = Readiness::new();
    let held = readiness.hold("store");
    readiness.drain();
    drop(held);
    drop(readiness.hold("late"));
    assert_eq!(readiness.health(), Health::Draining);
}
