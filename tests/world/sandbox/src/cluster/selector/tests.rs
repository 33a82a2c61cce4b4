use serde_json::json;

use super::{super::object::Stored, Selector};

fn pod() -> Stored {
    Stored::new(&json!({
        "metadata": { "name": "web-1", "namespace": "shop", "labels": { "app": "web", "tier": "front" } },
        "status": { "phase": "Running" },
        "spec": { "replicas": 3 },
    }))
}

fn check(labels: &str, fields: &str, expected: bool) {
    let selector = Selector::parse(labels, fields).unwrap();
    assert_eq!(
        selector.matches(&pod()),
        expected,
        "labels {labels:?} fields {fields:?}"
    );
}

#[test]
fn label_terms_match_as_kubernetes_says() {
    check("", "", true);
    check("app=web", "", true);
    check("app==web,tier!=back", "", true);
    check("app=web,tier=back", "", false);
    check("app in (api, web),tier", "", true);
    check("app notin (api,web)", "", false);
    check("absent notin (x)", "", true);
    check("absent!=x", "", true);
    check("!absent", "", true);
    check("!app", "", false);
}

#[test]
fn field_terms_read_metadata_and_any_path() {
    check("", "metadata.name=web-1", true);
    check("", "metadata.name!=web-1", false);
    check("", "metadata.namespace=shop,status.phase=Running", true);
    check("", "status.phase!=Running", false);
    check("", "spec.replicas=3", true);
    check("", "spec.nodeName=", true);
}

#[test]
fn nonsense_is_refused() {
    for labels in ["a b", "app in web)", "=x", "a within (b)"] {
        assert!(Selector::parse(labels, "").is_err(), "{labels}");
    }
    assert!(Selector::parse("", "metadata.name").is_err());
}
