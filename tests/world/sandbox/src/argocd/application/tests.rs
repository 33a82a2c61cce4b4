use serde_json::json;

use super::*;

fn parse(spec: &Value) -> Result<Application, SpecError> {
    Application::parse(json!({"metadata": {"name": "a", "namespace": "argocd"}, "spec": spec}))
}

#[test]
fn a_field_of_another_type_is_named_and_does_not_panic() {
    let error = parse(&json!({"source": {"path": 7}})).unwrap_err();
    assert!(error.to_string().contains("invalid type"), "{error}");
    assert!(parse(&Value::Null).is_err());
}

#[test]
fn only_this_cluster_is_a_destination() {
    let check = |destination: Value| {
        parse(&json!({"destination": destination}))
            .unwrap()
            .check_destination()
    };
    assert_eq!(check(json!({"server": IN_CLUSTER})), Ok(()));
    assert_eq!(check(json!({"name": "in-cluster"})), Ok(()));
    assert_eq!(check(json!({})), Err(SpecError::NoDestination));
    assert_eq!(
        check(json!({"name": "x"})),
        Err(SpecError::UnknownClusterName("x".to_owned()))
    );
    assert_eq!(
        check(json!({"server": "https://x"})),
        Err(SpecError::UnknownCluster("https://x".to_owned()))
    );
}

#[test]
fn several_sources_win_over_the_one_and_each_needs_a_place() {
    let one = json!({"repoURL": "http://x/y.git", "path": "z"});
    let origin = |spec: &Value| parse(spec).unwrap().origin();
    let single = origin(&json!({"source": one})).unwrap();
    assert!(!single.is_several());
    assert_eq!(
        single.one_or_several(&["abc".to_owned()]),
        ("abc".to_owned(), Vec::new())
    );
    let several = origin(&json!({"source": one, "sources": [one]})).unwrap();
    assert!(several.is_several());
    let expected = (String::new(), vec!["abc".to_owned()]);
    assert_eq!(several.one_or_several(&["abc".to_owned()]), expected);
    assert_eq!(several.written.source, json!({"repoURL": ""}));
    assert_eq!(origin(&json!({"sources": []})), Err(SpecError::NoSource));
    let placeless = json!({"sources": [one, {"repoURL": "http://x/y.git"}]});
    assert_eq!(origin(&placeless), Err(SpecError::NoSource));
}

#[test]
fn the_instance_name_carries_a_foreign_namespace() {
    let key = ApplicationKey {
        namespace: "team".to_owned(),
        name: "web".to_owned(),
    };
    assert_eq!(key.instance("argocd"), "team_web");
    assert_eq!(ApplicationKey::from_instance("team_web", "argocd"), key);
    assert_eq!(
        ApplicationKey::from_instance("web", "argocd").namespace,
        "argocd"
    );
}

#[test]
fn finalizers_of_all_propagation_kinds_cascade_and_others_stay() {
    let object = json!({"metadata": {"name": "a", "finalizers": [
        "resources-finalizer.argocd.argoproj.io/background", "other", "resources-finalizer.argocd.argoproj.io"]}, "spec": {}});
    let application = Application::parse(object).unwrap();
    assert!(application.cascades());
    assert_eq!(application.other_finalizers(), [json!("other")]);
}
