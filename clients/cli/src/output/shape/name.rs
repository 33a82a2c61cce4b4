//! The names of things, as commands take them.

use serde_json::Value;

/// The fields that name what is in no runtime, the first that is there.
const ALONE: [&str; 8] = [
    "sessionId",
    "keyId",
    "auditId",
    "part",
    "user",
    "account",
    "provider",
    "name",
];

/// RUNTIME/NAMESPACE/NAME of what is in a runtime, or the one word that names it.
pub(super) fn of(item: &Value) -> Option<String> {
    let word = |field: &str| {
        item.get(field)
            .and_then(Value::as_str)
            .filter(|it| !it.is_empty())
    };
    if let (Some(runtime), Some(name)) = (word("runtime"), word("name")) {
        let namespace = word("namespace").unwrap_or_default();
        return Some(format!("{runtime}/{namespace}/{name}"));
    }
    if let Some(repository) = word("repository") {
        let tag = word("tag").map_or_else(String::new, |it| format!(":{it}"));
        let digest = word("digest").map_or_else(String::new, |it| format!("@{it}"));
        return Some(format!("{repository}{tag}{digest}"));
    }
    ALONE.into_iter().find_map(word).map(str::to_owned)
}
