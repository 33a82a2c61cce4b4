//! Permissions of the caller: the only account may do everything.

use axum::{Json, extract::Path};
use serde_json::json;

use super::{Answer, Refusal};

const RESOURCES: [&str; 12] = [
    "clusters",
    "projects",
    "applications",
    "applicationsets",
    "repositories",
    "write-repositories",
    "certificates",
    "accounts",
    "gpgkeys",
    "logs",
    "exec",
    "extensions",
];
const ACTIONS: [&str; 8] = [
    "get", "create", "update", "delete", "sync", "override", "action", "invoke",
];

pub(super) async fn can_i(Path((resource, action, _)): Path<(String, String, String)>) -> Answer {
    check(&ACTIONS, &action)?;
    check(&RESOURCES, &resource)?;
    Ok(Json(json!({"value": "yes"})))
}

fn check(known: &[&str], word: &str) -> Result<(), Refusal> {
    if known.contains(&word) {
        Ok(())
    } else {
        Err(Refusal::Invalid(format!(
            "[{}] does not contain {word}",
            known.join(" ")
        )))
    }
}
