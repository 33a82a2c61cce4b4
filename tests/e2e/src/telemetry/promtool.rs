//! Prometheus' own checker, where `.ci/install` has put it.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::Command,
    sync::Once,
};

use causeway_testkit::{Finished, run, which};

const UNPACKED: &str = "../../.ci/tools/prometheus/usr/bin/promtool";

static SAID: Once = Once::new();

pub(super) struct Promtool(PathBuf);

impl Promtool {
    /// Where there is none it is said, and in continuous integration it is a failure.
    pub(super) fn find() -> Option<Self> {
        let unpacked = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(UNPACKED);
        if unpacked.exists() {
            return Some(Self(unpacked));
        }
        let found = which("promtool").map(Self);
        let integration = std::env::vars_os().any(|(name, _)| name == "CI");
        assert!(
            found.is_some() || !integration,
            "promtool is missing: run .ci/install"
        );
        if found.is_none() {
            SAID.call_once(|| {
                // Not by the macro, whose output a test that passes does not show.
                let _ = writeln!(
                    io::stderr(),
                    "SKIPPED: the tests of alert rules and of the dashboard: promtool is missing: run .ci/install"
                );
            });
        }
        found
    }

    pub(super) fn run(&self, words: &[&str], file: &Path) -> Finished {
        run(Command::new(&self.0).args(words).arg(file))
    }

    pub(super) fn check(&self, words: &[&str], file: &Path) {
        self.run(words, file).expect_success();
    }
}
