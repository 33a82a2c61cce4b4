use std::{fs, path::Path};

use super::*;

/// A pager that is a script.
fn pager(folder: &Path, script: &str) -> Pager {
    let file = folder.join("pager.sh");
    fs::write(&file, script).unwrap();
    Pager::start(&format!("sh {}", file.display())).unwrap()
}

#[test]
fn dropping_a_pager_waits_for_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let script = format!("cat > {0}.part; mv {0}.part {0}", seen.display());
    let sheet = PagedOutput::Paged(pager(folder.path(), &script));
    let PagedOutput::Paged(pager) = &sheet else {
        panic!("it is paged");
    };
    pager.feed("one").unwrap();
    drop(sheet);
    assert_eq!(fs::read_to_string(&seen).unwrap(), "one\n");
}

#[test]
fn an_interrupt_while_paging_does_not_end_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let seen = folder.path().join("seen");
    let script = format!("read line; kill -INT $PPID; cat > {}", seen.display());
    let pager = pager(folder.path(), &script);
    pager.feed("one\ntwo").unwrap();
    PagedOutput::Paged(pager).close().unwrap();
    assert_eq!(fs::read_to_string(&seen).unwrap(), "two\n");
}

/// One that listens to nothing: an interrupt of another test would end this one's process.
fn ended() -> Process {
    let mut command = Command::new("true");
    let mut child = command.stdin(Stdio::piped()).spawn().unwrap();
    child.wait().unwrap();
    Process {
        child,
        finished: false,
    }
}

#[test]
fn a_pager_that_exited_is_detected() {
    let process = Mutex::new(ended());
    assert!(has_exited(&process));
    let mut held = process.lock().unwrap();
    assert!(!has_exited(&process));
    held.finish().unwrap();
    drop(held);
    assert!(!has_exited(&process));
}

#[test]
fn a_missing_pager_is_no_error() {
    assert!(Pager::start("/nowhere/less -R").is_none());
    assert!(Pager::start("").is_none());
}
