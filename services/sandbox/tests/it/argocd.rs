//! The Argo CD stand-in: what a watch of Applications shows, and what the REST API answers.

use std::time::Duration;

use causeway_sandbox::{Demo, Sandbox, SandboxOptions};
use futures::StreamExt;
use kube::{
    Api,
    api::{DynamicObject, Patch, PatchParams, PostParams},
    core::{ApiResource, GroupVersionKind},
    runtime::watcher::{self, Event},
};
use serde_json::{Value, json};
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(20);

fn applications(sandbox: &Sandbox) -> Api<DynamicObject> {
    let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Application");
    Api::namespaced_with(
        sandbox.kube().client(),
        "argocd",
        &ApiResource::from_gvk(&kind),
    )
}

/// All states of one application until one satisfies the condition, that one included.
async fn watch_until(sandbox: &Sandbox, name: &str, end: impl Fn(&Value) -> bool) -> Vec<Value> {
    let config = watcher::Config::default().fields(&format!("metadata.name={name}"));
    let mut events = Box::pin(watcher::watcher(applications(sandbox), config));
    let mut seen = Vec::new();
    let watching = async {
        while let Some(event) = events.next().await {
            if let Event::Apply(object) | Event::InitApply(object) = event.unwrap() {
                let value = serde_json::to_value(object).unwrap();
                seen.push(value);
                if end(seen.last().unwrap()) {
                    return;
                }
            }
        }
    };
    let ended = timeout(PATIENCE, watching).await;
    assert!(
        ended.is_ok(),
        "{name} never came there: {:#}",
        seen.last().unwrap_or(&Value::Null)
    );
    seen
}

fn is(value: &Value, sync: &str, health: &str) -> bool {
    value["status"]["sync"]["status"] == sync && value["status"]["health"]["status"] == health
}

fn synced_at(sha: &str) -> impl Fn(&Value) -> bool {
    move |value| {
        value["status"]["sync"]["revision"] == sha && value["status"]["sync"]["status"] == "Synced"
    }
}

/// One word per state, repeats left out.
fn story(states: &[Value]) -> Vec<String> {
    let mut words = Vec::new();
    for state in states {
        let status = &state["status"];
        let phase = status["operationState"]["phase"].as_str().unwrap_or("-");
        let text = |pointer: &str| {
            status
                .pointer(pointer)
                .and_then(Value::as_str)
                .unwrap_or("-")
                .to_owned()
        };
        let word = format!(
            "{} {phase} {}",
            text("/sync/status"),
            text("/health/status")
        );
        if words.last() != Some(&word) {
            words.push(word);
        }
    }
    words
}

async fn demo() -> Sandbox {
    Sandbox::start(SandboxOptions {
        demo: Demo::Three,
        ..SandboxOptions::in_memory()
    })
    .await
    .unwrap()
}

#[tokio::test]
async fn the_demo_comes_up_and_a_push_goes_through_its_phases_in_order() {
    let sandbox = demo().await;
    let states = watch_until(&sandbox, "guestbook", |state| {
        is(state, "Synced", "Progressing")
    })
    .await;
    eprintln!("{:#?}", story(&states));
    let deployment = include_str!("../../src/demo/guestbook/deployment.yaml")
        .replace("replicas: 2", "replicas: 3");
    let sha = sandbox
        .push(
            "demo",
            &[("guestbook/deployment.yaml", &deployment)],
            "Three replicas",
        )
        .await
        .unwrap();
    let states = watch_until(&sandbox, "guestbook", synced_at(&sha)).await;
    eprintln!("{:#?}", story(&states));
    eprintln!("{:#}", states.last().unwrap());
    sandbox.stop().await;
}
