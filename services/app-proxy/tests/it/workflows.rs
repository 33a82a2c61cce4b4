//! Verbs on workflows: for whoever may act in their namespace, once whatever breaks in between, and for nobody else.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use causeway_app_proxy::WorkflowHandler;
use causeway_assertion::Scope;
use causeway_proto::{
    error::v1::Reason,
    proxy::v1::{self as pb, workflow_action_service_server::WorkflowActionService as _},
};
use futures::future::join_all;
use serde_json::{Value, json};
use tonic::{Code, Status};

use crate::stage::{ALL, Stage, by_admin, by_user, new_id, refused};

const WORKFLOWS: &str = "workflows.argoproj.io";

/// A workflow in the namespace `default` that waits for a person, and a template of it.
fn waiting(stage: &Stage, name: &str) {
    stage.define("Workflow", "workflows");
    stage.define("WorkflowTemplate", "workflowtemplates");
    let metadata = json!({"namespace": "default", "name": name});
    let workflow = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "metadata": metadata,
        "spec": {"entrypoint": "wait", "templates": [{"name": "wait", "suspend": {}}]},
        "status": {"phase": "Running", "nodes": {"one": {"type": "Suspend", "phase": "Running"}}},
    });
    let template = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "WorkflowTemplate", "metadata": metadata,
        "spec": {"entrypoint": "wait"},
    });
    let kube = stage.sandbox.kube();
    kube.write_raw(WORKFLOWS, workflow).unwrap();
    kube.write_raw("workflowtemplates.argoproj.io", template)
        .unwrap();
}

fn live(stage: &Stage, name: &str) -> Value {
    let truth = stage.sandbox.kube().snapshot();
    truth
        .find("Workflow", "default", name)
        .unwrap()
        .object
        .clone()
}

fn resume(name: &str, id: &str) -> pb::ResumeWorkflowRequest {
    pb::ResumeWorkflowRequest {
        runtime: "local".to_owned(),
        namespace: "default".to_owned(),
        name: name.to_owned(),
        request_id: id.to_owned(),
    }
}

fn submit(name: &str, id: &str) -> pb::SubmitWorkflowRequest {
    pb::SubmitWorkflowRequest {
        runtime: "local".to_owned(),
        namespace: "default".to_owned(),
        name: name.to_owned(),
        request_id: id.to_owned(),
        kind: "WorkflowTemplate".to_owned(),
        ..pb::SubmitWorkflowRequest::default()
    }
}

async fn submitted(
    handler: &WorkflowHandler,
    request: pb::SubmitWorkflowRequest,
) -> Result<pb::WorkflowOutcome, Status> {
    let answer = handler.submit_workflow(by_admin(request)).await?;
    Ok(answer.into_inner().outcome.unwrap())
}

#[tokio::test]
async fn a_step_is_resumed_once_however_often_it_is_asked_for() {
    let stage = Stage::set().await;
    waiting(&stage, "approval");
    let (handler, id) = (stage.workflows(ALL), new_id());
    let ask = || handler.resume_workflow(by_admin(resume("approval", &id)));
    let first = ask().await.unwrap().into_inner().outcome.unwrap();
    assert!(!first.repeated_request);
    let mut workflow = live(&stage, "approval");
    assert_eq!(workflow["status"]["nodes"]["one"]["phase"], "Succeeded");
    // The next step waits for another person.
    workflow["status"]["nodes"]["two"] = json!({"type": "Suspend", "phase": "Running"});
    stage.sandbox.kube().write_raw(WORKFLOWS, workflow).unwrap();
    assert!(
        ask()
            .await
            .unwrap()
            .into_inner()
            .outcome
            .unwrap()
            .repeated_request
    );
    let nodes = live(&stage, "approval")["status"]["nodes"].clone();
    assert_eq!(nodes["two"]["phase"], "Running");
    // The twin, broken on purpose: without its mark the object says nothing of the request.
    let mut workflow = live(&stage, "approval");
    workflow["metadata"]["annotations"] = json!({});
    stage.sandbox.kube().write_raw(WORKFLOWS, workflow).unwrap();
    ask().await.unwrap();
    let nodes = live(&stage, "approval")["status"]["nodes"].clone();
    assert_eq!(nodes["two"]["phase"], "Succeeded");
}

/// A workflow in `default` that ended, in which `build` succeeded and `check` failed, and a pod of each; and a pod of another one.
fn failed(stage: &Stage, name: &str) {
    stage.define("Workflow", "workflows");
    let node = |id: &str, kind: &str, phase: &str, children: &[&str]| {
        let step = if id == "root" {
            String::new()
        } else {
            format!(".{id}")
        };
        json!({"id": id, "name": format!("{name}{step}"), "type": kind, "phase": phase, "children": children})
    };
    let nodes = json!({
        "root": node("root", "DAG", "Failed", &["build"]),
        "build": node("build", "Pod", "Succeeded", &["check"]),
        "check": node("check", "Pod", "Failed", &[]),
    });
    let workflow = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow",
        "metadata": {"namespace": "default", "name": name},
        "spec": {"entrypoint": "all"},
        "status": {"phase": "Failed", "nodes": nodes},
    });
    let kube = stage.sandbox.kube();
    kube.write_raw(WORKFLOWS, workflow).unwrap();
    let uid = live(stage, name)["metadata"]["uid"].clone();
    for step in ["build", "check"] {
        step_pod(stage, name, step, &uid);
    }
    let others = json!("9b1f4a1e-0000-4000-8000-000000000000");
    let label = format!("{name}-other");
    step_pod(stage, &label, "check", &others);
}

/// A pod as the controller makes it: the label tells of which workflow by its name, the owner of which one indeed.
fn step_pod(stage: &Stage, workflow: &str, step: &str, uid: &Value) {
    let of = workflow.trim_end_matches("-other");
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {
            "namespace": "default", "name": format!("{workflow}-{step}"),
            "labels": {"workflows.argoproj.io/workflow": of},
            "annotations": {"workflows.argoproj.io/node-id": step, "workflows.argoproj.io/node-name": format!("{of}.{step}")},
            "ownerReferences": [{
                "apiVersion": "argoproj.io/v1alpha1", "kind": "Workflow", "name": of, "uid": uid, "controller": true,
            }],
        },
        "spec": {"schedulerName": "nobody", "containers": [{"name": "main", "image": "main:1"}]},
    });
    stage.sandbox.kube().write_raw("pods", pod).unwrap();
}

fn has_pod(stage: &Stage, name: &str) -> bool {
    let truth = stage.sandbox.kube().snapshot();
    truth.find("Pod", "default", name).is_some()
}

fn retry(name: &str, id: &str) -> pb::RetryWorkflowRequest {
    pb::RetryWorkflowRequest {
        runtime: "local".to_owned(),
        namespace: "default".to_owned(),
        name: name.to_owned(),
        request_id: id.to_owned(),
        ..pb::RetryWorkflowRequest::default()
    }
}

async fn retried(
    handler: &WorkflowHandler,
    request: pb::RetryWorkflowRequest,
) -> Result<pb::WorkflowOutcome, Status> {
    let answer = handler.retry_workflow(by_admin(request)).await?;
    Ok(answer.into_inner().outcome.unwrap())
}

#[tokio::test]
async fn a_workflow_begins_again_once_however_often_it_is_asked_for_and_wherever_it_breaks() {
    let stage = Stage::set().await;
    for (method, arrives) in [
        ("DELETE", false),
        ("DELETE", true),
        ("PATCH", false),
        ("PATCH", true),
    ] {
        let case = format!("{}-{arrives}", method.to_lowercase());
        let (name, id) = (format!("night-{case}"), new_id());
        failed(&stage, &name);
        let client = broken(&stage.sandbox.kube().client(), method, arrives);
        let cut = retried(&Stage::workflows_on(client, ALL), retry(&name, &id)).await;
        assert_eq!(cut.unwrap_err().code(), Code::Unavailable, "{case}");
        let (one, other) = (stage.workflows(ALL), stage.workflows(ALL));
        let handlers = [&one, &other, &one, &other];
        let answers = join_all(handlers.map(|it| retried(it, retry(&name, &id)))).await;
        let answers: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
        let fresh = answers.iter().filter(|it| !it.repeated_request).count();
        let was_made = method == "PATCH" && arrives;
        assert_eq!(fresh, usize::from(!was_made), "{case}");
        let workflow = live(&stage, &name);
        assert_eq!(workflow["status"]["phase"], "Running", "{case}");
        let nodes = workflow["status"]["nodes"].as_object().unwrap();
        let nodes: Vec<_> = nodes.keys().collect();
        assert_eq!(nodes, ["build", "root"], "{case}");
        for (pod, there) in [("build", true), ("check", false), ("other-check", true)] {
            assert_eq!(
                has_pod(&stage, &format!("{name}-{pod}")),
                there,
                "{case}: {pod}"
            );
        }
        // The controller makes a new pod of the old name. Who asks again leaves it alone, and so does who asks anew while it runs.
        step_pod(&stage, &name, "check", &workflow["metadata"]["uid"]);
        assert!(
            retried(&one, retry(&name, &id))
                .await
                .unwrap()
                .repeated_request
        );
        let anew = retried(&one, retry(&name, &new_id())).await.unwrap_err();
        let code = Code::FailedPrecondition;
        refused(
            &anew,
            code,
            Reason::PreconditionFailed,
            "causeway workflow stop",
        );
        assert!(has_pod(&stage, &format!("{name}-check")), "{case}");
    }
}

#[tokio::test]
async fn steps_that_succeeded_begin_again_only_where_they_are_chosen() {
    let stage = Stage::set().await;
    failed(&stage, "chosen");
    let handler = stage.workflows(ALL);
    let asking = |selector: &str| pb::RetryWorkflowRequest {
        restart_successful: selector.to_owned(),
        ..retry("chosen", &new_id())
    };
    for wrong in ["build", "type=Pod", "inputs.parameters..value=1", "=1"] {
        let wrong = retried(&handler, asking(wrong)).await.unwrap_err();
        let code = Code::InvalidArgument;
        refused(&wrong, code, Reason::FieldInvalid, "restart_successful");
    }
    retried(&handler, asking("name=chosen.build, phase!=Failed"))
        .await
        .unwrap();
    let nodes = live(&stage, "chosen")["status"]["nodes"].clone();
    assert_eq!(nodes.as_object().unwrap().len(), 1, "{nodes}");
    assert_eq!(nodes["root"]["phase"], "Running");
    assert!(!has_pod(&stage, "chosen-build") && !has_pod(&stage, "chosen-check"));
    assert!(has_pod(&stage, "chosen-other-check"));
}

/// A client whose connection breaks at its first write of this kind: just before it arrives, or just after it was done.
fn broken(client: &kube::Client, method: &'static str, arrives: bool) -> kube::Client {
    let (inner, writes) = (client.clone(), Arc::new(AtomicUsize::new(0)));
    let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let counts = request.method() == method && !request.uri().path().contains("authorization");
        let breaks = counts && writes.fetch_add(1, Ordering::SeqCst) == 0;
        let inner = inner.clone();
        async move {
            if breaks && arrives {
                inner.send(request).await?;
            } else if !breaks {
                return inner.send(request).await;
            }
            Err(kube::Error::Service("the connection broke".into()))
        }
    });
    kube::Client::new(service, "default")
}

fn made_of(stage: &Stage, template: &str) -> usize {
    let truth = stage.sandbox.kube().snapshot();
    let of = |object: &Value| {
        let name = object.pointer("/spec/workflowTemplateRef/name");
        name.is_some_and(|name| name == template)
    };
    truth.objects.iter().filter(|it| of(&it.object)).count()
}

#[tokio::test]
async fn one_workflow_is_begun_however_often_it_is_asked_for_and_wherever_it_breaks() {
    let stage = Stage::set().await;
    for arrives in [false, true] {
        let (name, id) = (format!("build-{arrives}"), new_id());
        waiting(&stage, &name);
        let client = broken(&stage.sandbox.kube().client(), "POST", arrives);
        let cut = submitted(&Stage::workflows_on(client, ALL), submit(&name, &id)).await;
        assert_eq!(cut.unwrap_err().code(), Code::Unavailable);
        let (one, other) = (stage.workflows(ALL), stage.workflows(ALL));
        let handlers = [&one, &other, &one, &other];
        let answers = join_all(handlers.map(|it| submitted(it, submit(&name, &id)))).await;
        let answers: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
        let fresh = answers.iter().filter(|it| !it.repeated_request).count();
        assert_eq!(fresh, usize::from(!arrives));
        assert!(answers.iter().all(|it| it.name == answers[0].name));
        assert_eq!(made_of(&stage, &name), 1);
        // The twin: another id is another workflow.
        submitted(&one, submit(&name, &new_id())).await.unwrap();
        assert_eq!(made_of(&stage, &name), 2);
        let parameters = vec![pb::WorkflowParameter {
            name: "a".to_owned(),
            value: "b".to_owned(),
        }];
        let other = pb::SubmitWorkflowRequest {
            parameters,
            ..submit(&name, &id)
        };
        let reused = submitted(&one, other).await.unwrap_err();
        let code = Code::InvalidArgument;
        refused(&reused, code, Reason::FieldInvalid, "request_id");
    }
}

#[tokio::test]
async fn a_workflow_is_for_those_who_may_touch_what_is_in_its_namespace() {
    let stage = Stage::set().await;
    waiting(&stage, "approval");
    let handler = stage.workflows(ALL);
    let read = |rules: &str| -> Scope {
        serde_json::from_str(&format!(r#"{{"role":"operator","rules":{rules}}}"#)).unwrap()
    };
    for rules in [r#"[{"projects":["shop"]}]"#, r#"[{"namespaces":["ci"]}]"#] {
        for name in ["approval", "never"] {
            let request = by_user("ada", read(rules), resume(name, &new_id()));
            let hidden = handler.resume_workflow(request).await.unwrap_err();
            refused(&hidden, Code::NotFound, Reason::ResourceUnknown, name);
            let request = by_user("ada", read(rules), retry(name, &new_id()));
            let hidden = handler.retry_workflow(request).await.unwrap_err();
            refused(&hidden, Code::NotFound, Reason::ResourceUnknown, name);
            let request = by_user("ada", read(rules), submit(name, &new_id()));
            let hidden = handler.submit_workflow(request).await.unwrap_err();
            refused(&hidden, Code::NotFound, Reason::ResourceUnknown, name);
        }
    }
    let phase = &live(&stage, "approval")["status"]["nodes"]["one"]["phase"];
    assert_eq!(phase, "Running");
    assert_eq!(made_of(&stage, "approval"), 0);
    let rules = r#"[{"namespaces":["default"]}]"#;
    let request = by_user("ada", read(rules), resume("approval", &new_id()));
    handler.resume_workflow(request).await.unwrap();
    let denied = stage.workflows("read,rollout");
    let denied = denied.resume_workflow(by_admin(resume("approval", &new_id())));
    let (code, reason) = (Code::PermissionDenied, Reason::RuntimePolicy);
    refused(&denied.await.unwrap_err(), code, reason, "--allow workflow");
}

#[tokio::test]
async fn what_has_ended_is_not_stopped() {
    let stage = Stage::set().await;
    waiting(&stage, "done");
    let mut workflow = live(&stage, "done");
    workflow["status"]["phase"] = json!("Succeeded");
    stage.sandbox.kube().write_raw(WORKFLOWS, workflow).unwrap();
    let it = resume("done", &new_id());
    let request = pb::StopWorkflowRequest {
        runtime: it.runtime,
        namespace: it.namespace,
        name: it.name,
        request_id: it.request_id,
    };
    let ended = stage.workflows(ALL).stop_workflow(by_admin(request)).await;
    let (code, reason) = (Code::FailedPrecondition, Reason::PreconditionFailed);
    refused(&ended.unwrap_err(), code, reason, "resubmit");
}
