//! Names of objects, as commands accept them.

use serde_json::Value;

/// Fields that name objects outside of runtimes, in order of precedence.
const NAME_FIELDS: [&str; 10] = [
    "sessionId",
    "joinTokenId",
    "keyId",
    "auditId",
    "part",
    "user",
    "account",
    "name",
    "provider",
    "number",
];

/// Returns RUNTIME/NAMESPACE/NAME, or the one word that names an object.
pub(super) fn full_name(item: &Value) -> Option<String> {
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
    NAME_FIELDS.into_iter().find_map(word).map(str::to_owned)
}
