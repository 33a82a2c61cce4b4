//! Syncs that fail, and applications that cannot be compared.

use serde_json::json;

use super::{
    application::{Application, config_map, ended},
    world::World,
};

const DEPLOYMENT: &str = include_str!("manifests/deployment.yaml");

/// The selector does not match the template, which only the API server detects.
pub(crate) async fn sync_fails(world: &World) {
    let mut web = Application::prepare(world, "failing").await;
    let invalid = DEPLOYMENT.replace("matchLabels: {app: web}", "matchLabels: {app: other}");
    web.push(&[("a.yaml", &config_map("a", "1")), ("d.yaml", &invalid)])
        .await;
    let policy = json!({"spec": {"syncPolicy": {"automated": {}, "retry": {"limit": 1, "backoff": {"duration": "1s"}}}}});
    web.create(policy).await;
    web.until(|state| ended(state, "Failed") && state.pointer("/status/conditions/0").is_some())
        .await;
    web.push_and_refresh(&[("d.yaml", "")]).await;
    web.until_is("Synced", "Healthy").await;
    web.matches("sync_fails").await;
}

/// A sync that applies nothing waits for nothing.
pub(crate) async fn all_fails(world: &World) {
    let mut web = Application::prepare(world, "allfails").await;
    let invalid = DEPLOYMENT.replace("matchLabels: {app: web}", "matchLabels: {app: other}");
    web.push(&[("d.yaml", &invalid)]).await;
    web.create(json!({})).await;
    web.until_is("OutOfSync", "Missing").await;
    web.ask("POST", "/sync", Some(&json!({}))).await;
    web.until_ended("Failed").await;
    web.matches("all_fails").await;
}

pub(crate) async fn kind_is_unknown(world: &World) {
    let mut web = Application::prepare(world, "nokind").await;
    let unknown = "apiVersion: example.com/v1\nkind: Nothing\nmetadata:\n  name: nothing\n";
    web.push(&[("a.yaml", &config_map("a", "1")), ("n.yaml", unknown)])
        .await;
    web.create(json!({})).await;
    web.until_is("OutOfSync", "Missing").await;
    web.ask("POST", "/sync", Some(&json!({}))).await;
    web.until_ended("Failed").await;
    web.matches("kind_is_unknown").await;
}

pub(crate) async fn destination_is_unknown(world: &World) {
    let mut web = Application::prepare(world, "nodestination").await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    web.create(json!({"spec": {"destination": {"server": "https://elsewhere.example.com"}}}))
        .await;
    web.until(|state| state.pointer("/status/conditions/0").is_some())
        .await;
    web.matches("destination_is_unknown").await;
}

pub(crate) async fn path_is_missing(world: &World) {
    let mut web = Application::prepare(world, "nopath").await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    web.create(json!({"spec": {"source": {"path": "elsewhere"}}}))
        .await;
    web.until(|state| state.pointer("/status/conditions/0").is_some())
        .await;
    web.patch(json!({"spec": {"source": {"path": "web"}}}))
        .await;
    web.until_is("OutOfSync", "Missing").await;
    web.matches("path_is_missing").await;
}

pub(crate) async fn revision_is_bad(world: &World) {
    let mut web = Application::prepare(world, "norevision").await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    web.create(json!({"spec": {"source": {"targetRevision": "nowhere"}}}))
        .await;
    web.until(|state| state.pointer("/status/conditions/0").is_some())
        .await;
    web.matches("revision_is_bad").await;
}

pub(crate) async fn project_is_missing(world: &World) {
    let mut web = Application::prepare(world, "project-missing").await;
    web.push(&[("a.yaml", &config_map("a", "1"))]).await;
    web.create(json!({"spec": {"project": "nowhere"}})).await;
    web.until(|state| state.pointer("/status/conditions/0").is_some())
        .await;
    web.matches("project-missing").await;
}
