//! A child process that is killed at each point of the queue; the next one must finish its work once.

use std::{os::unix::process::ExitStatusExt as _, path::Path, process::Command};

use rustix::process::{Signal, getpid, kill_process};
use tempfile::TempDir;

use super::server::{Server, append, engine, remote};

const POINT: &str = "CAUSEWAY_GIT_KILL";
const URL: &str = "CAUSEWAY_GIT_URL";
const FOLDER: &str = "CAUSEWAY_GIT_FOLDER";
const POINTS: [&str; 6] = [
    "fetched",
    "committed",
    "stored",
    "pushed",
    "journaled",
    "answered",
];

/// Ends this process when it is the child of a test that asks for this point.
pub(crate) fn reach(point: &'static str) {
    if std::env::var_os(POINT).is_some_and(|wanted| wanted == point) {
        kill_process(getpid(), Signal::KILL).unwrap();
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var_os(name)?.into_string().ok()
}

/// The body of the child; without its variables it has nothing to do.
#[tokio::test(flavor = "multi_thread")]
async fn child_commits_until_it_is_killed() {
    let (Some(url), Some(folder)) = (variable(URL), variable(FOLDER)) else {
        return;
    };
    let done = engine(Path::new(&folder))
        .commit(&remote(&url), "main", append("step-killed"))
        .await;
    panic!("the child was not killed: {done:?}");
}

fn run_child(url: &str, folder: &Path, point: &str) -> Option<i32> {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "tests::kill::child_commits_until_it_is_killed"]);
    child.env(POINT, point).env(URL, url).env(FOLDER, folder);
    child.output().unwrap().status.signal()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_process_leaves_one_commit_and_the_same_answer() {
    for point in POINTS {
        for keeps_journal in [true, false] {
            let (server, folder) = (Server::start().await, TempDir::new().unwrap());
            let remote = server.remote();
            let signal = run_child(&remote.url.to_string(), folder.path(), point);
            assert_eq!(signal, Some(Signal::KILL.as_raw()), "{point}");
            server.push_foreign("foreign.txt", point).unwrap();
            if !keeps_journal {
                let _ = std::fs::remove_file(folder.path().join("journal"));
            }
            let first = engine(folder.path())
                .commit(&remote, "main", append("step-killed"))
                .await
                .unwrap();
            let again = engine(folder.path())
                .commit(&remote, "main", append("step-killed"))
                .await
                .unwrap();
            assert_eq!(first.id, again.id, "{point}");
            assert_eq!(server.steps(), ["step-killed"], "{point}");
            assert_eq!(
                first.is_repeat,
                ["pushed", "journaled", "answered"].contains(&point),
                "{point}"
            );
            server.check();
        }
    }
}
