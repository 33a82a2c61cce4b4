use std::{
    collections::BTreeSet,
    path::Path,
    sync::{
        Arc,
        mpsc::{Receiver, channel},
    },
};

use tempfile::TempDir;
use tokio::task::JoinSet;

use super::{
    server::{Server, append, config},
    twin::{REBASED, Twin},
};
use crate::{Engine, GitError};

const WRITERS: usize = 8;
/// Commits of the writers for each push of another one.
const SHARE: usize = 4;

fn open(folder: &Path, number: usize, twin: Twin) -> Arc<Engine> {
    let folder = folder.join(number.to_string());
    std::fs::create_dir_all(&folder).unwrap();
    let mut config = config(&folder);
    config.twin = twin;
    config.limits.attempts = 40;
    Arc::new(Engine::open(config).unwrap())
}

/// Writers with three engines, as in three processes, and another writer that pushes after some of their commits.
async fn race(twin: Twin, edits: usize) -> Result<(), String> {
    let server = Arc::new(Server::start().await);
    let folder = TempDir::new().unwrap();
    let engines: Vec<_> = (0..3)
        .map(|number| open(folder.path(), number, twin))
        .collect();
    let prefix = if twin == Twin::Rebase { REBASED } else { "" };
    let (committed, commits) = channel();
    let foreign = foreign_pushes(Arc::clone(&server), commits);
    let mut writers = JoinSet::new();
    for writer in 0..WRITERS {
        let (engine, remote) = (
            Arc::clone(&engines[writer % engines.len()]),
            server.remote(),
        );
        let committed = committed.clone();
        writers.spawn(async move {
            for edit in 0..edits {
                let change = append(&format!("{prefix}writer-{writer}-edit-{edit}"));
                engine.commit(&remote, "main", change).await?;
                committed.send(()).unwrap();
            }
            Ok::<_, GitError>(())
        });
    }
    drop(committed);
    let finished = writers.join_all().await;
    let foreign = foreign.join().unwrap();
    finished
        .into_iter()
        .collect::<Result<(), _>>()
        .map_err(|error| error.to_string())?;
    judge(&server, &foreign, WRITERS * edits)
}

fn foreign_pushes(
    server: Arc<Server>,
    commits: Receiver<()>,
) -> std::thread::JoinHandle<Vec<String>> {
    std::thread::spawn(move || {
        let mut pushed = Vec::new();
        for number in 0.. {
            pushed.extend(server.push_foreign("foreign.txt", &format!("{number}\n")));
            if commits.iter().take(SHARE).count() < SHARE {
                break;
            }
        }
        pushed
    })
}

fn judge(server: &Server, foreign: &[String], edits: usize) -> Result<(), String> {
    server.check();
    let text = server.read("app/values.yaml");
    let items: Vec<_> = text
        .lines()
        .filter(|line| line.contains("writer-"))
        .collect();
    let distinct: BTreeSet<_> = items.iter().collect();
    if items.len() != edits || distinct.len() != items.len() {
        return Err(format!(
            "{} items, {} of them distinct",
            items.len(),
            distinct.len()
        ));
    }
    let commits: BTreeSet<_> = server
        .git(&["rev-list", "main"])
        .lines()
        .map(str::to_owned)
        .collect();
    let lost = foreign
        .iter()
        .filter(|commit| !commits.contains(*commit))
        .count();
    if lost > 0 {
        return Err(format!("{lost} foreign commits were overwritten"));
    }
    if server.steps().len() != edits {
        return Err(format!("{} steps", server.steps().len()));
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn racing_writers_commit_each_edit_once_and_overwrite_nothing() {
    assert_eq!(race(Twin::Sound, 10).await, Ok(()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_without_the_expected_tip_loses_commits_in_the_same_race() {
    assert!(race(Twin::NoExpectedValue, 4).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rebase_in_place_of_a_new_edit_loses_edits_in_the_same_race() {
    assert!(race(Twin::Rebase, 4).await.is_err());
}
