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
    with_share("synced", |share, name| !share.has(&Thing::new(name, 1).key))
}

fn own() -> String {
    with_share("synced", |share, name| share.has(&Thing::new(name, 1).key))
}

fn with_share(prefix: &str, is_wanted: impl Fn(&Share, &str) -> bool) -> String {
    let share = Share {
        instance: "instance".to_owned(),
        cluster: "in-cluster".to_owned(),
        kind: Things::default().kind().name(),
        members: members(),
    };
    let mut names = (0..).map(|number| format!("{prefix}-{number}"));
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

#[tokio::test(start_paused = true)]
async fn all_listed_operations_are_reported_once_the_object_moves_to_this_reporter() {
    let inventory = Inventory::default();
    inventory.seen().members = Some(pb::Members {
        instances: members(),
        version: 1,
    });
    let name = with_share("synced-history", |share, name| {
        !share.has(&Thing::new(name, 1).key)
    });
    let own = own();
    let mut stage = Stage::before(inventory);
    stage.list().await;
    stage.change(&own).await;
    stage.inventory.until(&own, stage.version).await;
    stage.version = 9;
    stage.change(&name).await;
    // Events are processed in order: once this one is reported, the reporter has seen the one before.
    stage.change(&own).await;
    stage.inventory.until(&own, stage.version).await;
    stage.inventory.seen().members = Some(pb::Members {
        instances: vec!["instance".to_owned()],
        version: 2,
    });
    stage.inventory.hung_up.notify_waiters();
    stage.inventory.until(&name, 10).await;
    let seen = stage.inventory.seen();
    let reported = seen.operations.iter().filter(|(of, _)| *of == name);
    let starts: BTreeSet<_> = reported
        .filter_map(|(_, operation)| Some(operation.started_at.as_ref()?.seconds))
        .collect();
    assert_eq!(starts, (1..=10).collect());
}
