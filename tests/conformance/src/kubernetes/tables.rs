//! Tables, as `kubectl get` prints them.

use http::Method;
use serde_json::{Value, json};

use crate::{
    kubernetes::widgets::{Widgets, widget},
    target::{World, cells, config_map, text},
};

const TABLE: &str = "application/json;as=Table;g=meta.k8s.io;v=v1";

async fn table(world: &World, path: &str) -> Value {
    let answer = world
        .request(Method::GET, path)
        .header("accept", TABLE)
        .send()
        .await;
    let table = answer.ok();
    assert_eq!(
        (&table["kind"], &table["apiVersion"]),
        (&json!("Table"), &json!("meta.k8s.io/v1"))
    );
    table
}

/// Name, type and priority of each column.
fn columns(table: &Value) -> Vec<(String, String, i64)> {
    let columns = table["columnDefinitions"].as_array().unwrap();
    let column = |column: &Value| {
        (
            text(&column["name"]),
            text(&column["type"]),
            column["priority"].as_i64().unwrap(),
        )
    };
    columns.iter().map(column).collect()
}

fn expected(list: &[(&str, &str, i64)]) -> Vec<(String, String, i64)> {
    list.iter()
        .map(|(name, kind, priority)| ((*name).to_owned(), (*kind).to_owned(), *priority))
        .collect()
}

pub(crate) async fn a_table_has_columns_and_a_row_for_each_object(world: &World) {
    let widgets = Widgets::install(world).await;
    world.create(&widgets.path, &widget(&widgets, "a")).await;
    let table = table(world, &widgets.path).await;
    assert_eq!(table["columnDefinitions"][0]["format"], "name");
    let row = &table["rows"][0];
    assert_eq!(cells(row, 2), json!(["a", 1]).as_array().unwrap());
    assert!(text(&row["cells"][4]).ends_with('s'), "{row}");
    assert_eq!(
        (&row["object"]["kind"], &row["object"]["metadata"]["name"]),
        (&json!("PartialObjectMetadata"), &json!("a"))
    );
    assert_ne!(text(&table["metadata"]["resourceVersion"]), "");
}

pub(crate) async fn a_row_carries_as_much_of_its_object_as_is_asked_for(world: &World) {
    let path = world.path("v1", "configmaps");
    world
        .create(&path, &config_map("a", json!({ "x": "1" })))
        .await;
    let none = table(world, &format!("{path}?includeObject=None")).await;
    assert_eq!(none["rows"][0]["object"], Value::Null);
    let whole = table(world, &format!("{path}?includeObject=Object")).await;
    assert_eq!(whole["rows"][0]["object"]["data"]["x"], "1");
    assert_eq!(whole["rows"][0]["object"]["kind"], "ConfigMap");
}

pub(crate) async fn one_object_is_a_table_of_one_row(world: &World) {
    let path = world.path("v1", "configmaps");
    world.create(&path, &config_map("a", json!({}))).await;
    let table = table(world, &format!("{path}/a")).await;
    assert_eq!(table["rows"].as_array().unwrap().len(), 1);
    assert_eq!(table["rows"][0]["cells"][0], "a");
}

pub(crate) async fn columns_of_a_custom_kind_come_from_its_definition(world: &World) {
    let widgets = Widgets::install(world).await;
    world.create(&widgets.path, &widget(&widgets, "a")).await;
    world
        .merge(
            &format!("{}/a/status", widgets.path),
            &json!({ "status": { "ready": true } }),
        )
        .await
        .ok();
    world.create(&widgets.path, &widget(&widgets, "b")).await;
    let table = table(world, &widgets.path).await;
    assert_eq!(
        columns(&table),
        expected(&[
            ("Name", "string", 0),
            ("Size", "integer", 0),
            ("Color", "string", 1),
            ("Ready", "boolean", 0),
            ("Age", "date", 0),
        ])
    );
    assert_eq!(
        cells(&table["rows"][0], 4),
        json!(["a", 1, "red", true]).as_array().unwrap()
    );
    assert_eq!(
        cells(&table["rows"][1], 4),
        json!(["b", 1, "red", null]).as_array().unwrap()
    );
}

pub(crate) async fn a_custom_kind_without_columns_has_name_and_age(world: &World) {
    let widgets = Widgets::install_with(world, &json!({ "additionalPrinterColumns": [] })).await;
    world.create(&widgets.path, &widget(&widgets, "a")).await;
    let table = table(world, &widgets.path).await;
    assert_eq!(
        columns(&table),
        expected(&[("Name", "string", 0), ("Age", "date", 0)])
    );
}
