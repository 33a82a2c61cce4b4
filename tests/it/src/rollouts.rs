//! A rollout that is promoted through all parts: by whoever may act on its application, once, and by nobody else.

use causeway_client::{Peer, reason};
use causeway_proto::{
    error::v1::Reason,
    platform::v1::Selector,
    proxy::v1::{
        PromoteRolloutRequest, RolloutOutcome,
        rollout_action_service_client::RolloutActionServiceClient,
    },
};
use causeway_sandbox::{Sandbox, SandboxOptions};
use causeway_testkit::{Mesh, new_id};
use serde_json::{Value, json};
use tonic::{Code, Status};

use crate::{
    action::until_reached,
    tenants::{account, member},
    world::{application, create},
};

/// A rollout that waits at its pause and belongs to the application of its name.
fn waiting(sandbox: &Sandbox, name: &str) {
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "rollouts.argoproj.io"},
        "spec": {
            "group": "argoproj.io",
            "scope": "Namespaced",
            "names": {"plural": "rollouts", "singular": "rollout", "kind": "Rollout", "listKind": "RolloutList"},
            "versions": [{
                "name": "v1alpha1", "served": true, "storage": true, "subresources": {"status": {}},
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }],
        },
    });
    let id = format!("argocd_{name}:argoproj.io/Rollout:default/{name}");
    let rollout = json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Rollout",
        "metadata": {
            "namespace": "default", "name": name,
            "annotations": {"argocd.argoproj.io/tracking-id": id, "argocd.argoproj.io/hook": "PostSync"},
        },
        "spec": {"strategy": {"canary": {"steps": [{"pause": {}}]}}},
        "status": {
            "currentPodHash": "new", "stableRS": "old", "currentStepIndex": 0, "controllerPause": true,
            "pauseConditions": [{"reason": "CanaryPauseStep", "startTime": "2026-01-01T00:00:00Z"}],
        },
    });
    let kube = sandbox.kube();
    kube.write_raw("customresourcedefinitions.apiextensions.k8s.io", definition)
        .unwrap();
    kube.write_raw("rollouts.argoproj.io", rollout).unwrap();
}

fn waits(sandbox: &Sandbox, name: &str) -> bool {
    let truth = sandbox.kube().snapshot();
    let found = truth.find("Rollout", "default", name).unwrap();
    let conditions: &Value = &found.object["status"]["pauseConditions"];
    conditions.is_array()
}

async fn promote(peer: &Peer, name: &str, id: &str) -> Result<RolloutOutcome, Status> {
    let request = PromoteRolloutRequest {
        runtime: "east".to_owned(),
        namespace: "default".to_owned(),
        name: name.to_owned(),
        request_id: id.to_owned(),
        full: false,
    };
    let mut rollouts = RolloutActionServiceClient::new(peer.clone());
    let answer = rollouts.promote_rollout(request).await?;
    Ok(answer.into_inner().outcome.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollout_is_promoted_by_its_team_once_and_by_no_other_team_or_account() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let sandbox = mesh.sandbox();
    for name in ["ours", "theirs"] {
        create(sandbox, &application(sandbox, name)).await;
        waiting(sandbox, name);
    }
    until_reached(&mesh, "ours").await;
    let selector = Selector {
        names: vec!["ours".to_owned()],
        ..Selector::default()
    };
    let ada = member(&mesh, "ada", selector).await;
    let foreign = account(&mesh, "elsewhere").await;

    let hidden = promote(&ada, "theirs", &new_id()).await.unwrap_err();
    let absent = promote(&ada, "never", &new_id()).await.unwrap_err();
    for status in [&hidden, &absent] {
        let told = (status.code(), reason(status));
        let wanted = (Code::NotFound, Some(Reason::ResourceUnknown));
        assert_eq!(told, wanted, "{status}");
    }
    let there = hidden.message().replace("theirs", "never");
    assert_eq!(there, absent.message());
    let told = promote(&foreign, "ours", &new_id()).await.unwrap_err();
    assert_eq!(told.code(), Code::NotFound, "{told}");
    assert!(waits(sandbox, "ours") && waits(sandbox, "theirs"));

    let id = new_id();
    let first = promote(&ada, "ours", &id).await.unwrap();
    assert!(!first.repeated_request && !waits(sandbox, "ours"));
    let again = promote(&ada, "ours", &id).await.unwrap();
    assert!(again.repeated_request);
    assert!(waits(sandbox, "theirs"));
    mesh.stop().await;
}
