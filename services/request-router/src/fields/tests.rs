use causeway_proto::{
    git::v1::{CommitChangeRequest, FileEdit},
    proxy::v1::SyncApplicationRequest,
};
use prost::Message as _;

use super::*;

#[test]
fn texts_are_found_among_other_fields() {
    let request = SyncApplicationRequest {
        runtime: "prod".to_owned(),
        request_id: "id".to_owned(),
        prune: true,
        ..Default::default()
    };
    let bytes = request.encode_to_vec();
    let found = texts(&bytes, [Some(4), Some(1), Some(5), None]).unwrap();
    assert_eq!(found, [Some("id"), Some("prod"), None, None]);
    assert_eq!(texts(b"", [Some(1)]), Ok([None]));
}

#[test]
fn a_field_that_is_there_twice_is_refused() {
    let one = SyncApplicationRequest {
        runtime: "prod".to_owned(),
        ..Default::default()
    };
    let twice = one.encode_to_vec().repeat(2);
    assert_eq!(texts(&twice, [Some(1)]), Err(FieldsError::Duplicate));
    assert!(texts(&twice, [Some(4)]).is_ok());
}

#[test]
fn what_is_not_protobuf_is_refused() {
    for bytes in [
        &b"\xff"[..],
        b"\x0a\x05abc",
        b"\x08\x01",
        b"\x0a\x01\xff",
        b"\x00\x01",
        b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f",
    ] {
        assert_eq!(
            texts(bytes, [Some(1)]),
            Err(FieldsError::Malformed),
            "{bytes:?}"
        );
    }
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_it_panic(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..64)) {
        let _ = texts(&bytes, [Some(1), Some(4)]);
    }

    /// What is read here is what a part reads.
    #[test]
    fn a_part_reads_the_same(bytes in proptest::collection::vec(0u8..48, 0..32)) {
        if let (Ok([runtime]), Ok(request)) = (texts(&bytes, [Some(1)]), SyncApplicationRequest::decode(bytes.as_slice())) {
            proptest::prop_assert_eq!(runtime.unwrap_or_default(), request.runtime);
        }
    }
}

#[test]
fn several_messages_are_described_by_their_number_and_digest() {
    let edit = |path: &str| FileEdit {
        path: path.to_owned(),
        ..FileEdit::default()
    };
    let summary_of = |paths: &[&str]| {
        let request = CommitChangeRequest {
            runtime: "prod".to_owned(),
            edits: paths.iter().map(|path| edit(path)).collect(),
            ..CommitChangeRequest::default()
        };
        summary(&request.encode_to_vec(), 7).unwrap()
    };
    let both = summary_of(&["a", "b"]);
    assert!(both.starts_with("2 sha256:") && both.len() == 73, "{both}");
    assert_ne!(both, summary_of(&["b", "a"]));
    assert_ne!(both, summary_of(&["ab", ""]));
    assert!(summary_of(&[]).starts_with("0 sha256:"));
}
