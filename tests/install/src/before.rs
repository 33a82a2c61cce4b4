//! What the charts look at before they install anything, as their Jobs tell it.

use crate::{helm::Release, stage::Stage};

/// All that a runtime needs was found.
pub(crate) fn all_is_well(stage: &Stage, release: &Release<'_>, checks: &[&str]) {
    let job = format!("job/{}-preflight", release.name);
    let words = ["logs", &job, "--namespace", release.namespace];
    let told = stage.kubectl(&words).expect_success();
    for check in checks {
        let mut lines = told.lines().map(|line| line.split_whitespace());
        let found =
            lines.any(|mut words| words.next() == Some(check) && words.next() == Some("ok"));
        assert!(found, "{check}: {told}");
    }
    assert!(!told.contains(" fail "), "{told}");
}

/// Whether it is what such a look leaves for an hour.
pub(crate) fn is_left_by_it(line: &str) -> bool {
    let mut words = line.split(' ');
    let kind = words.next().unwrap_or_default();
    let name = words.nth(1).unwrap_or_default();
    matches!(kind, "Job" | "Pod") && name.contains("-preflight")
}
