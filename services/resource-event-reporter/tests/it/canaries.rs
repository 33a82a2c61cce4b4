//! Secrets in objects and events of Argo Rollouts and Argo Workflows do not leave the cluster.

use causeway_argocd::redact::Redactor;
use causeway_testkit::{Canaries, Canary, Seen};
use serde_json::{Value, json};

use crate::stage::{Stage, TRACKING_ID, create, define};

const REPORTED: [(&str, &str); 3] = [
    ("Rollout", "rollouts.argoproj.io"),
    ("AnalysisRun", "analysisruns.argoproj.io"),
    ("Workflow", "workflows.argoproj.io"),
];

/// Returns some once each canary object with its manifest and both events were reported.
fn all_reported(seen: &Seen) -> Option<()> {
    for (_, kind) in REPORTED {
        let state = seen.state(kind, "nest")?;
        seen.manifests.get(&state.manifest_digest)?;
    }
    ["e.1", "e.2"]
        .iter()
        .all(|name| seen.state("events", name).is_some())
        .then_some(())
}

/// Creates the canary objects of an application. Returns their canaries.
async fn plant(stage: &Stage) -> Vec<Canary> {
    let canaries = Canaries::default();
    let mut planted = Vec::new();
    let mut rollout = String::new();
    for manifest in canaries.manifests {
        let kind = manifest["kind"].as_str().unwrap().to_owned();
        let mut object = manifest;
        object["metadata"]["namespace"] = json!("shop");
        if REPORTED.iter().any(|(reported, _)| *reported == kind) {
            let tracking = format!("web-app:argoproj.io/{kind}:shop/nest");
            object["metadata"]["annotations"] = json!({ TRACKING_ID: tracking });
        } else if kind == "Event" {
            let regarding = &mut object["involvedObject"];
            // The namespace of the involved object locates the event; its other fields must be redacted.
            regarding["namespace"] = json!("shop");
            if regarding["kind"] != "Secret" {
                *regarding = involved("argoproj.io/v1alpha1", "Rollout", &rollout);
            } else {
                let secret = json!({
                    "apiVersion": "v1", "kind": "Secret",
                    "metadata": {
                        "namespace": "shop", "name": "nest",
                        "annotations": {TRACKING_ID: "web-app:/Secret:shop/nest"},
                    },
                });
                let uid = create(&stage.kube, secret).await;
                *regarding = involved("v1", "Secret", &uid);
            }
        } else {
            continue;
        }
        planted.push(object.to_string());
        let uid = create(&stage.kube, object).await;
        if kind == "Rollout" {
            rollout = uid;
        }
    }
    let all = planted.concat();
    let there = canaries.all.into_iter();
    there.filter(|it| it.is_in(all.as_bytes())).collect()
}

fn involved(api_version: &str, kind: &str, uid: &str) -> Value {
    json!({"apiVersion": api_version, "kind": kind, "namespace": "shop", "name": "nest", "uid": uid})
}

/// Returns which canaries reach the inventory.
async fn found(redactor: Redactor) -> (usize, Vec<&'static str>) {
    let mut stage = Stage::set().await;
    define(&stage.kube, "Workflow", "workflows").await;
    stage.redactor = redactor;
    let planted = plant(&stage).await;
    stage.report().await;
    stage.inventory.until("all of it", all_reported).await;
    let wire = stage.inventory.seen().wire.clone();
    let found = planted.iter().filter(|canary| canary.is_in(&wire));
    let found = found.map(|canary| canary.place).collect();
    (planted.len(), found)
}

#[tokio::test]
async fn secrets_of_running_objects_never_reach_the_inventory() {
    let (planted, found) = found(Redactor::new(b"a key")).await;
    assert!(planted >= 8, "{planted}");
    assert_eq!(found, Vec::<&str>::new());
}

#[tokio::test]
async fn canary_search_finds_unredacted_secrets() {
    let (planted, found) = found(Redactor::transparent()).await;
    assert_eq!(found.len(), planted, "{found:?}");
}
