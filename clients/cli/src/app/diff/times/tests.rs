use serde_json::json;

use super::{super::text::plain, *};

#[test]
fn volatile_fields_are_no_difference() {
    let value = json!({
        "name": "web", "receivedAt": "x", "resourceVersion": "7",
        "status": {"reconciledAt": "y", "images": ["nginx"]},
    });
    let text = yaml_of(value, &PASSING).unwrap();
    assert!(text.contains("nginx") && text.contains("web"), "{text}");
    for gone in ["receivedAt", "resourceVersion", "reconciledAt"] {
        assert!(!text.contains(gone), "{text}");
    }
    let odd = json!(["no object"]);
    assert!(yaml_of(odd, &PASSING).unwrap().contains("no object"));
}

#[test]
fn a_manifest_that_is_no_json_is_shown_as_it_is() {
    assert!(
        manifest_text(br#"{"kind":"ConfigMap"}"#)
            .unwrap()
            .starts_with("kind: ConfigMap")
    );
    assert_eq!(manifest_text(b"plain").unwrap(), "plain");
}

#[test]
fn control_characters_are_escaped() {
    assert_eq!(plain("+a\tb\u{1b}[2Jc\r"), "+a\tb\\u{1b}[2Jc\\r");
}

#[test]
fn a_resource_is_named_by_kind_group_namespace_and_name() {
    let resource = |group: &str, namespace: &str| pb::Resource {
        group: group.to_owned(),
        kind: "Deployment".to_owned(),
        namespace: namespace.to_owned(),
        name: "web".to_owned(),
        ..pb::Resource::default()
    };
    assert_eq!(
        resource::full_name(&resource("apps", "shop")),
        "Deployment.apps shop/web"
    );
    assert_eq!(resource::full_name(&resource("", "")), "Deployment web");
}
