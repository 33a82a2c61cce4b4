//! What somebody without credentials may do: ask for health and version. Pure.

use http::{Method, Uri};
use serde_json::json;

use super::{
    refusal::{Reason, Refusal},
    route::{ObjectPath, Query, Route},
};

const USER: &str = "system:anonymous";

/// Why this request needs credentials, or nothing when it does not.
pub(crate) fn refusal(method: &Method, uri: &Uri) -> Option<Refusal> {
    match Route::parse(uri.path()) {
        Some(Route::Version | Route::Health) => None,
        Some(Route::Object(path)) => Some(of_object(method, uri, &path)),
        _ => Some(of_path(method, uri.path())),
    }
}

fn of_path(method: &Method, path: &str) -> Refusal {
    let verb = method.as_str().to_lowercase();
    let why = format!("forbidden: User \"{USER}\" cannot {verb} path \"{path}\"");
    Refusal::new(Reason::Forbidden, why).with_details(json!({}))
}

fn of_object(method: &Method, uri: &Uri, path: &ObjectPath) -> Refusal {
    let verb = verb(method, uri, path);
    let ObjectPath {
        group,
        plural,
        name,
        ..
    } = path;
    let place = match path.namespace.as_str() {
        "" => "at the cluster scope".to_owned(),
        namespace => format!("in the namespace \"{namespace}\""),
    };
    let dot = if group.is_empty() { "" } else { "." };
    let named = if name.is_empty() {
        String::new()
    } else {
        format!(" \"{name}\"")
    };
    let why = format!(
        "{plural}{dot}{group}{named} is forbidden: User \"{USER}\" cannot {verb} resource \"{plural}\" in API group \"{group}\" {place}"
    );
    let mut details = json!({ "kind": plural });
    for (field, value) in [("name", name), ("group", group)] {
        if !value.is_empty() {
            details[field] = value.as_str().into();
        }
    }
    Refusal::new(Reason::Forbidden, why).with_details(details)
}

fn verb(method: &Method, uri: &Uri, path: &ObjectPath) -> &'static str {
    let is_watch = Query::parse(uri.query().unwrap_or_default()).is_ok_and(|query| query.watch);
    match (method.as_str(), path.name.is_empty()) {
        ("GET" | "HEAD", true) if is_watch => "watch",
        ("GET" | "HEAD", true) => "list",
        ("GET" | "HEAD", false) => "get",
        ("POST", _) => "create",
        ("PUT", _) => "update",
        ("PATCH", _) => "patch",
        ("DELETE", true) => "deletecollection",
        _ => "delete",
    }
}
