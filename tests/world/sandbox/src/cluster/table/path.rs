//! The JSONPath of printer columns: fields, indexes, and filters by equality.

use jiff::Timestamp;
use serde_json::Value;

use super::since;

/// The cell of a column: the first match, or null.
pub(super) fn cell(object: &Value, path: &str, kind: &str, now: Timestamp) -> Value {
    let Some(found) = find(object, path.trim_start_matches('$')) else {
        return Value::Null;
    };
    match (kind, found) {
        ("date", Value::String(time)) => since(time, now).into(),
        ("string", Value::String(_))
        | ("integer" | "number", Value::Number(_))
        | ("boolean", Value::Bool(_)) => found.clone(),
        ("string", other) => other.to_string().into(),
        _ => Value::Null,
    }
}

fn find<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    let mut at = object;
    let mut rest = path;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let (field, left) = after.split_at(end);
            if !field.is_empty() {
                at = at.get(field)?;
            }
            rest = left;
        } else {
            let (inside, left) = rest.strip_prefix('[')?.split_once(']')?;
            at = step(at, inside)?;
            rest = left;
        }
    }
    (!at.is_null()).then_some(at)
}

fn step<'a>(at: &'a Value, inside: &str) -> Option<&'a Value> {
    if let Ok(index) = inside.parse::<usize>() {
        return at.get(index);
    }
    if inside == "*" {
        return at.get(0);
    }
    if let Some(field) = quoted(inside) {
        return at.get(field);
    }
    let condition = inside.strip_prefix("?(@.")?.strip_suffix(')')?;
    let (field, wanted) = condition.split_once("==")?;
    let wanted = quoted(wanted.trim())?;
    at.as_array()?
        .iter()
        .find(|item| item.get(field.trim()).and_then(Value::as_str) == Some(wanted))
}

fn quoted(text: &str) -> Option<&str> {
    let inner = |mark: char| text.strip_prefix(mark)?.strip_suffix(mark);
    inner('"').or_else(|| inner('\''))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::find;

    #[test]
    fn fields_indexes_and_filters_are_found() {
        let object = json!({
            "status": { "conditions": [{ "type": "Ready", "status": "True" }], "a.b": 1 },
            "items": [{ "name": "x" }],
        });
        let check = |path: &str, expected: Value| {
            assert_eq!(
                find(&object, path).cloned().unwrap_or_default(),
                expected,
                "{path}"
            );
        };
        check(
            r#".status.conditions[?(@.type=="Ready")].status"#,
            json!("True"),
        );
        check(".items[0].name", json!("x"));
        check(".status['a.b']", json!(1));
        check(".nothing.here", Value::Null);
    }
}
