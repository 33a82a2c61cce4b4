use causeway_proto::proxy::v1 as pb;

use super::{read_delete, read_refresh, read_sync};
use crate::scope::Requester;

const ID: &str = "0194b4a6-63f2-7d25-9a3c-5ad0f1d1a001";

fn requester() -> Requester {
    Requester {
        user: "ada".parse().unwrap(),
        scope: causeway_assertion::Scope::default(),
        asked_at: 0,
    }
}

fn sync() -> pb::SyncApplicationRequest {
    pb::SyncApplicationRequest {
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        request_id: ID.to_owned(),
        ..pb::SyncApplicationRequest::default()
    }
}

/// What is said of a request that has this in it.
fn refused(change: impl FnOnce(&mut pb::SyncApplicationRequest)) -> String {
    let mut request = sync();
    change(&mut request);
    read_sync(request, &requester()).unwrap_err().to_string()
}

#[test]
fn what_cannot_be_meant_is_refused_with_the_name_of_its_field() {
    let long = "x".repeat(1_000);
    let selector = |kind: &str| pb::ResourceSelector {
        kind: kind.to_owned(),
        ..pb::ResourceSelector::default()
    };
    let info = |name: &str| pb::OperationInfo {
        name: name.to_owned(),
        value: "x".to_owned(),
    };
    let source = |position| pb::SourceRevision {
        position,
        revision: "main".to_owned(),
    };
    let retry = |limit, factor, seconds| pb::RetryStrategy {
        limit,
        factor,
        backoff: Some(prost_types::Duration { seconds, nanos: 0 }),
        ..pb::RetryStrategy::default()
    };
    for (told, said) in [
        (refused(|it| it.strategy = 7), "strategy 7"),
        (
            refused(|it| it.resources = vec![selector("a"); 1_001]),
            "resources has 1001",
        ),
        (
            refused(|it| it.resources = vec![selector(&long)]),
            "resources.kind",
        ),
        (
            refused(|it| it.resources = vec![selector("a\nb")]),
            "resources.kind",
        ),
        (
            refused(|it| it.sync_options = vec!["Replace".to_owned()]),
            "Replace=true",
        ),
        (
            refused(|it| it.sync_options = vec!["A=b".to_owned(); 51]),
            "sync_options has 51",
        ),
        (refused(|it| it.infos = vec![info("")]), "infos"),
        (
            refused(|it| it.infos = vec![info("causeway.io/request-id")]),
            "causeway.io/",
        ),
        (
            refused(|it| it.source_revisions = vec![source(0)]),
            "source_revisions",
        ),
        (
            refused(|it| it.source_revisions = vec![source(1), source(1)]),
            "source_revisions",
        ),
        (
            refused(|it| it.retry = Some(retry(-2, 0, 1))),
            "retry.limit",
        ),
        (
            refused(|it| it.retry = Some(retry(1, 101, 1))),
            "retry.factor",
        ),
        (
            refused(|it| it.retry = Some(retry(1, 1, -1))),
            "retry.backoff",
        ),
        (
            refused(|it| it.retry = Some(retry(1, 1, i64::MAX))),
            "retry.backoff",
        ),
        (refused(|it| it.request_id = String::new()), "request"),
        (refused(|it| it.name = "../web".to_owned()), "name must"),
    ] {
        assert!(told.contains(said), "{told}");
        assert!(!told.contains('\n'), "{told}");
    }
}

#[test]
fn a_digest_tells_what_is_asked_for() {
    let digest = |request| read_sync(request, &requester()).unwrap().1.asked.digest;
    let prune = pb::SyncApplicationRequest {
        prune: true,
        ..sync()
    };
    assert_eq!(digest(sync()), digest(sync()));
    assert_ne!(digest(sync()), digest(prune));
    let other = pb::SyncApplicationRequest {
        name: "api".to_owned(),
        ..sync()
    };
    assert_ne!(digest(sync()), digest(other));
    // Two RPCs with the same fields ask for two things.
    let refresh = pb::RefreshApplicationRequest {
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        request_id: ID.to_owned(),
        ..pb::RefreshApplicationRequest::default()
    };
    let delete = pb::DeleteApplicationRequest {
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        request_id: ID.to_owned(),
        ..pb::DeleteApplicationRequest::default()
    };
    let refreshed = read_refresh(refresh, &requester()).unwrap().1.asked.digest;
    let deleted = read_delete(delete, &requester()).unwrap();
    assert_ne!(refreshed, deleted.1.asked.digest);
}

#[test]
fn a_digest_tells_who_asks() {
    let digest = |user: &str| {
        let requester = Requester {
            user: user.parse().unwrap(),
            ..requester()
        };
        read_sync(sync(), &requester).unwrap().1.asked.digest
    };
    assert_eq!(digest("ada"), digest("ada"));
    assert_ne!(digest("ada"), digest("grace"));
}
