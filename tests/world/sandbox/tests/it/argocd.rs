//! The Argo CD stand-in: what a watch of Applications shows, and what the REST API answers.

mod places;
mod rest;

use std::time::Duration;

use causeway_sandbox::{Demo, Sandbox, SandboxOptions, git::Commit};
use futures::StreamExt;
use kube::{
    Api,
    api::{DeleteParams, DynamicObject, Patch, PatchParams, PostParams},
    core::{ApiResource, GroupVersionKind},
    runtime::watcher::{self, Event},
};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::git::git_ok;

const PATIENCE: Duration = Duration::from_secs(120);

async fn demo() -> Sandbox {
    let options = SandboxOptions {
        demo: Demo::Three,
        ..SandboxOptions::in_memory()
    };
    Sandbox::start(options).await.unwrap()
}

async fn empty() -> Sandbox {
    Sandbox::start(SandboxOptions::in_memory()).await.unwrap()
}

fn api(sandbox: &Sandbox, group: &str, kind: &str, namespace: &str) -> Api<DynamicObject> {
    let version = if group == "argoproj.io" {
        "v1alpha1"
    } else {
        "v1"
    };
    let kind = GroupVersionKind::gvk(group, version, kind);
    Api::namespaced_with(
        sandbox.kube().client(),
        namespace,
        &ApiResource::from_gvk(&kind),
    )
}

fn applications(sandbox: &Sandbox) -> Api<DynamicObject> {
    api(sandbox, "argoproj.io", "Application", "argocd")
}

/// An Application of the folder of its own name, without automation unless `spec` says so.
async fn create(sandbox: &Sandbox, name: &str, spec: Value) {
    let mut full = json!({
        "project": "default",
        "source": {"repoURL": sandbox.git_url("apps"), "path": name, "targetRevision": "main"},
        "destination": {"server": "https://kubernetes.default.svc", "namespace": name},
        "syncPolicy": {"syncOptions": ["CreateNamespace=true"]},
    });
    json_patch::merge(&mut full, &spec);
    let object = json!({"apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
        "metadata": {"name": name, "finalizers": ["resources-finalizer.argocd.argoproj.io"]}, "spec": full});
    let object = serde_json::from_value(object).unwrap();
    applications(sandbox)
        .create(&PostParams::default(), &object)
        .await
        .unwrap();
}

async fn patch(sandbox: &Sandbox, name: &str, patch: Value) -> Value {
    let patched = applications(sandbox)
        .patch(name, &PatchParams::default(), &Patch::Merge(patch))
        .await
        .unwrap();
    serde_json::to_value(patched).unwrap()
}

/// All states of one object until one satisfies the condition, that one included.
async fn watch_until(
    api: Api<DynamicObject>,
    name: &str,
    end: impl Fn(Option<&Value>) -> bool,
) -> Vec<Value> {
    let config = watcher::Config::default().fields(&format!("metadata.name={name}"));
    let mut events = Box::pin(watcher::watcher(api, config));
    let mut seen = Vec::new();
    let watching = async {
        while let Some(event) = events.next().await {
            let ended = match event.unwrap() {
                Event::Apply(object) | Event::InitApply(object) => {
                    seen.push(serde_json::to_value(object).unwrap());
                    end(seen.last())
                }
                Event::Delete(_) => end(None),
                Event::InitDone => seen.is_empty() && end(None),
                Event::Init => false,
            };
            if ended {
                return;
            }
        }
    };
    let ended = timeout(PATIENCE, watching).await;
    let last = seen.last().unwrap_or(&Value::Null);
    assert!(ended.is_ok(), "{name} never came there: {last:#}");
    seen
}

async fn until(sandbox: &Sandbox, name: &str, end: impl Fn(&Value) -> bool) -> Vec<Value> {
    watch_until(applications(sandbox), name, |state| state.is_some_and(&end)).await
}

fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or("-")
}

fn is(value: &Value, sync: &str, health: &str) -> bool {
    text(value, "/status/sync/status") == sync && text(value, "/status/health/status") == health
}

fn ended(value: &Value, phase: &str) -> bool {
    text(value, "/status/operationState/phase") == phase && value.get("operation").is_none()
}

fn settled(value: &Value) -> bool {
    is(value, "Synced", "Healthy") && ended(value, "Succeeded")
}

fn settled_at(sha: &str) -> impl Fn(&Value) -> bool {
    move |value| text(value, "/status/sync/revision") == sha && settled(value)
}

fn condition<'a>(value: &'a Value, kind: &str) -> Option<&'a str> {
    let conditions = value.pointer("/status/conditions")?.as_array()?;
    conditions.iter().find(|it| it["type"] == kind)?["message"].as_str()
}

/// `sync phase health` per state, repeats left out.
fn story(states: &[Value]) -> Vec<String> {
    let words = [
        "/status/sync/status",
        "/status/operationState/phase",
        "/status/health/status",
    ];
    let tell = |state: &Value| words.map(|pointer| text(state, pointer)).join(" ");
    let mut story: Vec<String> = states.iter().map(tell).collect();
    story.dedup();
    story
}

fn config_map(name: &str, value: &str) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  value: \"{value}\"\n"
    )
}

#[tokio::test]
async fn a_push_goes_through_its_phases_in_order() {
    let sandbox = demo().await;
    until(&sandbox, "guestbook", settled).await;
    let folder = tempfile::tempdir().unwrap();
    git_ok(
        folder.path(),
        &["clone", "--quiet", &sandbox.git_url("demo"), "demo"],
    )
    .await;
    let work = folder.path().join("demo");
    let file = work.join("guestbook/deployment.yaml");
    let changed = std::fs::read_to_string(&file)
        .unwrap()
        .replace("guestbook:1.0.0", "guestbook:1.1.0");
    std::fs::write(&file, changed).unwrap();
    git_ok(&work, &["commit", "--quiet", "-am", "Update the guestbook"]).await;
    let sha = git_ok(&work, &["rev-parse", "HEAD"]).await;
    let watching = until(&sandbox, "guestbook", settled_at(&sha));
    let (states, _) = tokio::join!(watching, git_ok(&work, &["push", "--quiet"]));
    let expected = [
        "Synced Succeeded Healthy",
        "Synced - Healthy",
        "OutOfSync - Healthy",
        "OutOfSync Running Healthy",
        "OutOfSync Succeeded Healthy",
        "Synced Succeeded Healthy",
    ];
    let mut story = story(&states);
    // the rollout may be over before anybody looks
    story.retain(|step| step != "Synced Succeeded Progressing");
    story.dedup();
    assert_eq!(story, expected);
    let status = &states.last().unwrap()["status"];
    assert_eq!(status["history"].as_array().unwrap().len(), 2);
    assert_eq!(
        status["operationState"]["operation"]["initiatedBy"],
        json!({"automated": true})
    );
    assert_eq!(status["operationState"]["syncResult"]["revision"], sha);
    assert_eq!(
        status["summary"]["images"],
        json!(["registry.example.com/guestbook:1.1.0"])
    );
    sandbox.stop().await;
}

#[tokio::test]
async fn an_application_of_applications_makes_its_children_and_takes_them_away() {
    let sandbox = demo().await;
    for name in ["platform-apps", "podinfo", "redis"] {
        until(&sandbox, name, settled).await;
    }
    let commit = Commit::new("No podinfo").remove("apps/podinfo.yaml");
    let sha = sandbox.commit("demo", &commit).await.unwrap();
    until(&sandbox, "platform-apps", settled_at(&sha)).await;
    watch_until(applications(&sandbox), "podinfo", |state| state.is_none()).await;
    watch_until(
        api(&sandbox, "apps", "Deployment", "platform"),
        "podinfo",
        |state| state.is_none(),
    )
    .await;
    until(&sandbox, "redis", settled).await;
}

#[tokio::test]
async fn the_broken_one_fails_for_a_reason_and_can_be_mended() {
    let sandbox = demo().await;
    let states = until(&sandbox, "broken", |state| {
        condition(state, "SyncError").is_some()
    })
    .await;
    let last = states.last().unwrap();
    assert!(
        is(last, "OutOfSync", "Missing") && ended(last, "Failed"),
        "{last:#}"
    );
    let message = text(last, "/status/operationState/message");
    assert!(
        message.starts_with("one or more objects failed to apply, reason: "),
        "{message}"
    );
    assert!(
        condition(last, "SyncError")
            .unwrap()
            .starts_with("Failed last sync attempt to ")
    );
    let broken = include_str!("../../src/demo/broken/deployment.yaml");
    let mended = broken.replace("name: mended", "name: broken");
    let sha = sandbox
        .push("demo", &[("broken/deployment.yaml", &mended)], "Mend it")
        .await
        .unwrap();
    let states = until(&sandbox, "broken", settled_at(&sha)).await;
    assert_eq!(condition(states.last().unwrap(), "SyncError"), None);
}

#[tokio::test]
async fn an_operation_on_the_object_is_taken_up_and_dropped_with_its_info() {
    let sandbox = empty().await;
    let sha = sandbox
        .push("apps", &[("web/a.yaml", &config_map("a", "1"))], "first")
        .await
        .unwrap();
    create(&sandbox, "web", json!({})).await;
    until(&sandbox, "web", |state| is(state, "OutOfSync", "Missing")).await;
    let info = json!([{"name": "request", "value": "42"}]);
    let operation =
        json!({"info": info, "initiatedBy": {"username": "ada"}, "sync": {"revision": "main"}});
    patch(&sandbox, "web", json!({"operation": operation})).await;
    let states = until(&sandbox, "web", settled_at(&sha)).await;
    let state = &states.last().unwrap()["status"]["operationState"];
    assert_eq!(
        (
            &state["operation"]["info"],
            &state["operation"]["initiatedBy"]["username"]
        ),
        (&info, &json!("ada"))
    );
    assert_eq!(
        state["syncResult"]["resources"][0]["message"],
        "configmap/a created"
    );
}

#[tokio::test]
async fn a_refresh_annotation_is_answered_and_taken_away() {
    let sandbox = empty().await;
    sandbox
        .push("apps", &[("web/a.yaml", &config_map("a", "1"))], "first")
        .await
        .unwrap();
    create(&sandbox, "web", json!({})).await;
    until(&sandbox, "web", |state| is(state, "OutOfSync", "Missing")).await;
    for level in ["normal", "hard"] {
        let annotation = "argocd.argoproj.io/refresh";
        patch(
            &sandbox,
            "web",
            json!({"metadata": {"annotations": {annotation: level}}}),
        )
        .await;
        until(&sandbox, "web", |state| {
            state["metadata"]["annotations"].get(annotation).is_none()
        })
        .await;
    }
}

#[tokio::test]
async fn drift_is_healed_and_removed_files_are_pruned_where_that_is_wanted() {
    let sandbox = empty().await;
    let files = [
        ("web/a.yaml", config_map("a", "1")),
        ("web/b.yaml", config_map("b", "1")),
    ];
    let commit = files
        .iter()
        .fold(Commit::new("first"), |commit, (path, text)| {
            commit.write(path, text.clone())
        });
    sandbox.commit("apps", &commit).await.unwrap();
    create(
        &sandbox,
        "web",
        json!({"syncPolicy": {"automated": {"prune": true, "selfHeal": true}}}),
    )
    .await;
    until(&sandbox, "web", settled).await;
    let maps = api(&sandbox, "", "ConfigMap", "web");
    let drift = Patch::Merge(json!({"data": {"value": "drift"}}));
    maps.patch("a", &PatchParams::default(), &drift)
        .await
        .unwrap();
    watch_until(maps.clone(), "a", |state| {
        state.is_some_and(|it| it["data"]["value"] == "1")
    })
    .await;
    let sha = sandbox
        .commit("apps", &Commit::new("no b").remove("web/b.yaml"))
        .await
        .unwrap();
    watch_until(maps, "b", |state| state.is_none()).await;
    until(&sandbox, "web", settled_at(&sha)).await;
}

#[tokio::test]
async fn what_makes_no_sense_is_told_and_stops_nobody_else() {
    let sandbox = empty().await;
    sandbox
        .push("apps", &[("web/a.yaml", &config_map("a", "1"))], "first")
        .await
        .unwrap();
    create(&sandbox, "nonsense", json!({"source": {"path": 7}})).await;
    create(&sandbox, "orphan", json!({"project": "nowhere"})).await;
    create(
        &sandbox,
        "away",
        json!({"destination": {"server": "https://elsewhere"}}),
    )
    .await;
    create(&sandbox, "lost", json!({})).await;
    create(&sandbox, "web", json!({"syncPolicy": {"automated": {}}})).await;
    for name in ["nonsense", "orphan", "away"] {
        let states = until(&sandbox, name, |state| {
            condition(state, "InvalidSpecError").is_some()
        })
        .await;
        assert!(is(states.last().unwrap(), "Unknown", "Unknown"), "{name}");
    }
    let states = until(&sandbox, "lost", |state| {
        condition(state, "ComparisonError").is_some()
    })
    .await;
    let last = states.last().unwrap();
    assert!(is(last, "Unknown", "Healthy"), "{last:#}");
    assert_eq!(text(last, "/status/sync/revision"), "main");
    assert!(
        condition(last, "ComparisonError")
            .unwrap()
            .ends_with("lost: app path does not exist")
    );
    until(&sandbox, "web", settled).await;
}

#[tokio::test]
async fn deleting_takes_the_resources_along() {
    let sandbox = demo().await;
    until(&sandbox, "guestbook", settled).await;
    applications(&sandbox)
        .delete("guestbook", &DeleteParams::default())
        .await
        .unwrap();
    watch_until(applications(&sandbox), "guestbook", |state| state.is_none()).await;
    watch_until(
        api(&sandbox, "apps", "Deployment", "guestbook"),
        "guestbook",
        |state| state.is_none(),
    )
    .await;
    watch_until(
        api(&sandbox, "", "ConfigMap", "guestbook"),
        "guestbook",
        |state| state.is_none(),
    )
    .await;
}
