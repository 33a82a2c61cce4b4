//! Where an Argo CD's things are: in a folder that outlives it, and in repositories of others.

use super::*;

#[tokio::test]
async fn everything_survives_a_kill_and_a_users_deletion_too() {
    let folder = tempfile::tempdir().unwrap();
    let options = SandboxOptions {
        demo: Demo::Three,
        data: Some(folder.path().join("data")),
        ..SandboxOptions::in_memory()
    };
    let first = Sandbox::start(options.clone()).await.unwrap();
    until(&first, "guestbook", settled).await;
    applications(&first)
        .delete("broken", &DeleteParams::default())
        .await
        .unwrap();
    watch_until(applications(&first), "broken", |state| state.is_none()).await;
    let (token, remote) = (first.argocd_token().to_owned(), first.git_url("demo"));
    let sha = first
        .push(
            "demo",
            &[("guestbook/config.yaml", &config_map("guestbook", "x"))],
            "last",
        )
        .await
        .unwrap();
    drop(first);
    timeout(PATIENCE, until_free(&remote)).await.unwrap();

    let second = timeout(PATIENCE, again(&options)).await.unwrap();
    assert_eq!(
        (second.argocd_token(), second.git_url("demo")),
        (token.as_str(), remote)
    );
    until(&second, "guestbook", settled_at(&sha)).await;
    assert!(
        applications(&second)
            .get_opt("broken")
            .await
            .unwrap()
            .is_none()
    );
    second.stop().await;
}

/// Waits until nobody listens at a remote any more: one that is started before that takes another port.
async fn until_free(remote: &str) {
    let address = remote.trim_start_matches("http://");
    let address = address.split('/').next().unwrap();
    while std::net::TcpListener::bind(address).is_err() {
        tokio::task::yield_now().await;
    }
}

/// The locks and ports of a dropped sandbox are free a moment later.
async fn again(options: &SandboxOptions) -> Sandbox {
    loop {
        match Sandbox::start(options.clone()).await {
            Ok(sandbox) => return sandbox,
            Err(_) => tokio::task::yield_now().await,
        }
    }
}

#[tokio::test]
async fn a_repository_elsewhere_is_read_over_http() {
    let (here, elsewhere) = (empty().await, empty().await);
    let config = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: far\n";
    let files = [("far/config.yaml", config)];
    elsewhere.push("apps", &files, "Add").await.unwrap();
    let source =
        json!({"repoURL": elsewhere.git_url("apps"), "path": "far", "targetRevision": "main"});
    create(&here, "far", json!({ "source": source })).await;
    until(&here, "far", |state| is(state, "OutOfSync", "Missing")).await;
    here.stop().await;
    elsewhere.stop().await;
}
