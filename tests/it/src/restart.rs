//! Parts of the platform stop and come back where they were, while the cluster goes on.

use causeway_sandbox::SandboxOptions;
use causeway_testkit::Mesh;
use serde_json::json;

use crate::{
    action::until_reached,
    world::{application, change, create, delete, list, told, until_told},
};

async fn create_some(mesh: &Mesh, names: &[&str]) {
    for name in names {
        create(mesh.sandbox(), &application(mesh.sandbox(), name)).await;
    }
}

async fn change_meanwhile(mesh: &Mesh) {
    create_some(mesh, &["c", "d"]).await;
    let label = json!({"metadata": {"labels": {"changed": "meanwhile"}}});
    change(mesh.sandbox(), "a", &label).await;
    delete(mesh.sandbox(), "b").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn restarted_inventory_receives_missed_changes() {
    let mut mesh = Mesh::start(SandboxOptions::in_memory()).await;
    create_some(&mesh, &["a", "b"]).await;
    until_told(&mesh).await;
    mesh.inventory.stop().await;
    change_meanwhile(&mesh).await;
    mesh.inventory.start_again().await;
    let told = until_told(&mesh).await;
    assert_eq!(told.len(), 3);
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_inventory_loses_nothing() {
    let mut mesh = Mesh::start(SandboxOptions::in_memory()).await;
    create_some(&mesh, &["a", "b"]).await;
    until_told(&mesh).await;
    // The controller may go on changing them: only once nobody reports any more does the list stand still.
    mesh.runtime.reporter.stop().await;
    let before = told(&list(&mesh, "east").await.unwrap());
    mesh.inventory.kill();
    mesh.inventory.start_again().await;
    let after = told(&list(&mesh, "east").await.unwrap());
    assert_eq!(after, before);
    mesh.runtime.reporter.start_again().await;
    change_meanwhile(&mesh).await;
    until_told(&mesh).await;
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn runtime_reconnects_to_a_restarted_tunnel_server() {
    let mut mesh = Mesh::start(SandboxOptions::in_memory()).await;
    create_some(&mesh, &["a", "b"]).await;
    until_told(&mesh).await;
    mesh.tunnel_server.stop().await;
    change_meanwhile(&mesh).await;
    mesh.tunnel_server.start_again().await;
    until_reached(&mesh, "a").await;
    until_told(&mesh).await;
    mesh.stop().await;
}
