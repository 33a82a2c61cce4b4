//! Objects that become another reporter's.

use super::*;
use crate::{members::Share, reported::Reported as _};

/// The reporter and nine others.
fn members() -> Vec<String> {
    let others = (0..9).map(|number| format!("another-{number}"));
    std::iter::once("instance".to_owned())
        .chain(others)
        .collect()
}

/// Something that falls to one of the others.
fn anothers() -> String {
    let share = Share {
        instance: "instance".to_owned(),
        cluster: "in-cluster".to_owned(),
        kind: Things::default().kind().name(),
        members: members(),
    };
    let mut names = (0..).map(|number| format!("synced-{number}"));
    names
        .find(|name| !share.has(&Thing::new(name, 1).key))
        .unwrap()
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
    stage.inventory.until(&name, stage.version).await;
    let seen = stage.inventory.seen();
    let operations: Vec<_> = seen.operations.iter().map(|(of, _)| of).collect();
    assert_eq!(operations, [&name, &name]);
}
