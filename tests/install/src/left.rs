//! What is in a cluster, so that what an uninstallation leaves can be told.

use std::collections::BTreeSet;

use causeway_testkit::wait_until_blocking;

use crate::{
    before,
    stage::{SOON, Stage},
};

/// Kinds that come and go by themselves.
const RESTLESS: [&str; 5] = [
    "events",
    "events.events.k8s.io",
    "leases.coordination.k8s.io",
    "componentstatuses",
    "pods.metrics.k8s.io",
];

/// Every object, as `KIND NAMESPACE NAME`.
pub(crate) fn everything(stage: &Stage) -> BTreeSet<String> {
    let kinds = stage
        .kubectl(&["api-resources", "--verbs=list", "-o", "name"])
        .expect_success();
    let kinds: Vec<_> = kinds
        .lines()
        .filter(|kind| !RESTLESS.contains(kind))
        .collect();
    let columns = "custom-columns=K:.kind,S:.metadata.namespace,N:.metadata.name";
    let words = ["get", &kinds.join(","), "-A", "--no-headers", "-o", columns];
    let listed = stage.kubectl(&words).expect_success();
    let lines = listed
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.collect()
}

/// Waits until what is there beside what was there before is what is meant to stay.
pub(crate) fn nothing_but(stage: &Stage, before: &BTreeSet<String>, meant: &BTreeSet<String>) {
    wait_until_blocking("nothing left but what is documented", SOON, || {
        let now = everything(stage);
        let left = now.difference(before).cloned();
        let left: BTreeSet<_> = left.filter(|line| !before::is_left_by_it(line)).collect();
        if &left == meant {
            Ok(())
        } else {
            Err(format!("{left:?}, and meant is {meant:?}"))
        }
    });
}
