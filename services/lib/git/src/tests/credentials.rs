use std::{os::unix::fs::PermissionsExt as _, path::Path};

use tempfile::TempDir;

use super::server::{PASSWORD, Server, append, config, engine};
use crate::{Credential, Engine, GitError, Secret};

/// Every file below a folder that contains the text.
fn leaks(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(leaks(&path, text));
        } else if String::from_utf8_lossy(&std::fs::read(&path).unwrap()).contains(text) {
            found.push(path.display().to_string());
        }
    }
    found
}

/// A git that writes its arguments and environment down before it runs, children included.
fn recording_git(folder: &Path) -> std::path::PathBuf {
    let script = folder.join("git");
    let log = folder.join("calls");
    let text = format!(
        "#!/bin/sh\n/usr/bin/env >> {0}\necho \"$@\" >> {0}\nexec /usr/bin/git \"$@\"\n",
        log.display()
    );
    std::fs::write(&script, text).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    script
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credential_is_in_no_argument_variable_file_or_message() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let mut config = config(folder.path());
    config.git = recording_git(folder.path());
    let engine = Engine::open(config).unwrap();
    engine
        .commit(&server.remote(), "main", append("step-secret-1"))
        .await
        .unwrap();
    let calls = std::fs::read_to_string(folder.path().join("calls")).unwrap();
    assert!(
        calls.contains("push --porcelain") && calls.contains("fetch --quiet"),
        "{calls}"
    );
    for text in [PASSWORD, "Ym90OmNhbmFyeS03ZjNhOWM="] {
        assert_eq!(leaks(folder.path(), text), Vec::<String>::new());
    }
    assert!(!format!("{:?}", server.remote()).contains(PASSWORD));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_credential_is_named_as_such() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let engine = engine(folder.path());
    let mut remote = server.remote();
    remote.credential = Credential::Basic {
        user: "bot".to_owned(),
        password: Secret::new("canary-wrong"),
    };
    let error = engine
        .commit(&remote, "main", append("step-wrong-1"))
        .await
        .unwrap_err();
    assert_eq!(error, GitError::Unauthorized);
    remote.credential = Credential::None;
    let error = engine
        .commit(&remote, "main", append("step-wrong-2"))
        .await
        .unwrap_err();
    assert_eq!(error, GitError::Unauthorized);
}

#[tokio::test(flavor = "multi_thread")]
async fn accounts_and_credentials_share_no_clone() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let engine = engine(folder.path());
    let clones = || {
        std::fs::read_dir(folder.path().join("cache/clones"))
            .unwrap()
            .count()
    };
    let mut remote = server.remote();
    for (account, credential, expected) in [
        ("acme", "bot-1", 1),
        ("other", "bot-1", 2),
        ("other", "bot-2", 3),
        ("acme", "bot-1", 3),
    ] {
        (remote.account, remote.credential_id) = (account.to_owned(), credential.to_owned());
        let step = format!("step-{account}-{credential}-{}", rand::random::<u32>());
        engine.commit(&remote, "main", append(&step)).await.unwrap();
        assert_eq!(clones(), expected);
    }
    let mode = std::fs::metadata(folder.path().join("cache/clones"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_cache_drops_the_clone_that_was_used_least_recently() {
    let (server, folder) = (Server::start().await, TempDir::new().unwrap());
    let mut config = config(folder.path());
    config.limits.cache_bytes = 8 << 10;
    let engine = Engine::open(config).unwrap();
    for account in 0..6 {
        let mut remote = server.remote();
        remote.account = format!("account-{account}");
        engine
            .commit(&remote, "main", append(&format!("step-lru-{account}")))
            .await
            .unwrap();
    }
    let clones = std::fs::read_dir(folder.path().join("cache/clones"))
        .unwrap()
        .count();
    assert!(clones < 6, "{clones} clones");
    assert_eq!(server.steps().len(), 6);
}
