use futures::io::Cursor;
use serde_json::json;

use super::{Lines, Page, WatchEvent, read_event};

fn event(text: &str) -> WatchEvent {
    read_event(text.as_bytes()).unwrap()
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
    assert!(read_event(b"not json").is_err());
}

#[tokio::test]
async fn a_line_that_was_cut_is_no_event() {
    let text = b"\n{\"type\":\"DELETED\",\"object\":{}}\n{\"type\":\"ADD".to_vec();
    let mut lines = Lines::new(Cursor::new(text));
    assert_eq!(lines.next().await, Ok(Some(WatchEvent::Deleted(json!({})))));
    assert_eq!(lines.next().await, Ok(None));
}

#[test]
fn the_objects_of_a_page_say_what_they_are_and_one_that_cannot_be_read_stands_alone() {
    let (open, close) = ("[".repeat(200), "]".repeat(200));
    let text = format!(
        r#"{{"kind":"PodList","apiVersion":"v1","metadata":{{"resourceVersion":"7","continue":"next"}},
        "items":[{{"a":1}},{open}{close},{{"kind":"Other"}}]}}"#
    );
    let page: Page<'_> = serde_json::from_str(&text).unwrap();
    assert_eq!(page.resource_version(), Some(7));
    assert_eq!(page.metadata.token, "next");
    let expected = [
        json!({"a": 1, "kind": "Pod", "apiVersion": "v1"}),
        json!(null),
        json!({"kind": "Other", "apiVersion": "v1"}),
    ];
    assert!(page.objects().eq(expected));
    let empty: Page<'_> = serde_json::from_str(r#"{"items":null}"#).unwrap();
    assert_eq!(empty.objects().count(), 0);
}
