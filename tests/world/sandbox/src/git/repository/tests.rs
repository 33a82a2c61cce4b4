use std::sync::Arc;

use super::*;
use crate::git::Author;

async fn repository(folder: &Path) -> Repository {
    let program = Arc::new(GitProgram::find().await.unwrap());
    Repository::create(program, folder.join("demo.git"))
        .await
        .unwrap()
}

fn now() -> Timestamp {
    "2026-11-01T10:00:00Z".parse().unwrap()
}

#[tokio::test]
async fn a_commit_is_found_by_branch_head_and_short_sha_and_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let repository = repository(folder.path()).await;
    let author = Author::new("Ada <x>\n", "ada@example.org");
    let commit = Commit::new("first\n\nbody")
        .by(author)
        .write("a/one.yaml", "1\n")
        .write("a/b/two.yaml", "");
    let id = repository.commit(&commit, now()).await.unwrap();
    for revision in [
        "main",
        "HEAD",
        "",
        "refs/heads/main",
        &id.as_str()[..9],
        id.as_str(),
    ] {
        assert_eq!(
            repository.resolve(revision).await.unwrap(),
            id,
            "{revision}"
        );
    }
    let metadata = repository.metadata("main").await.unwrap();
    assert_eq!(metadata.author, "Ada x <ada@example.org>");
    assert_eq!(metadata.message, "first\n\nbody");
    assert!(
        metadata.date.starts_with("2026-11-01T10:00:00"),
        "{}",
        metadata.date
    );
}

#[tokio::test]
async fn files_are_listed_in_one_folder_or_all_below_and_removed_by_a_later_commit() {
    let folder = tempfile::tempdir().unwrap();
    let repository = repository(folder.path()).await;
    let first = Commit::new("first")
        .write("a/one.yaml", "1\n")
        .write("a/b/two.yaml", "two");
    let id = repository.commit(&first, now()).await.unwrap();
    let tree = repository.tree(&id, "./a/").await.unwrap();
    let flat = repository.files(&tree, Listing::OneFolder).await.unwrap();
    assert_eq!(
        flat,
        [File {
            path: "one.yaml".to_owned(),
            content: Bytes::from("1\n")
        }]
    );
    assert_eq!(
        repository
            .files(&tree, Listing::AllBelow)
            .await
            .unwrap()
            .len(),
        2
    );

    let second = repository
        .commit(&Commit::new("second").remove("a/one.yaml"), now())
        .await
        .unwrap();
    let tree = repository.tree(&second, "a").await.unwrap();
    assert!(
        repository
            .files(&tree, Listing::OneFolder)
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn paths_outside_and_revisions_with_operators_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let repository = repository(folder.path()).await;
    let id = repository
        .commit(&Commit::new("first").write("a", "1"), now())
        .await
        .unwrap();
    for path in ["../a", "/a", "a/../..", "none", "a\nb"] {
        assert!(
            matches!(
                repository.tree(&id, path).await,
                Err(GitError::NoPath { .. })
            ),
            "{path}"
        );
    }
    for revision in [
        "main~1",
        "--all",
        "main^{tree}",
        "a..b",
        "main\nHEAD",
        "nope",
    ] {
        let answer = repository.resolve(revision).await;
        assert!(
            matches!(answer, Err(GitError::UnknownRevision { .. })),
            "{revision}"
        );
    }
}
