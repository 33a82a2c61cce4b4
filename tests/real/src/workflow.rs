//! What is done with workflows, on a real Argo Workflows. Its pods run on no machine: a test says how each of them ends.

use std::path::Path;

use causeway_cluster::ArgocdOptions;
use causeway_testkit::{wait_until, wait_until_blocking};
use k8s_openapi::api::core::v1::Pod;
use kube::{
    Api, Client, ResourceExt as _,
    api::{ApiResource, DynamicObject, ListParams, Patch, PatchParams, PostParams},
    core::GroupVersionKind,
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::{
    clusters::block_on,
    stage::with_workflows,
    trial::{SOON, Trial, with_token},
};

/// It waits for a person and needs no pod.
fn approval() -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": "approval"},
        "spec": {"entrypoint": "wait", "templates": [{"name": "wait", "suspend": {}}]},
    })
}

fn workflows(client: Client) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Workflow");
    let resource = ApiResource::from_gvk(&kind);
    Api::namespaced_with(client, "default", &resource)
}

async fn wait_for_suspension(workflows: &Api<DynamicObject>) -> Value {
    wait_until("the suspension", SOON, async || {
        let workflow = workflows.get("approval").await;
        let status = workflow.map_err(|error| error.to_string())?.data["status"].take();
        if status["phase"] == "Running" && status["nodes"].is_object() {
            Ok(status)
        } else {
            Err(status.to_string())
        }
    })
    .await
}

#[tokio::test]
#[ignore = "make test-all runs it"]
async fn suspended_workflow_continues_when_resumed() {
    let Some(cluster) = with_workflows(Vec::new()).await else {
        return;
    };
    let workflows = workflows(cluster.client());
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
        if status["phase"] == "Succeeded" {
            Ok(())
        } else {
            Err(status.to_string())
        }
    })
    .await;
    cluster.stop().await;
}

/// `build`, then `check` and `lint` side by side, then `ship`.
fn nightly() -> Value {
    let task = |name: &str, after: &[&str]| {
        let step = json!({"name": "step", "value": name});
        json!({"name": name, "template": "step", "dependencies": after, "arguments": {"parameters": [step]}})
    };
    let tasks = [
        task("build", &[]),
        task("check", &["build"]),
        task("lint", &["build"]),
        task("ship", &["check", "lint"]),
    ];
    let container = json!({"image": "registry.example.com/step:1", "command": ["step"]});
    let inputs = json!({"parameters": [{"name": "step"}]});
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"name": "nightly", "namespace": "default"},
        "spec": {"entrypoint": "all", "templates": [
            {"name": "all", "dag": {"tasks": tasks}},
            {"name": "step", "inputs": inputs, "container": container},
        ]},
    })
}

/// A cluster with a workflow in it.
struct Night {
    client: Client,
    trial: Trial,
}

impl Night {
    fn start(kubeconfig: &Path, client: Client, argocd: &causeway_cluster::ArgocdInstance) -> Self {
        let made = serde_json::from_value(nightly()).unwrap();
        let made = block_on(workflows(client.clone()).create(&PostParams::default(), &made));
        made.unwrap();
        let trial = Trial::start(&with_token(kubeconfig, argocd));
        Self { client, trial }
    }

    fn live(&self) -> Value {
        let live = block_on(workflows(self.client.clone()).get("nightly"));
        serde_json::to_value(live.unwrap()).unwrap()
    }

    /// The node of a step.
    fn node(&self, step: &str) -> Option<Value> {
        let live = self.live();
        let nodes = live["status"]["nodes"].as_object()?;
        let found = nodes.values().find(|node| node["displayName"] == step);
        found.cloned()
    }

    fn pods(&self) -> Api<Pod> {
        Api::default_namespaced(self.client.clone())
    }

    /// The pod of a step that is not the one with this uid.
    fn pod(&self, step: &str, other_than: &str) -> Pod {
        wait_until_blocking(&format!("a pod of {step}"), SOON, || {
            let name = format!("nightly.{step}");
            let pods = block_on(self.pods().list(&ListParams::default()));
            let mut pods = pods.map_err(|error| error.to_string())?.items.into_iter();
            let is = |pod: &Pod| {
                let annotations = pod.annotations();
                annotations.get("workflows.argoproj.io/node-name") == Some(&name)
                    && pod.uid().as_deref() != Some(other_than)
            };
            pods.find(is).ok_or_else(|| self.live().to_string())
        })
    }

    /// Ends the pod of a step, as its node would say it, and waits until its workflow knows.
    fn end(&self, step: &str, other_than: &str, phase: &str) -> Pod {
        let pod = self.pod(step, other_than);
        let code = i32::from(phase == "Failed");
        wait_until_blocking(&format!("the end of {step}"), SOON, || {
            let ended = |name: &str| {
                let moment = "2026-01-01T00:00:00Z";
                let end = json!({"exitCode": code, "startedAt": moment, "finishedAt": moment});
                json!({
                    "name": name, "image": "registry.example.com/step:1", "imageID": "", "ready": false,
                    "restartCount": 0, "state": {"terminated": end},
                })
            };
            let status =
                json!({"phase": phase, "containerStatuses": [ended("main"), ended("wait")]});
            let (params, patch) = (
                PatchParams::default(),
                Patch::Merge(json!({"status": status})),
            );
            let patched = block_on(self.pods().patch_status(&pod.name_any(), &params, &patch));
            patched.map_err(|error| error.to_string())?;
            let node = self.node(step).unwrap_or_default();
            (node["phase"] == phase)
                .then_some(())
                .ok_or(node.to_string())
        });
        pod
    }

    fn wait(&self, phase: &str) -> Value {
        wait_until_blocking(phase, SOON, || {
            let live = self.live();
            (live["status"]["phase"] == phase)
                .then_some(live.clone())
                .ok_or(live.to_string())
        })
    }
}

#[test]
#[ignore = "make test-all runs it"]
fn retried_workflow_restarts_at_the_failed_step_and_succeeds() {
    let options = vec![ArgocdOptions::default()];
    let Some(cluster) = block_on(with_workflows(options)) else {
        return;
    };
    let client = block_on(async { cluster.client() });
    let night = Night::start(cluster.kubeconfig(), client, &cluster.argocd()[0]);
    night.end("build", "", "Succeeded");
    let failed = night.end("check", "", "Failed").uid().unwrap();
    night.end("lint", "", "Succeeded");
    night.wait("Failed");
    let built = night.node("build").unwrap();
    let name = "local/default/nightly";
    // What is done to a workflow begins with finding it among those that were reported.
    wait_until_blocking("the failure on the platform", SOON, || {
        let got = night.trial.cli(&["workflow", "get", name]);
        got.stdout
            .contains("Failed")
            .then_some(())
            .ok_or(got.stderr)
    });
    let id = Uuid::now_v7().to_string();
    let retry = ["workflow", "retry", name, "--request-id", &id];
    let said = night.trial.cli(&retry).expect_success();
    assert_eq!(said, "workflow 'nightly' begins again\n");
    let again = night.end("check", &failed, "Succeeded").uid().unwrap();
    assert_ne!(again, failed);
    assert_eq!(
        night.node("build").unwrap()["finishedAt"],
        built["finishedAt"]
    );
    let said = night.trial.cli(&retry).expect_success();
    assert!(said.contains("by an earlier request"), "{said}");
    assert_eq!(night.pod("check", "").uid().unwrap(), again);
    night.end("ship", "", "Succeeded");
    night.wait("Succeeded");

    // One that succeeded says what to choose by, and begins again there.
    let id = Uuid::now_v7().to_string();
    let retry = ["workflow", "retry", name, "--request-id", &id];
    let refused = wait_until_blocking("a refusal", SOON, || {
        let refused = night.trial.cli(&retry);
        (refused.code() != 0)
            .then_some(refused.stderr)
            .ok_or(refused.stdout)
    });
    assert!(refused.contains("--node-field-selector"), "{refused}");
    let shipped = night.pod("ship", "").uid().unwrap();
    let chosen = "inputs.parameters.step.value=ship";
    let flags = ["--restart-successful", "--node-field-selector", chosen];
    let retry = [&["workflow", "retry", name][..], &flags].concat();
    night.trial.cli(&retry).expect_success();
    assert_eq!(night.pod("check", "").uid().unwrap(), again);
    night.end("ship", &shipped, "Succeeded");
    night.wait("Succeeded");
    drop(night);
    block_on(cluster.stop());
}
