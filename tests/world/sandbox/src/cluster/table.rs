//! Tables: what `kubectl get` prints. Pure.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{
    object::metadata_text,
    resource::{Origin, Resource, Version},
    route::Include,
};

mod cells;
mod columns;
mod duration;
mod path;

pub(crate) use duration::human;

/// The column definitions of a kind, as JSON.
pub(crate) fn definitions(resource: &Resource, version: &Version) -> Value {
    let mut list = vec![definition("Name", "string", "name", "", 0)];
    if !columns::begins_with_name(&resource.id) {
        list.clear();
    }
    if resource.origin == Origin::Custom {
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
    } else {
        for column in columns::of(&resource.id) {
            list.push(definition(
                column.name,
                column.kind,
                "",
                "",
                column.priority,
            ));
        }
    }
    Value::Array(list)
}

fn definition(name: &str, kind: &str, format: &str, description: &str, priority: i64) -> Value {
    json!({ "name": name, "type": kind, "format": format, "description": description, "priority": priority })
}

/// One row. Ages are relative to `now`.
pub(crate) fn row(
    resource: &Resource,
    version: &Version,
    object: &Value,
    include: Include,
    now: Timestamp,
) -> Value {
    let mut cells = vec![Value::from(metadata_text(object, "name"))];
    if !columns::begins_with_name(&resource.id) {
        cells.clear();
    }
    if resource.origin == Origin::Custom {
        cells.extend(
            version
                .columns
                .iter()
                .map(|column| path::cell(object, &column.path, &column.kind, now)),
        );
        if version.columns.is_empty() {
            cells.push(age(object, now).into());
        }
    } else {
        cells.extend(
            columns::of(&resource.id)
                .iter()
                .map(|column| (column.cell)(object, now)),
        );
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

fn age(object: &Value, now: Timestamp) -> String {
    since(metadata_text(object, "creationTimestamp"), now)
}

/// How long ago an RFC 3339 time was.
fn since(time: &str, now: Timestamp) -> String {
    match time.parse::<Timestamp>() {
        Ok(then) => human(now.duration_since(then).as_secs()),
        Err(_) => "<unknown>".to_owned(),
    }
}
