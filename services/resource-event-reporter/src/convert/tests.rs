use std::sync::Arc;

use causeway_proto::inventory::v1 as pb;
use causeway_reporting::Enrichment as _;
use prost::Message as _;
use prost_reflect::DynamicMessage;
use serde_json::{Value, json};

use super::{cut, to_state};
use crate::{
    detail::Sort,
    object::Object,
    owners::{ApplicationName, Owners},
    rollout_children::ChildSet,
};

fn read(sort: Sort, mut object: Value) -> Object {
    let metadata = object["metadata"].as_object_mut().unwrap();
    for (field, value) in [
        ("namespace", "shop"),
        ("uid", "u"),
        ("resourceVersion", "7"),
    ] {
        metadata.entry(field).or_insert_with(|| value.into());
    }
    Object::read(object, sort).unwrap()
}

fn owners() -> Owners {
    Owners {
        application: Some(ApplicationName {
            cluster: String::new(),
            namespace: "argocd".to_owned(),
            name: "web".to_owned(),
        }),
        ..Owners::without_source()
    }
}

/// A canary that pauses at its first weight, as written by Argo Rollouts.
fn rollout() -> Object {
    let rollout = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "Rollout",
        "metadata": {"name": "web", "labels": {"team": "a"}, "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {
            "replicas": 4,
            "strategy": {"canary": {"steps": [{"setWeight": 25}, {"pause": {}}]}},
            "template": {"spec": {"containers": [{"image": "web:2"}]}},
        },
        "status": {
            "phase": "Paused", "message": "CanaryPauseStep", "currentStepIndex": 1, "HPAReplicas": 4,
            "pauseConditions": [{"reason": "CanaryPauseStep", "startTime": "2026-01-01T00:01:00Z"}],
            "stableRS": "aaa", "currentPodHash": "bbb", "controllerPause": true,
            "canary": {"currentStepAnalysisRunStatus": null}, "blueGreen": {}, "abort": null,
            "readyReplicas": 4, "availableReplicas": 4, "updatedReplicas": 1,
        },
    });
    read(Sort::Rollout, rollout)
}

fn set(hash: &str, revision: u32, replicas: u32) -> Arc<Object> {
    let set = json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": {
            "name": format!("web-{hash}"), "labels": {"rollouts-pod-template-hash": hash},
            "annotations": {"rollout.argoproj.io/revision": revision.to_string()},
        },
        "spec": {"replicas": replicas, "template": {"spec": {"containers": [{"image": format!("web:{revision}")}]}}},
        "status": {"readyReplicas": replicas, "availableReplicas": replicas},
    });
    Arc::new(read(Sort::ReplicaSet, set))
}

fn run(name: &str, hash: &str, created: &str) -> Arc<Object> {
    let run = json!({
        "apiVersion": "argoproj.io/v1alpha1", "kind": "AnalysisRun",
        "metadata": {"name": name, "labels": {"rollouts-pod-template-hash": hash}, "creationTimestamp": created},
        "status": {"phase": "Running"},
    });
    Arc::new(read(Sort::AnalysisRun, run))
}

fn detail(object: &Object, owners: &Owners) -> pb::resource_state::Detail {
    to_state(object, owners).0.detail.unwrap()
}

#[test]
fn rollout_state_has_steps_weights_pause_and_revisions() {
    let children = ChildSet {
        replica_sets: vec![set("aaa", 1, 3), set("bbb", 2, 1)],
        analysis_runs: vec![
            run("old", "bbb", "2026-01-01T00:00:00Z"),
            run("new", "bbb", "2026-01-02T00:00:00Z"),
        ],
    };
    let owners = Owners {
        children,
        ..owners()
    };
    let pb::resource_state::Detail::Rollout(rollout) = detail(&rollout(), &owners) else {
        panic!("no rollout");
    };
    assert_eq!(rollout.strategy(), pb::RolloutStrategy::Canary);
    assert_eq!((rollout.current_step, rollout.step_count), (Some(1), 2));
    assert_eq!(
        (rollout.actual_weight, rollout.desired_weight),
        (Some(25), Some(25))
    );
    let pause = rollout.pause.unwrap();
    assert_eq!(
        (pause.reason.as_str(), pause.since.unwrap().seconds),
        ("CanaryPauseStep", 1_767_225_660)
    );
    let [new, old] = &rollout.revisions[..] else {
        panic!("{:?}", rollout.revisions);
    };
    assert_eq!(
        (new.number, &*new.images, &*new.roles),
        (
            2,
            &["web:2".to_owned()][..],
            &[pb::RolloutRole::Canary.into()][..]
        )
    );
    assert_eq!(
        (old.number, &*old.images, &*old.roles),
        (
            1,
            &["web:1".to_owned()][..],
            &[pb::RolloutRole::Stable.into()][..]
        )
    );
    let runs: Vec<&str> = new
        .analysis_runs
        .iter()
        .map(|it| it.name.as_str())
        .collect();
    assert_eq!((runs, old.analysis_runs.len()), (vec!["new", "old"], 0));
}

#[test]
fn state_has_type_owner_and_health() {
    let (state, root) = to_state(&rollout(), &owners());
    assert_eq!(
        (
            state.group.as_str(),
            state.version.as_str(),
            state.kind.as_str()
        ),
        ("argoproj.io", "v1alpha1", "Rollout")
    );
    assert_eq!(state.application.clone().unwrap().name, "web");
    assert_eq!(
        state.health.clone().unwrap().status(),
        pb::HealthStatus::Suspended
    );
    assert_eq!(
        (state.images.as_slice(), state.labels["team"].as_str()),
        (&["web:2".to_owned()][..], "a")
    );
    assert_eq!(state.root_digest, root.to_bytes());
    assert_eq!(to_state(&rollout(), &owners()).1, root);
    assert_ne!(to_state(&rollout(), &Owners::without_source()).1, root);
}

#[test]
fn blue_green_rollout_has_active_and_preview_revisions() {
    let rollout = json!({
        "metadata": {"name": "web"},
        "spec": {"paused": true, "strategy": {"blueGreen": {"activeService": "a"}}},
        "status": {"blueGreen": {"activeSelector": "aaa", "previewSelector": "bbb"}},
    });
    let children = ChildSet {
        replica_sets: vec![set("aaa", 1, 1), set("bbb", 2, 1)],
        ..ChildSet::default()
    };
    let owners = Owners {
        children,
        ..owners()
    };
    let pb::resource_state::Detail::Rollout(rollout) =
        detail(&read(Sort::Rollout, rollout), &owners)
    else {
        panic!("no rollout");
    };
    let roles: Vec<_> = rollout.revisions.iter().flat_map(|it| it.roles()).collect();
    assert_eq!(roles, [pb::RolloutRole::Preview, pb::RolloutRole::Active]);
    assert_eq!((rollout.actual_weight, rollout.current_step), (None, None));
    assert_eq!(rollout.pause.unwrap().reason, "spec.paused");
}

#[test]
fn analysis_run_has_its_last_measurements() {
    let run = json!({
        "metadata": {"name": "run"},
        "status": {"phase": "Failed", "metricResults": [{
            "name": "errors", "phase": "Failed", "failed": 2, "successful": 1,
            "measurements": [{"value": "0.1"}, {"value": "0.7"}],
        }]},
    });
    let run = read(Sort::AnalysisRun, run);
    let pb::resource_state::Detail::AnalysisRun(reported) = detail(&run, &owners()) else {
        panic!("no run");
    };
    let metric = &reported.metrics[0];
    assert_eq!(
        (metric.failed, metric.successful, metric.last_value.as_str()),
        (2, 1, "0.7")
    );
    assert_eq!(
        to_state(&run, &owners()).0.health.unwrap().status(),
        pb::HealthStatus::Degraded
    );
}

#[test]
fn large_workflow_is_truncated_to_its_first_nodes() {
    let nodes = (0..700).map(|number| {
        let minute = format!("2026-01-01T{:02}:{:02}:00Z", number / 60, number % 60);
        (
            format!("n{number:03}"),
            json!({"displayName": "step", "type": "Pod", "startedAt": minute}),
        )
    });
    let nodes: serde_json::Map<String, Value> = nodes.collect();
    let workflow = json!({"metadata": {"name": "w"}, "status": {"phase": "Running", "progress": "3/5", "nodes": nodes}});
    let pb::resource_state::Detail::Workflow(reported) =
        detail(&read(Sort::Workflow, workflow), &owners())
    else {
        panic!("no workflow");
    };
    assert_eq!(
        (
            reported.nodes.len(),
            reported.node_count,
            reported.nodes[0].id.as_str()
        ),
        (500, 700, "n000")
    );
}

#[test]
fn event_has_count_and_times() {
    let event = json!({
        "metadata": {"name": "web.1"}, "type": "Warning", "reason": "BackOff", "message": "again",
        "eventTime": "2026-01-01T00:00:00Z", "firstTimestamp": null, "count": null,
        "series": {"count": 5, "lastObservedTime": "2026-01-01T00:05:00Z"},
        "source": {"component": "kubelet"},
        "involvedObject": {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-1", "uid": "s"},
    });
    let pb::resource_state::Detail::Event(reported) = detail(&read(Sort::Event, event), &owners())
    else {
        panic!("no event");
    };
    assert_eq!(
        (reported.count, reported.reporting_component.as_str()),
        (5, "kubelet")
    );
    assert_eq!(
        reported.last_seen.unwrap().seconds - reported.first_seen.unwrap().seconds,
        300
    );
    assert_eq!(reported.regarding.unwrap().group, "apps");
}

/// Objects with oversized user-controlled fields.
fn hostile() -> Vec<Object> {
    let long = "x".repeat(5_000);
    let labels: serde_json::Map<String, Value> = (0..2_000)
        .map(|number| (format!("label-{number}"), "a".into()))
        .chain([
            (long.clone(), "a".into()),
            ("b".to_owned(), long.as_str().into()),
        ])
        .collect();
    let owners = vec![json!({"apiVersion": long, "kind": long, "name": long, "uid": long}); 50];
    let containers: Vec<Value> = (0..200)
        .map(|number| json!({"image": format!("i{number}")}))
        .chain([json!({"image": long})])
        .collect();
    let nodes: serde_json::Map<String, Value> = (0..600)
        .map(|number| {
            let node = json!({
                "displayName": long, "type": long, "phase": long, "message": long, "templateName": long,
                "children": vec![long.as_str(); 20],
            });
            (format!("{number}{long}"), node)
        })
        .collect();
    let metrics = vec![
        json!({"name": long, "phase": long, "message": long, "measurements": [{"value": long}]});
        200
    ];
    let metadata = json!({"name": "w", "labels": labels, "ownerReferences": owners});
    let object = |sort, rest: Value| {
        let mut object = json!({"apiVersion": "v1", "kind": "X", "metadata": metadata});
        for (field, value) in rest.as_object().unwrap() {
            object[field] = value.clone();
        }
        read(sort, object)
    };
    let template = json!({"spec": {"containers": containers}});
    let steps = vec![json!({long.as_str(): 1}); 200];
    let rollout = json!({
        "spec": {"template": template, "strategy": {"canary": {"steps": steps}}},
        "status": {
            "phase": long, "message": long, "stableRS": long, "currentPodHash": long,
            "pauseConditions": [{"reason": long}],
        },
    });
    let regarding = json!({"apiVersion": format!("{long}/v1"), "kind": long, "namespace": long, "name": long, "uid": long});
    vec![
        object(Sort::Rollout, rollout),
        object(
            Sort::Workflow,
            json!({
                "spec": {"workflowTemplateRef": {"name": long}},
                "status": {"phase": long, "message": long, "progress": long, "nodes": nodes},
            }),
        ),
        object(
            Sort::AnalysisRun,
            json!({"status": {"phase": long, "message": long, "metricResults": metrics}}),
        ),
        object(
            Sort::Event,
            json!({"reason": long, "message": long, "type": long, "reportingComponent": long, "involvedObject": regarding}),
        ),
        object(Sort::Other, json!({"spec": {"template": template}})),
    ]
}

/// Oversized dependents of a Rollout.
fn hostile_children() -> Owners {
    let long = "x".repeat(5_000);
    let labels = json!({"rollouts-pod-template-hash": long});
    let containers: Vec<Value> = vec![json!({"image": long}), json!({"image": "web:1"})];
    let set = |number: usize| {
        let template = json!({"spec": {"containers": containers}});
        let metadata = json!({"name": format!("{number}{long}"), "labels": labels});
        let set = json!({"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": metadata, "spec": {"template": template}});
        Arc::new(read(Sort::ReplicaSet, set))
    };
    let run = |number: usize| {
        let metadata = json!({"name": format!("{number}{long}"), "labels": labels});
        let run = json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "AnalysisRun", "metadata": metadata, "status": {"phase": long},
        });
        Arc::new(read(Sort::AnalysisRun, run))
    };
    let children = ChildSet {
        replica_sets: (0..50).map(set).collect(),
        analysis_runs: (0..50).map(run).collect(),
    };
    Owners {
        children,
        ..owners()
    }
}

/// Returns the longest text in a message and its longest list or map.
fn longest(value: &Value) -> (usize, usize) {
    match value {
        Value::String(text) => (text.len(), 0),
        Value::Array(list) => list.iter().map(longest).fold((0, list.len()), most),
        Value::Object(map) => {
            let entries = map
                .iter()
                .map(|(name, value)| most((name.len(), 0), longest(value)));
            entries.fold((0, map.len()), most)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => (0, 0),
    }
}

fn most(one: (usize, usize), other: (usize, usize)) -> (usize, usize) {
    (one.0.max(other.0), one.1.max(other.1))
}

#[test]
fn oversized_objects_are_truncated_to_the_limits() {
    let descriptor = causeway_proto::descriptor_pool()
        .get_message_by_name("causeway.inventory.v1.ResourceState")
        .unwrap();
    for object in hostile() {
        let (state, _) = to_state(&object, &hostile_children());
        let encoded = state.encode_to_vec();
        assert!(encoded.len() < (4 << 20) - (64 << 10), "{}", encoded.len());
        let message = DynamicMessage::decode(descriptor.clone(), &encoded[..]).unwrap();
        let (text, list) = longest(&serde_json::to_value(&message).unwrap());
        assert!(text <= 4_096 && list <= 1_000, "{text} {list}");
        assert_eq!(state.owners.len(), 16);
    }
}

#[test]
fn long_text_is_truncated_at_a_character() {
    assert_eq!(cut("abc", 3), "abc");
    assert_eq!(cut("äöüß", 6), "ä…");
    assert!(cut(&"ß".repeat(4_000), 4_096).len() <= 4_096);
}
