use std::collections::BTreeSet;

use causeway_proto::method::methods;

use super::*;
use crate::table::Shape;

fn made() -> (Table, Value) {
    let table = Table::new(methods().values()).unwrap();
    let document = document(&table, "1.2.3");
    (table, document)
}

fn operations(document: &Value) -> Vec<(&str, &str, &Value)> {
    let mut all = Vec::new();
    for (path, verbs) in document["paths"].as_object().unwrap() {
        for (verb, operation) in verbs.as_object().unwrap() {
            all.push((path.as_str(), verb.as_str(), operation));
        }
    }
    all
}

/// Every place that a value refers to.
fn references<'v>(value: &'v Value, found: &mut BTreeSet<&'v str>) {
    match value {
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str));
            members.values().for_each(|value| references(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[test]
fn every_rpc_without_a_stream_of_requests_is_there_and_described() {
    let (_, document) = made();
    let operations = operations(&document);
    let there: BTreeSet<_> = operations
        .iter()
        .map(|(_, _, operation)| operation["x-causeway-rpc"].as_str().unwrap())
        .collect();
    for (path, method) in methods() {
        let wanted = !method.descriptor.is_client_streaming();
        assert_eq!(there.contains(path.as_str()), wanted, "{path}");
    }
    let ids: BTreeSet<_> = operations
        .iter()
        .map(|(_, _, operation)| operation["operationId"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), operations.len(), "ids are unique");
    for (path, _, operation) in operations {
        for said in ["summary", "description"] {
            assert!(!operation[said].as_str().unwrap().is_empty(), "{path}");
        }
    }
}

#[test]
fn every_reference_leads_somewhere() {
    let (_, document) = made();
    let mut found = BTreeSet::new();
    references(&document, &mut found);
    assert!(found.len() > 100, "{found:?}");
    for reference in found {
        let pointer = reference.strip_prefix('#').unwrap();
        assert!(document.pointer(pointer).is_some(), "{reference}");
    }
}

#[test]
fn a_list_takes_what_its_request_has_and_answers_in_its_form() {
    let (table, document) = made();
    let operation = &document["paths"]["/v1/applications"]["get"];
    let parameters = operation["parameters"].as_array().unwrap();
    let named = |name: &str| {
        parameters
            .iter()
            .find(|found| found["name"] == name)
            .unwrap()
    };
    assert_eq!(named("pageSize")["schema"]["type"], "integer");
    assert_eq!(named("filter.sync")["schema"]["type"], "array");
    assert!(
        !named("filter.runtime")["description"]
            .as_str()
            .unwrap()
            .is_empty()
    );
    let answer = &operation["responses"]["200"]["content"]["application/json"]["schema"];
    let name = "causeway.inventory.v1.ListApplicationsResponse";
    assert_eq!(answer["$ref"], format!("#/components/schemas/{name}"));
    let answer = &document["components"]["schemas"][name]["properties"];
    assert_eq!(answer["applications"]["type"], "array");
    assert_eq!(operation["x-causeway-permission"], "application.list");
    let list = table
        .bindings()
        .find(|(_, binding)| binding.template.to_string() == "/v1/applications");
    assert_eq!(list.unwrap().0.shape, Shape::Unary);
}

#[test]
fn a_change_takes_its_id_and_a_stream_has_two_forms() {
    let (_, document) = made();
    let sync = "/v1/runtimes/{runtime}/applications/{namespace}/{name}:sync";
    let sync = &document["paths"][sync]["post"];
    let parameters = sync["parameters"].as_array().unwrap();
    let places: Vec<_> = parameters.iter().map(|found| &found["in"]).collect();
    assert_eq!(places[..3], ["path", "path", "path"]);
    assert!(parameters.contains(&json!({"$ref": "#/components/parameters/idempotencyKey"})));
    assert!(sync["requestBody"]["content"]["application/json"].is_object());
    let watch = &document["paths"]["/v1/applications:watch"]["get"];
    let content = watch["responses"]["200"]["content"].as_object().unwrap();
    let kinds: Vec<_> = content.keys().collect();
    assert_eq!(kinds, ["application/x-ndjson", "text/event-stream"]);
    let parameters = watch["parameters"].as_array().unwrap();
    assert!(parameters.contains(&json!({"$ref": "#/components/parameters/lastEventId"})));
}

#[test]
fn yaml_says_the_same() {
    let (_, document) = made();
    let text = serde_saphyr::to_string(&document).unwrap();
    let again: Value = serde_saphyr::from_str(&text).unwrap();
    assert!(again == document, "what is read again differs");
}
