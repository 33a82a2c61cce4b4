use serde_json::{Value, json};

use crate::stage::{ARGOCD, Stage};

fn has_project(project: &Value) -> bool {
    !project.is_null()
}

#[tokio::test]
async fn a_source_becomes_two_projects_and_an_application_and_drift_is_put_right() {
    let mut stage = Stage::set().await;
    stage.operate().await;
    stage.create(stage.source("shop")).await;
    let source = stage.wait_for("shop", "Available", "Synced").await;
    let status = &source["status"];
    assert_eq!(status["observedGeneration"], 1);
    assert_eq!(
        status["projects"],
        json!({"source": "shop-source", "applications": "shop"})
    );
    assert_eq!(status["application"], "argocd/shop");
    let web = ("Application", "shop-apps", "web");
    stage
        .wait(web, |it| it["status"]["sync"]["status"] == "Synced")
        .await;

    // One field of ours changed, one that widens rights added.
    let open = json!({"spec": {"sourceNamespaces": ["*"], "clusterResourceWhitelist": [{"group": "*", "kind": "*"}]}});
    stage.merge("AppProject", "shop-source", open).await;
    let own = json!({"spec": {"project": "default", "sources": [{"repoURL": "https://x/y", "path": "."}]}});
    stage.merge("Application", "shop", own).await;
    stage
        .wait(("AppProject", ARGOCD, "shop-source"), |it| {
            it["spec"]["sourceNamespaces"] == json!([])
                && it["spec"]["clusterResourceWhitelist"][0]["kind"] == "Namespace"
        })
        .await;
    stage
        .wait(("Application", ARGOCD, "shop"), |it| {
            it["spec"]["project"] == "shop-source" && it["spec"].get("sources").is_none()
        })
        .await;
    causeway_testkit::wait_until(
        "an event about drift",
        std::time::Duration::from_secs(30),
        async || {
            let events = stage.api("Event", ARGOCD);
            let events = events.list(&Default::default()).await.unwrap();
            let told = events
                .iter()
                .any(|it| it.data["reason"] == "DriftCorrected");
            told.then_some(()).ok_or("none".to_owned())
        },
    )
    .await;
    stage.delete("AppProject", "shop").await;
    stage
        .wait(("AppProject", ARGOCD, "shop"), has_project)
        .await;
}

#[tokio::test]
async fn a_deleted_source_takes_its_application_first_and_its_projects_last() {
    let mut stage = Stage::set().await;
    stage.operate().await;
    stage.create(stage.source("shop")).await;
    stage.wait_for("shop", "Available", "Synced").await;
    let web = ("Application", "shop-apps", "web");
    stage.wait(web, |it| !it.is_null()).await;
    // An Application of the project that nothing prunes needs the project to be deleted itself.
    let text = stage.application_text("extra", "shop");
    let mut extra: Value = serde_json::from_str(&text).unwrap();
    extra["metadata"] = json!({"name": "extra", "finalizers": ["example.com/hold"]});
    let extra: kube::api::DynamicObject = serde_json::from_value(extra).unwrap();
    let api = stage.api("Application", "shop-apps");
    api.create(&Default::default(), &extra).await.unwrap();
    stage.delete("RestrictedGitSource", "shop").await;
    stage.wait(web, Value::is_null).await;
    stage
        .wait(("RestrictedGitSource", ARGOCD, "shop"), |it| {
            it["status"].to_string().contains("to be deleted: extra")
        })
        .await;
    let project = stage.get("AppProject", ARGOCD, "shop").await;
    assert!(has_project(&project));
    let left = stage.get("Application", ARGOCD, "shop").await;
    assert!(left.is_null(), "{left}");
    api.delete("extra", &Default::default()).await.unwrap();
    let free = kube::api::Patch::Merge(json!({"metadata": {"finalizers": null}}));
    api.patch("extra", &Default::default(), &free)
        .await
        .unwrap();
    stage
        .wait(("RestrictedGitSource", ARGOCD, "shop"), Value::is_null)
        .await;
    for project in ["shop", "shop-source"] {
        let left = stage.get("AppProject", ARGOCD, project).await;
        assert!(left.is_null(), "{left}");
    }
    let left = stage.get("Application", ARGOCD, "shop").await;
    assert!(left.is_null(), "{left}");
}

#[tokio::test]
async fn a_refused_source_says_why_and_stops_no_other_one() {
    let mut stage = Stage::set().await;
    let by_hand = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject",
        "metadata": {"name": "taken", "namespace": ARGOCD}, "spec": {"description": "by hand"},
    });
    stage.create(by_hand).await;
    stage.operate().await;
    stage.create(stage.source("taken")).await;
    let mut path = stage.source("path");
    path["spec"]["source"]["path"] = "../apps".into();
    stage.create(path).await;
    let mut reach = stage.source("reach");
    reach["spec"]["destinations"][0]["namespace"] = "*".into();
    stage.create(reach).await;
    stage.create(stage.source("shop")).await;
    stage.wait_for("taken", "Refused", "ProjectNotOwned").await;
    stage.wait_for("path", "Refused", "PathEscapes").await;
    stage
        .wait_for("reach", "Refused", "DestinationReachesArgocd")
        .await;
    stage.wait_for("shop", "Available", "Synced").await;
    let project = stage.get("AppProject", ARGOCD, "taken").await;
    assert_eq!(project["spec"], json!({"description": "by hand"}));
    let none = stage.get("Application", ARGOCD, "path").await;
    assert!(none.is_null());

    // A second source of the namespace, and a project that opens it.
    let mut second = stage.source("second");
    second["spec"]["sourceNamespace"] = "shop-apps".into();
    stage.create(second).await;
    stage
        .wait_for("second", "Refused", "NamespaceClaimed")
        .await;
    let open = json!({"spec": {"sourceNamespaces": ["shop-*"]}});
    stage.merge("AppProject", "taken", open).await;
    let refused = stage
        .wait_for("shop", "Refused", "NamespaceOpenToProject")
        .await;
    assert!(refused["status"].to_string().contains("remove the pattern"));
    // The way out is closed again: the source is accepted again.
    let closed = json!({"spec": {"sourceNamespaces": []}});
    stage.merge("AppProject", "taken", closed).await;
    stage.wait_for("shop", "Available", "Synced").await;
    let spec = json!({"spec": {"source": {"path": "apps"}}});
    stage.merge("RestrictedGitSource", "path", spec).await;
    stage.wait_for("path", "Available", "Synced").await;
}

#[tokio::test]
async fn escapes_in_the_repository_are_told_in_the_status() {
    let mut stage = Stage::set().await;
    stage.operate().await;
    stage.create(stage.source("shop")).await;
    stage.wait_for("shop", "Available", "Synced").await;
    let escape = stage.application_text("escape", "default");
    let files = [("apps/escape.yaml", escape.as_str())];
    stage.sandbox.push("shop", &files, "escape").await.unwrap();
    let source = stage.wait_for("shop", "Refused", "ProjectDefault").await;
    let shown = source["status"].to_string();
    assert!(shown.contains("set its project to shop"), "{shown}");
    let good = stage.application_text("escape", "shop");
    let files = [("apps/escape.yaml", good.as_str())];
    stage.sandbox.push("shop", &files, "good").await.unwrap();
    stage
        .wait(("RestrictedGitSource", ARGOCD, "shop"), |it| {
            it["status"]["conditions"].as_array().is_some_and(|list| {
                list.iter()
                    .any(|it| it["type"] == "Refused" && it["status"] == "False")
            })
        })
        .await;
}

#[tokio::test]
async fn an_operator_that_is_killed_again_and_again_loses_nothing() {
    let mut stage = Stage::set().await;
    stage.create(stage.source("shop")).await;
    // Each round is cut at the next object that appears.
    for (kind, name) in [
        ("AppProject", "shop-source"),
        ("AppProject", "shop"),
        ("Application", "shop"),
    ] {
        stage.operate().await;
        stage.wait((kind, ARGOCD, name), |it| !it.is_null()).await;
        stage.kill().await;
    }
    stage.operate().await;
    stage.wait_for("shop", "Available", "Synced").await;
    stage.kill().await;
    // Changed, and deleted, while nobody looks.
    stage.delete("AppProject", "shop").await;
    stage.delete("RestrictedGitSource", "shop").await;
    stage.operate().await;
    stage
        .wait(("Application", ARGOCD, "shop"), Value::is_null)
        .await;
    stage.kill().await;
    stage.operate().await;
    stage
        .wait(("RestrictedGitSource", ARGOCD, "shop"), Value::is_null)
        .await;
    let left = stage.get("AppProject", ARGOCD, "shop-source").await;
    assert!(left.is_null());
}
