//! Tests that lack what they need: a program, a database, a cluster. The test runner of Rust cannot ignore a test that runs, and
//! what a machine has is only known then. So such a test fails in continuous integration, and elsewhere a line names it.

use std::{
    fs::OpenOptions,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

/// Skips the running test, which then returns.
///
/// # Panics
/// In continuous integration, where a skipped test would look like one that passed.
#[track_caller]
pub fn skip(missing: &str) {
    let integration = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    skip_unless(integration, list().as_deref(), missing);
}

/// Reports a part of the running test that is left out, in continuous integration too: nothing here can install what it needs.
pub fn skip_part(missing: &str) {
    skip_unless(false, list().as_deref(), missing);
}

#[track_caller]
fn skip_unless(integration: bool, list: Option<&Path>, missing: &str) {
    assert!(
        !integration,
        "{missing}; .ci/install installs what tests need"
    );
    let thread = std::thread::current();
    let line = format!("SKIPPED: {}: {missing}", thread.name().unwrap_or("a test"));
    // Not by the macro, whose output a test that passes does not show.
    let _ = writeln!(io::stderr(), "{line}");
    let file = list.and_then(|list| OpenOptions::new().create(true).append(true).open(list).ok());
    if let Some(mut file) = file {
        let _ = writeln!(file, "{line}");
    }
}

/// Where `make test` collects the lines, to print them at its end.
fn list() -> Option<PathBuf> {
    std::env::var_os("CAUSEWAY_SKIPPED").map(PathBuf::from)
}

#[test]
fn what_lacks_its_world_fails_in_integration_and_is_listed_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("skipped");
    let failed = std::panic::catch_unwind(|| skip_unless(true, Some(&list), "no PostgreSQL"));
    assert!(failed.is_err());
    assert!(!list.exists());
    skip_unless(false, Some(&list), "no PostgreSQL");
    skip_unless(false, Some(&list), "no Helm");
    let lines = std::fs::read_to_string(&list).unwrap();
    let test = "skip::what_lacks_its_world_fails_in_integration_and_is_listed_elsewhere";
    let expected = format!("SKIPPED: {test}: no PostgreSQL\nSKIPPED: {test}: no Helm\n");
    assert_eq!(lines, expected);
}
