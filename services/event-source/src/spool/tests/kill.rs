//! A process that is killed right after an answer, with other webhooks on their way; the next one must have all that were answered.

use std::{
    collections::BTreeSet, io::Write as _, os::unix::process::ExitStatusExt as _, path::Path,
    process::Command, sync::Arc,
};

use rustix::process::{Signal, getpid, kill_process};

use super::{Group, REFRESH, ROOM, Running};

const FOLDER: &str = "CAUSEWAY_SPOOL_FOLDER";
const ROUND: &str = "CAUSEWAY_SPOOL_ROUND";
/// With it, webhooks are answered before they are written.
const TWIN: &str = "CAUSEWAY_SPOOL_ANSWERS_EARLY";
/// Webhooks of one process at a time.
const AT_ONCE: usize = 8;

/// Answers at once in a child that is to fail.
pub(in crate::spool) async fn answer_early(mut group: Group) -> Group {
    if std::env::var_os(TWIN).is_some() {
        for (reply, receipt) in group.replies.drain(..) {
            let _ = reply.send(Ok(receipt));
        }
        for _ in 0..AT_ONCE {
            tokio::task::yield_now().await;
        }
    }
    group
}

fn variable(name: &str) -> Option<String> {
    std::env::var_os(name)?.into_string().ok()
}

/// The body of the child; without its variables it has nothing to do.
#[tokio::test]
async fn child_answers_until_it_is_killed() {
    let (Some(folder), Some(round)) = (variable(FOLDER), variable(ROUND)) else {
        return;
    };
    let round: usize = round.parse().unwrap();
    let running = Arc::new(Running::open(Path::new(&folder), ROOM));
    let left = Arc::new(std::sync::atomic::AtomicUsize::new(1 + round * 7 % 40));
    let mut senders = tokio::task::JoinSet::new();
    for sender in 0..AT_ONCE {
        let (running, left) = (Arc::clone(&running), Arc::clone(&left));
        senders.spawn(async move {
            for number in 0.. {
                let id = format!("{round}-{sender}-{number}");
                running.receive(&id, 100 + sender * 5_000).await.unwrap();
                writeln!(std::io::stdout(), "answered {id}").unwrap();
                std::io::stdout().flush().unwrap();
                if left.fetch_sub(1, std::sync::atomic::Ordering::SeqCst) == 1 {
                    kill_process(getpid(), Signal::KILL).unwrap();
                }
            }
        });
    }
    senders.join_all().await;
}

/// Runs a child until it is killed and returns what it answered.
fn run_child(folder: &Path, round: usize, twin: bool) -> BTreeSet<String> {
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args([
        "--exact",
        "spool::tests::kill::child_answers_until_it_is_killed",
    ]);
    child.arg("--nocapture");
    child.env(FOLDER, folder).env(ROUND, round.to_string());
    if twin {
        child.env(TWIN, "1");
    }
    let output = child.output().unwrap();
    assert_eq!(output.status.signal(), Some(Signal::KILL.as_raw()));
    let text = String::from_utf8(output.stdout).unwrap();
    let answered = text
        .lines()
        .filter_map(|line| Some(line.split_once("answered ")?.1));
    answered.map(str::to_owned).collect()
}

/// Of what was answered in this folder, what has no effect after a restart.
async fn lost(folder: &Path, answered: &BTreeSet<String>) -> Vec<String> {
    let running = Running::open(folder, ROOM);
    let due: Vec<_> = running.spool.take_ready(REFRESH, usize::MAX);
    let due: BTreeSet<_> = due.iter().map(|(it, _)| it.id.clone()).collect();
    running.close().await;
    answered.difference(&due).cloned().collect()
}

async fn kill_repeatedly(rounds: usize, twin: bool) -> Vec<String> {
    let mut lost_ones = Vec::new();
    let mut folder = tempfile::tempdir().unwrap();
    let mut answered = BTreeSet::new();
    for round in 0..rounds {
        if round % 20 == 0 {
            folder = tempfile::tempdir().unwrap();
            answered.clear();
        }
        answered.extend(run_child(folder.path(), round, twin));
        lost_ones.extend(lost(folder.path(), &answered).await);
    }
    lost_ones
}

#[tokio::test]
async fn r_28_each_webhook_that_was_answered_has_its_effect_although_the_process_is_killed() {
    assert_eq!(kill_repeatedly(50, false).await, Vec::<String>::new());
}

#[tokio::test]
#[ignore = "make soak runs it"]
async fn r_28_a_thousand_kills_lose_no_webhook_that_was_answered() {
    assert_eq!(kill_repeatedly(1000, false).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_spool_that_answers_before_it_writes_is_found_out() {
    assert!(!kill_repeatedly(20, true).await.is_empty());
}
