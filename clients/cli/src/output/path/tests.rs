use serde_json::json;

use super::*;

fn check(path: &str, document: &Value, expected: &[&str]) {
    let path = Path::relaxed(path).unwrap();
    let found = path.select(document, document);
    let found: Vec<_> = found.into_iter().map(text).collect();
    assert_eq!(found, expected, "{path:?}");
}

fn shops() -> Value {
    json!({
        "applications": [
            {"name": "pay", "replicas": 3, "labels": {"app.kubernetes.io/name": "pay", "team": "a"}},
            {"name": "cart", "replicas": 12, "generation": "9", "labels": {"team": "b"}},
            {"name": "old", "labels": {}},
        ],
        "nextPageToken": "more",
    })
}

#[test]
fn paths_are_read_as_kubectl_reads_them() {
    let shops = shops();
    check("{.applications[*].name}", &shops, &["pay", "cart", "old"]);
    check("applications[0].name", &shops, &["pay"]);
    check("$.applications[-1].name", &shops, &["old"]);
    check(".applications[0,2].name", &shops, &["pay", "old"]);
    check(".applications[0:2].name", &shops, &["pay", "cart"]);
    check(".applications[:-1].name", &shops, &["pay", "cart"]);
    check(".applications[::2].name", &shops, &["pay", "old"]);
    check("..team", &shops, &["a", "b"]);
    check(".applications[1].labels.*", &shops, &["b"]);
    check(
        ".applications[1]['name', 'replicas']",
        &shops,
        &["cart", "12"],
    );
    check(
        r".applications[*].labels.app\.kubernetes\.io/name",
        &shops,
        &["pay"],
    );
    check(
        "{.applications[*].labels['app.kubernetes.io/name']}",
        &shops,
        &["pay"],
    );
    check(
        ".applications[*]['name', 'labels.team']",
        &shops,
        &["pay", "a", "cart", "b", "old"],
    );
    check(".nothing.at[3].all", &shops, &[]);
}

#[test]
fn the_one_list_of_a_document_is_its_items() {
    let shops = shops();
    check(".items[*].name", &shops, &["pay", "cart", "old"]);
    check(".items[0].items", &shops, &[]);
    check(".items", &json!({"a": [], "b": []}), &[]);
    check(".items[0]", &json!({"items": [7], "b": []}), &["7"]);
}

#[test]
fn conditions_choose_by_texts_numbers_and_presence() {
    let shops = shops();
    let names = |condition: &str| format!("{{.items[?({condition})].name}}");
    check(&names(r#"@.labels.team=="b""#), &shops, &["cart"]);
    check(&names("@.labels.team != 'b'"), &shops, &["pay"]);
    check(&names("@.replicas > 3"), &shops, &["cart"]);
    check(&names("@.replicas >= 3"), &shops, &["pay", "cart"]);
    check(&names("@.replicas<12"), &shops, &["pay"]);
    check(&names("@.generation == 9"), &shops, &["cart"]);
    check(&names("@.replicas"), &shops, &["pay", "cart"]);
    check(&names("@.name == $.items[0].name"), &shops, &["pay"]);
}

#[test]
fn a_path_error_has_its_position() {
    let wrong = |text: &str| Path::relaxed(text).unwrap_err().to_string();
    assert_eq!(
        wrong(".items[x]"),
        "'.items[x]' is no path: a number, a name or '*' was expected at character 8"
    );
    for text in [
        ".a..",
        ".a[",
        ".a['b",
        ".a[0",
        ".a[::0]",
        ".a[?(@.b",
        ".a[?(@.b=)]",
        ".a b",
        ".a[?(x)]",
    ] {
        assert!(wrong(text).contains("is no path"), "{text}");
    }
    let deep = format!("{}@.a{}", "[?(".repeat(20), ")]".repeat(20));
    assert!(wrong(&deep).contains("too many conditions"));
}

#[test]
fn numbers_are_ordered_by_size_also_where_they_are_texts() {
    assert_eq!(compare(&json!("9"), &json!("10")), Ordering::Less);
    assert_eq!(compare(&json!(2.5), &json!("2")), Ordering::Greater);
    assert_eq!(compare(&json!("b"), &json!("a10")), Ordering::Greater);
    assert_eq!(compare(&json!("NaN"), &json!("NaN")), Ordering::Equal);
}
