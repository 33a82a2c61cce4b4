//! This version and the one before it side by side, for `make previous`, which builds that one: what an operator does by the day, as
//! far as both know of it.

use std::path::{Path, PathBuf};

use causeway_testkit::{APPLICATIONS, Access, Programs, ROLLOUTS, play};

use crate::daily::Simulated;

/// What both versions have a word for.
const ALLOWED: &str = "read,sync,refresh,terminate,rollback,delete,update,logs,resource-action,resource-delete,rollout,workflow";

/// The program of the version before.
fn previous() -> PathBuf {
    let program = std::env::var_os("CAUSEWAY_PREVIOUS");
    program
        .expect("make previous builds it and names it")
        .into()
}

fn side_by_side(platform: Option<&Path>, runtime: Option<&Path>) {
    let programs = Programs { platform, runtime };
    let stage = Simulated::of(Access::Tunnel, ALLOWED, programs);
    play(&stage, "daily", APPLICATIONS);
    play(&stage, "rolled", ROLLOUTS);
}

#[test]
#[ignore = "make previous runs it"]
fn the_previous_runtime_does_the_daily_work_with_this_platform() {
    side_by_side(None, Some(&previous()));
}

#[test]
#[ignore = "make previous runs it"]
fn this_runtime_does_the_daily_work_with_the_previous_platform() {
    side_by_side(Some(&previous()), None);
}
