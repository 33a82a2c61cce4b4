use futures::io::Cursor;
use serde_json::{Value, json};

use super::{Item, Lines, Page, WatchEvent, read_event};
use crate::object::{Malformed, ObjectKey};

fn value(item: Item<'_>) -> Result<Value, Malformed> {
    item.value()
}

fn event(text: &str) -> WatchEvent {
    read_event(text.as_bytes(), value).unwrap()
}

/// An object that is nested too deep to be read.
fn deep() -> String {
    let (open, close) = ("[".repeat(200), "]".repeat(200));
    let metadata = r#"{"namespace":"shop","name":"web","uid":"u","resourceVersion":"7"}"#;
    format!(r#"{{"spec":{open}{close},"metadata":{metadata}}}"#)
}

fn assert_named(malformed: &Malformed) {
    let ObjectKey {
        namespace,
        name,
        uid,
    } = &malformed.key;
    let told = [namespace, name, uid, &malformed.resource_version];
    assert_eq!(told, ["shop", "web", "u", "7"]);
}

#[test]
fn of_an_object_that_is_nested_too_deep_an_event_says_which_it_is() {
    let event = |kind: &str| event(&format!(r#"{{"type":"{kind}","object":{}}}"#, deep()));
    for kind in ["ADDED", "MODIFIED"] {
        let WatchEvent::Quarantined(malformed) = event(kind) else {
            panic!("{kind}");
        };
        assert_named(&malformed);
    }
    let metadata = json!({"namespace": "shop", "name": "web", "uid": "u", "resourceVersion": "7"});
    let head = json!({"metadata": metadata});
    assert_eq!(event("DELETED"), WatchEvent::Deleted(head));
}

#[test]
fn events_are_told_apart() {
    assert_eq!(
        event(r#"{"type":"ADDED","object":{"a":1}}"#),
        WatchEvent::Applied(json!({"a": 1}))
    );
    assert_eq!(
        event(r#"{"type":"DELETED","object":{}}"#),
        WatchEvent::Deleted(json!({}))
    );
    let bookmark = r#"{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7"}}}"#;
    assert_eq!(event(bookmark), WatchEvent::Bookmark(7));
    assert_eq!(
        event(r#"{"type":"ERROR","object":{"code":410}}"#),
        WatchEvent::Gone
    );
    assert!(matches!(
        event(r#"{"type":"ERROR","object":{"code":500}}"#),
        WatchEvent::Failed(_)
    ));
    assert!(matches!(
        event(r#"{"type":"NEW_KIND"}"#),
        WatchEvent::Failed(_)
    ));
    assert!(read_event(b"not json", value).is_err());
}

#[tokio::test]
async fn a_line_that_was_cut_is_no_event() {
    let text = b"\n{\"type\":\"DELETED\",\"object\":{}}\n{\"type\":\"ADD".to_vec();
    let mut lines = Lines::new(Cursor::new(text));
    let line = lines.next().await.unwrap().unwrap();
    assert_eq!(read_event(&line, value), Ok(WatchEvent::Deleted(json!({}))));
    assert_eq!(lines.next().await, Ok(None));
}

#[test]
fn the_objects_of_a_page_say_what_they_are_and_one_that_cannot_be_read_stands_alone() {
    let text = format!(
        r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"7","continue":"next"}},
        "items":[{{"a":1}},{},{{"kind":"Other"}}]}}"#,
        deep()
    );
    let page: Page<'_> = serde_json::from_str(&text).unwrap();
    assert_eq!(page.resource_version(), Some(7));
    assert_eq!(page.metadata.token, "next");
    let [first, deep, last] = &page.objects().map(value).collect::<Vec<_>>()[..] else {
        panic!("three objects");
    };
    let whole = json!({"a": 1, "kind": "Pod", "apiVersion": "v1"});
    assert_eq!(first.as_ref(), Ok(&whole));
    assert_named(deep.as_ref().unwrap_err());
    let whole = json!({"kind": "Other", "apiVersion": "v1"});
    assert_eq!(last.as_ref(), Ok(&whole));
    let empty: Page<'_> = serde_json::from_str(r#"{"items":null}"#).unwrap();
    assert_eq!(empty.objects().count(), 0);
}
