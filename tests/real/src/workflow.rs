//! Argo Workflows, for what will be told of it.

use causeway_testkit::wait_until;
use kube::{
    Api,
    api::{ApiResource, DynamicObject, Patch, PatchParams, PostParams},
    core::GroupVersionKind,
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{stage::with_workflows, trial::SOON};

/// It waits for a person and needs no pod.
fn approval() -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": "approval"},
        "spec": {"entrypoint": "wait", "templates": [{"name": "wait", "suspend": {}}]},
    })
}

async fn wait_for_suspension(workflows: &Api<DynamicObject>) -> Value {
    wait_until("the suspension", SOON, async || {
        let workflow = workflows.get("approval").await;
        let status = workflow.map_err(|error| error.to_string())?.data["status"].take();
        match status["phase"] == "Running" && status["nodes"].is_object() {
            true => Ok(status),
            false => Err(status.to_string()),
        }
    })
    .await
}

#[tokio::test]
async fn a_workflow_that_waits_for_a_person_goes_on_when_resumed() {
    let Some(cluster) = with_workflows().await else {
        return;
    };
    let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Workflow");
    let resource = ApiResource::from_gvk(&kind);
    let workflows: Api<DynamicObject> =
        Api::namespaced_with(cluster.client(), "default", &resource);
    let made = serde_json::from_value(approval()).unwrap();
    workflows
        .create(&PostParams::default(), &made)
        .await
        .unwrap();

    let status = wait_for_suspension(&workflows).await;
    let (node, suspended) = status["nodes"].as_object().unwrap().iter().next().unwrap();
    assert_eq!(suspended["type"], "Suspend");
    // What `argo resume` writes. One that comes while the controller looks at the workflow waits for the next event.
    wait_until("Succeeded", SOON, async || {
        let resumed = Patch::Merge(json!({
            "metadata": {"annotations": {"asked": Uuid::new_v4().to_string()}},
            "status": {"nodes": {node: {"phase": "Succeeded"}}},
        }));
        let params = PatchParams::default();
        let patched = workflows.patch("approval", &params, &resumed);
        let status = &patched.await.unwrap().data["status"];
        match status["phase"] == "Succeeded" {
            true => Ok(()),
            false => Err(status.to_string()),
        }
    })
    .await;
    cluster.stop().await;
}
