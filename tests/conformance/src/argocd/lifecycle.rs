//! Life cycle: create, sync, heal, prune, roll back, terminate, delete.

use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

use super::{
    application::{Application, config_map, ended, is},
    track::text,
    world::World,
};

fn automated(more: &Value) -> Value {
    let mut policy = json!({"spec": {"syncPolicy": {"automated": {}}}});
    json_patch::merge(&mut policy["spec"]["syncPolicy"]["automated"], more);
    policy
}

pub(crate) async fn created_and_left_out_of_sync(world: &World) {
    let mut web = Application::prepare(world, "created").await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    web.create(json!({})).await;
    web.until_is("OutOfSync", "Missing").await;
    web.matches("created_and_left_out_of_sync").await;
}

pub(crate) async fn synced_by_hand(world: &World) {
    let mut web = Application::prepare(world, "byhand").await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    web.create(json!({})).await;
    web.until_is("OutOfSync", "Missing").await;
    let body = json!({"infos": [{"name": "why", "value": "because"}]});
    let answer = web.ask("POST", "/sync", Some(&body)).await;
    assert_eq!(answer.status, 200, "{:#}", answer.body);
    web.until_settled_at(1).await;
    web.matches("synced_by_hand").await;
}

pub(crate) async fn synced_by_itself(world: &World) {
    let mut web = Application::prepare(world, "byitself").await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    web.create(automated(&json!({}))).await;
    web.until_settled_at(1).await;
    web.push_and_refresh(&[("a.yaml", &config_map("a", "2"))])
        .await;
    web.until_settled_at(2).await;
    web.matches("synced_by_itself").await;
}

pub(crate) async fn healed(world: &World) {
    let mut web = Application::prepare(world, "healed").await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    web.create(automated(&json!({}))).await;
    web.until_settled_at(1).await;
    // not from the start: a picture that lags behind the first sync would count as drift, once in a while
    web.patch(automated(&json!({"selfHeal": true}))).await;
    let drift = Patch::Merge(json!({"data": {"value": "drift"}}));
    web.config_maps()
        .patch("a", &PatchParams::default(), &drift)
        .await
        .unwrap();
    web.until(|state| text(state, "/status/sync/status") == "OutOfSync")
        .await;
    web.until_settled_at(1).await;
    let live = web.config_maps().get("a").await.unwrap();
    assert_eq!(live.data["data"]["value"], "1");
    web.matches("healed").await;
}

pub(crate) async fn pruned(world: &World) {
    let mut web = Application::prepare(world, "pruned").await;
    web.push(&[
        ("a.yaml", &config_map("a", "1")),
        ("b.yaml", &config_map("b", "1")),
    ])
    .await;
    web.create(automated(&json!({"prune": true}))).await;
    web.until_settled_at(1).await;
    web.push_and_refresh(&[("b.yaml", "")]).await;
    web.until_settled_at(2).await;
    assert!(web.config_maps().get_opt("b").await.unwrap().is_none());
    web.matches("pruned").await;
}

pub(crate) async fn prune_refused(world: &World) {
    let mut web = Application::prepare(world, "unpruned").await;
    web.push(&[
        ("a.yaml", &config_map("a", "1")),
        ("b.yaml", &config_map("b", "1")),
    ])
    .await;
    web.create(json!({})).await;
    web.until_is("OutOfSync", "Missing").await;
    web.ask("POST", "/sync", Some(&json!({}))).await;
    web.until_settled_at(1).await;
    web.push_and_refresh(&[("b.yaml", "")]).await;
    let second = web.commit(2).to_owned();
    web.until(|state| {
        text(state, "/status/sync/revision") == second && is(state, "OutOfSync", "Healthy")
    })
    .await;
    web.ask("POST", "/sync", Some(&json!({}))).await;
    web.until(|state| {
        ended(state, "Succeeded")
            && text(state, "/status/operationState/syncResult/revision") == second
    })
    .await;
    assert!(web.config_maps().get_opt("b").await.unwrap().is_some());
    web.matches("prune_refused").await;
}

pub(crate) async fn rolled_back(world: &World) {
    let mut web = Application::prepare(world, "rolled").await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    web.create(json!({})).await;
    web.until_is("OutOfSync", "Missing").await;
    web.ask("POST", "/sync", Some(&json!({}))).await;
    web.until_settled_at(1).await;
    web.push_and_refresh(&[("a.yaml", &config_map("a", "2"))])
        .await;
    web.until_is("OutOfSync", "Healthy").await;
    web.ask("POST", "/sync", Some(&json!({}))).await;
    web.until_settled_at(2).await;
    let answer = web.ask("POST", "/rollback", Some(&json!({"id": 0}))).await;
    assert_eq!(answer.status, 200, "{:#}", answer.body);
    web.until(|state| is(state, "OutOfSync", "Healthy") && ended(state, "Succeeded"))
        .await;
    let live = web.config_maps().get("a").await.unwrap();
    assert_eq!(live.data["data"]["value"], "1");
    web.matches("rolled_back").await;
}

/// A hook that never ends keeps the operation running until its termination.
pub(crate) async fn terminated(world: &World) {
    let mut web = Application::prepare(world, "ended").await;
    let hook = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: hook\n  annotations: {argocd.argoproj.io/hook: PreSync}\n\
        spec:\n  schedulerName: none\n  restartPolicy: Never\n  containers: [{name: one, image: registry.example.com/one}]\n";
    web.push(&[("a.yaml", &config_map("a", "1")), ("hook.yaml", hook)])
        .await;
    web.create(json!({})).await;
    web.until_is("OutOfSync", "Missing").await;
    web.ask("POST", "/sync", Some(&json!({}))).await;
    web.until(|state| text(state, "/status/operationState/message").starts_with("waiting for"))
        .await;
    let answer = web.ask("DELETE", "/operation", None).await;
    assert_eq!(answer.status, 200, "{:#}", answer.body);
    web.until_ended("Failed").await;
    web.call_and_record(
        "terminated again",
        "DELETE",
        "/operation",
        None,
        Value::clone,
    )
    .await;
    web.matches("terminated").await;
}

async fn deleted(world: &World, word: &str, finalizers: Value) -> bool {
    let mut web = Application::prepare(world, word).await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    let mut patch = automated(&json!({}));
    json_patch::merge(&mut patch, &json!({"metadata": {"finalizers": finalizers}}));
    web.create(patch).await;
    web.until_settled_at(1).await;
    web.delete().await;
    web.until(Value::is_null).await;
    let left = web.config_maps().get_opt("a").await.unwrap().is_some();
    web.matches(word).await;
    left
}

pub(crate) async fn deleted_with_resources(world: &World) {
    let finalizers = json!(["resources-finalizer.argocd.argoproj.io"]);
    assert!(!deleted(world, "deleted-with-resources", finalizers).await);
}

pub(crate) async fn deleted_alone(world: &World) {
    assert!(deleted(world, "deleted-alone", Value::Null).await);
}

pub(crate) async fn refreshed(world: &World) {
    let mut web = Application::prepare(world, "refreshed").await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    web.create(json!({})).await;
    web.until_is("OutOfSync", "Missing").await;
    for level in ["normal", "hard"] {
        web.refresh(level).await;
        web.until(|state| {
            state
                .pointer("/metadata/annotations")
                .and_then(Value::as_object)
                .is_none_or(|them| !them.contains_key(super::application::REFRESH))
        })
        .await;
    }
    web.matches("refreshed").await;
}
