//! Tables: what `kubectl get` prints. Pure.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{object::metadata_text, resource::Version, route::Include};

mod duration;
mod path;

use duration::human;

/// Lists the columns of a kind: those of its definition, or the age alone.
pub(crate) fn definitions(version: &Version) -> Value {
    let mut list = vec![definition("Name", "string", "name", "", 0)];
    for column in &version.columns {
        list.push(definition(
            &column.name,
            &column.kind,
            "",
            &column.description,
            column.priority,
        ));
    }
    if version.columns.is_empty() {
        list.push(definition("Age", "date", "", "", 0));
    }
    Value::Array(list)
}

fn definition(name: &str, kind: &str, format: &str, description: &str, priority: i64) -> Value {
    json!({ "name": name, "type": kind, "format": format, "description": description, "priority": priority })
}

/// Writes one row; ages are relative to `now`.
pub(crate) fn row(version: &Version, object: &Value, include: Include, now: Timestamp) -> Value {
    let mut cells = vec![Value::from(metadata_text(object, "name"))];
    let columns = version.columns.iter();
    cells.extend(columns.map(|column| path::cell(object, &column.path, &column.kind, now)));
    if version.columns.is_empty() {
        cells.push(since(metadata_text(object, "creationTimestamp"), now).into());
    }
    let shown = match include {
        Include::Nothing => Value::Null,
        Include::Metadata => partial(object),
        Include::Object => object.clone(),
    };
    json!({ "cells": cells, "object": shown })
}

/// A whole table.
pub(crate) fn table(columns: Value, rows: Vec<Value>, list_metadata: Value) -> Value {
    let mut table = json!({ "kind": "Table", "apiVersion": "meta.k8s.io/v1" });
    table["metadata"] = list_metadata;
    table["columnDefinitions"] = columns;
    table["rows"] = Value::Array(rows);
    table
}

/// The object's metadata alone.
pub(crate) fn partial(object: &Value) -> Value {
    json!({ "kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": object["metadata"] })
}

/// Formats the time since an RFC 3339 time.
fn since(time: &str, now: Timestamp) -> String {
    match time.parse::<Timestamp>() {
        Ok(then) => human(now.duration_since(then).as_secs()),
        Err(_) => "<unknown>".to_owned(),
    }
}
