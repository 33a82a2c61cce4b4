use tempfile::TempDir;

use super::server::{Server, append, config, engine, git};
use crate::{Change, Credential, Engine, GitError, Secret};

const BRANCH: &str = "causeway/promotion-1";

fn starting(step: &str) -> Change {
    Change {
        start: Some("main".to_owned()),
        ..append(step)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_branch_starts_at_another_one_which_stays() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let engine = engine(folder.path());
    let remote = server.remote();
    let main = server.git(&["rev-parse", "main"]);
    let first = engine.commit(&remote, BRANCH, starting("step-new-1")).await;
    let first = first.unwrap();
    assert!(!first.is_repeat);
    assert_eq!(server.git(&["rev-parse", "main"]), main);
    assert_eq!(server.git(&["rev-parse", BRANCH]).trim(), first.id);
    assert_eq!(server.git(&["rev-parse", &format!("{BRANCH}^")]), main);

    server.push_foreign("other.txt", "x\n").unwrap();
    let again = engine.commit(&remote, BRANCH, starting("step-new-1")).await;
    let again = again.unwrap();
    assert_eq!((again.id, again.is_repeat), (first.id, true));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_branch_is_found_again_without_the_journal() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let remote = server.remote();
    let commit = async || {
        let _ = std::fs::remove_file(folder.path().join("journal"));
        let engine = Engine::open(config(folder.path())).unwrap();
        engine
            .commit(&remote, BRANCH, starting("step-lost-1"))
            .await
    };
    let first = commit().await.unwrap();
    let again = commit().await.unwrap();
    assert_eq!((&again.id, again.is_repeat), (&first.id, true));
    // Merged, and the branch removed.
    git(
        &server.folder(),
        &["update-ref", "refs/heads/main", &first.id],
        "",
    );
    git(&server.folder(), &["branch", "-D", BRANCH], "");
    let merged = commit().await.unwrap();
    assert_eq!((&merged.id, merged.is_repeat), (&first.id, true));
    assert_eq!(server.steps(), ["step-lost-1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_exists_with_other_commits_is_left_alone() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    server.git(&["branch", BRANCH, "main"]);
    let before = server.git(&["rev-parse", BRANCH]);
    let engine = engine(folder.path());
    let remote = server.remote();
    let refused = engine.commit(&remote, BRANCH, starting("step-taken-1"));
    let branch = BRANCH.to_owned();
    assert_eq!(
        refused.await.unwrap_err(),
        GitError::BranchExists { branch }
    );
    assert_eq!(server.git(&["rev-parse", BRANCH]), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn two_writers_of_one_new_branch_make_one_commit() {
    let server = Server::start().await;
    let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let remote = server.remote();
    let engines = folders.each_ref().map(|folder| engine(folder.path()));
    let [one, other] = &engines;
    let (one, other) = tokio::join!(
        one.commit(&remote, BRANCH, starting("step-both-1")),
        other.commit(&remote, BRANCH, starting("step-both-1")),
    );
    assert_eq!(one.unwrap().id, other.unwrap().id);
    let count = server.git(&["rev-list", "--count", &format!("main..{BRANCH}")]);
    assert_eq!(count.trim(), "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rights_of_a_credential_are_told_without_a_push() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let engine = engine(folder.path());
    let mut remote = server.remote();
    let both = engine.check_access(&remote).await.unwrap();
    assert_eq!((both.read, both.push), (Ok(()), Ok(())));

    server.git(&["config", "http.receivepack", "false"]);
    let reads = engine.check_access(&remote).await.unwrap();
    assert_eq!(
        (reads.read, reads.push),
        (Ok(()), Err(GitError::Unauthorized))
    );

    remote.credential = Credential::Basic {
        user: "bot".to_owned(),
        password: Secret::new("canary-wrong"),
    };
    let none = engine.check_access(&remote).await.unwrap();
    assert_eq!(none.read, Err(GitError::Unauthorized));
    assert_eq!(none.push, Err(GitError::Unauthorized));
}
