//! Reviews: questions that are answered and not kept. The sandbox has one user, who may do everything.

use http::StatusCode;
use serde_json::{Value, json};

use super::{
    super::{discovery::REVIEWS, refusal::Refusal},
    Answer, Call, json as answer_json,
    mutate::read_body,
};

/// The answer to a review, or nothing when the request is not one.
pub(super) fn answer(call: &Call) -> Result<Option<Answer>, Refusal> {
    let known = REVIEWS
        .iter()
        .find(|(group, _, plural)| *group == call.path.group && *plural == call.path.plural);
    let Some((group, kind, _)) = known else {
        return Ok(None);
    };
    if call.method != http::Method::POST || call.path.version != "v1" {
        return Err(Refusal::not_allowed());
    }
    let asked: Value = read_body(call)?;
    let user = json!({ "username": "sandbox-admin", "groups": ["system:masters", "system:authenticated"] });
    let status = match *kind {
        "SelfSubjectReview" => json!({ "userInfo": user }),
        "TokenReview" => json!({ "authenticated": true, "user": user }),
        "SelfSubjectRulesReview" => json!({
            "incomplete": false,
            "nonResourceRules": [{ "verbs": ["*"], "nonResourceURLs": ["*"] }],
            "resourceRules": [{ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"] }],
        }),
        _ => {
            json!({ "allowed": true, "reason": "the sandbox has one user, who may do everything" })
        }
    };
    let answer = json!({
        "kind": kind, "apiVersion": format!("{group}/v1"), "metadata": { "creationTimestamp": null },
        "spec": asked["spec"], "status": status,
    });
    Ok(Some(answer_json(StatusCode::CREATED, &answer)))
}
