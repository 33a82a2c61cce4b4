use std::sync::Arc;

use causeway_patch::{
    DocumentSelector, Edit, ImageReference, KustomizeImage, Operation, PatchError, Path, Value,
};
use tempfile::TempDir;
use tokio::task::JoinSet;

use super::{
    server::{Server, append, append_edit, change, config, engine, git, path, values},
    twin::Twin,
};
use crate::{Engine, ExpectedFile, FileEdit, GitError};

fn set(at: &str, value: &str, expected: Option<&str>) -> Edit {
    let operation = Operation::Set(Value::string(value));
    Edit::new(Path::parse(at).unwrap(), operation).expecting(expected.map(Value::string))
}

fn all_kinds() -> Vec<FileEdit> {
    let image = |text| ImageReference::parse(text).unwrap();
    vec![
        FileEdit::Copy {
            from: path("app"),
            to: path("copies/app"),
        },
        values(vec![set("image.tag", "v2", Some("v1"))]),
        FileEdit::Image {
            path: path("app/web.yaml"),
            document: DocumentSelector::Only,
            at: Path::parse("spec.image").unwrap(),
            image: image("web:v2"),
            expected: Some(image("web:v1")),
        },
        FileEdit::KustomizeImage {
            path: path("copies/app/kustomization.yaml"),
            image: KustomizeImage {
                name: "web".to_owned(),
                new_name: None,
                new_tag: Some("v3".to_owned()),
                digest: None,
            },
            expected: Some("v1".to_owned()),
        },
        FileEdit::ChartDependency {
            path: path("app/Chart.yaml"),
            name: "redis".to_owned(),
            version: "2.0.0".to_owned(),
            expected: Some("1.0.0".to_owned()),
        },
        FileEdit::Write {
            path: path("new/deep/file.txt"),
            content: b"new\n".to_vec(),
            expected: Some(ExpectedFile::Absent),
        },
        FileEdit::Delete {
            path: path("README.md"),
            expected: None,
        },
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_of_all_kinds_become_one_commit_with_author_committer_and_trailers() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let engine = engine(folder.path());
    let done = engine
        .commit(&server.remote(), "main", change("step-all-1", all_kinds()))
        .await
        .unwrap();
    assert!(!done.is_repeat);
    server.check();
    assert_eq!(server.git(&["rev-parse", "main"]).trim(), done.id);
    assert_eq!(server.count(), 2);
    assert!(server.read("app/values.yaml").contains("tag: v2 # pinned"));
    assert!(server.read("app/web.yaml").contains("image: web:v2"));
    assert!(
        server
            .read("copies/app/kustomization.yaml")
            .contains("newTag: v3")
    );
    assert!(
        server
            .read("copies/app/values.yaml")
            .contains("tag: v1 # pinned")
    );
    assert!(server.read("app/Chart.yaml").contains("version: 2.0.0"));
    assert_eq!(server.read("new/deep/file.txt"), "new\n");
    assert!(
        !server
            .git(&["ls-tree", "--name-only", "main"])
            .contains("README.md")
    );
    let show = server.git(&[
        "log",
        "-1",
        "--format=%an <%ae> %at|%cn <%ce> %ct|%s|%(trailers:only)",
        "main",
    ]);
    let expected = "Ada <ada@example.com> 1800000000|Causeway <causeway@example.com> 1800000000|change of step-all-1|\
                    Causeway-Release: r1\nCauseway-Step: step-all-1\n";
    assert_eq!(show.trim_end(), expected.trim_end());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_change_on_two_machines_has_the_same_object_id() {
    let mut ids = Vec::new();
    for _ in 0..2 {
        let (server, folder) = (Server::start().await, TempDir::new().unwrap());
        let engine = engine(folder.path());
        ids.push(
            engine
                .commit(&server.remote(), "main", append("step-same-1"))
                .await
                .unwrap()
                .id,
        );
    }
    assert_eq!(ids[0], ids[1]);
}

async fn repeat(twin: Twin) -> (Server, bool) {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let first = engine(folder.path())
        .commit(&server.remote(), "main", append("step-repeat"))
        .await
        .unwrap();
    server.push_foreign("foreign.txt", "x\n").unwrap();
    // Another machine: no journal, no clone.
    let other = TempDir::new().unwrap();
    let mut config = config(other.path());
    config.twin = twin;
    let again = Engine::open(config)
        .unwrap()
        .commit(&server.remote(), "main", append("step-repeat"))
        .await;
    let is_same = again.is_ok_and(|again| again.id == first.id && again.is_repeat);
    (server, is_same)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_step_returns_its_first_commit_without_any_memory_of_it() {
    let (server, is_same) = repeat(Twin::Sound).await;
    assert!(is_same);
    assert_eq!(server.steps(), ["step-repeat"]);
    let (server, is_same) = repeat(Twin::NoLookup).await;
    assert!(
        !is_same && server.steps().len() == 2,
        "the twin without a look-up must be noticed"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_id_is_not_accepted_for_another_change() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let engine = engine(folder.path());
    let remote = server.remote();
    engine
        .commit(&remote, "main", append("step-one-1"))
        .await
        .unwrap();
    let other = change("step-one-1", vec![append_edit("other")]);
    let found = engine.commit(&remote, "main", other).await;
    assert_eq!(
        found,
        Err(GitError::StepReused {
            step: "step-one-1".to_owned()
        })
    );
    let again = engine
        .commit(&remote, "main", append("step-one-1"))
        .await
        .unwrap();
    assert!(again.is_repeat && server.count() == 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conflicting_change_fails_alone_with_both_sides_and_the_rest_is_pushed_together() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let engine = Arc::new(engine(folder.path()));
    engine
        .commit(&server.remote(), "main", append("step-warm-1"))
        .await
        .unwrap();
    server
        .push_foreign("app/values.yaml", "image:\n  tag: v9\nlist:\n  - x\n")
        .unwrap();
    let mut tasks = JoinSet::new();
    for number in 0..20 {
        let (engine, remote) = (Arc::clone(&engine), server.remote());
        let step = format!("step-{number:02}-x");
        let edit = match number {
            7 => values(vec![set("image.tag", "v2", Some("v1"))]),
            _ => append_edit(&step),
        };
        tasks.spawn(async move {
            (
                number,
                engine
                    .commit(&remote, "main", change(&step, vec![edit]))
                    .await,
            )
        });
    }
    for (number, done) in tasks.join_all().await {
        match done {
            Err(GitError::Edit {
                path,
                source:
                    PatchError::Stale {
                        expected, found, ..
                    },
            }) if number == 7 => {
                assert_eq!(
                    (path.as_str(), expected.as_str(), found.as_str()),
                    ("app/values.yaml", "\"v1\"", "\"v9\"")
                );
            }
            other => assert!(other.is_ok() && number != 7, "{number}: {other:?}"),
        }
    }
    assert_eq!(server.steps().len(), 20);
    server.check();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_the_server_declines_does_not_hold_up_its_batch() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let hook = server.folder().join("hooks/pre-receive");
    let script = "#!/bin/sh\nread old new ref\nfor c in $(git rev-list $old..$new); do\n\
                  git show --name-only --format= $c | grep -q ^forbidden && exit 1\ndone\nexit 0\n";
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, script).unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let engine = Arc::new(engine(folder.path()));
    let mut tasks = JoinSet::new();
    for number in 0..5 {
        let (engine, remote) = (Arc::clone(&engine), server.remote());
        let name = if number == 2 {
            "forbidden.txt".to_owned()
        } else {
            format!("file-{number}.txt")
        };
        let edit = FileEdit::Write {
            path: path(&name),
            content: b"x".to_vec(),
            expected: None,
        };
        let change = change(&format!("step-hook-{number}"), vec![edit]);
        tasks.spawn(async move { (number, engine.commit(&remote, "main", change).await) });
    }
    for (number, done) in tasks.join_all().await {
        assert_eq!(done.is_ok(), number != 2, "{number}: {done:?}");
        if let Err(error) = done {
            assert_eq!(
                error,
                GitError::Rejected {
                    reason: "pre-receive hook declined".to_owned()
                }
            );
        }
    }
    assert_eq!(server.steps().len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_shows_the_difference_and_pushes_nothing() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let engine = engine(folder.path());
    let edits = vec![
        values(vec![set("image.tag", "v2", None)]),
        FileEdit::Write {
            path: path("README.md"),
            content: b"bye\n".to_vec(),
            expected: None,
        },
        FileEdit::Copy {
            from: path("app"),
            to: path("copy"),
        },
    ];
    let preview = engine
        .preview(&server.remote(), "main", change("step-view-1", edits))
        .await
        .unwrap();
    let texts: Vec<_> = preview
        .files
        .iter()
        .map(|file| file.text.as_str())
        .collect();
    assert_eq!(
        texts[0],
        "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-hello\n+bye\n"
    );
    assert!(
        texts[1].contains("-  tag: v1 # pinned\n+  tag: v2 # pinned\n"),
        "{}",
        texts[1]
    );
    assert!(
        texts[2].starts_with("replaced copy with object "),
        "{}",
        texts[2]
    );
    assert_eq!(preview.base, server.git(&["rev-parse", "main"]).trim());
    assert_eq!(server.count(), 1);
    let stale = change(
        "step-view-2",
        vec![values(vec![set("image.tag", "v2", Some("v0"))])],
    );
    assert!(matches!(
        engine.preview(&server.remote(), "main", stale).await,
        Err(GitError::Edit { .. })
    ));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_caller_does_not_take_others_with_it() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let engine = Arc::new(engine(folder.path()));
    let mut tasks = JoinSet::new();
    let mut first = None;
    for number in 0..6 {
        let (engine, remote) = (Arc::clone(&engine), server.remote());
        let change = append(&format!("step-gone-{number}"));
        let handle = tasks.spawn(async move { engine.commit(&remote, "main", change).await });
        first.get_or_insert(handle);
    }
    tokio::task::yield_now().await;
    first.unwrap().abort();
    let mut done = 0;
    while let Some(joined) = tasks.join_next().await {
        done += usize::from(joined.is_ok_and(|commit| commit.is_ok()));
    }
    assert!(done >= 5);
    let steps = server.steps();
    let distinct: std::collections::BTreeSet<_> = steps.iter().collect();
    assert!(
        steps.len() >= 5 && distinct.len() == steps.len(),
        "{steps:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drain_waits_for_running_changes_and_refuses_new_ones() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let engine = Arc::new(engine(folder.path()));
    let mut tasks = JoinSet::new();
    for number in 0..4 {
        let (engine, remote) = (Arc::clone(&engine), server.remote());
        let change = append(&format!("step-drain-{number}"));
        tasks.spawn(async move { engine.commit(&remote, "main", change).await });
    }
    tokio::task::yield_now().await;
    engine.drain().await;
    let found = engine
        .commit(&server.remote(), "main", append("step-late-1"))
        .await;
    assert_eq!(found, Err(GitError::Draining));
    let done = tasks.join_all().await;
    let committed = done.iter().filter(|it| it.is_ok()).count();
    assert_eq!(server.steps().len(), committed);
    assert!(
        done.iter()
            .all(|it| it.is_ok() || *it == Err(GitError::Draining)),
        "{done:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rewritten_history_stops_a_step_that_had_begun() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let remote = server.remote();
    let root = server.git(&["rev-parse", "main"]).trim().to_owned();
    server.push_foreign("foreign.txt", "x\n").unwrap();
    // The step begins, but its push is refused.
    let hook = server.folder().join("hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let refused = engine(folder.path())
        .commit(&remote, "main", append("step-history"))
        .await;
    assert!(
        matches!(refused, Err(GitError::Rejected { .. })),
        "{refused:?}"
    );
    std::fs::remove_file(&hook).unwrap();
    server.git(&["update-ref", "refs/heads/main", &root]);
    server.push_foreign("foreign.txt", "y\n").unwrap();
    let found = engine(folder.path())
        .commit(&remote, "main", append("step-history"))
        .await;
    assert!(
        matches!(found, Err(GitError::HistoryRewritten { .. })),
        "{found:?}"
    );
    assert!(server.steps().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_began_long_ago_is_found_beyond_the_usual_look_up() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let first = engine(folder.path())
        .commit(&server.remote(), "main", append("step-old-1"))
        .await
        .unwrap();
    // The process died before it stored the result: only the beginning is in the journal.
    let journal = folder.path().join("journal");
    let text = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, text.lines().next().unwrap().to_owned() + "\n").unwrap();
    let mut stream = String::new();
    for number in 0..300 {
        stream += &format!(
            "commit refs/heads/main\ncommitter F <f@x> {} +0000\ndata 1\nf\n{}M 100644 inline n.txt\ndata 3\n{number:03}\n",
            1_800_000_100 + number,
            if number == 0 {
                "from refs/heads/main^0\n"
            } else {
                ""
            },
        );
    }
    git(&server.folder(), &["fast-import", "--quiet"], &stream);
    let again = engine(folder.path())
        .commit(&server.remote(), "main", append("step-old-1"))
        .await
        .unwrap();
    assert_eq!((again.id, again.is_repeat), (first.id, true));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_push_carries_a_whole_batch() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    server.git(&["config", "core.logAllRefUpdates", "always"]);
    let engine = Arc::new(engine(folder.path()));
    let mut tasks = JoinSet::new();
    for number in 0..60 {
        let (engine, remote) = (Arc::clone(&engine), server.remote());
        let change = append(&format!("step-batch-{number}"));
        tasks.spawn(async move { engine.commit(&remote, "main", change).await.unwrap() });
    }
    tasks.join_all().await;
    assert_eq!(server.steps().len(), 60);
    let updates = server
        .git(&["reflog", "show", "--format=%h", "main"])
        .lines()
        .count();
    assert!(updates <= 10, "{updates} pushes");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_is_replaced_whose_content_was_never_read() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let edit = FileEdit::Write {
        path: path("app/web.yaml"),
        content: b"kind: Deployment\nspec:\n  image: web:v2\n".to_vec(),
        expected: None,
    };
    let done = engine(folder.path())
        .commit(&server.remote(), "main", change("step-replace", vec![edit]))
        .await;
    assert!(done.is_ok(), "{done:?}");
    assert!(server.read("app/web.yaml").contains("web:v2"));
    server.check();
}
