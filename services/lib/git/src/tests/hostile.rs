use causeway_patch::DocumentSelector;
use tempfile::TempDir;

use super::server::{Server, append, change, config, engine, path};
use crate::{
    Change, Engine, FileEdit, GitError, Http, NotEditable, Person, RemoteUrl, RepositoryPath,
    StepId,
};

#[test]
fn urls_that_git_could_read_as_something_else_are_refused() {
    for text in [
        "",
        "x",
        "/etc",
        "file:///etc",
        "ext::sh -c id",
        "git://host/a",
        "ftp://host/a",
        "http://host/a",
        "https://host",
        "https:///a",
        "https://-host/a",
        "https://user@host/a",
        "https://u:p@host/a",
        "https://host/a?b",
        "https://host/a#b",
        "https://host/../a",
        "https://host/a//b",
        "https://host/-a",
        "https://host/%2e%2e/a",
        "https://host:0/a",
        "https://host:99999/a",
        "https://ho st/a",
        "https://host/a\n",
        "https://host/\u{e4}",
        "ssh://host/a",
        "ssh://-oProxyCommand=id@host/a",
        "ssh://u@-oProxyCommand=id/a",
        "ssh://u:p@host/a",
        "git@host:a",
        "--upload-pack=id",
        "https://host/a\"b",
        "https://host/a'b",
        "https://host\\@evil/a",
        "http://127.0.0.1.evil/a",
        "http://127.0.0.1@evil/a",
    ] {
        assert!(RemoteUrl::parse(text, Http::Loopback).is_err(), "{text:?}");
    }
    for text in [
        "https://host/a/b.git",
        "https://host:8443/a",
        "https://[::1]:8443/a",
        "ssh://git@host:22/a/b.git",
        "http://127.0.0.1:1/a",
        "http://localhost/a",
    ] {
        assert!(RemoteUrl::parse(text, Http::Loopback).is_ok(), "{text:?}");
    }
    assert!(RemoteUrl::parse("http://127.0.0.1:1/a", Http::Refused).is_err());
}

#[test]
fn paths_that_leave_the_repository_or_enter_git_are_refused() {
    let long = "a".repeat(256);
    for text in [
        "",
        "/",
        "/a",
        "a/",
        "a//b",
        ".",
        "..",
        "a/../b",
        "./a",
        "a/.",
        ".git",
        ".git/config",
        "a/.git/hooks/x",
        ".GIT",
        ".Git/x",
        ".git.",
        ".git ",
        ".git. .",
        "git~1",
        "GIT~1/x",
        "git~22",
        "a\\b",
        "..\\a",
        "a:b",
        "a\0b",
        "a\nb",
        "a\tb",
        ".g\u{200c}it",
        "\u{feff}.git",
        ".gitmodules",
        ".GITMODULES",
        "\u{202e}.git",
        "c:/x",
        long.as_str(),
    ] {
        assert!(RepositoryPath::parse(text).is_err(), "{text:?}");
    }
    for text in [
        "a",
        "a/b.yaml",
        ".github/x",
        ".gitignore",
        ".gitattributes",
        "gitlab~1",
        "a..b",
        "\u{e4}/x y",
        "-x",
    ] {
        assert!(RepositoryPath::parse(text).is_ok(), "{text:?}");
    }
}

#[test]
fn headers_of_a_commit_cannot_be_forged() {
    for (name, email) in [
        ("", "a@b"),
        ("a", ""),
        ("a\nb", "a@b"),
        ("a", "a@b\ncommitter x"),
        ("a <x", "a@b"),
        ("a", "a>b"),
        ("a\0", "a@b"),
        (" . ", "a@b"),
        ("a", "a b@c"),
    ] {
        assert!(Person::new(name, email).is_err(), "{name:?} {email:?}");
    }
    for step in ["", "short", "with space", "line\nbreak-1", &"x".repeat(101)] {
        assert!(StepId::parse(step).is_err(), "{step:?}");
    }
    let with = |key: &str, value: &str| Change {
        trailers: vec![(key.to_owned(), value.to_owned())],
        ..append("step-trailer")
    };
    for (key, value) in [
        ("Causeway-Step", "x"),
        ("causeway-step", "x"),
        ("a b", "x"),
        ("", "x"),
        ("A", ""),
        ("A", "x\nCauseway-Step: y"),
        ("A:", "x"),
    ] {
        assert!(with(key, value).check().is_err(), "{key:?} {value:?}");
    }
    assert!(with("Approved-by", "Bob <bob@example.com>").check().is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_cannot_claim_another_step_or_an_approval() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let message = "title\r\n\r\nCauseway-Step: step-victim\nApproved-by: Eve <e@x>\n\u{1b}[31mred\u{0}\n\nOn-behalf-of : eve\n---\nCauseway-Step: step-victim\n";
    let forged = Change {
        message: message.to_owned(),
        trailers: vec![("On-behalf-of".to_owned(), "ada".to_owned())],
        ..append("step-forger")
    };
    let engine = engine(folder.path());
    engine
        .commit(&server.remote(), "main", forged)
        .await
        .unwrap();
    assert_eq!(server.steps(), ["step-forger"]);
    let trailers = "--format=%(trailers:only,unfold)";
    let trailers = server.git(&["log", "-1", trailers, "main"]);
    let ours = "On-behalf-of: ada\nCauseway-Step: step-forger";
    assert_eq!(trailers.trim(), ours);
    let body = server.git(&["log", "-1", "--format=%B", "main"]);
    assert!(
        body.contains("> Causeway-Step: step-victim")
            && body.contains("> Approved-by: Eve")
            && body.contains("> On-behalf-of : eve")
            && !body.contains('\u{1b}')
    );
    let victim = engine
        .commit(&server.remote(), "main", append("step-victim"))
        .await
        .unwrap();
    assert!(!victim.is_repeat);
    server.check();
}

fn edit_of(file: &str) -> FileEdit {
    FileEdit::Values {
        path: path(file),
        document: DocumentSelector::Only,
        edits: Vec::new(),
    }
}

fn write_to(file: &str) -> FileEdit {
    FileEdit::Write {
        path: path(file),
        content: b"x".to_vec(),
        expected: None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn links_submodules_pointers_and_binaries_are_refused() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let engine = engine(folder.path());
    let cases = [
        (edit_of("big.yaml"), NotEditable::LfsPointer),
        (edit_of("binary.yaml"), NotEditable::Binary),
        (write_to("app"), NotEditable::Folder),
        (write_to("link"), NotEditable::Symlink),
        (write_to("link/x"), NotEditable::Symlink),
        (write_to("module/x"), NotEditable::Submodule),
        (
            FileEdit::Delete {
                path: path("link/values.yaml"),
                expected: None,
            },
            NotEditable::Symlink,
        ),
        (
            FileEdit::Copy {
                from: path("link"),
                to: path("x"),
            },
            NotEditable::Symlink,
        ),
        (
            FileEdit::Copy {
                from: path("app"),
                to: path("module"),
            },
            NotEditable::Submodule,
        ),
        (
            FileEdit::Copy {
                from: path("app"),
                to: path("link/x"),
            },
            NotEditable::Symlink,
        ),
    ];
    for (number, (edit, expected)) in cases.into_iter().enumerate() {
        let step = format!("step-refused-{number}");
        let found = engine
            .commit(&server.remote(), "main", change(&step, vec![edit]))
            .await;
        assert!(
            matches!(&found, Err(GitError::NotEditable { reason, .. }) if *reason == expected),
            "{number}: {found:?}"
        );
    }
    let below_file = engine
        .commit(
            &server.remote(),
            "main",
            change("step-below-file", vec![write_to("README.md/x")]),
        )
        .await;
    assert!(
        matches!(below_file, Err(GitError::InvalidPath { .. })),
        "{below_file:?}"
    );
    let absent = engine
        .commit(
            &server.remote(),
            "main",
            change("step-absent-1", vec![edit_of("none.yaml")]),
        )
        .await;
    assert!(
        matches!(absent, Err(GitError::FileNotFound { .. })),
        "{absent:?}"
    );
    assert_eq!(server.count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_branches_repositories_and_redirects_are_told_apart() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let engine = engine(folder.path());
    let commit = async |remote, branch: &str| {
        engine
            .commit(&remote, branch, append("step-where-1"))
            .await
            .unwrap_err()
    };
    assert_eq!(
        commit(server.remote(), "none").await,
        GitError::BranchNotFound {
            branch: "none".to_owned()
        }
    );
    assert_eq!(
        commit(server.remote_path("none.git"), "main").await,
        GitError::RepositoryNotFound
    );
    let moved = commit(server.remote_path("moved/app.git"), "main").await;
    assert!(matches!(moved, GitError::Unavailable(_)), "{moved:?}");
    assert!(matches!(
        commit(server.remote(), "-x").await,
        GitError::InvalidChange(_)
    ));
    assert!(matches!(
        commit(server.remote(), "a..b").await,
        GitError::InvalidChange(_)
    ));
    assert_eq!(server.count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_that_outgrows_its_bound_is_refused() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let mut config = config(folder.path());
    config.limits.clone_bytes = 1 << 10;
    let engine = Engine::open(config).unwrap();
    let found = engine
        .commit(&server.remote(), "main", append("step-large-1"))
        .await;
    assert!(matches!(found, Err(GitError::TooLarge { .. })), "{found:?}");
    assert_eq!(server.count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_silent_server_is_given_up_in_time() {
    let folder = TempDir::new().unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/app.git", listener.local_addr().unwrap());
    let mut config = config(folder.path());
    config.limits.time = std::time::Duration::from_millis(300);
    let engine = Engine::open(config).unwrap();
    let found = engine
        .commit(
            &super::server::remote(&url),
            "main",
            append("step-silent-1"),
        )
        .await;
    assert!(matches!(found, Err(GitError::Timeout { .. })), "{found:?}");
}
