//! Applications that hurt: each arrives, cut where there is too much of it, and disturbs no other.

use std::collections::BTreeMap;

use causeway_proto::inventory::v1::{self as pb, GetApplicationRequest};
use causeway_sandbox::{Sandbox, SandboxOptions};
use causeway_testkit::{Mesh, wait_until};
use serde_json::{Value, json};

use crate::world::{PATIENCE, application, create};

/// An Application that Argo CD leaves as it is.
fn write(sandbox: &Sandbox, name: &str, change: impl FnOnce(&mut Value)) {
    let mut object = application(sandbox, name);
    object["metadata"]["namespace"] = json!("default");
    object["metadata"]["annotations"] = json!({"argocd.argoproj.io/skip-reconcile": "true"});
    change(&mut object);
    let written = sandbox.kube().write_raw("applications.argoproj.io", object);
    assert!(written.is_some(), "{name}");
}

async fn told(mesh: &Mesh, namespace: &str, name: &str) -> pb::Application {
    told_as(mesh, namespace, name, |_| true).await
}

async fn told_as(
    mesh: &Mesh,
    namespace: &str,
    name: &str,
    wanted: fn(&pb::Application) -> bool,
) -> pb::Application {
    wait_until(name, PATIENCE, async || {
        let request = GetApplicationRequest {
            runtime: "east".to_owned(),
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            ..GetApplicationRequest::default()
        };
        let answer = mesh.applications().get_application(request).await;
        let answer = answer.map_err(|status| status.to_string())?.into_inner();
        let application = answer.application.unwrap_or_default();
        if wanted(&application) {
            Ok(application)
        } else {
            Err(format!("{:?}", status(&application).omissions))
        }
    })
    .await
}

fn status(application: &pb::Application) -> pb::ApplicationStatus {
    application.status.clone().unwrap_or_default()
}

fn omitted(application: &pb::Application) -> Vec<(String, u64, u64)> {
    let omissions = status(application).omissions.into_iter();
    omissions.map(|it| (it.field, it.total, it.kept)).collect()
}

/// What is as it should be is told after all that is not.
async fn others_are_told(mesh: &Mesh) {
    create(mesh.sandbox(), &application(mesh.sandbox(), "calm")).await;
    told(mesh, "argocd", "calm").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_and_missing_fields_are_harmless() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    write(mesh.sandbox(), "strange", |object| {
        object["future"] = json!({"a": [1, {"b": null}]});
        object["spec"]["future"] = json!("x");
        object["spec"]["source"]["future"] = json!([[]]);
        object["status"] = json!({"future": {}, "sync": {"status": "FromTheFuture", "future": 1}, "health": {"status": "Dancing"}});
    });
    write(mesh.sandbox(), "bare", |object| {
        object.as_object_mut().unwrap().remove("spec");
    });
    write(mesh.sandbox(), "nothing", |object| {
        object["spec"] = Value::Null;
        object["status"] = Value::Null;
    });
    let strange = status(&told(&mesh, "default", "strange").await);
    assert_eq!(strange.sync.unwrap().status(), pb::SyncStatus::Unknown);
    assert_eq!(strange.health.unwrap().status(), pb::HealthStatus::Unknown);
    for name in ["bare", "nothing"] {
        let bare = told(&mesh, "default", name).await;
        assert_eq!(omitted(&bare), []);
        assert_eq!(bare.spec.unwrap_or_default().sources, []);
    }
    others_are_told(&mesh).await;
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn large_states_arrive_and_oversized_ones_record_omissions() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let resource = |number: usize| json!({"version": "v1", "kind": "ConfigMap", "namespace": "x", "name": format!("n-{number:05}-{}", "n".repeat(200)), "status": "Synced"});
    let resources = |count: usize| json!((0..count).map(resource).collect::<Vec<_>>());
    write(mesh.sandbox(), "many", |object| {
        object["status"] = json!({"resources": resources(2_000)});
    });
    write(mesh.sandbox(), "too-many", |object| {
        object["status"] = json!({"resources": resources(25_000)});
    });
    let condition = |number: usize| json!({"type": "ComparisonError", "message": format!("{number} {}", "ü".repeat(6_000))});
    let conditions: Vec<_> = (0..300).map(condition).collect();
    write(mesh.sandbox(), "complaining", |object| {
        object["status"] = json!({"conditions": conditions});
    });
    let many = told(&mesh, "default", "many").await;
    assert_eq!(
        (status(&many).resources.len(), omitted(&many)),
        (2_000, vec![])
    );
    let too_many = told(&mesh, "default", "too-many").await;
    let kept = status(&too_many).resources.len() as u64;
    assert!(kept >= 5_000, "{kept}");
    assert_eq!(omitted(&too_many), [("resources".to_owned(), 25_000, kept)]);
    let complaining = status(&told(&mesh, "default", "complaining").await);
    assert_eq!(
        (complaining.conditions.len(), complaining.errors.len()),
        (300, 100)
    );
    let message = &complaining.conditions[299].message;
    assert!(message.starts_with("299 ü") && message.ends_with("ü…") && message.len() <= 4096);
    others_are_told(&mesh).await;
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_and_labels_are_truncated_beyond_their_limits() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let name = [
        ["n".repeat(63), "a".repeat(63), "m".repeat(63)].join("."),
        "e".repeat(61),
    ]
    .join(".");
    assert_eq!(name.len(), 253);
    let key = format!(
        "{}/{}",
        [
            "p".repeat(63),
            "q".repeat(63),
            "r".repeat(63),
            "s".repeat(61)
        ]
        .join("."),
        "k".repeat(63)
    );
    let label = key.clone();
    write(mesh.sandbox(), &name, move |object| {
        object["metadata"]["labels"] = json!({label: "v".repeat(63)});
    });
    let labels: BTreeMap<_, _> = (0..1_500).map(|it| (format!("l-{it}"), "v")).collect();
    write(mesh.sandbox(), "labelled", |object| {
        object["metadata"]["labels"] = json!(labels);
        object["spec"]["project"] = json!("p".repeat(300));
    });
    let limit = told(&mesh, "default", &name).await;
    assert_eq!(limit.labels.get(&key), Some(&"v".repeat(63)));
    assert_eq!(omitted(&limit), []);
    let labelled = told(&mesh, "default", "labelled").await;
    let wanted = [
        ("labels".to_owned(), 1_500, 1_000),
        ("spec.project".to_owned(), 300, 253),
    ];
    assert_eq!(omitted(&labelled), wanted);
    others_are_told(&mesh).await;
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn clock_skew_and_invalid_times_are_harmless() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let times = [
        ("future", "2999-01-01T00:00:00Z", Some(32_472_144_000)),
        ("past", "0001-01-01T00:00:00Z", Some(-62_135_596_800)),
        (
            "offset",
            "2026-01-01T01:00:00.25+01:00",
            Some(1_767_225_600),
        ),
        ("before", "-009999-01-02T00:00:00Z", None),
        ("garbage", "an hour ago 🕐", None),
    ];
    for (name, time, _) in times {
        write(mesh.sandbox(), name, |object| {
            object["metadata"]["creationTimestamp"] = json!(time);
            object["status"] = json!({
                "reconciledAt": time,
                "health": {"status": "Healthy", "lastTransitionTime": time},
                "conditions": [{"type": "UnknownError", "message": "x", "lastTransitionTime": time}],
                "operationState": {"phase": "Failed", "message": "x", "startedAt": time, "finishedAt": time},
                "history": [{"id": 1, "revision": "a", "deployedAt": time, "deployStartedAt": time}],
            });
        });
    }
    for (name, _, wanted) in times {
        let state = status(&told(&mesh, "default", name).await);
        let seconds = |time: Option<prost_types::Timestamp>| time.map(|time| time.seconds);
        assert_eq!(seconds(state.reconciled_at), wanted, "{name}");
        assert_eq!(seconds(state.history[0].deployed_at), wanted, "{name}");
        assert_eq!(seconds(state.errors[0].last_seen), wanted, "{name}");
        assert_eq!(state.errors.len(), 2, "{name}");
    }
    others_are_told(&mesh).await;
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_mebibyte_manifest_is_omitted_and_recorded() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let map = |name: &str, text: &str| {
        let metadata = json!({"name": name, "namespace": "default"});
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": text}})
            .to_string()
    };
    let files = [
        ("big/big.json", map("big", &"x".repeat(10 << 20))),
        ("big/small.json", map("small", "x")),
    ];
    let files = files.each_ref().map(|(path, text)| (*path, text.as_str()));
    mesh.sandbox()
        .push("apps", &files, "Add a big one")
        .await
        .unwrap();
    create(mesh.sandbox(), &application(mesh.sandbox(), "big")).await;
    let big = told_as(&mesh, "argocd", "big", |it| !omitted(it).is_empty()).await;
    let (field, total, kept) = omitted(&big).remove(0);
    assert_eq!((field.as_str(), kept), ("desired manifest", 0));
    assert!(total > 10 << 20, "{total}");
    let small = status(&big)
        .resources
        .into_iter()
        .find(|it| it.name == "small");
    assert!(!small.unwrap().desired_digest.is_empty());
    others_are_told(&mesh).await;
    mesh.stop().await;
}
