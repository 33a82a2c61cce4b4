//! Objects outside of the applications of a caller, whatever they say of themselves: no action reaches one.

use causeway_assertion::Scope;
use causeway_proto::{
    error::v1::Reason,
    proxy::v1::{
        self as pb, log_service_server::LogService as _,
        resource_action_service_server::ResourceActionService as _,
    },
};
use serde_json::{Value, json};
use tonic::{Code, Status};

use crate::{
    resources::{application, of_project},
    stage::{Stage, by, new_id, refused},
};

const TRACKING_ID: &str = "argocd.argoproj.io/tracking-id";
const HOOK: &str = "argocd.argoproj.io/hook";
/// As long as the names of those that are there.
const ABSENT: &str = "never";

/// Deployments that do not belong to the application `mine`, by name and what they say of themselves.
fn outsiders() -> [(&'static str, Value); 6] {
    let mark = |text: &str| json!({"annotations": {TRACKING_ID: text, HOOK: "PostSync"}});
    [
        ("bank1", mark("argocd_theirs:apps/Deployment:default/bank1")),
        ("bare1", json!({})),
        // A copy carries the mark of where it was copied from.
        ("copy1", mark("argocd_mine:apps/Deployment:default/owned")),
        // Marks of another kind, of another group and of another namespace.
        ("kind1", mark("argocd_mine:/ConfigMap:default/kind1")),
        ("room1", mark("argocd_mine:apps/Deployment:other/room1")),
        // An older mark counts where the application lists the object.
        (
            "tags1",
            json!({"labels": {"app.kubernetes.io/instance": "mine"}}),
        ),
    ]
}

fn write(stage: &Stage, name: &str, metadata: &Value) {
    let labels = json!({"app": name});
    let mut object = json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"namespace": "default", "name": name},
        "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": {
            "metadata": {"labels": labels},
            "spec": {"containers": [{"name": "main", "image": "nginx:1"}]}}},
    });
    for (field, value) in metadata.as_object().unwrap() {
        object["metadata"][field] = value.clone();
    }
    let kube = stage.sandbox.kube();
    kube.write_raw("deployments.apps", object).unwrap();
}

/// What any of the calls would change: controllers change other things meanwhile.
fn touched(stage: &Stage, name: &str) -> [Value; 4] {
    let truth = stage.sandbox.kube().snapshot();
    let found = truth.find("Deployment", "default", name);
    let object = &found.unwrap_or_else(|| panic!("{name} is gone")).object;
    let (metadata, spec) = (&object["metadata"], &object["spec"]);
    [
        metadata["uid"].clone(),
        metadata["deletionTimestamp"].clone(),
        spec["paused"].clone(),
        spec["template"]["metadata"].clone(),
    ]
}

/// That of nothing, where there is none.
fn uid_of(stage: &Stage, name: &str) -> String {
    let truth = stage.sandbox.kube().snapshot();
    let found = truth.find("Deployment", "default", name);
    found.map_or_else(new_id, |found| found.uid.clone())
}

/// What each call about a Deployment is answered, with its name taken out.
async fn answers(stage: &Stage, scope: &Scope, name: &str) -> Vec<Result<String, Status>> {
    let (handler, logs) = (stage.resources(), stage.logs());
    let (group, kind) = ("apps".to_owned(), "Deployment".to_owned());
    let (runtime, namespace) = ("local".to_owned(), "default".to_owned());
    let read = handler.get_live_resource(by(
        scope.clone(),
        pb::GetLiveResourceRequest {
            runtime: runtime.clone(),
            group: group.clone(),
            kind: kind.clone(),
            namespace: namespace.clone(),
            name: name.to_owned(),
            ..pb::GetLiveResourceRequest::default()
        },
    ));
    let listed = handler.list_resource_actions(by(
        scope.clone(),
        pb::ListResourceActionsRequest {
            runtime: runtime.clone(),
            group: group.clone(),
            kind: kind.clone(),
            namespace: namespace.clone(),
            name: name.to_owned(),
            ..pb::ListResourceActionsRequest::default()
        },
    ));
    let ran = handler.run_resource_action(by(
        scope.clone(),
        pb::RunResourceActionRequest {
            runtime: runtime.clone(),
            group: group.clone(),
            kind: kind.clone(),
            namespace: namespace.clone(),
            name: name.to_owned(),
            request_id: new_id(),
            action: "restart".to_owned(),
            ..pb::RunResourceActionRequest::default()
        },
    ));
    let deleted = handler.delete_resource(by(
        scope.clone(),
        pb::DeleteResourceRequest {
            runtime: runtime.clone(),
            group: group.clone(),
            kind: kind.clone(),
            namespace: namespace.clone(),
            name: name.to_owned(),
            uid: uid_of(stage, name),
            request_id: new_id(),
            ..pb::DeleteResourceRequest::default()
        },
    ));
    let told = logs.handler.stream_logs(by(
        scope.clone(),
        pb::StreamLogsRequest {
            runtime,
            group,
            kind,
            namespace,
            name: name.to_owned(),
            ..pb::StreamLogsRequest::default()
        },
    ));
    vec![
        read.await.map(|_| "read".to_owned()),
        listed.await.map(|_| "listed".to_owned()),
        ran.await.map(|_| "ran".to_owned()),
        deleted
            .await
            .map(|answer| answer.into_inner().deletion().as_str_name().to_owned()),
        told.await.map(|_| "told".to_owned()),
    ]
}

fn without_name(answers: &[Result<String, Status>], name: &str) -> Vec<String> {
    let text = |answer: &Result<String, Status>| match answer {
        Ok(text) => text.clone(),
        Err(status) => {
            refused(status, Code::NotFound, Reason::ResourceUnknown, name);
            status.message().replace(name, "NAME")
        }
    };
    answers.iter().map(text).collect()
}

#[tokio::test]
async fn n_28_no_action_reaches_an_object_outside_of_the_applications_of_its_caller() {
    let stage = Stage::set().await;
    application(&stage, "mine", "shop");
    application(&stage, "theirs", "bank");
    let scope = of_project("shop");
    let absent = answers(&stage, &scope, ABSENT).await;
    let absent = without_name(&absent, ABSENT);
    for (name, metadata) in outsiders() {
        write(&stage, name, &metadata);
        let before = touched(&stage, name);
        let answers = answers(&stage, &scope, name).await;
        assert_eq!(without_name(&answers, name), absent, "{name}");
        assert_eq!(touched(&stage, name), before, "{name}");
    }
    let bystander = &stage.live("theirs")["metadata"]["annotations"];
    assert!(bystander.is_null(), "{bystander}");
    // The same object with the application's own mark is reached by the same calls.
    let own = "argocd_mine:apps/Deployment:default/owned";
    let own = json!({"annotations": {TRACKING_ID: own, HOOK: "PostSync"}});
    write(&stage, "owned", &own);
    let answers = answers(&stage, &scope, "owned").await;
    assert_eq!(answers[0].as_deref().unwrap(), "read");
    assert_eq!(answers[3].as_deref().unwrap(), "DELETION_GONE");
}
