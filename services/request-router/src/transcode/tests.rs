use prost::Message as _;
use serde_json::json;

use super::*;
use causeway_proto::{inventory::v1 as inventory, proxy::v1 as proxy};

fn descriptor(name: &str) -> MessageDescriptor {
    causeway_proto::descriptor_pool()
        .get_message_by_name(name)
        .unwrap()
}

fn list() -> MessageDescriptor {
    descriptor("causeway.inventory.v1.ListApplicationsRequest")
}

fn sync() -> MessageDescriptor {
    descriptor("causeway.proxy.v1.SyncApplicationRequest")
}

fn query(text: &str) -> Result<inventory::ListApplicationsRequest, TranscodeError> {
    let mut draft = Draft::from_body(&list(), &Body::Nothing, b"")?;
    draft.bind_query(text, &Body::Nothing, |_| false)?;
    Ok(draft.message().transcode_to().unwrap())
}

fn body(text: &str) -> Result<proxy::SyncApplicationRequest, TranscodeError> {
    let draft = Draft::from_body(&sync(), &Body::Message, text.as_bytes())?;
    Ok(draft.message().transcode_to().unwrap())
}

#[test]
fn a_query_fills_plain_nested_and_repeated_fields() {
    let request = query(
        "pageSize=7&page_token=a%20b+c&filter.runtime=prod&filter.sync=SYNC_STATUS_SYNCED&filter.sync=3&view=2",
    )
    .unwrap();
    let filter = request.filter.unwrap();
    assert_eq!(
        (request.page_size, request.page_token.as_str()),
        (7, "a b c")
    );
    assert_eq!(
        (filter.runtime.as_str(), filter.sync),
        ("prod", vec![1 + 1, 3])
    );
    assert_eq!(request.view, 2);
    assert_eq!(
        query("").unwrap(),
        inventory::ListApplicationsRequest::default()
    );
}

#[test]
fn a_query_that_does_not_fit_names_the_key() {
    let cases = [
        (
            "pagesize=1",
            "the query of this call has no 'pagesize'; did you mean 'pageSize', 'pageToken'?",
        ),
        (
            "filter.runtme=x",
            "the query of this call has no 'filter.runtme'; did you mean 'runtime', 'runtimes', 'name'?",
        ),
        (
            "pageSize=x",
            "'pageSize' must be a whole number that is not negative",
        ),
        (
            "pageSize=-1",
            "'pageSize' must be a whole number that is not negative",
        ),
        (
            "pageSize=1&pageSize=2",
            "'pageSize' is given twice; it takes one value",
        ),
        (
            "filter=x",
            "'filter' is a message; name one of its fields after a '.'",
        ),
        (
            "pageSize.x=1",
            "'pageSize.x' has no fields of its own that a query can set",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(query(text).unwrap_err().to_string(), expected, "{text}");
    }
    let error = query("filter.sync=SYNCED").unwrap_err().to_string();
    assert!(
        error.starts_with("'filter.sync' must be one of SYNC_STATUS_UNSPECIFIED, "),
        "{error}"
    );
}

#[test]
fn a_body_is_read_by_both_kinds_of_names() {
    let request = body(r#"{"requestId": "a", "dry_run": true, "prune": null}"#).unwrap();
    assert_eq!(
        (request.request_id.as_str(), request.dry_run, request.prune),
        ("a", true, false)
    );
    assert_eq!(body("").unwrap(), proxy::SyncApplicationRequest::default());
}

#[test]
fn a_body_that_does_not_fit_names_the_field() {
    let cases = [
        (
            r#"{"revison": "x"}"#,
            "the body of this call has no 'revison'; did you mean 'revision'",
        ),
        (r#"{"prune": "yes"}"#, "'prune' is wrong: "),
        (r#"[]"#, "'body' must be a JSON object"),
        (
            "{\n  \"prune\": ?\n}",
            "the body is not JSON: expected value at line 2, column 12",
        ),
        (
            r#"{"prune": true} x"#,
            "the body is not JSON: trailing characters at line 1, column 17",
        ),
        (
            r#"{"prune": true"#,
            "the body is not JSON: EOF while parsing an object at line 1, column 14",
        ),
    ];
    for (text, expected) in cases {
        let error = body(text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

#[test]
fn a_wrong_field_is_found_inside_of_messages_and_lists() {
    let request = descriptor("causeway.inventory.v1.ListApplicationsResponse");
    let text = json!({"applications": [{"name": "a"}, {"spec": {"projet": "x"}}]}).to_string();
    let error = Draft::from_body(&request, &Body::Message, text.as_bytes()).unwrap_err();
    assert!(
        error.to_string().contains("'applications[1].spec.projet'"),
        "{error}"
    );
}

#[test]
fn the_path_wins_and_a_body_that_differs_is_refused() {
    let fields = [sync().get_field_by_name("runtime").unwrap()];
    let mut draft = Draft::from_body(&sync(), &Body::Message, br#"{"runtime": "a"}"#).unwrap();
    draft.bind_path(&fields, &["a"]).unwrap();
    assert_eq!(draft.text(1), "a");
    let error = draft.bind_path(&fields, &["b"]).unwrap_err();
    assert_eq!(error.to_string(), "'runtime' differs from the path");
}

#[test]
fn what_path_or_body_fill_is_closed_to_the_query() {
    let get = descriptor("causeway.inventory.v1.GetApplicationRequest");
    let mut draft = Draft::from_body(&get, &Body::Nothing, b"").unwrap();
    let fields = [get.get_field_by_name("runtime").unwrap()];
    draft.bind_path(&fields, &["a"]).unwrap();
    assert!(
        draft
            .bind_query("runtime=b", &Body::Nothing, |_| false)
            .is_err()
    );
    let mut draft = Draft::from_body(&sync(), &Body::Message, b"{}").unwrap();
    assert!(
        draft
            .bind_query("prune=true", &Body::Message, |_| false)
            .is_err()
    );
}

#[test]
fn a_named_body_fills_its_field_and_leaves_the_rest_to_the_query() {
    let taken = Body::Field(list().get_field_by_name("filter").unwrap());
    let mut draft = Draft::from_body(&list(), &taken, br#"{"runtime": "a"}"#).unwrap();
    draft.bind_query("pageSize=3", &taken, |_| false).unwrap();
    let request: inventory::ListApplicationsRequest = draft.message().transcode_to().unwrap();
    assert_eq!(
        (request.filter.unwrap().runtime.as_str(), request.page_size),
        ("a", 3)
    );
    let error = Draft::from_body(&list(), &taken, br#"{"runtim": "a"}"#).unwrap_err();
    assert!(error.to_string().contains("'filter.runtim'"), "{error}");
}

#[test]
fn a_body_where_none_is_taken_is_refused() {
    let error = Draft::from_body(&list(), &Body::Nothing, b"{}").unwrap_err();
    assert_eq!(error, TranscodeError::BodyNotTaken);
}

#[test]
fn a_response_is_canonical_json() {
    let response = proxy::SyncApplicationResponse {
        request_id: "a".to_owned(),
        resource_version: 12_345_678_901,
        ..Default::default()
    };
    let mut out = Vec::new();
    let descriptor = descriptor("causeway.proxy.v1.SyncApplicationResponse");
    let view = View::new(descriptor, Mask::Whole);
    let message = view.read(&response.encode_to_vec()).unwrap();
    view.write(message, &mut out).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(
        json,
        json!({"requestId": "a", "resourceVersion": "12345678901"})
    );
    assert!(view.read(b"\xff").is_err());
}
