//! Actions through all parts: done once, or refused at once.

use causeway_client::{Peer, reason};
use causeway_proto::{
    error::v1::Reason,
    proxy::v1::{
        RefreshApplicationRequest, RefreshKind, SyncApplicationRequest, SyncApplicationResponse,
        application_action_service_client::ApplicationActionServiceClient,
    },
};
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Mesh, new_id, wait_until};
use futures::future::join_all;
use serde_json::Value;
use tonic::{Code, Status};

use crate::{
    isolation::until_without_tunnels,
    world::{PATIENCE, application, applications, create, until_told},
};

const CONFIG: &str =
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  color: blue\n";

pub(crate) fn order(name: &str) -> SyncApplicationRequest {
    SyncApplicationRequest {
        runtime: "east".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        request_id: new_id(),
        ..SyncApplicationRequest::default()
    }
}

pub(crate) async fn sync(
    actions: &ApplicationActionServiceClient<Peer>,
    name: &str,
) -> Result<SyncApplicationResponse, Status> {
    let answer = actions.clone().sync_application(order(name)).await?;
    Ok(answer.into_inner())
}

/// Waits until the app proxy of `east` answers.
pub(crate) async fn until_reached(mesh: &Mesh, name: &str) {
    let request = || RefreshApplicationRequest {
        runtime: "east".to_owned(),
        namespace: "argocd".to_owned(),
        name: name.to_owned(),
        request_id: new_id(),
        kind: RefreshKind::Normal.into(),
    };
    wait_until("the runtime is reached", PATIENCE, async || {
        let answer = mesh.actions().refresh_application(request()).await;
        answer.map(drop).map_err(|status| status.to_string())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn request_sent_twenty_times_has_one_effect() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let sandbox = mesh.sandbox();
    let pushed = sandbox.push("apps", &[("once/settings.yaml", CONFIG)], "Add settings");
    pushed.await.unwrap();
    create(sandbox, &application(sandbox, "once")).await;
    let order = order("once");
    let answers = join_all((0..20).map(|_| {
        let (mut actions, order) = (mesh.actions(), order.clone());
        async move { actions.sync_application(order).await }
    }))
    .await;
    let fresh = answers
        .iter()
        .map(|answer| answer.as_ref().unwrap().get_ref())
        .filter(|answer| !answer.repeated_request);
    assert_eq!(fresh.count(), 1);
    let object = wait_until("the operation ends", PATIENCE, async || {
        let object = applications(sandbox).get("once").await.unwrap();
        let object = serde_json::to_value(object).unwrap();
        match object.pointer("/status/operationState/phase") {
            Some(phase) if phase == "Succeeded" => Ok(object),
            other => Err(format!("{other:?}")),
        }
    })
    .await;
    let history = object.pointer("/status/history").and_then(Value::as_array);
    assert_eq!(history.map(Vec::len), Some(1), "{object:#}");
    assert!(object.get("operation").is_none(), "{object:#}");
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn offline_runtime_is_reported_immediately() {
    let mut mesh = Mesh::start(SandboxOptions::in_memory()).await;
    create(mesh.sandbox(), &application(mesh.sandbox(), "a")).await;
    until_told(&mesh).await;
    mesh.runtime.tunnel_client.stop().await;
    // The client has said goodbye, and the server may hear it a moment later.
    until_without_tunnels(&mesh).await;
    // One that waited for the runtime would say so at the call's deadline.
    let refused = sync(&mesh.actions(), "a").await.unwrap_err();
    assert_eq!(refused.code(), Code::Unavailable, "{refused}");
    assert_eq!(reason(&refused), Some(Reason::RuntimeNotConnected));
    mesh.runtime.tunnel_client.start_again().await;
    until_reached(&mesh, "a").await;
    mesh.stop().await;
}
