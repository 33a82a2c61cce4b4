use bytes::Bytes;
use causeway_proto::inventory::v1 as pb;
use prost::Message as _;

use super::{Base, MOST_MANIFESTS, delta, packed};
use crate::{
    convert,
    manifest::{Content, Digest},
};

/// The manifest of a Deployment as a cluster has it.
fn manifest(number: usize, replicas: u32) -> Content {
    let name = format!("service-{number:03}");
    let container = |part: &str| {
        format!(
            r#"{{"name":"{name}-{part}","image":"registry.example.com/{part}/{name}:v1.{number}","imagePullPolicy":"IfNotPresent","ports":[{{"containerPort":8080,"name":"http","protocol":"TCP"}}],"resources":{{"limits":{{"cpu":"{number}m","memory":"512Mi"}},"requests":{{"cpu":"100m","memory":"128Mi"}}}},"livenessProbe":{{"httpGet":{{"path":"/healthz","port":"http"}},"periodSeconds":10}},"terminationMessagePath":"/dev/termination-log","env":[{{"name":"A_{number}","value":"{digest:?}"}}]}}"#,
            digest = Digest::compute(name.as_bytes())
        )
    };
    let containers: Vec<String> = ["web", "proxy", "metrics"].map(container).into();
    let text = format!(
        r#"{{"apiVersion":"apps/v1","kind":"Deployment","metadata":{{"labels":{{"app":"{name}"}},"name":"{name}","namespace":"shop","resourceVersion":"{number}{replicas}","uid":"{uid:?}"}},"spec":{{"replicas":{replicas},"selector":{{"matchLabels":{{"app":"{name}"}}}},"template":{{"metadata":{{"labels":{{"app":"{name}"}}}},"spec":{{"containers":[{containers}]}}}}}},"status":{{"replicas":{replicas},"readyReplicas":{replicas}}}}}"#,
        uid = Digest::compute(&number.to_be_bytes()),
        containers = containers.join(","),
    );
    Content {
        digest: Digest::compute(text.as_bytes()),
        bytes: Bytes::from(text),
    }
}

/// An application of a hundred resources, and their manifests; one of them has so many replicas.
fn shop(replicas: u32) -> (pb::ApplicationState, Vec<Content>) {
    let contents: Vec<Content> = (0..100)
        .map(|number| manifest(number, if number == 42 { replicas } else { 1 }))
        .collect();
    let resource = |(number, content): (usize, &Content)| pb::Resource {
        group: "apps".to_owned(),
        version: "v1".to_owned(),
        kind: "Deployment".to_owned(),
        namespace: "shop".to_owned(),
        name: format!("service-{number:03}"),
        uid: format!("{:?}", Digest::compute(&number.to_be_bytes())),
        live_digest: content.digest.to_bytes(),
        desired_digest: Digest::compute(&[1, 2, 3]).to_bytes(),
        ..pb::Resource::default()
    };
    let status = pb::ApplicationStatus {
        resources: contents.iter().enumerate().map(resource).collect(),
        ..pb::ApplicationStatus::default()
    };
    let state = pb::ApplicationState {
        status: Some(status),
        ..pb::ApplicationState::default()
    };
    (state, contents)
}

/// A state with its root digest, as it is told.
fn told(mut state: pb::ApplicationState) -> (pb::report::Change, Digest) {
    let root = Digest::compute(&state.encode_to_vec());
    state.root_digest = root.to_bytes();
    (pb::report::Change::Application(state), root)
}

fn of(
    state: pb::ApplicationState,
    base: Option<&Base>,
    contents: &[Content],
) -> (pb::StateDelta, Base) {
    let (change, root) = told(state);
    delta(&change, root, base, contents).unwrap()
}

fn size(delta: pb::StateDelta) -> usize {
    let report = pb::Report {
        sequence: 1_000,
        namespace: "argocd".to_owned(),
        name: "shop".to_owned(),
        uid: "0b2a6f0e-5a0e-4f0f-9c63-8f1c1f6f2a11".to_owned(),
        resource_version: 10_000_000,
        change: Some(pb::report::Change::Delta(delta)),
        traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".to_owned(),
        ..pb::Report::default()
    };
    convert::to_request(pb::report_request::Message::Report(report)).encoded_len()
}

#[test]
fn one_changed_field_of_one_of_a_hundred_resources_is_one_request_of_four_kib() {
    let (before, contents) = shop(1);
    let whole: usize = told(before.clone()).0.encoded_len() + contents[42].bytes.len();
    let (_, base) = of(before, None, &[]);
    let (after, contents) = shop(3);
    let (delta, _) = of(after, Some(&base), &contents);
    assert_eq!(delta.manifests.len(), 1, "the one that changed goes along");
    let size = size(delta);
    assert!(size <= 4 << 10, "{size} bytes, and {whole} without deltas");
    assert!(
        whole > 16 << 10,
        "{whole} bytes would be nothing to save on"
    );
}

#[test]
fn a_patch_makes_its_state_of_its_base() {
    let (before, after) = (shop(1).0, shop(3).0);
    let (first, base) = of(before.clone(), None, &[]);
    assert!(first.base_root_digest.is_empty());
    let made = causeway_proto::delta::apply(b"", &first.patch, 1 << 20).unwrap();
    assert_eq!(&made[..], &before.encode_to_vec()[..]);
    let (second, next) = of(after.clone(), Some(&base), &[]);
    assert_eq!(second.base_root_digest, first.root_digest);
    let made = causeway_proto::delta::apply(&made, &second.patch, 1 << 20).unwrap();
    assert_eq!(&made[..], &after.encode_to_vec()[..]);
    assert_eq!(next.root.to_bytes(), second.root_digest);
    assert!(next.len() > second.patch.len());
}

#[test]
fn manifests_of_many_resources_wait_to_be_wanted() {
    let (before, _) = shop(1);
    let none = pb::ApplicationState::default();
    let (first, base) = of(none, None, &[]);
    assert!(first.manifests.is_empty());
    let (_, contents) = shop(1);
    let (delta, _) = of(before.clone(), Some(&base), &contents);
    assert!(delta.manifests.is_empty());
    let few = &contents[..MOST_MANIFESTS];
    let (delta, _) = of(before, Some(&base), few);
    assert_eq!(delta.manifests.len(), MOST_MANIFESTS);
}

#[test]
fn a_deletion_is_no_delta() {
    let deleted = pb::report::Change::Deleted(pb::Deleted::default());
    assert_eq!(delta(&deleted, Digest::compute(b""), None, &[]), None);
}

#[test]
fn a_manifest_is_packed_where_that_pays() {
    let large = packed(&manifest(1, 1));
    assert!(large.content.is_empty() && large.packed.len() < 1_200);
    let bytes = Bytes::from_static(b"{}");
    let small = packed(&Content {
        digest: Digest::compute(&bytes),
        bytes: bytes.clone(),
    });
    assert_eq!((small.content, small.packed.len()), (bytes, 0));
}
