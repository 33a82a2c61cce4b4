//! The merge patches that change an Application.

use serde_json::{Map, Value, json};

use crate::argocd::{
    application::Application,
    manifest::object_in,
    operation::{Operation, OperationState},
    predict::merge_patch,
    status::Status,
};

/// The merge patch from the status that is there to the refreshed one. Operation and history are not touched, and what was
/// written empty stays so.
pub(super) fn status_patch(application: &Application, status: &Status) -> Value {
    let without = |status: &Value| {
        let mut fields = status.as_object().cloned().unwrap_or_default();
        for field in ["operationState", "history", "sourceHydrator"] {
            fields.remove(field);
        }
        fields
    };
    let before = without(&application.object["status"]);
    let mut after = without(&serde_json::to_value(status).expect("a status is plain data"));
    if before.contains_key("summary") {
        after
            .entry("summary")
            .or_insert_with(|| Value::Object(Map::new()));
    }
    merge_patch(&Value::Object(before), &Value::Object(after))
}

/// Asking for an operation rewrites the whole object: the last operation's state goes, and what no one has looked at yet
/// is written empty.
pub(crate) fn asking(application: &Application, operation: &Operation) -> Value {
    let empty = json!({
        "health": {},
        "sourceHydrator": {},
        "summary": {},
        "sync": {"comparedTo": {"destination": {}, "source": {"repoURL": ""}}, "status": ""},
    });
    let mut patch = json!({"operation": operation, "status": {"operationState": null}});
    if let (Some(status), Value::Object(empty)) = (object_in(&mut patch, "status"), empty) {
        let held = &application.object["status"];
        status.extend(
            empty
                .into_iter()
                .filter(|(field, _)| held.get(field).is_none()),
        );
    }
    patch
}

/// A new operation state in place of the old one, of which nothing may stay.
pub(super) fn reset(status: &Status, state: &OperationState) -> Value {
    let to_value = |state: &OperationState| {
        serde_json::to_value(state).expect("an operation state is plain data")
    };
    let before = status
        .operation_state
        .as_ref()
        .map_or_else(|| Value::Object(Map::new()), to_value);
    merge_patch(&before, &to_value(state))
}
