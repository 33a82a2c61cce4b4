//! Objects that become another reporter's.

use super::*;
use crate::{membership::Share, reported_kind::ReportedKind as _};

/// The reporter and nine others.
fn members() -> Vec<String> {
    let others = (0..9).map(|number| format!("another-{number}"));
    std::iter::once("instance".to_owned())
        .chain(others)
        .collect()
}

/// Something that falls to one of the others.
fn anothers() -> String {
    with_share(|share, name| !share.has(&Thing::new(name, 1).key))
}

fn own() -> String {
    with_share(|share, name| share.has(&Thing::new(name, 1).key))
}

fn with_share(is_wanted: impl Fn(&Share, &str) -> bool) -> String {
    let share = Share {
        instance: "instance".to_owned(),
        cluster: "in-cluster".to_owned(),
        kind: Things::default().kind().name(),
        members: members(),
    };
    let mut names = (0..).map(|number| format!("synced-{number}"));
    names.find(|name| is_wanted(&share, name)).unwrap()
}

impl Inventory {
    /// Waits until so many operations of an object were told.
    async fn until_told_operations(&self, name: &str, count: usize) {
        let told = || {
            let seen = self.seen();
            seen.operations.iter().filter(|(of, _)| of == name).count()
        };
        while told() < count {
            self.told.notified().await;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn an_operation_that_nobody_else_has_seen_is_told_after_its_object_is_anothers() {
    let (mut stage, name) = (Stage::set(), anothers());
    stage.list().await;
    stage.inventory.seen().is_silent = true;
    stage.change(&name).await;
    stage.inventory.until(&name, stage.version).await;
    {
        let mut seen = stage.inventory.seen();
        seen.is_silent = false;
        seen.reports.clear();
        seen.members = Some(pb::Members {
            instances: members(),
            version: 2,
        });
    }
    stage.inventory.hung_up.notify_waiters();
    stage.inventory.until_told_operations(&name, 2).await;
    let seen = stage.inventory.seen();
    let operations: Vec<_> = seen.operations.iter().map(|(of, _)| of).collect();
    assert_eq!(operations, [&name, &name]);
    assert!(seen.reports.is_empty(), "{:?}", seen.reports);
}

#[tokio::test(start_paused = true)]
async fn a_reporter_that_begins_tells_operations_of_anothers_object_and_never_its_state() {
    let (inventory, anothers, own) = (Inventory::default(), anothers(), own());
    inventory.seen().members = Some(pb::Members {
        instances: members(),
        version: 1,
    });
    let mut stage = Stage::before(inventory);
    stage.change(&anothers).await;
    stage.change(&own).await;
    stage.list().await;
    stage.inventory.until_told_operations(&anothers, 1).await;
    stage.inventory.until(&own, stage.version).await;
    let seen = stage.inventory.seen();
    let stated: BTreeSet<_> = seen.reports.iter().map(|(_, of, _)| of).collect();
    assert_eq!(stated, BTreeSet::from([&own]));
}
