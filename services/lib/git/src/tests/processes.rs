//! Writers in three processes, and another writer that pushes all the time.

use std::{
    collections::BTreeSet,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Arc, mpsc::channel},
    thread,
    time::Duration,
};

use tempfile::TempDir;
use tokio::task::JoinSet;

use super::server::{Server, append, config, remote};
use crate::{Engine, GitError};

const URL: &str = "CAUSEWAY_GIT_RACE_URL";
const FOLDER: &str = "CAUSEWAY_GIT_RACE_FOLDER";
const SHARE: &str = "CAUSEWAY_GIT_RACE_SHARE";
const PROCESSES: usize = 3;

const FOREIGN_INTERVAL: Duration = Duration::from_millis(50);
/// Commits of the writers for each foreign push in the small race, which a busy machine must not stop.
const COMMITS: usize = 3;

/// `make soak` runs the large race, where another one pushes all the time.
fn is_large() -> bool {
    std::env::var_os("CAUSEWAY_SOAK").is_some()
}

/// Writers, and the edits of each.
fn size() -> (usize, usize) {
    if is_large() { (50, 20) } else { (6, 3) }
}

fn variable(name: &str) -> Option<String> {
    std::env::var_os(name)?.into_string().ok()
}

/// The body of a child; without its variables it has nothing to do.
#[tokio::test(flavor = "multi_thread")]
async fn child_writes_its_share() {
    let (Some(url), Some(folder), Some(share)) = (variable(URL), variable(FOLDER), variable(SHARE))
    else {
        return;
    };
    let share: usize = share.parse().unwrap();
    let mut config = config(Path::new(&folder));
    config.limits.attempts = 200;
    let engine = Arc::new(Engine::open(config).unwrap());
    let (writers, edits) = size();
    let mut tasks = JoinSet::new();
    for writer in (share..writers).step_by(PROCESSES) {
        let (engine, remote) = (Arc::clone(&engine), remote(&url));
        tasks.spawn(async move {
            for edit in 0..edits {
                let change = append(&format!("writer-{writer}-edit-{edit}"));
                engine.commit(&remote, "main", change).await?;
            }
            Ok::<_, GitError>(())
        });
    }
    for done in tasks.join_all().await {
        done.unwrap();
    }
}

fn start(url: &str, folder: &Path, share: usize) -> Child {
    let folder = folder.join(share.to_string());
    std::fs::create_dir_all(&folder).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "tests::processes::child_writes_its_share"]);
    child.env(URL, url).env(FOLDER, folder);
    child.env(SHARE, share.to_string());
    child.stdout(Stdio::piped()).stderr(Stdio::piped());
    child.spawn().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn writers_of_three_processes_commit_each_edit_once_among_foreign_pushes() {
    let (server, folder) = (Arc::new(Server::start().await), TempDir::new().unwrap());
    let url = server.remote().url.to_string();
    // Whoever forces a push is told so by the server.
    server.git(&["config", "receive.denyNonFastForwards", "true"]);
    let children: Vec<_> = (0..PROCESSES)
        .map(|share| start(&url, folder.path(), share))
        .collect();
    let (writers, edits) = size();
    let (ended, end) = channel::<()>();
    let writer = Arc::clone(&server);
    let foreign = thread::spawn(move || {
        let (mut pushed, mut due) = (Vec::new(), 0);
        while end.recv_timeout(FOREIGN_INTERVAL).is_err() {
            if is_large() || writer.count() >= due {
                let content = format!("{}\n", pushed.len());
                pushed.extend(writer.push_foreign("foreign.txt", &content));
                due = writer.count() + COMMITS;
            }
        }
        pushed
    });
    let outputs = tokio::task::spawn_blocking(move || {
        let outputs = children.into_iter().map(Child::wait_with_output);
        outputs.collect::<Result<Vec<_>, _>>().unwrap()
    });
    let outputs = outputs.await.unwrap();
    ended.send(()).unwrap();
    let foreign = foreign.join().unwrap();
    for output in outputs {
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{said}");
    }
    judge(&server, &foreign, writers * edits);
}

#[expect(
    clippy::print_stdout,
    reason = "make soak shows how large the race was"
)]
fn judge(server: &Server, foreign: &[String], edits: usize) {
    server.check();
    let text = server.read("app/values.yaml");
    let items: Vec<_> = text.lines().filter(|it| it.contains("writer-")).collect();
    let distinct: BTreeSet<_> = items.iter().collect();
    assert_eq!((items.len(), distinct.len()), (edits, edits));
    assert_eq!(server.steps().len(), edits);
    let commits = server.git(&["rev-list", "main"]);
    let commits: BTreeSet<_> = commits.lines().collect();
    for commit in foreign {
        assert!(
            commits.contains(commit.as_str()),
            "{commit} was overwritten"
        );
    }
    println!("{edits} edits among {} foreign commits", foreign.len());
}
