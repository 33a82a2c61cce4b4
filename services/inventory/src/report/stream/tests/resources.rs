//! Streams of other kinds than applications.

use super::*;
use crate::{
    fixture::resource::{event, every, rollout, scope_for},
    resource::ResourceFilter,
};

fn hello_for(kind: &str) -> Hello {
    Hello {
        kind: kind.parse().unwrap(),
        ..hello(1)
    }
}

/// A report of a Rollout of an application whose cluster is not told.
fn web(sequence: u64, resource_version: u64) -> Report {
    let position = crate::fixture::at(resource_version, 1, sequence);
    let change = rollout("u1", "web", position, Some("app"));
    let mut state = change.state.unwrap();
    state.application.as_mut().unwrap().cluster = "".into();
    Report {
        sequence,
        object: change.object,
        uid: change.uid,
        resource_version,
        state: Some(ReportedState::Resource(Box::new(state))),
        operations: Vec::new(),
        trace: None,
    }
}

fn happened(sequence: u64) -> Report {
    let position = crate::fixture::at(9, 1, sequence);
    let change = event("e1", "web", position, None, 1_000);
    Report {
        sequence,
        object: change.object,
        uid: change.uid,
        resource_version: 9,
        state: change.state.map(Box::new).map(ReportedState::Event),
        operations: Vec::new(),
        trace: None,
    }
}

async fn listed(store: &dyn Store, filter: &ResourceFilter) -> Vec<(String, u64)> {
    let account = account("default");
    let page = store
        .reads()
        .list_resources(&account, filter, View::Full, None, 100);
    let records = page.await.unwrap().items.into_iter();
    records
        .map(|record| (record.key.name, record.resource_version))
        .collect()
}

async fn rejected(wire: &mut Wire) -> (u64, String) {
    let Outgoing::Rejected(rejection) = wire.next().await else {
        panic!("it is rejected");
    };
    (rejection.sequence, rejection.error.to_string())
}

#[tokio::test]
async fn a_resource_is_acknowledged_and_told_as_held_to_streams_of_its_kind_alone() {
    for bench in Bench::all().await {
        let inventory = bench.inventory();
        let (mut wire, _, held) = Wire::open(&inventory, hello_for("rollouts.argoproj.io")).await;
        assert!(held.is_empty());
        wire.send(sent(web(1, 7)));
        assert_eq!(wire.acknowledged(1).await, [1]);
        drop(wire);
        let (_, _, held) = Wire::open(&inventory, hello_for("rollouts.argoproj.io")).await;
        assert_eq!((held.len(), held[0].resource_version), (1, 7));
        for other in ["applications.argoproj.io", "replicasets.apps", "events"] {
            let (_, _, held) = Wire::open(&inventory, hello_for(other)).await;
            assert!(held.is_empty(), "{other}");
        }
        let store = &*bench.store;
        assert_eq!(listed(store, &every()).await, [("web".to_owned(), 7)]);
        // Where no cluster is named the application is of the same one.
        crate::fixture::report(
            store,
            crate::fixture::live("a1", "app", crate::fixture::at(1, 1, 1)),
        )
        .await;
        let of_app = ResourceFilter {
            application: "app".to_owned(),
            ..every()
        };
        assert_eq!(listed(store, &of_app).await.len(), 1);
    }
}

#[tokio::test]
async fn a_deletion_of_a_resource_is_of_the_kind_of_its_stream() {
    for bench in Bench::all().await {
        let inventory = bench.inventory();
        let (mut wire, _, _) = Wire::open(&inventory, hello_for("rollouts.argoproj.io")).await;
        wire.send(sent(web(1, 7)));
        wire.acknowledged(1).await;
        let ended = |sequence| Report {
            state: None,
            ..web(sequence, 9)
        };
        let (mut other, _, _) = Wire::open(&inventory, hello_for("replicasets.apps")).await;
        other.send(sent(ended(1)));
        other.acknowledged(1).await;
        assert_eq!(listed(&*bench.store, &every()).await.len(), 1);
        wire.send(sent(ended(2)));
        wire.acknowledged(1).await;
        assert_eq!(listed(&*bench.store, &every()).await, []);
    }
}

#[tokio::test]
async fn what_is_of_another_kind_than_its_stream_is_rejected_and_the_stream_goes_on() {
    let inventory = Bench::memory().inventory();
    let group = |group: &str, sequence| {
        let mut report = web(sequence, 7);
        if let Some(ReportedState::Resource(state)) = &mut report.state {
            state.group = group.into();
        }
        report
    };
    let nowhere = |sequence| Report {
        object: ObjectName {
            namespace: "".into(),
            name: "web".into(),
        },
        ..report(sequence, "web", 7)
    };
    for (kind, wrong, field, good) in [
        (
            "applications.argoproj.io",
            web(1, 7),
            "change",
            report(2, "web", 7),
        ),
        (
            "applications.argoproj.io",
            happened(1),
            "change",
            report(2, "web", 7),
        ),
        (
            "applications.argoproj.io",
            nowhere(1),
            "namespace",
            report(2, "web", 7),
        ),
        (
            "rollouts.argoproj.io",
            report(1, "web", 7),
            "change",
            web(2, 7),
        ),
        ("rollouts.argoproj.io", happened(1), "change", web(2, 7)),
        (
            "rollouts.argoproj.io",
            group("apps", 1),
            "resource.group",
            web(2, 7),
        ),
        ("events", web(1, 7), "change", happened(2)),
        ("events", report(1, "web", 7), "change", happened(2)),
    ] {
        let (mut wire, _, _) = Wire::open(&inventory, hello_for(kind)).await;
        wire.send(sent(wrong));
        let (sequence, told) = rejected(&mut wire).await;
        assert_eq!(sequence, 1);
        assert!(told.starts_with(&format!("{field} ")), "{kind}: {told}");
        wire.send(sent(good));
        assert_eq!(wire.acknowledged(1).await, [2]);
    }
}

#[tokio::test]
async fn an_event_is_acknowledged_and_told_as_held() {
    for bench in Bench::all().await {
        let inventory = bench.inventory();
        let (mut wire, _, _) = Wire::open(&inventory, hello_for("events")).await;
        wire.send(sent(happened(1)));
        assert_eq!(wire.acknowledged(1).await, [1]);
        drop(wire);
        let (_, _, held) = Wire::open(&inventory, hello_for("events")).await;
        assert_eq!(held.len(), 1);
        let scope = scope_for("events");
        let held = bench.store.reads().list_held(&scope, None, 10);
        assert_eq!(held.await.unwrap()[0].resource_version, 9);
    }
}

#[tokio::test]
async fn a_manifest_of_a_resource_is_wanted_and_then_it_is_acknowledged() {
    for bench in Bench::all().await {
        let inventory = bench.inventory();
        let (mut wire, _, _) = Wire::open(&inventory, hello_for("rollouts.argoproj.io")).await;
        let digest = Digest::of(b"{}");
        let mut report = web(1, 7);
        if let Some(ReportedState::Resource(state)) = &mut report.state {
            state.manifest = Some(digest);
        }
        wire.send(sent(report));
        assert_eq!(wire.next().await, Outgoing::Wanted(1, vec![digest]));
        wire.send(Incoming::Manifest(digest, Bytes::from_static(b"{}")));
        assert_eq!(wire.acknowledged(1).await, [1]);
    }
}
