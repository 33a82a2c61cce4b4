use serde_json::{Value, json};

use super::{Application, MalformedApplication, REQUEST_ID};

fn object(status: impl Into<Value>) -> Value {
    json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"namespace": "argocd", "name": "web", "uid": "u-1", "resourceVersion": "42"},
        "spec": {"project": "default", "destination": {"server": "https://kubernetes.default.svc"}},
        "status": status.into(),
    })
}

/// Reads an object both as a tree and as a text.
fn read(object: Value) -> Result<Application, MalformedApplication> {
    let from_text = Application::from_text(&object.to_string());
    let read = Application::from_value(object);
    assert_eq!(from_text.as_ref(), read.as_ref().ok());
    if let Ok(read) = &read {
        let written = serde_json::to_string(read).unwrap();
        assert_eq!(Application::from_text(&written).as_ref(), Some(read));
    }
    read
}

#[test]
fn a_new_application_without_a_status_is_read() {
    let mut new = object(Value::Null);
    let read = read(new.clone()).unwrap();
    assert_eq!(read.resource_version(), 42);
    assert!(read.status.operation_state.is_none());
    new.as_object_mut().unwrap().remove("status");
    assert_eq!(self::read(new).unwrap(), read);
}

#[test]
fn unknown_fields_and_nulls_are_no_errors() {
    let read = read(object(json!({
        "resources": null,
        "fromTheFuture": {"a": [1, 2, {"b": null}]},
        "sync": {"status": "Synced", "comparedTo": {"x": 1}, "revisions": null},
        "operationState": {"operation": {"info": null, "sync": {}, "initiatedBy": null}, "syncResult": null},
        "sourceTypes": ["Directory"],
    })))
    .unwrap();
    assert_eq!(read.status.sync.status, "Synced");
    assert_eq!(read.status.operation_state.unwrap().phase, "");
}

#[test]
fn several_sources_win_over_the_filler() {
    let mut several = object(json!({"sync": {"revisions": ["a", "b"]}}));
    several["spec"]["source"] = json!({"repoURL": ""});
    several["spec"]["sources"] = json!([{"repoURL": "https://x/1"}, {"repoURL": "https://x/2"}]);
    let read = read(several).unwrap();
    assert_eq!(read.sources().len(), 2);
    assert_eq!(read.revisions(), ["a", "b"]);
}

#[test]
fn the_request_of_an_operation_is_found() {
    let read = read(object(json!({"operationState": {"operation": {
        "info": [{"name": "Reason", "value": "x"}, {"name": REQUEST_ID, "value": "r-1"}],
    }}})))
    .unwrap();
    let state = read.status.operation_state.unwrap();
    assert_eq!(state.operation.info(REQUEST_ID), Some("r-1"));
    assert_eq!(state.operation.info("absent"), None);
}

#[test]
fn an_object_of_a_wrong_shape_is_an_error_that_names_it() {
    let error = read(object(json!({"history": "yesterday"}))).unwrap_err();
    assert_eq!(
        (error.namespace.as_str(), error.name.as_str()),
        ("argocd", "web")
    );
    assert_eq!(
        (error.uid.as_str(), error.resource_version.as_str()),
        ("u-1", "42")
    );
    assert!(read(json!([])).is_err());
    assert!(read(json!({"metadata": null})).is_err());
    assert!(read(json!({"metadata": {"name": "a", "uid": "u"}})).is_err());
}

#[test]
fn the_error_of_an_object_does_not_quote_its_values() {
    let error = read(object(json!({"history": "hunter2"}))).unwrap_err();
    assert!(!error.to_string().contains("hunter2"), "{error}");
}

#[test]
fn three_hundred_conditions_are_read() {
    let condition = json!({"type": "ComparisonError", "message": "x", "lastTransitionTime": "2026-01-01T00:00:00Z"});
    let read = read(object(json!({"conditions": vec![condition; 300]}))).unwrap();
    assert_eq!(read.status.conditions.len(), 300);
}
