//! Every command of the README, on one running `causeway up`.

use std::process::Command;

use causeway_testkit::{Child, run, run_with_input, wait_until_blocking, which_or_skip};
use serde_json::Value;

use crate::program::{SOON, Up};

#[test]
fn every_command_has_text_and_json_output() {
    let up = Up::start();
    up.wait_for_health("guestbook", "HEALTHY");
    let list = wait_until_blocking("all three in the list", SOON, || {
        let list = up.cli(&["app", "list"]).expect_success();
        let mut names = ["guestbook", "platform-apps", "broken"].iter();
        if names.all(|name| list.contains(name)) {
            Ok(list)
        } else {
            Err(list)
        }
    });
    assert!(list.starts_with("NAME"), "{list}");
    let get = up.cli(&["app", "get", "guestbook"]).expect_success();
    assert!(
        get.contains("Synced") && get.contains("Healthy") && get.contains("demo.git"),
        "{get}"
    );
    let tree = wait_until_blocking("the tree", SOON, || {
        let tree = up.cli(&["app", "tree", "guestbook"]).expect_success();
        if tree.contains("Pod/") {
            Ok(tree)
        } else {
            Err(tree)
        }
    });
    assert!(
        tree.contains("Deployment/") && tree.contains("ReplicaSet/"),
        "{tree}"
    );
    let refresh = up.cli(&["app", "refresh", "guestbook"]).expect_success();
    assert!(refresh.contains("guestbook"), "{refresh}");
    wait_until_blocking("the runtime online", SOON, || {
        let runtimes = up.cli(&["runtime", "list"]).expect_success();
        let online = runtimes.contains("online");
        online.then_some(()).ok_or(runtimes)
    });
    let yaml = up
        .cli(&["app", "get", "guestbook", "-o", "yaml"])
        .expect_success();
    assert!(yaml.contains("name: guestbook"), "{yaml}");
    let status = wait_until_blocking("all parts", SOON, || {
        let status = up.cli(&["status"]);
        if status.status.success() {
            Ok(status.stdout)
        } else {
            Err(status.stdout)
        }
    });
    for part in [
        "platform",
        "inventory",
        "tunnel-server",
        "request-router",
        "tunnel-client",
        "app-proxy",
        "source-server",
        "event-source",
        "application-event-reporter",
        "resource-event-reporter",
        "gitops-operator",
    ] {
        assert!(status.contains(part), "{part} is not in\n{status}");
    }
    let shards = up.cli(&["runtime", "shards"]).expect_success();
    let of_applications = |line: &&str| line.contains("applications.argoproj.io");
    let alone = shards.lines().find(of_applications).unwrap_or_default();
    assert!(alone.contains("100.0 %"), "{shards}");
}

#[tokio::test]
async fn curl_gets_json_and_errors_are_json_too() {
    let up = tokio::task::spawn_blocking(|| {
        let up = Up::start();
        for name in ["guestbook", "platform-apps", "broken"] {
            up.wait_for(name, "reported", |_| true);
        }
        up.wait_for_health("guestbook", "HEALTHY");
        up
    });
    let up = up.await.unwrap();
    let client = reqwest::Client::new();
    let get = |path: &str| {
        client
            .get(format!("{}{path}", up.address))
            .bearer_auth(up.api_key())
            .send()
    };
    let listed: Value = get("/v1/applications").await.unwrap().json().await.unwrap();
    assert!(
        listed["applications"].as_array().unwrap().len() >= 3,
        "{listed}"
    );
    let path = "/v1/runtimes/local/applications/argocd/guestbook";
    let one: Value = get(path).await.unwrap().json().await.unwrap();
    assert_eq!(one["application"]["name"], "guestbook");
    let missing = get("/v1/runtimes/local/applications/argocd/guestbok")
        .await
        .unwrap();
    assert_eq!(missing.status(), 404);
    let missing: Value = missing.json().await.unwrap();
    assert!(
        missing["message"].as_str().unwrap().contains("guestbook"),
        "{missing}"
    );
    let stranger = client
        .get(format!("{}/v1/applications", up.address))
        .send()
        .await
        .unwrap();
    assert_eq!(stranger.status(), 401);
    let unknown_field = get("/v1/applications?colour=red").await.unwrap();
    assert_eq!(unknown_field.status(), 400);
    assert!(unknown_field.text().await.unwrap().contains("colour"));
    let post = |body: String| {
        let url = format!("{}{path}:sync", up.address);
        client
            .post(url)
            .bearer_auth(up.api_key())
            .header("content-type", "application/json")
            .body(body)
            .send()
    };
    assert_eq!(post("{".to_owned()).await.unwrap().status(), 400);
    assert_eq!(
        post(format!("\"{}\"", "x".repeat(5 << 20)))
            .await
            .unwrap()
            .status(),
        413
    );
    let synced = post("{}".to_owned()).await.unwrap();
    assert_eq!(synced.status(), 200, "{}", synced.text().await.unwrap());
}

#[test]
fn kubectl_reads_watches_applies_and_deletes() {
    let Some(kubectl) = which_or_skip("kubectl") else {
        return;
    };
    let up = Up::start();
    up.wait_for_health("guestbook", "HEALTHY");
    let command = |arguments: &[&str]| {
        let mut command = Command::new(&kubectl);
        command
            .arg("--kubeconfig")
            .arg(up.kubeconfig())
            .args(arguments);
        command.env("HOME", up.folder.path());
        command
    };
    let listed = run(&mut command(&["get", "applications", "-A"])).expect_success();
    assert!(
        listed.contains("guestbook") && listed.contains("Synced"),
        "{listed}"
    );
    let yaml = run(&mut command(&[
        "get",
        "application",
        "guestbook",
        "-n",
        "argocd",
        "-o",
        "yaml",
    ]))
    .expect_success();
    assert!(
        yaml.contains("kind: Application") && yaml.contains("resourceVersion"),
        "{yaml}"
    );
    let mut watch = Child::start(&mut command(&["get", "applications", "-A", "-w"]));
    watch.wait_for_line("the watch", SOON, |line| {
        line.contains("guestbook").then_some(())
    });
    let manifest = format!(
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: mine, namespace: argocd}}\n\
         spec:\n  project: default\n  source: {{repoURL: '{}', path: guestbook, targetRevision: main}}\n  \
         destination: {{server: 'https://kubernetes.default.svc', namespace: mine}}\n",
        up.git
    );
    run_with_input(&mut command(&["apply", "-f", "-"]), &manifest).expect_success();
    watch.wait_for_line("the new application", SOON, |line| {
        line.contains("mine").then_some(())
    });
    up.wait_for("mine", "reported", |application| {
        application["status"]["sync"]["status"] == "SYNC_STATUS_OUT_OF_SYNC"
    });
    run(&mut command(&[
        "delete",
        "application",
        "mine",
        "-n",
        "argocd",
    ]))
    .expect_success();
    wait_until_blocking("the deletion to be reported", SOON, || {
        match up.application("mine") {
            Ok(application) => Err(application.to_string()),
            Err(error) if error.contains("no application 'mine'") => Ok(()),
            Err(error) => Err(error),
        }
    });
}
