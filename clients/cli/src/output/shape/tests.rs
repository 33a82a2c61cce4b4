use causeway_proto::descriptor_pool;
use prost_reflect::Kind;
use serde_json::json;

use super::*;

fn shape(text: &str) -> Shape {
    text.parse().unwrap()
}

#[test]
fn every_output_format_is_parsed() {
    assert_eq!(shape("wide"), Shape::Table { wide: true });
    assert_eq!(shape("json").format(), Format::Json);
    assert_eq!(shape("yaml").format(), Format::Yaml);
    assert_eq!(shape("name").format(), Format::Json);
    assert_eq!(shape("jsonpath={.a}").format(), Format::Json);
    let error = "xml".parse::<Shape>().unwrap_err();
    assert!(error.contains("custom-columns-file=FILE"), "{error}");
    for wrong in [
        "json=x",
        "jsonpath",
        "jsonpath={",
        "custom-columns=A",
        "custom-columns=A:.b[",
        "jsonpath-file=/nowhere/at/all",
    ] {
        assert!(wrong.parse::<Shape>().is_err(), "{wrong}");
    }
}

#[test]
fn templates_and_columns_come_from_files_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let file = folder.path().join(name);
        fs::write(&file, text).unwrap();
        file.display().to_string()
    };
    let template = file("template", "{.items[*].name}\n");
    assert_eq!(
        shape(&format!("jsonpath-file={template}")),
        shape("jsonpath={.items[*].name}")
    );
    let columns = file("columns", "NAME  HEALTH\n.name .status.health.status\n");
    assert_eq!(
        shape(&format!("custom-columns-file={columns}")),
        shape("custom-columns=NAME:.name,HEALTH:status.health.status")
    );
    let uneven = file("uneven", "NAME HEALTH\n.name\n");
    assert!(
        format!("custom-columns-file={uneven}")
            .parse::<Shape>()
            .is_err()
    );
    let large = file("large", &"x".repeat(70 << 10));
    assert!(format!("jsonpath-file={large}").parse::<Shape>().is_err());
}

#[test]
fn custom_columns_show_none_or_all_values() {
    let Shape::Columns(columns) = shape("custom-columns=NAME:.name,IMAGES:.images[*],X:.x") else {
        panic!("they are columns");
    };
    let item = json!({"name": "pay", "images": ["a:1", "b:2"]});
    let row: Vec<_> = columns.iter().map(|it| it.text(&item)).collect();
    assert_eq!(row, ["pay", "a:1,b:2", "<none>"]);
}

#[test]
fn names_are_those_that_commands_take() {
    let list = json!({"applications": [
        {"runtime": "prod", "namespace": "argocd", "name": "pay"},
        {"runtime": "prod", "name": "node-role"},
    ], "nextPageToken": "x"});
    assert_eq!(names(&list).unwrap(), "prod/argocd/pay\nprod//node-role");
    assert_eq!(
        names(&json!({"runtimes": [{"name": "prod", "runtimeId": "7"}]})).unwrap(),
        "prod"
    );
    assert_eq!(
        names(&json!({"name": "admin", "rules": [{}]})).unwrap(),
        "admin"
    );
    assert_eq!(
        names(&json!({"images": [{"repository": "nginx", "tag": "1", "digest": "sha256:0"}]}))
            .unwrap(),
        "nginx:1@sha256:0"
    );
    assert_eq!(names(&json!({})).unwrap(), "");
    assert_eq!(names(&json!({"count": 1})), None);
}

#[test]
fn a_watch_is_printed_by_its_objects() {
    let updated = json!({"updated": {"name": "pay"}, "cursor": "7"});
    assert_eq!(watched(&updated), Some(&json!({"name": "pay"})));
    assert_eq!(watched(&json!({"bookmark": {}, "cursor": "7"})), None);
    assert_eq!(
        watched(&json!({"name": "pay"})),
        Some(&json!({"name": "pay"}))
    );
}

#[test]
fn the_items_of_each_list_of_the_contract_have_names() {
    // States of one application, what happened, counts, permissions and shards are called nothing.
    let nameless = [
        "AcceptedState",
        "ApplicationFacet",
        "FacetValue",
        "HeldPermission",
        "ReportedEvent",
        "ReporterGroup",
        "TunnelSession",
    ];
    let lists = descriptor_pool().all_messages().filter(|message| {
        let name = message.name();
        name.starts_with("List") && name.ends_with("Response")
    });
    for list in lists {
        for field in list.fields().filter(|field| field.is_list()) {
            let Kind::Message(item) = field.kind() else {
                continue;
            };
            if nameless.contains(&item.name()) {
                continue;
            }
            let fields = item
                .fields()
                .map(|field| (field.json_name().to_owned(), Value::from("x")));
            let item = Value::Object(fields.collect());
            assert!(name::full_name(&item).is_some(), "{}", list.full_name());
        }
    }
}
