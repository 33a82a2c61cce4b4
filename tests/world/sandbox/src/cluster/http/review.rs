//! Access reviews: the one user of the sandbox may do everything.

use http::{Method, StatusCode};
use serde_json::{Value, json};

use super::{
    super::{discovery::REVIEW, refusal::Refusal},
    Answer, Call, json as answer_json,
    mutate::read_body,
};

/// Answers a `SelfSubjectAccessReview`; nothing when the request is for another kind.
pub(super) fn answer(call: &Call) -> Result<Option<Answer>, Refusal> {
    let (group, kind, plural) = REVIEW;
    if (group, plural) != (&*call.path.group, &*call.path.plural) {
        return Ok(None);
    }
    if call.method != Method::POST || call.path.version != "v1" {
        return Err(Refusal::not_allowed());
    }
    let request: Value = read_body(call)?;
    let review = json!({
        "kind": kind, "apiVersion": format!("{group}/v1"), "metadata": {},
        "spec": request["spec"], "status": { "allowed": true },
    });
    Ok(Some(answer_json(StatusCode::CREATED, &review)))
}
