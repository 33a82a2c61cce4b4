use futures::io::Cursor;
use serde_json::json;

use super::{Lines, WatchEvent, read_event};

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
