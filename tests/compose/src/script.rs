//! The script that lets services start in any order, without containers.

use std::{fs, path::Path, process::Command, time::Duration};

use causeway_testkit::Child;
use rustix::process::{Pid, Signal, kill_process};

use crate::file::root;

const SOON: Duration = Duration::from_secs(120);

/// Starts `echo started` after these files.
fn after(files: &[&Path]) -> Child {
    let mut command = Command::new("sh");
    command.arg(root().join("compose/bin/after.sh")).args(files);
    Child::start(command.args(["--", "echo", "started"]))
}

fn says(child: &mut Child, wanted: &str) {
    child.wait_for_line(wanted, SOON, |line| (line == wanted).then_some(()));
}

#[test]
fn wait_script_logs_dependencies_and_execs_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    let mut child = after(&[&first, &second]);
    says(&mut child, &format!("waiting for {}", first.display()));
    fs::write(&first, "x").unwrap();
    // One that somebody is about to write is not there yet.
    fs::write(&second, "").unwrap();
    says(&mut child, &format!("waiting for {}", second.display()));
    fs::write(&second, "x").unwrap();
    assert_eq!(child.wait(SOON).code(), Some(0));
    let lines = child.lines();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert_eq!(lines[2], "started");
}

#[test]
fn wait_script_starts_immediately_without_dependencies_and_stops_on_signal() {
    let mut child = after(&[]);
    assert_eq!(child.wait(SOON).code(), Some(0));
    assert_eq!(child.lines(), ["started"]);

    let mut child = after(&[Path::new("/nowhere/at/all")]);
    says(&mut child, "waiting for /nowhere/at/all");
    let process = Pid::from_raw(child.id().cast_signed()).unwrap();
    kill_process(process, Signal::TERM).unwrap();
    assert_eq!(child.wait(SOON).code(), Some(143));
}
