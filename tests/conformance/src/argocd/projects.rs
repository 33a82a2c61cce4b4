//! Projects that refuse, and windows that are closed.

use kube::{
    Api,
    api::{DynamicObject, PostParams},
    core::{ApiResource, GroupVersionKind},
};
use serde_json::{Value, json};

use super::{
    application::{Application, config_map, ended},
    world::World,
};

/// Makes a project of the application's name that allows everything but what the patch says.
async fn project(web: &Application<'_>, patch: Value) {
    let mut object = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "AppProject", "metadata": {"name": web.name},
        "spec": {
            "sourceRepos": ["*"],
            "destinations": [{"namespace": "*", "server": "*"}],
            "clusterResourceWhitelist": [{"group": "*", "kind": "*"}],
        },
    });
    json_patch::merge(&mut object["spec"], &patch);
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk(
        "argoproj.io",
        "v1alpha1",
        "AppProject",
    ));
    let api: Api<DynamicObject> =
        Api::namespaced_with(web.world.client.clone(), &web.world.namespace, &kind);
    api.create(
        &PostParams::default(),
        &serde_json::from_value(object).unwrap(),
    )
    .await
    .unwrap();
}

async fn refused(world: &World, word: &str, patch: Value) {
    let mut web = Application::prepare(world, word).await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    project(&web, patch).await;
    let spec = json!({"spec": {"project": web.name, "syncPolicy": {"automated": {}}}});
    web.create(spec).await;
    web.until(|state| state.pointer("/status/conditions/0").is_some())
        .await;
    web.matches(word).await;
}

pub(crate) async fn refuse_a_repository(world: &World) {
    refused(
        world,
        "repository-refused",
        json!({"sourceRepos": ["https://elsewhere.example.com/*"]}),
    )
    .await;
}

pub(crate) async fn refuse_a_destination(world: &World) {
    let elsewhere = json!([{"namespace": "elsewhere", "server": "*"}]);
    refused(
        world,
        "destination-refused",
        json!({"destinations": elsewhere}),
    )
    .await;
}

pub(crate) async fn refuse_a_kind(world: &World) {
    let mut web = Application::prepare(world, "kind-refused").await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    project(
        &web,
        json!({"namespaceResourceBlacklist": [{"group": "", "kind": "ConfigMap"}]}),
    )
    .await;
    web.create(json!({"spec": {"project": web.name}})).await;
    web.until_is("OutOfSync", "Missing").await;
    let answer = web.ask("POST", "/sync", Some(&json!({}))).await;
    assert_eq!(answer.status, 200, "{:#}", answer.body);
    web.until(|state| ended(state, "Failed")).await;
    web.matches("kind-refused").await;
}

pub(crate) async fn are_missing(world: &World) {
    let mut web = Application::prepare(world, "project-missing").await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    web.create(json!({"spec": {"project": "nowhere"}})).await;
    web.until(|state| state.pointer("/status/conditions/0").is_some())
        .await;
    web.matches("project-missing").await;
}

/// A window that denies all, always.
pub(crate) async fn close_a_window(world: &World) {
    let mut web = Application::prepare(world, "window").await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    let window = json!([{"kind": "deny", "schedule": "* * * * *", "duration": "24h", "applications": ["*"]}]);
    project(&web, json!({"syncWindows": window})).await;
    web.create(json!({"spec": {"project": web.name, "syncPolicy": {"automated": {}}}}))
        .await;
    web.until_is("OutOfSync", "Missing").await;
    web.tell(
        "answer of a sync by hand",
        "POST",
        "/sync",
        Some(&json!({})),
        Value::clone,
    )
    .await;
    let operation = json!({"initiatedBy": {"username": "ada"}, "sync": {"revision": "main"}});
    web.patch(json!({"operation": operation})).await;
    web.until(|state| super::track::text(state, "/status/operationState/phase") == "Running")
        .await;
    web.matches("window").await;
}
