//! Order and extent of a sync.

use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

use super::{
    application::{Application, config_map, ended, runs, until_object},
    track::text,
    world::World,
};

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: one\n  annotations: {ANNOTATION}\nspec:\n  restartPolicy: Never\n  \
    terminationGracePeriodSeconds: 0\n  containers: [{name: one, image: registry.example.com/one}]\n";

/// Marks the pod as succeeded, as a kubelet does.
async fn finish(web: &Application<'_>) {
    let pods = web.api("", "v1", "Pod");
    until_object(&pods, "one", runs).await;
    let ended = Patch::Merge(json!({"status": {"phase": "Succeeded"}}));
    pods.patch_status("one", &PatchParams::default(), &ended)
        .await
        .unwrap();
}

async fn until_waiting(web: &Application<'_>) {
    let waits =
        |state: &Value| text(state, "/status/operationState/message").starts_with("waiting for");
    web.until(waits).await;
}

pub(crate) async fn hooks_end(world: &World) {
    let web = Application::prepare(world, "hooked").await;
    pod_before_the_rest(web, "argocd.argoproj.io/hook: PreSync", "hooks_end").await;
}

pub(crate) async fn waves_wait(world: &World) {
    let web = Application::prepare(world, "waved").await;
    pod_before_the_rest(web, "argocd.argoproj.io/sync-wave: \"-1\"", "waves_wait").await;
}

async fn pod_before_the_rest(mut web: Application<'_>, annotation: &str, expected: &str) {
    begin(&mut web, annotation).await;
    assert!(web.config_maps().get_opt("a").await.unwrap().is_none());
    finish(&web).await;
    web.until_settled_at(1).await;
    web.matches(expected).await;
}

/// Starts a sync that waits for a pod with this annotation.
async fn begin(web: &mut Application<'_>, annotation: &str) {
    let pod = POD.replace("ANNOTATION", annotation);
    web.push(&[("a.yaml", &config_map("a", "1")), ("p.yaml", &pod)])
        .await;
    web.create(json!({})).await;
    web.until_is("OutOfSync", "Missing").await;
    web.ask("POST", "/sync", Some(&json!({}))).await;
    until_waiting(web).await;
}

pub(crate) async fn two_at_once(world: &World) {
    let mut web = Application::prepare(world, "twice").await;
    begin(&mut web, "argocd.argoproj.io/hook: PreSync").await;
    web.call_and_record(
        "second sync",
        "POST",
        "/sync",
        Some(&json!({})),
        Value::clone,
    )
    .await;
    web.call_and_record(
        "rollback beside it",
        "POST",
        "/rollback",
        Some(&json!({"id": 0})),
        Value::clone,
    )
    .await;
    web.matches_answers("two_at_once").await;
}

pub(crate) async fn part_of_it(world: &World) {
    let mut web = Application::prepare(world, "partly").await;
    web.push(&[
        ("a.yaml", &config_map("a", "1")),
        ("b.yaml", &config_map("b", "1")),
    ])
    .await;
    web.create(json!({})).await;
    web.until_is("OutOfSync", "Missing").await;
    let body = json!({"resources": [{"kind": "ConfigMap", "name": "b", "namespace": web.name}]});
    web.ask("POST", "/sync", Some(&body)).await;
    web.until(|state| ended(state, "Succeeded")).await;
    web.until_is("OutOfSync", "Healthy").await;
    assert!(web.config_maps().get_opt("a").await.unwrap().is_none());
    web.matches("part_of_it").await;
}

pub(crate) async fn only_tried(world: &World) {
    let mut web = Application::prepare(world, "tried").await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    web.create(json!({})).await;
    web.until_is("OutOfSync", "Missing").await;
    web.ask("POST", "/sync", Some(&json!({"dryRun": true})))
        .await;
    web.until(|state| ended(state, "Succeeded")).await;
    assert!(web.config_maps().get_opt("a").await.unwrap().is_none());
    web.matches("only_tried").await;
}
