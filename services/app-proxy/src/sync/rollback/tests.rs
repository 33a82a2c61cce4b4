use serde_json::{Value, json};

use super::{Mode, OrderError, Prune, RollbackOrder};
use crate::outcome::{Effect, RequestIdentity};

const ID: &str = "0194b4a6-63f2-7d25-9a3c-5ad0f1d1a001";

fn order(history_id: Option<i64>) -> RollbackOrder {
    RollbackOrder {
        asked: RequestIdentity {
            id: ID.parse().unwrap(),
            digest: "d".to_owned(),
            effect: Effect::Change,
        },
        user: "ada".parse().unwrap(),
        history_id,
        prune: Prune::Delete,
        mode: Mode::Apply,
        trace: None,
    }
}

fn live(policy: &Value) -> Value {
    let deployed = |id: i64, revision: &str| json!({"id": id, "revision": revision, "source": {"repoURL": "r", "path": revision}});
    json!({
        "metadata": {"name": "web", "resourceVersion": "7"},
        "spec": {"syncPolicy": policy},
        "status": {"history": [deployed(3, "three"), deployed(4, "four"), deployed(5, "five")]},
    })
}

#[test]
fn a_rollback_is_a_sync_to_what_was_deployed() {
    let live =
        live(&json!({"syncOptions": ["CreateNamespace=true"], "automated": {"enabled": false}}));
    let patch = order(Some(3)).patch(&live, 9).unwrap();
    assert_eq!(patch["metadata"]["resourceVersion"], "7");
    assert_eq!(
        patch["operation"]["sync"],
        json!({
            "revision": "three", "source": {"repoURL": "r", "path": "three"}, "prune": true,
            "syncStrategy": {"apply": {}}, "syncOptions": ["CreateNamespace=true"],
        })
    );
    assert!(patch["operation"]["info"].to_string().contains(ID));
    let previous = order(None).patch(&live, 9).unwrap();
    assert_eq!(previous["operation"]["sync"]["revision"], "four");
}

#[test]
fn a_rollback_that_would_be_undone_or_goes_nowhere_is_refused() {
    for policy in [
        json!({"automated": {}}),
        json!({"automated": {"enabled": true}}),
    ] {
        let refused = order(Some(3)).patch(&live(&policy), 9);
        assert_eq!(refused, Err(OrderError::AutoSync), "{policy}");
    }
    let unknown = order(Some(9)).patch(&live(&Value::Null), 9).unwrap_err();
    assert!(unknown.to_string().contains("it has 3 to 5"), "{unknown}");
    let fresh = json!({"metadata": {"name": "web"}, "status": {"history": [{"revision": "a"}]}});
    assert_eq!(order(None).patch(&fresh, 9), Err(OrderError::NoPrevious));
    assert_eq!(
        order(Some(0)).patch(&fresh, 9),
        Err(OrderError::NoSourceKept(0))
    );
}
