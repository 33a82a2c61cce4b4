use std::time::Duration;

use causeway_argocd::application::Info;
use serde_json::{Value, json};

use super::{Mode, OrderError, Prune, Retry, SourceRevision, Strategy, SyncOrder};
use crate::{
    outcome::{Effect, RequestIdentity},
    sync::Selection,
};

const ID: &str = "0194b4a6-63f2-7d25-9a3c-5ad0f1d1a001";

fn order() -> SyncOrder {
    SyncOrder {
        asked: RequestIdentity {
            id: ID.parse().unwrap(),
            digest: "d".to_owned(),
            effect: Effect::Change,
        },
        user: "admin".parse().unwrap(),
        revision: None,
        revisions: Vec::new(),
        prune: Prune::Keep,
        mode: Mode::Apply,
        resources: Selection::default(),
        strategy: Strategy::Hook,
        force: false,
        options: Vec::new(),
        retry: None,
        infos: Vec::new(),
        trace: None,
    }
}

fn live(spec: &Value) -> Value {
    json!({"metadata": {"resourceVersion": "7"}, "spec": spec})
}

#[test]
fn the_patch_is_good_for_one_version_and_carries_the_applications_own_options() {
    let order = SyncOrder {
        revision: Some("abc".to_owned()),
        prune: Prune::Delete,
        mode: Mode::DryRun,
        ..order()
    };
    let own =
        json!({"syncPolicy": {"syncOptions": ["CreateNamespace=true"], "retry": {"limit": 2}}});
    let patch = order.patch(&live(&own), 5).unwrap();
    let mark = json!([{"id": ID, "digest": "d", "at": 5}]).to_string();
    let mut held: Value = patch["metadata"]["annotations"].clone();
    let held: Value =
        serde_json::from_str(held["causeway.dev/request"].take().as_str().unwrap()).unwrap();
    assert_eq!(held, serde_json::from_str::<Value>(&mark).unwrap());
    assert_eq!(patch["metadata"]["resourceVersion"], "7");
    assert_eq!(
        patch["operation"],
        json!({
            "initiatedBy": {"username": "admin"},
            "info": [
                {"name": "causeway.io/request-id", "value": ID},
                {"name": "causeway.io/request-digest", "value": "d"},
                {"name": "causeway.io/initiated-by", "value": "user:admin"},
            ],
            "sync": {
                "revision": "abc", "prune": true, "dryRun": true,
                "syncStrategy": {"hook": {}}, "syncOptions": ["CreateNamespace=true"],
            },
            "retry": {"limit": 2},
        })
    );
}

#[test]
fn options_of_an_order_come_beside_the_applications_own_and_before_those_of_the_same_name() {
    let order = SyncOrder {
        options: vec!["Replace=true".to_owned(), "Prune=last".to_owned()],
        strategy: Strategy::Apply,
        force: true,
        retry: Some(Retry {
            limit: 3,
            backoff: Duration::from_millis(1500),
            factor: 2,
            longest: Duration::from_secs(60),
            refresh: true,
        }),
        infos: vec![Info {
            name: "ticket".to_owned(),
            value: "42".to_owned(),
        }],
        ..order()
    };
    let own = json!({"syncPolicy": {"syncOptions": ["CreateNamespace=true", "Replace=false"]}});
    let request = serde_json::to_value(order.request(&live(&own)).unwrap()).unwrap();
    let options = json!({"items": ["CreateNamespace=true", "Replace=true", "Prune=last"]});
    assert_eq!(request["syncOptions"], options);
    assert_eq!(request["strategy"], json!({"apply": {"force": true}}));
    let backoff = json!({"duration": "1500ms", "factor": 2, "maxDuration": "60000ms"});
    let retry = json!({"limit": 3, "backoff": backoff, "refresh": true});
    assert_eq!(request["retryStrategy"], retry);
    assert!(request["infos"].to_string().contains("ticket"));
}

#[test]
fn each_of_several_sources_is_named_by_its_number() {
    let several = live(&json!({"sources": [{"repoURL": "a"}, {"repoURL": "b"}]}));
    let one = live(&json!({"source": {"repoURL": "a"}}));
    let order = |position, revision: Option<&str>| SyncOrder {
        revision: revision.map(str::to_owned),
        revisions: vec![SourceRevision {
            position,
            revision: "v2".to_owned(),
        }],
        ..order()
    };
    let request = order(2, None).request(&several).unwrap();
    assert_eq!(request.source_positions, [2]);
    let patch = order(2, None).patch(&several, 1).unwrap();
    assert_eq!(patch["operation"]["sync"]["revisions"], json!(["", "v2"]));
    let refused = order(2, Some("main")).request(&several);
    assert_eq!(refused, Err(OrderError::SeveralSources));
    let no_source = |position, sources| Err(OrderError::NoSource { position, sources });
    assert_eq!(order(3, None).request(&several), no_source(3, 2));
    assert_eq!(order(1, None).request(&one), no_source(1, 0));
}

#[test]
fn an_operation_carries_the_trace_that_it_was_begun_in() {
    let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let order = SyncOrder {
        trace: Some(parent.to_owned()),
        ..order()
    };
    let patch = order.patch(&live(&json!({})), 1).unwrap();
    let infos = patch["operation"]["info"].as_array().unwrap();
    let carried = json!({"name": "causeway.io/traceparent", "value": parent});
    assert!(infos.contains(&carried), "{infos:?}");
}
