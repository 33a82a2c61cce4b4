//! Every change that a runtime makes for a user, each with an object that it has its effect on.

use causeway_sandbox::Sandbox;
use serde_json::{Value, json};

use super::world::{Question, REPOSITORY, World};

/// A change.
pub(super) struct Asked {
    pub(super) name: &'static str,
    /// Makes the object of this name.
    pub(super) prepare: fn(&World, &str) -> Question,
    /// Waits for what goes on in the cluster before anybody asks again.
    pub(super) settle: fn(&World, &Question),
}

impl std::fmt::Debug for Asked {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name)
    }
}

impl Asked {
    /// Whether an answer says that an earlier call did it.
    pub(super) fn is_repeat(&self, body: &Value) -> bool {
        // A deletion is known by what is deleted.
        self.name == "deleteResource"
            || body["repeatedRequest"] == true
            || body["outcome"]["repeatedRequest"] == true
    }

    /// Whether a write has the effect, and is not a preparation that may be made again.
    pub(super) fn is_effect(&self, write: &str) -> bool {
        self.name != "delete" || write.starts_with("DELETE")
    }

    /// How many of so many writes have the effect.
    pub(super) fn effects(&self, writes: usize) -> usize {
        if self.name == "delete" { 1 } else { writes }
    }

    /// An answer without what says which call it is of.
    pub(super) fn outcome(&self, body: &Value) -> Value {
        let mut body = body.clone();
        let is_of_call = |name: &str| {
            // Of what is gone nobody knows when that was asked for.
            matches!(name, "repeatedRequest" | "resourceVersion")
                || name == "acceptedAt" && self.name == "delete"
                || name == "deletion" && self.name == "deleteResource"
        };
        for at in ["", "/outcome"] {
            if let Some(Value::Object(fields)) = body.pointer_mut(at) {
                fields.retain(|name, _| !is_of_call(name));
            }
        }
        body
    }
}

macro_rules! asked {
    ($($name:literal: $prepare:expr, $settle:expr;)*) => {
        &[$(Asked { name: $name, prepare: $prepare, settle: $settle }),*]
    };
}

pub(super) const ASKED: &[Asked] = asked! {
    "sync": |world, name| application(world, name, "web", "sync"), idle;
    "refresh": |world, name| application(world, name, "web", "refresh"), nothing;
    "terminate": held, nothing;
    "rollback": deployed, idle;
    "delete": deleted, nothing;
    "setSource": source, nothing;
    "deleteResource": config_map, nothing;
    "runAction": deployment, nothing;
    "promote": |world, name| rollout(world, name, "promote", &json!({})), nothing;
    "promoteFull": |world, name| rollout(world, name, "promote", &json!({"full": true})), nothing;
    "pause": |world, name| rollout(world, name, "pause", &json!({})), nothing;
    "resume": |world, name| rollout(world, name, "resume", &json!({})), nothing;
    "abort": |world, name| rollout(world, name, "abort", &json!({})), nothing;
    "retry": |world, name| rollout(world, name, "retry", &json!({})), nothing;
    "restart": |world, name| rollout(world, name, "restart", &json!({})), nothing;
    "undo": |world, name| rollout(world, name, "undo", &json!({})), nothing;
    "setImage": |world, name| {
        rollout(world, name, "setImage", &json!({"container": "main", "image": "main:2"}))
    }, nothing;
    "stop": |world, name| workflow(world, name, "stop"), nothing;
    "terminateWorkflow": |world, name| workflow(world, name, "terminate"), nothing;
    "suspend": |world, name| workflow(world, name, "suspend"), nothing;
    "resumeWorkflow": |world, name| workflow(world, name, "resume"), nothing;
    "retryWorkflow": failed, nothing;
    "resubmit": |world, name| workflow(world, name, "resubmit"), nothing;
    "submit": template, nothing;
};

/// What the repository holds.
pub(super) fn files() -> [(&'static str, &'static str); 2] {
    let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n";
    let hook = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: hold\n  annotations: {argocd.argoproj.io/hook: PreSync}\nspec:\n  restartPolicy: Never\n  containers: [{name: main, image: 'hook:1'}]\n";
    [("web/map.yaml", map), ("held/hook.yaml", hook)]
}

/// Has the cluster serve the kinds that a sandbox has not by itself; nobody looks after their objects.
pub(crate) fn define(sandbox: &Sandbox) {
    for (kind, plural) in [
        ("Rollout", "rollouts"),
        ("Workflow", "workflows"),
        ("WorkflowTemplate", "workflowtemplates"),
    ] {
        let mut version = json!({
            "name": "v1alpha1", "served": true, "storage": true,
            "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
        });
        if kind == "Rollout" {
            version["subresources"] = json!({"status": {}});
        }
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": format!("{plural}.argoproj.io")},
            "spec": {
                "group": "argoproj.io",
                "scope": "Namespaced",
                "names": {
                    "plural": plural, "singular": kind.to_lowercase(), "kind": kind,
                    "listKind": format!("{kind}List"),
                },
                "versions": [version],
            },
        });
        write(
            sandbox,
            "customresourcedefinitions.apiextensions.k8s.io",
            definition,
        );
    }
}

fn write(sandbox: &Sandbox, resource: &str, object: Value) {
    sandbox.kube().write_raw(resource, object).unwrap();
}

fn nothing(_: &World, _: &Question) {}

fn is_compared(live: &Value) -> bool {
    live.pointer("/status/sync/status").is_some()
}

fn is_idle(live: &Value) -> bool {
    let state = &live["status"]["operationState"];
    live["operation"].is_null() && (state.is_null() || state["finishedAt"].is_string())
}

/// An operation that was begun has ended: while it goes on nobody may begin another one.
fn idle(world: &World, question: &Question) {
    let name = question.path.split('/').nth(2).unwrap();
    let name = name.split(':').next().unwrap();
    world.wait(name, "no operation", is_idle);
}

/// Each deploys into a namespace of its own.
fn apply(world: &World, name: &str, path: &str) {
    let object = json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"namespace": "argocd", "name": name},
        "spec": {
            "project": "default",
            "destination": {"server": "https://kubernetes.default.svc", "namespace": name},
            "source": {"repoURL": world.sandbox.git_url(REPOSITORY), "path": path, "targetRevision": "main"},
            "syncPolicy": {"syncOptions": ["CreateNamespace=true"]},
        },
    });
    write(&world.sandbox, "applications.argoproj.io", object);
    world.wait(name, "compared", is_compared);
}

fn verb(name: &str, verb: &str) -> Question {
    Question {
        path: format!("applications/argocd/{name}:{verb}"),
        body: json!({}),
    }
}

fn application(world: &World, name: &str, path: &str, asked: &str) -> Question {
    apply(world, name, path);
    verb(name, asked)
}

/// One whose operation goes on.
fn held(world: &World, name: &str) -> Question {
    apply(world, name, "held");
    let begun = world.ask(&verb(name, "sync"), &uuid());
    assert!(begun.is_ok(), "{begun:?}");
    world.wait(name, "an operation that waits", |live| {
        let message = live["status"]["operationState"]["message"].as_str();
        message.is_some_and(|it| it.starts_with("waiting for"))
    });
    verb(name, "terminate")
}

/// One that was deployed once.
fn deployed(world: &World, name: &str) -> Question {
    apply(world, name, "web");
    let begun = world.ask(&verb(name, "sync"), &uuid());
    assert!(begun.is_ok(), "{begun:?}");
    world.wait(name, "deployed", |live| {
        is_idle(live) && live["status"]["history"].is_array()
    });
    Question {
        body: json!({"historyId": "0"}),
        ..verb(name, "rollback")
    }
}

fn deleted(world: &World, name: &str) -> Question {
    apply(world, name, "web");
    let live = world.live("Application", "argocd", name).unwrap();
    Question {
        body: json!({"uid": live["metadata"]["uid"]}),
        ..verb(name, "delete")
    }
}

fn source(world: &World, name: &str) -> Question {
    apply(world, name, "web");
    Question {
        body: json!({"targetRevision": "other"}),
        ..verb(name, "setSource")
    }
}

/// A ConfigMap that belongs to nobody.
fn config_map(world: &World, name: &str) -> Question {
    let metadata = json!({"namespace": "default", "name": name});
    let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
    write(&world.sandbox, "configmaps", object);
    let live = world.live("ConfigMap", "default", name).unwrap();
    Question {
        path: format!("live-resources/ConfigMap/{name}:delete"),
        body: json!({"namespace": "default", "uid": live["metadata"]["uid"]}),
    }
}

/// A Deployment of an application.
fn deployment(world: &World, name: &str) -> Question {
    let text = format!(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec:\n  replicas: 0\n  selector: {{matchLabels: {{a: {name}}}}}\n  template:\n    metadata: {{labels: {{a: {name}}}}}\n    spec: {{containers: [{{name: main, image: 'nginx:1'}}]}}\n"
    );
    world.push(&format!("{name}/deployment.yaml"), &text);
    apply(world, name, name);
    let begun = world.ask(&verb(name, "sync"), &uuid());
    assert!(begun.is_ok(), "{begun:?}");
    world.wait(name, "deployed", |live| {
        is_idle(live) && live["status"]["history"].is_array()
    });
    Question {
        path: format!("live-resources/Deployment/{name}:runAction"),
        body: json!({"group": "apps", "namespace": name, "action": "restart"}),
    }
}

/// A Rollout that waits at its pause, as the verb needs it.
fn rollout(world: &World, name: &str, asked: &str, body: &Value) -> Question {
    let template = |image: &str| {
        json!({
            "metadata": {"labels": {"app": name}},
            "spec": {"containers": [{"name": "main", "image": image}]},
        })
    };
    let condition = json!([{"reason": "CanaryPauseStep", "startTime": "2026-01-01T00:00:00Z"}]);
    let mut status = json!({
        "currentPodHash": "new", "stableRS": "old", "currentStepIndex": 1, "controllerPause": true,
        "pauseConditions": condition,
    });
    if asked == "retry" {
        status["abort"] = json!(true);
    }
    let object = json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Rollout",
        "metadata": {"namespace": "default", "name": name},
        "spec": {
            "paused": asked == "resume",
            "selector": {"matchLabels": {"app": name}},
            "strategy": {"canary": {"steps": [{"setWeight": 20}, {"pause": {}}]}},
            "template": template("main:1"),
        },
        "status": status,
    });
    write(&world.sandbox, "rollouts.argoproj.io", object);
    if asked == "undo" {
        let live = world.live("Rollout", "default", name).unwrap();
        for (revision, image) in [("1", "main:0"), ("2", "main:1")] {
            let set = replica_set(&live, revision, &template(image));
            write(&world.sandbox, "replicasets.apps", set);
        }
    }
    Question {
        path: format!("rollouts/default/{name}:{asked}"),
        body: body.clone(),
    }
}

fn replica_set(rollout: &Value, revision: &str, template: &Value) -> Value {
    let name = rollout["metadata"]["name"].as_str().unwrap();
    let owner = json!([{
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout", "name": name,
        "uid": rollout["metadata"]["uid"], "controller": true,
    }]);
    json!({
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": {
            "namespace": "default", "name": format!("{name}-{revision}"),
            "annotations": {"rollout.argoproj.io/revision": revision},
            "ownerReferences": owner,
        },
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": {"app": name}},
            "template": template,
        },
    })
}

/// A Workflow that waits for a person, or has ended where it is begun anew.
fn workflow(world: &World, name: &str, asked: &str) -> Question {
    let phase = if asked == "resubmit" {
        "Failed"
    } else {
        "Running"
    };
    let object = json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": {"namespace": "default", "name": name},
        "spec": {"entrypoint": "wait", "templates": [{"name": "wait", "suspend": {}}]},
        "status": {"phase": phase, "nodes": {"one": {"type": "Suspend", "phase": phase}}},
    });
    write(&world.sandbox, "workflows.argoproj.io", object);
    Question {
        path: format!("workflows/default/{name}:{asked}"),
        body: json!({}),
    }
}

/// A workflow whose only step failed, and the pod of it.
fn failed(world: &World, name: &str) -> Question {
    let node = json!({"id": "one", "name": name, "type": "Pod", "phase": "Failed"});
    let metadata = json!({"namespace": "default", "name": name});
    let object = json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Workflow",
        "metadata": metadata,
        "spec": {"entrypoint": "one"},
        "status": {"phase": "Failed", "nodes": {"one": node}},
    });
    write(&world.sandbox, "workflows.argoproj.io", object);
    let live = world.live("Workflow", "default", name).unwrap();
    let mut pod = metadata;
    pod["labels"] = json!({"workflows.argoproj.io/workflow": name});
    pod["annotations"] = json!({"workflows.argoproj.io/node-id": "one"});
    pod["ownerReferences"] = json!([{
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "name": name,
        "uid": live["metadata"]["uid"], "controller": true,
    }]);
    let containers = json!([{"name": "main", "image": "main:1"}]);
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": pod,
        "spec": {"schedulerName": "nobody", "containers": containers},
    });
    write(&world.sandbox, "pods", pod);
    Question {
        path: format!("workflows/default/{name}:retry"),
        body: json!({}),
    }
}

fn template(world: &World, name: &str) -> Question {
    let object = json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "WorkflowTemplate",
        "metadata": {"namespace": "default", "name": name},
        "spec": {"entrypoint": "wait", "templates": [{"name": "wait", "suspend": {}}]},
    });
    write(&world.sandbox, "workflowtemplates.argoproj.io", object);
    Question {
        path: format!("workflow-templates/default/WorkflowTemplate/{name}:submit"),
        body: json!({}),
    }
}

fn uuid() -> String {
    causeway_proto::ids::RequestId::generate().to_string()
}
