//! The Application object, as Argo CD 3 writes it.

use causeway_sandbox::sandbox::NAMESPACE;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    life::{Deployment, Life},
    resource::Resource,
};

const DESTINATION: &str = "https://kubernetes.default.svc";

pub(super) fn object(life: &Life) -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {
            "name": life.name,
            "namespace": NAMESPACE,
            "creationTimestamp": stamp(life.created),
            "labels": {"team": life.team(), "stage": life.stage(), "service": life.service()},
            "annotations": {"notifications.argoproj.io/subscribe.on-health-degraded.slack": life.team()},
            "finalizers": ["resources-finalizer.argocd.argoproj.io"],
        },
        "spec": {
            "project": life.team(),
            "source": source(life),
            "destination": destination(life),
            "syncPolicy": {"automated": {"prune": true, "selfHeal": false}},
        },
        "status": status(life),
    })
}

pub(super) fn stamp(seconds: i64) -> String {
    let at = Timestamp::from_second(seconds).unwrap_or(Timestamp::UNIX_EPOCH);
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn source(life: &Life) -> Value {
    json!({
        "repoURL": format!("https://git.example.com/{}/{}.git", life.team(), life.service()),
        "path": format!("deploy/{}", life.stage()),
        "targetRevision": "main",
    })
}

fn destination(life: &Life) -> Value {
    json!({"server": DESTINATION, "namespace": life.namespace()})
}

fn status(life: &Life) -> Value {
    let last = life.last();
    let resources: Vec<Value> = life.resources().map(|one| resource(&one)).collect();
    let deployments = life.resources().filter(Resource::is_deployment);
    let images: Vec<String> = deployments.map(|one| one.image()).collect();
    let history: Vec<Value> = life
        .deployments
        .iter()
        .map(|one| deployment(life, one))
        .collect();
    let mut health = json!({"status": life.health(), "lastTransitionTime": stamp(last.at)});
    if let Some((_, trouble)) = life.trouble {
        health["message"] = trouble.message().into();
    }
    json!({
        "sync": {
            "status": life.sync(),
            "revision": life.revision(),
            "comparedTo": {"source": source(life), "destination": destination(life)},
        },
        "health": health,
        "operationState": operation(life, last),
        "history": history,
        "resources": resources,
        "summary": {
            "images": images,
            "externalURLs": [format!("https://{}.example.com/", life.name)],
        },
        "sourceType": "Kustomize",
        "controllerNamespace": NAMESPACE,
        "reconciledAt": stamp(last.at),
    })
}

fn resource(resource: &Resource<'_>) -> Value {
    let kind = resource.kind();
    let mut entry = json!({
        "version": kind.version,
        "kind": kind.kind,
        "namespace": resource.life.namespace(),
        "name": resource.name(),
        "status": resource.sync(),
    });
    if !kind.group.is_empty() {
        entry["group"] = kind.group.into();
    }
    if let Some(health) = resource.health() {
        entry["health"] = json!({"status": health});
    }
    if let Some(trouble) = resource.trouble() {
        entry["health"]["message"] = trouble.message().into();
    }
    entry
}

fn deployment(life: &Life, deployment: &Deployment) -> Value {
    json!({
        "id": deployment.commit - 1,
        "revision": life.revision_of(deployment.commit),
        "source": source(life),
        "deployStartedAt": stamp(deployment.at),
        "deployedAt": stamp(deployment.at),
        "initiatedBy": {"automated": true},
    })
}

fn operation(life: &Life, last: Deployment) -> Value {
    let touched = life.resources().filter(|one| one.touched() == last.commit);
    let results: Vec<Value> = touched.map(|one| result(&one)).collect();
    json!({
        "operation": {"sync": {"revision": life.revision(), "prune": true}, "initiatedBy": {"automated": true}, "retry": {"limit": 5}},
        "phase": "Succeeded",
        "message": "successfully synced (all tasks run)",
        "startedAt": stamp(last.at),
        "finishedAt": stamp(last.at),
        "syncResult": {"revision": life.revision(), "source": source(life), "resources": results},
    })
}

fn result(resource: &Resource<'_>) -> Value {
    let kind = resource.kind();
    json!({
        "group": kind.group,
        "version": kind.version,
        "kind": kind.kind,
        "namespace": resource.life.namespace(),
        "name": resource.name(),
        "status": "Synced",
        "syncPhase": "Sync",
        "hookPhase": "Running",
        "message": format!("{} configured", resource.name()),
    })
}
