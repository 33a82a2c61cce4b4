use super::*;
use crate::refusal;

#[test]
fn details_are_written_out_with_their_type() {
    let json = to_json(&refusal::field("filter.runtime", "wrong"));
    let expected = json!({
        "code": 3,
        "message": "wrong",
        "details": [
            {
                "@type": "type.googleapis.com/google.rpc.ErrorInfo",
                "reason": "FIELD_INVALID",
                "domain": "causeway",
            },
            {
                "@type": "type.googleapis.com/google.rpc.BadRequest",
                "fieldViolations": [{"field": "filter.runtime", "description": "wrong"}],
            },
        ],
    });
    assert_eq!(json, expected);
}

#[test]
fn a_plain_status_and_a_strange_detail_do_no_harm() {
    let plain = json!({"code": 5, "message": "gone", "details": []});
    assert_eq!(to_json(&Status::not_found("gone")), plain);
    let any = prost_types::Any {
        type_url: "type.googleapis.com/other.Thing".to_owned(),
        value: vec![1],
    };
    let status = pb::Status {
        details: vec![any],
        ..Default::default()
    };
    let bytes = status.encode_to_vec().into();
    assert_eq!(
        to_json(&Status::with_details(tonic::Code::NotFound, "gone", bytes)),
        plain
    );
    assert_eq!(
        to_json(&Status::with_details(
            tonic::Code::NotFound,
            "gone",
            "x".into()
        )),
        plain
    );
}
