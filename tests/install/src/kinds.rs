//! One object of each kind that the chart lets users see live.

use serde_json::{Value, json};

use crate::{console::Console, demo::Demo};

const NAME: &str = "sample";
const SAMPLES: &str = include_str!("kinds/samples.yaml");
/// Of which controllers tell events, and a runtime whom they belong to.
const TOLD_OF: [&str; 20] = [
    "Service",
    "Endpoints",
    "PersistentVolumeClaim",
    "ReplicationController",
    "HorizontalPodAutoscaler",
    "PodDisruptionBudget",
    "Ingress",
    "CronWorkflow",
    "ApplicationSet",
    "AppProject",
    "Pod",
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "ReplicaSet",
    "Job",
    "CronJob",
    "Rollout",
    "AnalysisRun",
    "Workflow",
];
/// What users may delete, and what is there to be deleted.
const DELETABLE: [&str; 3] = ["job", "replicaset", "pod"];

/// Reads an object of each kind through a runtime, and deletes those that may be.
pub(crate) fn see_and_delete(console: &Console, demo: &Demo<'_>, runtime: &str) {
    let namespace = demo.name;
    let samples = samples(namespace);
    demo.stage.apply(&samples);
    let place = ["--runtime", runtime, "--namespace", namespace];
    let generated = demo
        .stage
        .list(&["controllerrevisions", "-n", namespace])
        .remove(0);
    let visible = samples
        .iter()
        .filter(|sample| sample["kind"] != "CronWorkflow");
    for sample in visible.chain([&generated]) {
        let kind = named(sample);
        let name = sample["metadata"]["name"].as_str().unwrap();
        let live = console.run(&[&["resource", "live", &kind, name], &place[..]].concat());
        assert!(live.contains(&format!("name: {name}")), "{kind}: {live}");
    }
    let told_of = samples
        .iter()
        .filter(|sample| TOLD_OF.contains(&sample["kind"].as_str().unwrap()));
    let events: Vec<_> = told_of.map(|sample| event(demo, sample)).collect();
    demo.stage.apply(&events);
    for kind in DELETABLE {
        console.run(
            &[
                &["resource", "delete", kind, NAME, "--force", "--yes"],
                &place[..],
            ]
            .concat(),
        );
    }
}

/// As a controller writes one about an object.
fn event(demo: &Demo<'_>, sample: &Value) -> Value {
    let live = demo
        .stage
        .get(&[&named(sample), NAME, "--namespace", demo.name]);
    let kind = sample["kind"].as_str().unwrap();
    // Seconds, as the API has them.
    let now = jiff::Timestamp::now()
        .strftime("%Y-%m-%dT%H:%M:%SZ")
        .to_string();
    let about = json!({"apiVersion": live["apiVersion"], "kind": kind, "name": NAME, "namespace": demo.name,
        "uid": live["metadata"]["uid"]});
    json!({"apiVersion": "v1", "kind": "Event", "type": "Normal", "reason": reason(kind), "message": "Looked at",
        "metadata": {"name": format!("{NAME}-{}", kind.to_lowercase()), "namespace": demo.name},
        "involvedObject": about, "firstTimestamp": now, "lastTimestamp": now,
        "count": 1, "source": {"component": "test"}})
}

fn reason(kind: &str) -> String {
    format!("Looked{kind}")
}

/// `KIND`, or `KIND.GROUP`.
fn named(object: &Value) -> String {
    let kind = object["kind"].as_str().unwrap();
    match object["apiVersion"].as_str().unwrap().split_once('/') {
        Some((group, _)) => format!("{kind}.{group}"),
        None => kind.to_owned(),
    }
}

fn samples(namespace: &str) -> Vec<Value> {
    let mut samples: Vec<Value> = serde_saphyr::from_multiple(SAMPLES).unwrap();
    for sample in &mut samples {
        sample["metadata"] = json!({"name": NAME, "namespace": namespace});
    }
    samples
}
