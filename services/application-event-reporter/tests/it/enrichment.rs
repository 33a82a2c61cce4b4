//! Enrichment follows the state, and its absence delays nothing.

use causeway_proto::{inventory::v1 as pb, source::v1 as source};
use serde_json::json;
use tonic::Status;

use crate::{
    source::{Answer, Source},
    stage::Stage,
};

const CANARY: &str = "c4n4ry-1n-th3-l1v3-0bj3ct";
const REVISION: &str = "0123456789abcdef0123456789abcdef01234567";

fn status() -> serde_json::Value {
    json!({
        "sync": {"status": "Synced", "revision": REVISION},
        "health": {"status": "Healthy"},
        "resources": [
            {"version": "v1", "kind": "Secret", "namespace": "x", "name": "s", "status": "Synced"},
        ],
    })
}

fn answer() -> Answer {
    let secret = |value: &str| {
        json!({
            "kind": "Secret", "metadata": {"name": "s", "annotations": {"copy.example.com/of": value}},
            "data": {"password": value},
        })
    };
    Answer {
        nodes: vec![source::ResourceNode {
            version: "v1".to_owned(),
            kind: "Secret".to_owned(),
            namespace: "x".to_owned(),
            name: "s".to_owned(),
            uid: "uid-of-s".to_owned(),
            health: "Healthy".to_owned(),
            health_message: format!("token={CANARY}"),
            ..source::ResourceNode::default()
        }],
        resources: vec![source::ManagedResource {
            kind: "Secret".to_owned(),
            namespace: "x".to_owned(),
            name: "s".to_owned(),
            live_json: secret(&format!("password: {CANARY}")).to_string(),
            desired_json: secret(&format!("https://u:{CANARY}@h/x")).to_string(),
            ..source::ManagedResource::default()
        }],
        ..Answer::default()
    }
}

#[tokio::test]
async fn enrichment_follows_the_state_without_secrets() {
    let served = Source::start().await;
    served.source.answer("web", answer());
    let mut stage = Stage::set().await;
    stage.source = Some(served.peer.clone());
    stage.create_with("web", status()).await;
    stage.report().await;
    let known = i32::from(pb::Knowledge::Known);
    let whole = stage
        .inventory
        .until("the whole state", |seen| {
            let status = seen.named("web")?.status().clone();
            (status.desired.as_ref()?.knowledge == known).then_some(status)
        })
        .await;
    let commit = whole.commit.unwrap();
    assert_eq!(
        (commit.sha.as_str(), commit.author.as_str()),
        (REVISION, "Ada <ada@example.com>")
    );
    let resource = &whole.resources[0];
    assert_eq!(
        (resource.uid.as_str(), whole.resources.len()),
        ("uid-of-s", 1)
    );
    let seen = stage.inventory.seen();
    for digest in [&resource.live_digest, &resource.desired_digest] {
        assert!(seen.manifests.contains_key(digest));
    }
    let wire = String::from_utf8_lossy(&seen.wire).into_owned();
    assert!(
        !wire.contains(CANARY) && wire.contains("(redacted "),
        "a secret left the cluster"
    );
    let versions: Vec<u64> = seen
        .reports
        .iter()
        .map(|report| report.resource_version)
        .collect();
    assert!(
        versions.windows(2).all(|pair| pair[0] == pair[1]),
        "{versions:?}"
    );
}

#[tokio::test]
async fn one_application_that_hangs_delays_no_other() {
    let served = Source::start().await;
    let hanging = Answer {
        hangs: true,
        ..Answer::default()
    };
    served.source.answer("hangs", hanging);
    served.source.answer("web", answer());
    let mut stage = Stage::set().await;
    stage.source = Some(served.peer.clone());
    stage.create_with("hangs", status()).await;
    stage.create_with("web", status()).await;
    stage.report().await;
    stage.converge("both states").await;
    stage
        .inventory
        .until("the tree of the other", |seen| {
            (!seen.named("web")?.status().resources[0].uid.is_empty()).then_some(())
        })
        .await;
    stage.touch("hangs", "a").await;
    stage.converge("the next state of the one that hangs").await;
}

#[tokio::test]
async fn desired_state_without_token_is_unknown_with_a_reason() {
    let served = Source::start().await;
    let refusal = Status::failed_precondition("no token of Argo CD is configured");
    let refused = Answer {
        refusal: Some(refusal),
        ..Answer::default()
    };
    served.source.answer("web", refused);
    let mut stage = Stage::set().await;
    stage.source = Some(served.peer.clone());
    stage.create_with("web", status()).await;
    stage.report().await;
    let reason = stage
        .inventory
        .until("the reason", |seen| {
            let desired = seen.named("web")?.status().desired.clone()?;
            (desired.reason != "not asked for yet").then_some(desired)
        })
        .await;
    assert_eq!(reason.knowledge, i32::from(pb::Knowledge::Unknown));
    assert_eq!(reason.reason, "no token of Argo CD is configured");
}

#[tokio::test]
async fn restart_does_not_resend_enriched_states() {
    let served = Source::start().await;
    served.source.answer("web", answer());
    let mut stage = Stage::set().await;
    stage.source = Some(served.peer.clone());
    stage.create_with("web", status()).await;
    stage.report().await;
    let known = i32::from(pb::Knowledge::Known);
    let look = |seen: &causeway_testkit::Seen| {
        (seen.named("web")?.status().desired.as_ref()?.knowledge == known).then_some(())
    };
    stage.inventory.until("the whole state", look).await;
    stage.crash().await;
    let before = stage.inventory.seen().reports.len();
    stage.report().await;
    stage.create("other").await;
    stage
        .inventory
        .until("the other", |seen| seen.named("other").map(|_| ()))
        .await;
    let seen = stage.inventory.seen();
    let again = seen.reports[before..]
        .iter()
        .filter(|report| report.name == "web");
    assert_eq!(again.count(), 0);
}
