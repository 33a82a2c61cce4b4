use causeway_argocd::redact::Redactor;

use super::Content;

fn content(text: &str) -> Option<Content> {
    Content::redacted(&Redactor::new(b"key"), text)
}

#[test]
fn the_order_of_fields_does_not_change_the_digest() {
    let one = content(r#"{"kind":"X","metadata":{"name":"a","namespace":"b"}}"#).unwrap();
    let other = content(r#"{ "metadata": {"namespace":"b", "name":"a"}, "kind":"X" }"#).unwrap();
    assert_eq!(one, other);
}

#[test]
fn what_is_no_object_has_no_content() {
    for text in ["", "null", "[]", "3", "{"] {
        assert_eq!(content(text), None, "{text}");
    }
}

#[test]
fn a_secret_has_no_content_left_but_differs_when_it_changes() {
    let secret = |value: &str| format!(r#"{{"kind":"Secret","data":{{"a":"{value}"}}}}"#);
    let (one, other) = (
        content(&secret("c2VjcmV0")).unwrap(),
        content(&secret("bm8=")).unwrap(),
    );
    assert!(!String::from_utf8_lossy(&one.bytes).contains("c2VjcmV0"));
    assert_ne!(one.digest, other.digest);
    assert_eq!(one, content(&secret("c2VjcmV0")).unwrap());
}
