//! Prometheus' own checker, where `.ci/install` has put it.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use causeway_testkit::{Finished, run, which_or_skip};

const UNPACKED: &str = "../../.ci/tools/prometheus/usr/bin/promtool";

pub(super) struct Promtool(PathBuf);

impl Promtool {
    /// Without it the test is skipped.
    pub(super) fn find() -> Option<Self> {
        let unpacked = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(UNPACKED);
        if unpacked.exists() {
            return Some(Self(unpacked));
        }
        which_or_skip("promtool").map(Self)
    }

    pub(super) fn run(&self, words: &[&str], file: &Path) -> Finished {
        run(Command::new(&self.0).args(words).arg(file))
    }

    pub(super) fn check(&self, words: &[&str], file: &Path) {
        self.run(words, file).expect_success();
    }
}
