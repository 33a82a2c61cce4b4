//! Single resources: found for two teams on one runtime, read without their secrets, deleted once.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use causeway_app_proxy::ResourceHandler;
use causeway_assertion::Scope;
use causeway_proto::{
    error::v1::Reason,
    proxy::v1::{self as pb, resource_action_service_server::ResourceActionService as _},
};
use causeway_testkit::wait_until;
use futures::TryStreamExt as _;
use k8s_openapi::api::apps::v1::Deployment;
use kube::{Api, api::PostParams};
use serde_json::{Value, json};
use tonic::{Code, Status};

use crate::stage::{ALL, Stage, by, by_admin, new_id, refused};

const PATIENCE: Duration = Duration::from_secs(120);

pub(crate) fn of_project(project: &str) -> Scope {
    serde_json::from_value(json!({"role": "operator", "rules": [{"projects": [project]}]})).unwrap()
}

fn in_namespace(namespace: &str) -> Scope {
    serde_json::from_value(json!({"role": "operator", "rules": [{"namespaces": [namespace]}]}))
        .unwrap()
}

pub(crate) fn application(stage: &Stage, name: &str, project: &str) {
    let spec = json!({
        "project": project,
        "destination": {"server": "https://kubernetes.default.svc", "namespace": "default"},
        "source": {"repoURL": stage.sandbox.git_url("apps"), "path": "web", "targetRevision": "main"},
    });
    stage.write(name, &json!({"spec": spec}));
}

fn write(stage: &Stage, resource: &str, object: Value) {
    stage.sandbox.kube().write_raw(resource, object).unwrap();
}

fn map(name: &str, metadata: &Value) -> Value {
    let mut object = json!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "1"},
        "metadata": {"namespace": "default", "name": name}});
    for (field, value) in metadata.as_object().unwrap() {
        object["metadata"][field] = value.clone();
    }
    object
}

/// As a hook of the application, which its status does not list.
fn marked(application: &str, of: &str) -> Value {
    json!({"annotations": {
        "argocd.argoproj.io/tracking-id": format!("argocd_{application}:{of}"),
        "argocd.argoproj.io/hook": "PostSync",
    }})
}

/// A Deployment of an application, and the name of its pod.
pub(crate) async fn workload(stage: &Stage, name: &str, application: &str) -> String {
    let labels = json!({"app": name});
    let mark = marked(application, &format!("apps/Deployment:default/{name}"));
    let container = json!({"name": "main", "image": "nginx:1"});
    let deployment = serde_json::from_value(json!({
        "apiVersion": "apps/v1", "kind": "Deployment",
        "metadata": {"namespace": "default", "name": name, "annotations": mark["annotations"]},
        "spec": {"replicas": 1, "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}}},
    }));
    let deployments: Api<Deployment> = Api::namespaced(stage.sandbox.kube().client(), "default");
    let (how, deployment) = (PostParams::default(), deployment.unwrap());
    deployments.create(&how, &deployment).await.unwrap();
    wait_until("the pod is there", PATIENCE, async || {
        let truth = stage.sandbox.kube().snapshot();
        let mut pods = truth.objects.iter().map(|it| &it.object);
        let pod = pods.find(|it| it["kind"] == "Pod" && it["metadata"]["labels"]["app"] == *name);
        let pod = pod.and_then(|pod| pod["metadata"]["name"].as_str());
        pod.map(str::to_owned).ok_or_else(|| "none".to_owned())
    })
    .await
}

fn get(kind: &str, name: &str) -> pb::GetLiveResourceRequest {
    let group = match kind {
        "Deployment" | "ReplicaSet" => "apps",
        _ => "",
    };
    pb::GetLiveResourceRequest {
        runtime: "local".to_owned(),
        group: group.to_owned(),
        kind: kind.to_owned(),
        namespace: "default".to_owned(),
        name: name.to_owned(),
        uid: String::new(),
    }
}

async fn read(
    handler: &ResourceHandler,
    scope: &Scope,
    kind: &str,
    name: &str,
) -> Result<pb::GetLiveResourceResponse, Status> {
    let read = handler.get_live_resource(by(scope.clone(), get(kind, name)));
    Ok(read.await?.into_inner())
}

fn deletion(name: &str, uid: &str) -> pb::DeleteResourceRequest {
    pb::DeleteResourceRequest {
        runtime: "local".to_owned(),
        kind: "ConfigMap".to_owned(),
        namespace: "default".to_owned(),
        name: name.to_owned(),
        uid: uid.to_owned(),
        request_id: new_id(),
        ..pb::DeleteResourceRequest::default()
    }
}

async fn delete(
    handler: &ResourceHandler,
    scope: Scope,
    request: &pb::DeleteResourceRequest,
) -> Result<pb::Deletion, Status> {
    let answer = handler.delete_resource(by(scope, request.clone())).await?;
    Ok(answer.into_inner().deletion())
}

fn uid(stage: &Stage, kind: &str, name: &str) -> Option<String> {
    let truth = stage.sandbox.kube().snapshot();
    let found = truth.find(kind, "default", name)?;
    Some(found.object["metadata"]["uid"].as_str()?.to_owned())
}

/// What the client of the cluster was asked about objects.
fn counted(client: &kube::Client) -> (kube::Client, Arc<Mutex<usize>>) {
    let asked = Arc::<Mutex<usize>>::default();
    let (inner, told) = (client.clone(), Arc::clone(&asked));
    let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        if request.uri().path().contains("/namespaces/") {
            *told.lock().unwrap() += 1;
        }
        let inner = inner.clone();
        async move { inner.send(request).await }
    });
    (kube::Client::new(service, "default"), asked)
}

#[tokio::test]
async fn what_belongs_to_an_application_is_there_for_whoever_may_see_that() {
    let stage = Stage::set().await;
    application(&stage, "mine", "shop");
    application(&stage, "theirs", "bank");
    let (client, asked) = counted(&stage.sandbox.kube().client());
    let handler = Stage::resources_on(client, ALL, &stage.argocd());
    let (mine, theirs) = (
        workload(&stage, "mine", "mine").await,
        workload(&stage, "theirs", "theirs").await,
    );
    let pod = read(&handler, &of_project("shop"), "Pod", &mine)
        .await
        .unwrap();
    let named = (pod.application_namespace.as_str(), pod.application.as_str());
    assert_eq!(named, ("argocd", "mine"));
    assert_eq!(Some(pod.uid), uid(&stage, "Pod", &mine));
    let mut told = Vec::new();
    for name in [theirs.as_str(), "never"] {
        *asked.lock().unwrap() = 0;
        let answer = read(&handler, &of_project("shop"), "Pod", name).await;
        let status = answer.unwrap_err();
        refused(&status, Code::NotFound, Reason::ResourceUnknown, name);
        told.push((
            status.message().replace(name, "NAME"),
            *asked.lock().unwrap(),
        ));
    }
    assert_eq!(told[0], told[1]);
}

#[tokio::test]
async fn what_belongs_to_none_is_there_by_rules_that_name_no_project() {
    let stage = Stage::set().await;
    application(&stage, "mine", "shop");
    write(&stage, "configmaps", map("nobodys", &json!({})));
    // A copy carries the mark of where it was copied from.
    write(
        &stage,
        "configmaps",
        map("copied", &marked("mine", "/ConfigMap:default/first")),
    );
    // The Application that it names is not there.
    write(
        &stage,
        "configmaps",
        map("left", &marked("gone", "/ConfigMap:default/left")),
    );
    let labels = json!({"labels": {"app.kubernetes.io/instance": "mine"}});
    write(&stage, "configmaps", map("labelled", &labels));
    let handler = stage.resources();
    for name in ["nobodys", "copied", "left", "labelled"] {
        let refusal = read(&handler, &of_project("shop"), "ConfigMap", name).await;
        assert_eq!(refusal.unwrap_err().code(), Code::NotFound, "{name}");
        let refusal = read(&handler, &in_namespace("other"), "ConfigMap", name).await;
        assert_eq!(refusal.unwrap_err().code(), Code::NotFound, "{name}");
        let found = read(&handler, &in_namespace("default"), "ConfigMap", name).await;
        assert_eq!(found.unwrap().application, "", "{name}");
    }
    // Once the Application lists it, its label is the mark of older versions of Argo CD.
    let resources =
        json!([{"kind": "ConfigMap", "version": "v1", "namespace": "default", "name": "labelled"}]);
    let live = stage.live("mine");
    stage.write(
        "mine",
        &json!({"spec": live["spec"], "status": {"resources": resources}}),
    );
    let found = read(&handler, &of_project("shop"), "ConfigMap", "labelled").await;
    assert_eq!(found.unwrap().application, "mine");
}

#[tokio::test]
async fn what_another_argo_cd_of_the_cluster_marked_is_not_there_for_a_namesakes_users() {
    let stage = Stage::set().await;
    application(&stage, "mine", "shop");
    let of_mine = |name: &str, hook: Value| {
        let id = format!("mine:/ConfigMap:default/{name}");
        let marks = json!({"argocd.argoproj.io/tracking-id": id, "argocd.argoproj.io/hook": hook});
        map(name, &json!({"annotations": marks}))
    };
    write(&stage, "configmaps", of_mine("foreign", json!("")));
    let claims = json!({"argocd.argoproj.io/tracking-id": "argocd_mine:/ConfigMap:default/claims"});
    let claims = map("claims", &json!({"annotations": claims}));
    write(&stage, "configmaps", claims);
    // The Application of this name has another uid.
    let owner = json!([{"apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "name": "mine", "uid": "made-up"}]);
    let owned = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {
        "namespace": "argocd", "name": "owned", "ownerReferences": owner}});
    write(&stage, "configmaps", owned);
    write(&stage, "configmaps", of_mine("hook", json!("PreSync")));
    let handler = stage.resources();
    for scope in [of_project("shop"), in_namespace("default")] {
        for name in ["foreign", "claims"] {
            let refusal = read(&handler, &scope, "ConfigMap", name).await;
            assert_eq!(refusal.unwrap_err().code(), Code::NotFound, "{name}");
        }
        let owned = pb::GetLiveResourceRequest {
            namespace: "argocd".to_owned(),
            ..get("ConfigMap", "owned")
        };
        let refusal = handler.get_live_resource(by(scope, owned)).await;
        assert_eq!(refusal.unwrap_err().code(), Code::NotFound);
    }
    let all = Scope::everything("admin");
    let found = read(&handler, &all, "ConfigMap", "foreign").await;
    assert_eq!(found.unwrap().application, "");
    let found = read(&handler, &of_project("shop"), "ConfigMap", "hook").await;
    assert_eq!(found.unwrap().application, "mine");
}

#[tokio::test]
async fn what_a_secret_holds_is_not_shown() {
    let stage = Stage::set().await;
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "data": {"key": "aHVudGVyMg=="},
        "metadata": {"namespace": "default", "name": "keys"}});
    write(&stage, "secrets", secret);
    let all = Scope::everything("admin");
    let found = read(&stage.resources(), &all, "Secret", "keys")
        .await
        .unwrap();
    let text = String::from_utf8_lossy(&found.manifest).into_owned();
    assert!(text.contains("\"keys\""), "{text}");
    assert!(
        !text.contains("aHVudGVyMg") && !text.contains("hunter2"),
        "{text}"
    );
}

#[tokio::test]
async fn one_object_is_deleted_and_never_the_one_that_took_its_place() {
    let stage = Stage::set().await;
    let handler = stage.resources();
    let all = || Scope::everything("admin");
    write(&stage, "configmaps", map("one", &json!({})));
    let first = uid(&stage, "ConfigMap", "one").unwrap();
    let order = deletion("one", &first);
    let deleted = delete(&handler, all(), &order).await.unwrap();
    assert_eq!(deleted, pb::Deletion::Gone);
    assert_eq!(uid(&stage, "ConfigMap", "one"), None);
    write(&stage, "configmaps", map("one", &json!({})));
    let second = uid(&stage, "ConfigMap", "one").unwrap();
    // By a process that knows nothing of it, too.
    for handler in [&handler, &stage.resources()] {
        let again = delete(handler, all(), &order).await.unwrap();
        assert_eq!(again, pb::Deletion::Absent);
        assert_eq!(uid(&stage, "ConfigMap", "one").as_ref(), Some(&second));
    }
    let mut other = order.clone();
    other.force = true;
    let reused = delete(&handler, all(), &other).await.unwrap_err();
    let (code, reason) = (Code::InvalidArgument, Reason::FieldInvalid);
    refused(&reused, code, reason, "was used for another request");
    let without = delete(&handler, all(), &deletion("one", ""))
        .await
        .unwrap_err();
    refused(&without, code, reason, "GetLiveResource");
}

#[tokio::test]
async fn what_is_held_back_is_told_as_pending_each_time() {
    let stage = Stage::set().await;
    let handler = stage.resources();
    let held = json!({"finalizers": ["example.org/held"]});
    write(&stage, "configmaps", map("held", &held));
    let order = deletion("held", &uid(&stage, "ConfigMap", "held").unwrap());
    for _ in 0..2 {
        let deleted = delete(&handler, Scope::everything("admin"), &order).await;
        assert_eq!(deleted.unwrap(), pb::Deletion::Pending);
    }
}

#[tokio::test]
async fn what_is_out_of_scope_is_deleted_no_more_than_what_is_absent() {
    let stage = Stage::set().await;
    application(&stage, "theirs", "bank");
    let mark = marked("theirs", "/ConfigMap:default/theirs");
    write(&stage, "configmaps", map("theirs", &mark));
    let order = deletion("theirs", &uid(&stage, "ConfigMap", "theirs").unwrap());
    let handler = stage.resources();
    let answer = delete(&handler, of_project("shop"), &order).await.unwrap();
    assert_eq!(answer, pb::Deletion::Absent);
    assert!(uid(&stage, "ConfigMap", "theirs").is_some());
    let reads = Stage::resources_on(stage.sandbox.kube().client(), "read", &stage.argocd());
    let denied = delete(&reads, Scope::everything("admin"), &order).await;
    let denied = denied.unwrap_err();
    let (code, reason) = (Code::PermissionDenied, Reason::RuntimePolicy);
    refused(&denied, code, reason, "--allow resource-delete");
}

#[tokio::test]
async fn manifests_are_told_live_as_git_has_them_and_compared() {
    let stage = Stage::set().await;
    let handler = stage.resources();
    let manifests = async |source: pb::ManifestSource, revision: &str| {
        let request = pb::StreamManifestsRequest {
            runtime: "local".to_owned(),
            namespace: "argocd".to_owned(),
            name: "web".to_owned(),
            source: source.into(),
            revision: revision.to_owned(),
        };
        let answer = handler.stream_manifests(by_admin(request)).await?;
        let found: Vec<_> = answer.into_inner().try_collect().await?;
        Ok::<_, Status>(found)
    };
    let wanted = manifests(pb::ManifestSource::Git, "").await.unwrap();
    let names: Vec<_> = wanted
        .iter()
        .map(|it| (&*it.kind, &*it.namespace, &*it.name))
        .collect();
    assert_eq!(names, [("ConfigMap", "default", "a")]);
    assert!(wanted[0].live.is_empty() && !wanted[0].desired.is_empty());
    // Nothing of it is in the cluster yet.
    assert_eq!(manifests(pb::ManifestSource::Live, "").await.unwrap(), []);
    let compared = manifests(pb::ManifestSource::Compared, "").await.unwrap();
    assert!(compared[0].live.is_empty() && !compared[0].desired.is_empty());
    let both = manifests(pb::ManifestSource::Live, "main")
        .await
        .unwrap_err();
    refused(
        &both,
        Code::InvalidArgument,
        Reason::FieldInvalid,
        "GIT alone",
    );
    let mut request = pb::StreamManifestsRequest::default();
    (request.namespace, request.name) = ("argocd".to_owned(), "web".to_owned());
    let hidden = handler
        .stream_manifests(by(of_project("shop"), request))
        .await;
    assert_eq!(hidden.map(drop).unwrap_err().code(), Code::NotFound);
    // Charts write a namespace on what is in none, and Argo CD calls it without.
    let stray = "apiVersion: v1\nkind: Namespace\nmetadata: {name: stray, namespace: default}\n";
    let files = [("web/stray.yaml", stray)];
    let pushed = stage.sandbox.push("apps", &files, "second").await;
    pushed.unwrap();
    let wanted = manifests(pb::ManifestSource::Git, "").await.unwrap();
    let stray = wanted.iter().find(|it| it.kind == "Namespace").unwrap();
    assert_eq!((&*stray.namespace, &*stray.name), ("", "stray"));
}
