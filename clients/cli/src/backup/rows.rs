//! A row as a line of JSON: an array with a value for each column. Bytes are an object, so that they are told from a text.

use anyhow::{Context as _, bail};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use causeway_database::{ColumnKind, Value};
use serde_json::{Value as Json, json};

pub(super) fn to_line(row: &[Value]) -> anyhow::Result<String> {
    let cells: Vec<Json> = row.iter().map(to_json).collect();
    let mut line = serde_json::to_string(&cells).context("writing JSON")?;
    line.push('\n');
    Ok(line)
}

pub(super) fn from_line(
    line: &str,
    columns: &[(String, ColumnKind)],
) -> anyhow::Result<Vec<Value>> {
    let cells: Vec<Json> = serde_json::from_str(line).context("it is no array of JSON")?;
    if cells.len() != columns.len() {
        bail!(
            "it has {} values for {} columns",
            cells.len(),
            columns.len()
        );
    }
    let pairs = cells.into_iter().zip(columns);
    pairs
        .map(|(cell, (column, kind))| {
            from_json(&cell, *kind)
                .with_context(|| format!("the column {column} holds something else"))
        })
        .collect()
}

fn to_json(value: &Value) -> Json {
    match value {
        Value::Text(text) => json!(text),
        Value::Glob(text) => json!(text),
        Value::Integer(number) => json!(number),
        Value::Boolean(yes) => json!(yes),
        Value::Blob(bytes) => match bytes {
            Some(bytes) => json!({"base64": BASE64_STANDARD.encode(bytes)}),
            None => Json::Null,
        },
    }
}

fn from_json(cell: &Json, kind: ColumnKind) -> Option<Value> {
    if cell.is_null() {
        return Some(match kind {
            ColumnKind::Text => Value::Text(None),
            ColumnKind::Integer => Value::Integer(None),
            ColumnKind::Blob => Value::Blob(None),
            ColumnKind::Boolean => Value::Boolean(None),
        });
    }
    Some(match kind {
        ColumnKind::Text => Value::Text(Some(cell.as_str()?.to_owned())),
        ColumnKind::Integer => Value::Integer(Some(cell.as_i64()?)),
        ColumnKind::Boolean => Value::Boolean(Some(cell.as_bool()?)),
        ColumnKind::Blob => {
            let text = cell.get("base64")?.as_str()?;
            Value::Blob(Some(BASE64_STANDARD.decode(text).ok()?))
        }
    })
}
