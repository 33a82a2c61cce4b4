//! Health of an application by the health of its resources.

use kube::api::{Patch, PatchParams};
use serde_json::{Value, json};

use super::{
    application::{Application, runs, until_object},
    world::World,
};

const DEPLOYMENT: &str = include_str!("manifests/deployment.yaml");
const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: one\nspec:\n  terminationGracePeriodSeconds: 0\n  containers: [{name: one, image: registry.example.com/one}]\n";

fn automated() -> Value {
    json!({"spec": {"syncPolicy": {"automated": {}}}})
}

pub(crate) async fn of_a_deployment(world: &World) {
    let mut web = Application::prepare(world, "deployment").await;
    web.push(&[("d.yaml", DEPLOYMENT)]).await;
    web.create(automated()).await;
    web.until_settled_at(1).await;
    web.push_and_refresh(&[("d.yaml", &DEPLOYMENT.replace("web:1", "web:2"))])
        .await;
    web.until_settled_at(2).await;
    web.matches("deployment").await;
}

pub(crate) async fn of_a_paused_deployment(world: &World) {
    let mut web = Application::prepare(world, "paused").await;
    web.push(&[(
        "d.yaml",
        &DEPLOYMENT.replace("replicas: 1", "replicas: 1\n  paused: true"),
    )])
    .await;
    web.create(automated()).await;
    web.until_is("Synced", "Suspended").await;
    web.matches("paused").await;
}

pub(crate) async fn of_a_pod_that_fails(world: &World) {
    let mut web = Application::prepare(world, "failed-pod").await;
    web.push(&[("p.yaml", POD)]).await;
    web.create(automated()).await;
    web.until_settled_at(1).await;
    let failed = Patch::Merge(json!({"status": {"phase": "Failed", "message": "it broke"}}));
    web.api("", "v1", "Pod")
        .patch_status("one", &PatchParams::default(), &failed)
        .await
        .unwrap();
    web.until_is("Synced", "Degraded").await;
    web.matches("failed-pod").await;
}

/// A pod that ends is healthy only once it has ended.
pub(crate) async fn of_a_pod_that_ends(world: &World) {
    let mut web = Application::prepare(world, "ending-pod").await;
    let once = POD.replace("spec:\n", "spec:\n  restartPolicy: Never\n");
    web.push(&[("p.yaml", &once)]).await;
    web.create(automated()).await;
    web.until_is("Synced", "Progressing").await;
    let pods = web.api("", "v1", "Pod");
    until_object(&pods, "one", runs).await;
    let ended = Patch::Merge(json!({"status": {"phase": "Succeeded"}}));
    pods.patch_status("one", &PatchParams::default(), &ended)
        .await
        .unwrap();
    web.until_settled_at(1).await;
    web.matches("ending-pod").await;
}
