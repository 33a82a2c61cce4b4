use super::*;
use crate::{refusal, upstream::UpstreamError};

#[test]
fn a_status_tells_what_became_of_the_effect() {
    let unreachable = UpstreamError::Unreachable {
        part: "inventory".to_owned(),
        cause: "refused".into(),
    };
    let unavailable = refusal::status(Code::Unavailable, Reason::RuntimeNotConnected, "x");
    let cut = refusal::status(Code::Unavailable, Reason::TunnelLost, "x");
    let cases = [
        (Status::ok(""), pb::Outcome::Succeeded),
        (Status::not_found(""), pb::Outcome::Failed),
        (unreachable.into(), pb::Outcome::Failed),
        (unavailable, pb::Outcome::Failed),
        (refusal::lost("x"), pb::Outcome::Unknown),
        (cut, pb::Outcome::Unknown),
        (Status::deadline_exceeded(""), pb::Outcome::Unknown),
        (Status::cancelled(""), pb::Outcome::Unknown),
    ];
    for (status, expected) in cases {
        assert_eq!(outcome(&status), expected, "{status:?}");
    }
}

#[test]
fn a_long_message_is_cut_between_characters() {
    assert_eq!(clip(&"é".repeat(1000)).len(), 1024);
    assert_eq!(clip(&format!("a{}", "é".repeat(1000))).len(), 1023);
}

#[test]
fn the_effect_that_a_part_names_is_one_clipped_line() {
    let named = |text: &'static str| {
        let mut headers = HeaderMap::new();
        headers.insert(EFFECT, text.parse().unwrap());
        effect(&headers)
    };
    assert_eq!(named("commit 1f0c"), "commit 1f0c");
    assert_eq!(named("commit \u{fc}"), "");
    assert_eq!(effect(&HeaderMap::new()), "");
}
