//! Git over HTTP, with the real `git` program as the client.

use std::{net::SocketAddr, path::Path, process::Output};

use causeway_sandbox::git::{Commit, GitOptions, GitServer};
use tokio::process::Command;

async fn server(folder: &Path) -> GitServer {
    server_on("127.0.0.1:0".parse().unwrap(), folder).await
}

async fn server_on(listen: SocketAddr, folder: &Path) -> GitServer {
    let options = GitOptions {
        listen,
        folder: folder.join("git"),
    };
    GitServer::start(options).await.unwrap()
}

pub(crate) async fn git(folder: &Path, arguments: &[&str]) -> Output {
    Command::new("git")
        .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_TERMINAL_PROMPT", "0")
        .env_remove("GIT_DIR")
        .output()
        .await
        .unwrap()
}

pub(crate) async fn git_ok(folder: &Path, arguments: &[&str]) -> String {
    let output = git(folder, arguments).await;
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {complaint}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[tokio::test]
async fn a_clone_a_commit_and_a_push_go_through_and_are_told_of() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path()).await;
    server.create("demo").await.unwrap();
    server
        .commit("demo", &Commit::new("first").write("a.txt", "one\n"))
        .await
        .unwrap();
    git_ok(
        folder.path(),
        &["clone", "--quiet", &server.url("demo"), "work"],
    )
    .await;
    let work = folder.path().join("work");
    std::fs::write(work.join("a.txt"), "two\n").unwrap();
    git_ok(&work, &["commit", "--quiet", "-am", "second"]).await;
    let mut pushes = server.pushes();
    pushes.borrow_and_update();
    git_ok(&work, &["push", "--quiet"]).await;
    pushes.wait_for(|pushes| pushes["demo"] == 2).await.unwrap();

    let head = git_ok(&work, &["rev-parse", "HEAD"]).await;
    let repository = server.repository("demo").unwrap();
    assert_eq!(repository.resolve("main").await.unwrap().as_str(), head);
    assert_eq!(
        repository.metadata(&head).await.unwrap().author,
        "Ada <ada@example.org>"
    );
}

#[tokio::test]
async fn large_pushes_and_gzipped_requests_are_taken() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path()).await;
    server.create("demo").await.unwrap();
    let mut commit = Commit::new("many");
    for number in 0..600 {
        commit = commit
            .on(&format!("branch-{number}"))
            .write("a.txt", format!("{number}\n"));
        server.commit("demo", &commit).await.unwrap();
    }
    git_ok(
        folder.path(),
        &[
            "clone",
            "--quiet",
            "--no-checkout",
            &server.url("demo"),
            "work",
        ],
    )
    .await;
    let work = folder.path().join("work");
    git_ok(&work, &["switch", "--quiet", "-c", "big"]).await;
    let noise: Vec<u8> = (0..3_000_000u64)
        .flat_map(|n| n.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_le_bytes())
        .collect();
    std::fs::write(work.join("noise"), noise).unwrap();
    git_ok(&work, &["add", "noise"]).await;
    git_ok(&work, &["commit", "--quiet", "-m", "noise"]).await;
    git_ok(&work, &["push", "--quiet", "origin", "big"]).await;
    git_ok(&work, &["fetch", "--quiet", "origin", "branch-7"]).await;
}

#[tokio::test]
async fn unknown_names_and_paths_that_lead_outside_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path()).await;
    git_ok(folder.path(), &["init", "--quiet", "--bare", "secret.git"]).await;
    for name in ["nope", "..%2Fsecret", "../secret"] {
        let url = format!("http://{}/{name}.git", server.address());
        let output = git(folder.path(), &["ls-remote", &url]).await;
        assert!(!output.status.success(), "{name}");
    }
}

#[tokio::test]
async fn repositories_and_the_port_survive_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    // An address of loopback that nobody else on the machine uses: on the usual one somebody may be given the port meanwhile.
    let listen = "127.126.0.1:0".parse().unwrap();
    let first = server_on(listen, folder.path()).await;
    first.create("demo").await.unwrap();
    let commit = first
        .commit("demo", &Commit::new("first").write("a", "1"))
        .await
        .unwrap();
    let url = first.url("demo");
    first.stop().await;
    drop(first);
    let second = server_on(listen, folder.path()).await;
    assert_eq!(second.url("demo"), url);
    let listed = git_ok(folder.path(), &["ls-remote", &url, "refs/heads/main"]).await;
    assert!(listed.starts_with(commit.as_str()));
}

#[tokio::test]
async fn a_taken_port_names_the_address_and_the_flag() {
    let folder = tempfile::tempdir().unwrap();
    let first = server(folder.path()).await;
    let options = GitOptions {
        listen: first.address(),
        folder: folder.path().join("other"),
    };
    let message = GitServer::start(options).await.unwrap_err().to_string();
    assert!(
        message.contains(&first.address().to_string()) && message.contains("--git-listen"),
        "{message}"
    );
}
