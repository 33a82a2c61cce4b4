use causeway_argocd::redact::Redactor;

use serde_json::json;

use super::{CompressedContent, Content, MAX_COMPRESSIBLE_BYTES};

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

#[test]
fn a_manifest_that_is_kept_takes_less_and_comes_back_whole() {
    let mut object = json!({"kind": "X", "spec": {"words": vec!["word"; 1_000]}});
    let content = Content::from_object(&mut object).unwrap();
    let kept = CompressedContent::new(&content).unwrap();
    assert!(kept.compressed.len() * 10 < content.bytes.len());
    assert_eq!(kept.decompress(), Some(content));
}

#[test]
fn a_manifest_that_is_too_large_is_not_kept() {
    let of = |length: usize| {
        let mut object = json!({"kind": "X", "text": "a".repeat(length)});
        CompressedContent::new(&Content::from_object(&mut object).unwrap())
    };
    assert!(of(MAX_COMPRESSIBLE_BYTES / 2).is_some());
    assert_eq!(of(MAX_COMPRESSIBLE_BYTES), None);
}
