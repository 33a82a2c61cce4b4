//! The part of a custom kind's OpenAPI schema that is checked: types, required fields, enums, minima.

use serde_json::Value;

const DEEPEST: usize = 64;
const MOST_CAUSES: usize = 20;

/// Adds a pair of field path and complaint to `causes` for each thing that does not fit.
pub(super) fn check(schema: &Value, value: &Value, causes: &mut Vec<(String, String)>) {
    walk(schema, value, &mut String::new(), DEEPEST, causes);
}

fn walk(
    schema: &Value,
    value: &Value,
    path: &mut String,
    depth: usize,
    causes: &mut Vec<(String, String)>,
) {
    if depth == 0 || causes.len() >= MOST_CAUSES || (value.is_null() && schema["nullable"] == true)
    {
        return;
    }
    if !has_type(schema, value) {
        let expected = schema["type"].as_str().unwrap_or_default();
        let found = type_name(value);
        let why = format!(
            "Invalid value: \"{found}\": {path} in body must be of type {expected}: \"{found}\""
        );
        causes.push((path.clone(), why));
        return;
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(value)
    {
        let allowed: Vec<String> = allowed.iter().map(Value::to_string).collect();
        let why = format!(
            "Unsupported value: {value}: supported values: {}",
            allowed.join(", ")
        );
        causes.push((path.clone(), why));
    }
    if let (Some(number), Some(least)) = (value.as_f64(), schema["minimum"].as_f64())
        && number < least
    {
        let why = format!(
            "Invalid value: {value}: {path} in body should be greater than or equal to {least}"
        );
        causes.push((path.clone(), why));
    }
    if let Some(object) = value.as_object() {
        for required in schema["required"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
        {
            if !object.contains_key(required) {
                causes.push((join(path, required), "Required value".to_owned()));
            }
        }
        for (field, inner) in object {
            let inner_schema = schema["properties"]
                .get(field)
                .or_else(|| schema.get("additionalProperties"));
            descend(inner_schema, inner, &join(path, field), depth, causes);
        }
    }
    for (at, inner) in value.as_array().into_iter().flatten().enumerate() {
        descend(
            schema.get("items"),
            inner,
            &format!("{path}[{at}]"),
            depth,
            causes,
        );
    }
}

fn descend(
    schema: Option<&Value>,
    value: &Value,
    path: &str,
    depth: usize,
    causes: &mut Vec<(String, String)>,
) {
    if let Some(schema) = schema.filter(|schema| schema.is_object()) {
        walk(schema, value, &mut path.to_owned(), depth - 1, causes);
    }
}

fn has_type(schema: &Value, value: &Value) -> bool {
    if schema["x-kubernetes-int-or-string"] == true {
        return value.is_i64() || value.is_u64() || value.is_string();
    }
    match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        _ => true,
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn join(path: &str, field: &str) -> String {
    if path.is_empty() {
        field.to_owned()
    } else {
        format!("{path}.{field}")
    }
}
