//! Kubernetes events of the objects of applications.

use serde_json::{Value, json};

use crate::stage::{Stage, create, delete, replica_set, rollout};

const EVENT: (&str, &str) = ("v1", "Event");

fn event(name: &str, (api_version, kind): (&str, &str), regarding: &str, uid: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "Event", "metadata": {"namespace": "shop", "name": name},
        "type": "Warning", "reason": "BackOff", "message": "password=hunter2hunter2 is wrong", "count": 3,
        "involvedObject": {
            "apiVersion": api_version, "kind": kind, "namespace": "shop", "name": regarding, "uid": uid,
        },
    })
}

#[tokio::test]
async fn only_events_of_owned_objects_are_reported() {
    let mut stage = Stage::set().await;
    let rollout = create(&stage.kube, rollout("web")).await;
    let set = create(&stage.kube, replica_set("web-bbb", "web", &rollout)).await;
    let stranger = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"namespace": "shop", "name": "own"}});
    let stranger = create(&stage.kube, stranger).await;
    create(
        &stage.kube,
        event("a-stranger", ("v1", "ConfigMap"), "own", &stranger),
    )
    .await;
    create(
        &stage.kube,
        event("b-unknown", ("v1", "Pod"), "gone", "no-such-uid"),
    )
    .await;
    create(
        &stage.kube,
        event("c-owned", ("apps/v1", "ReplicaSet"), "web-bbb", &set),
    )
    .await;
    stage.report().await;
    let owned = stage
        .inventory
        .until("the event", |seen| seen.state("events", "c-owned").cloned())
        .await;
    assert_eq!(owned.application.unwrap().name, "web-app");
    create(
        &stage.kube,
        event(
            "d-later",
            ("argoproj.io/v1alpha1", "Rollout"),
            "web",
            &rollout,
        ),
    )
    .await;
    stage
        .inventory
        .until("the later event", |seen| {
            seen.state("events", "d-later").map(|_| ())
        })
        .await;
    let seen = stage.inventory.seen();
    let reported = seen.objects.values().filter(|it| it.kind == "events");
    let mut reported: Vec<&str> = reported.map(|it| it.report.name.as_str()).collect();
    reported.sort_unstable();
    assert_eq!(reported, ["c-owned", "d-later"]);
    assert!(!format!("{:?}", seen.objects).contains("hunter2hunter2"));
}

#[tokio::test]
async fn events_of_an_application_belong_to_it() {
    let mut stage = Stage::set().await;
    let of = ("argoproj.io/v1alpha1", "Application");
    let application = json!({
        "apiVersion": of.0, "kind": of.1, "metadata": {"namespace": "shop", "name": "web-app"},
        "spec": {"destination": {"namespace": "shop"}},
    });
    let uid = create(&stage.kube, application).await;
    create(&stage.kube, event("synced", of, "web-app", &uid)).await;
    stage.report().await;
    let belongs = |seen: &causeway_testkit::Seen| seen.belongs("events", "synced");
    let belongs = stage.inventory.until("the event", belongs).await;
    let itself = (String::new(), "shop".to_owned(), "web-app".to_owned());
    assert_eq!(belongs, itself);
}

#[tokio::test]
async fn expired_events_are_not_reported_as_deleted() {
    let mut stage = Stage::set().await;
    let rollout = create(&stage.kube, rollout("web")).await;
    let of_web = |name: &str| event(name, ("argoproj.io/v1alpha1", "Rollout"), "web", &rollout);
    for name in ["watched", "unwatched"] {
        create(&stage.kube, of_web(name)).await;
    }
    stage.report().await;
    let reported = |name: &'static str| {
        move |seen: &causeway_testkit::Seen| seen.state("events", name).map(|_| ())
    };
    for name in ["watched", "unwatched"] {
        stage.inventory.until(name, reported(name)).await;
    }
    delete(&stage.kube, EVENT, "watched").await;
    create(&stage.kube, of_web("after")).await;
    stage
        .inventory
        .until("the next event", reported("after"))
        .await;
    stage.stop().await;
    delete(&stage.kube, EVENT, "unwatched").await;
    stage.report().await;
    create(&stage.kube, of_web("last")).await;
    stage
        .inventory
        .until("the last event", reported("last"))
        .await;
    let seen = stage.inventory.seen();
    for name in ["watched", "unwatched", "after", "last"] {
        assert!(seen.state("events", name).is_some(), "{name}");
    }
}
