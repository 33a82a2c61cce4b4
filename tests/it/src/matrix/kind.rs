//! What RPCs are about: how it stands in a cluster, and what of it users have asked for.

use causeway_sandbox::Sandbox;
use serde_json::{Value, json};

use crate::{commands::pod, world::application};

/// What an RPC is about. Each thing belongs to an application of its own name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Application,
    Deployment,
    Pod,
    Rollout,
    Workflow,
    Template,
}

impl Kind {
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "application" => Some(Self::Application),
            "deployment" => Some(Self::Deployment),
            "pod" => Some(Self::Pod),
            "rollout" => Some(Self::Rollout),
            "workflow" => Some(Self::Workflow),
            "template" => Some(Self::Template),
            "-" => None,
            _ => panic!("{name}: application, deployment, pod, rollout, workflow, template or -"),
        }
    }

    pub(super) fn group_and_kind(self) -> (&'static str, &'static str) {
        match self {
            Self::Application => ("argoproj.io", "Application"),
            Self::Deployment => ("apps", "Deployment"),
            Self::Pod => ("", "Pod"),
            Self::Rollout => ("argoproj.io", "Rollout"),
            Self::Workflow => ("argoproj.io", "Workflow"),
            Self::Template => ("argoproj.io", "WorkflowTemplate"),
        }
    }

    pub(super) fn namespace(self) -> &'static str {
        match self {
            Self::Application => "argocd",
            Self::Deployment | Self::Pod | Self::Rollout | Self::Workflow | Self::Template => {
                "default"
            }
        }
    }

    fn resource(self) -> &'static str {
        match self {
            Self::Application => "applications.argoproj.io",
            Self::Deployment => "deployments.apps",
            Self::Pod => "pods",
            Self::Rollout => "rollouts.argoproj.io",
            Self::Workflow => "workflows.argoproj.io",
            Self::Template => "workflowtemplates.argoproj.io",
        }
    }

    /// What its object says beside its names.
    fn content(self, name: &str) -> Value {
        let labels = json!({"app": name});
        let containers = json!([{"name": "main", "image": "nginx:1"}]);
        let pods = json!({"metadata": {"labels": labels}, "spec": {"containers": containers}});
        match self {
            Self::Application | Self::Pod => json!({}),
            Self::Deployment => json!({"spec": {
                "replicas": 0, "selector": {"matchLabels": labels}, "template": pods,
            }}),
            Self::Rollout => json!({
                "spec": {"strategy": {"canary": {"steps": [{"pause": {}}]}}, "template": pods},
                "status": {
                    "currentPodHash": "new", "stableRS": "old", "currentStepIndex": 0, "controllerPause": true,
                    "pauseConditions": [{"reason": "CanaryPauseStep", "startTime": "2026-01-01T00:00:00Z"}],
                },
            }),
            Self::Workflow => json!({
                "spec": {"entrypoint": "wait", "templates": [{"name": "wait", "suspend": {}}]},
                "status": {"phase": "Running", "nodes": {"one": {"type": "Suspend", "phase": "Running"}}},
            }),
            Self::Template => json!({"spec": {"entrypoint": "wait"}}),
        }
    }
}

/// Has a cluster serve a kind of `argoproj.io`.
pub(super) fn define(sandbox: &Sandbox, kind: &str, plural: &str) {
    let mut version = json!({
        "name": "v1alpha1", "served": true, "storage": true,
        "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
    });
    if kind == "Rollout" {
        version["subresources"] = json!({"status": {}});
    }
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.argoproj.io")},
        "spec": {
            "group": "argoproj.io", "scope": "Namespaced", "versions": [version],
            "names": {"plural": plural, "singular": kind.to_lowercase(), "kind": kind, "listKind": format!("{kind}List")},
        },
    });
    let kube = sandbox.kube();
    kube.write_raw("customresourcedefinitions.apiextensions.k8s.io", definition)
        .unwrap();
}

/// Belongs to the application of its name.
pub(super) fn object(kind: Kind, name: &str) -> Value {
    let (group, word) = kind.group_and_kind();
    let version = if group == "apps" { "v1" } else { "v1alpha1" };
    let application = if kind == Kind::Deployment {
        // As Argo CD marks what it has from Git.
        name.to_owned()
    } else {
        format!("argocd_{name}")
    };
    let mark = format!("{application}:{group}/{word}:default/{name}");
    let mut object = kind.content(name);
    object["apiVersion"] = format!("{group}/{version}").into();
    object["kind"] = word.into();
    object["metadata"] = json!({
        "namespace": "default", "name": name,
        "annotations": {"argocd.argoproj.io/tracking-id": mark},
    });
    if kind != Kind::Deployment {
        object["metadata"]["annotations"]["argocd.argoproj.io/hook"] = "PostSync".into();
    }
    object
}

/// An application, and what belongs to it; gives the uid.
pub(super) fn place(sandbox: &Sandbox, kind: Kind, name: &str) -> String {
    let kube = sandbox.kube();
    kube.write_raw("applications.argoproj.io", application(sandbox, name))
        .unwrap();
    match kind {
        Kind::Application => {}
        Kind::Pod => pod(sandbox, name, name),
        Kind::Deployment | Kind::Rollout | Kind::Workflow | Kind::Template => {
            kube.write_raw(kind.resource(), object(kind, name)).unwrap();
        }
    }
    let truth = kube.snapshot();
    let (_, word) = kind.group_and_kind();
    let found = truth.find(word, kind.namespace(), name).unwrap();
    found.uid.clone()
}

/// What users have asked an object to do or to be: all else is its controller's.
pub(super) fn asked(object: &Value) -> Value {
    let annotations = object["metadata"]["annotations"].as_object();
    let ours = annotations.into_iter().flatten().filter(|(name, _)| {
        name.starts_with("causeway.dev/") || *name == "argocd.argoproj.io/refresh"
    });
    let ours: Vec<_> = ours.collect();
    let (spec, status) = (&object["spec"], &object["status"]);
    json!([
        ours,
        object["operation"],
        spec["source"],
        spec["paused"],
        spec["restartAt"],
        spec["shutdown"],
        spec["suspend"],
        spec["template"]["metadata"],
        spec["template"]["spec"]["containers"][0]["image"],
        status["abort"],
        status["promoteFull"],
        status["pauseConditions"],
    ])
}

pub(super) fn asked_of(sandbox: &Sandbox, kind: Kind, name: &str) -> Value {
    let truth = sandbox.kube().snapshot();
    let (_, word) = kind.group_and_kind();
    let found = truth.find(word, kind.namespace(), name);
    asked(&found.unwrap().object)
}
