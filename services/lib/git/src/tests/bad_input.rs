//! What is wrong with a repository or its server, and the one line that says what to do.

use std::{io::Write as _, time::Duration};

use axum::{Router, http::StatusCode, response::Html};
use causeway_patch::{DocumentSelector, Edit, Operation, Path, Value};
use tempfile::TempDir;
use tokio::{net::TcpListener, task::JoinSet};

use super::server::{Server, append, change, config, engine, path, remote};
use crate::{Change, Engine, FileEdit, GitError};

/// Sets a value of a file.
fn set(step: &str, file: &str, at: &str) -> Change {
    let operation = Operation::Set(Value::string("v9"));
    let edit = FileEdit::Values {
        path: path(file),
        document: DocumentSelector::Only,
        edits: vec![Edit::new(Path::parse(at).unwrap(), operation)],
    };
    change(step, vec![edit])
}

/// Files that cannot be edited, on `main`.
fn seed(server: &Server) {
    let texts = [
        (
            "alias.yaml",
            "base: &base\n  tag: v1\nweb: *base\n".to_owned(),
        ),
        ("twice.yaml", "image: a\nimage: b\n".to_owned()),
        ("text.yaml", "image: a\n".to_owned()),
        ("latin.yaml", "image: \u{fffd}\n".to_owned()),
        ("broken.yaml", "a: [\n".to_owned()),
    ];
    for (file, content) in texts {
        server.push_foreign(file, &content).unwrap();
    }
    let large = "#".repeat(50 << 20);
    server.push_foreign("large.yaml", &large).unwrap();
}

fn decline_pushes(server: &Server) {
    use std::os::unix::fs::PermissionsExt as _;
    let hook = server.folder().join("hooks/pre-receive");
    let mut file = std::fs::File::create(&hook).unwrap();
    let text = "#!/bin/sh\necho 'protected branch' >&2\nexit 1\n";
    file.write_all(text.as_bytes()).unwrap();
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&hook, mode).unwrap();
}

/// One line without control characters that says what is wrong, and ends in what to do.
fn assert_says(error: &GitError, what: &str, next: &str) {
    let text = error.to_string();
    assert!(text.contains(what) && text.contains(next), "{text}");
    assert!(
        !text.contains(char::is_control) && text.len() < 500,
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_file_is_one_line_that_says_what_to_do() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    seed(&server);
    let before = server.count();
    let engine = engine(folder.path());
    for (file, at, what, next) in [
        (
            "gone.yaml",
            "a",
            "gone.yaml is not in the repository",
            "check the path",
        ),
        (
            "binary.yaml",
            "a",
            "binary.yaml is a binary file",
            "edit it with another tool",
        ),
        (
            "big.yaml",
            "a",
            "big.yaml is a Git LFS pointer",
            "edit it with another tool",
        ),
        ("link", "a", "values are edited in", ".yaml"),
        (
            "link/values.yaml",
            "a",
            "a symbolic link, or below one",
            "edit it with another tool",
        ),
        (
            "module/values.yaml",
            "a",
            "a submodule, or below one",
            "edit it with another tool",
        ),
        (
            "large.yaml",
            "a",
            "large.yaml is larger than 2 MiB",
            "edit it with another tool",
        ),
        ("alias.yaml", "web.tag", "alias.yaml: ", "alias"),
        ("twice.yaml", "image", "twice.yaml: ", "twice"),
        ("broken.yaml", "a", "broken.yaml: ", ""),
    ] {
        let change = set("step-bad-file", file, at);
        let error = engine.commit(&server.remote(), "main", change).await;
        assert_says(&error.unwrap_err(), what, next);
    }
    assert_eq!(server.count(), before);
    server.check();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_branch_that_is_gone_or_protected_is_told_with_the_way_out() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let engine = engine(folder.path());
    let commit = async |branch: &str, step: &str| {
        let done = engine.commit(&server.remote(), branch, append(step)).await;
        done.map(|_| ())
    };
    let gone = commit("none", "step-no-branch").await.unwrap_err();
    assert_says(
        &gone,
        "branch none is not in the repository",
        "check its name",
    );

    server.git(&["branch", "side", "main"]);
    commit("side", "step-side-1").await.unwrap();
    server.git(&["branch", "-D", "side"]);
    // The clone still knows the branch that somebody deleted meanwhile.
    let deleted = commit("side", "step-side-2").await.unwrap_err();
    assert_says(&deleted, "side", "");

    decline_pushes(&server);
    let declined = commit("main", "step-protected").await.unwrap_err();
    assert_says(&declined, "refused the push", "open a pull request");
    assert_eq!(server.count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_answers_nonsense_is_told_in_one_line() {
    let folder = TempDir::new().unwrap();
    let pages = Router::new()
        .route(
            "/html.git/{*rest}",
            axum::routing::any(|| async { Html("<html>\n<h1>Sign in</h1>\n</html>\n") }),
        )
        .route(
            "/bad.git/{*rest}",
            axum::routing::any(|| async { StatusCode::BAD_GATEWAY }),
        );
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut serving = JoinSet::new();
    serving.spawn(async move { axum::serve(listener, pages).await });
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nobody = closed.local_addr().unwrap();
    drop(closed);
    let mut config = config(folder.path());
    config.limits.time = Duration::from_millis(1500);
    let engine = Engine::open(config).unwrap();
    for (url, what) in [
        (format!("http://{address}/html.git"), "not there"),
        (format!("http://{address}/bad.git"), "502"),
        (format!("http://{address}/none.git"), "not there"),
        (format!("http://{nobody}/app.git"), "unavailable"),
        (
            format!("http://{}/app.git", silent.local_addr().unwrap()),
            "did not finish",
        ),
    ] {
        let remote = remote(&url);
        let done = engine.commit(&remote, "main", append("step-nonsense"));
        let error = done.await.unwrap_err();
        assert_says(&error, what, "");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_read_at_the_tip_and_the_default_branch_is_asked_for() {
    use crate::Selection;
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let engine = engine(folder.path());
    let remote = server.remote();
    assert_eq!(engine.default_branch(&remote).await.unwrap(), "main");
    let paths = Selection::Paths(vec![path("app/values.yaml"), path("none.yaml")]);
    let read = engine.read(&remote, "main", &paths).await.unwrap();
    assert_eq!(read.len(), 1);
    assert!(read[0].content.starts_with(b"# owned"));
    let below = Selection::Below {
        folder: Some(path("app")),
        endings: &[".yaml"],
    };
    let names = async |engine: &Engine| {
        let read = engine.read(&remote, "main", &below).await.unwrap();
        read.iter()
            .map(|it| it.path.to_string())
            .collect::<Vec<_>>()
    };
    let expected = [
        "Chart.yaml",
        "kustomization.yaml",
        "values.yaml",
        "web.yaml",
    ];
    let expected = expected.map(|name| format!("app/{name}"));
    assert_eq!(names(&engine).await, expected);
    server.push_foreign("app/new/more.yaml", "a: 1\n").unwrap();
    assert!(
        names(&engine)
            .await
            .contains(&"app/new/more.yaml".to_owned())
    );
}
