//! Reviews: questions that are answered and not kept. The sandbox has one user, who may do everything.

use http::StatusCode;
use serde_json::{Value, json};

use super::{
    super::{discovery::REVIEWS, refusal::Refusal},
    Answer, Call, json as answer_json,
    mutate::read_body,
};

const USER: &str = "sandbox-admin";

/// The answer to a review, or nothing when the request is not one.
pub(super) fn answer(call: &Call, token: &str) -> Result<Option<Answer>, Refusal> {
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
    let user = json!({ "username": USER, "groups": ["system:masters", "system:authenticated"] });
    let status = match *kind {
        "SelfSubjectReview" => json!({ "userInfo": user }),
        "TokenReview" if asked["spec"]["token"] == token => {
            json!({ "authenticated": true, "user": user })
        }
        "TokenReview" => json!({ "user": {}, "error": "invalid bearer token" }),
        "SelfSubjectRulesReview" => json!({
            "incomplete": false,
            "nonResourceRules": [{ "verbs": ["*"], "nonResourceURLs": ["*"] }],
            "resourceRules": [{ "verbs": ["*"], "apiGroups": ["*"], "resources": ["*"] }],
        }),
        "SubjectAccessReview" => json!({ "allowed": is_allowed(group, &asked["spec"])? }),
        _ => json!({ "allowed": true }),
    };
    let mut answer = json!({ "kind": kind, "apiVersion": format!("{group}/v1"), "metadata": {}, "status": status });
    if let Some(spec) = asked.get("spec") {
        answer["spec"] = spec.clone();
    }
    Ok(Some(answer_json(StatusCode::CREATED, &answer)))
}

/// Only administrators are known; whoever else is asked about may nothing.
fn is_allowed(group: &str, spec: &Value) -> Result<bool, Refusal> {
    let groups = spec["groups"].as_array().into_iter().flatten();
    let user = spec["user"].as_str().unwrap_or_default();
    if user.is_empty() && spec["groups"].is_null() {
        let why = "Invalid value: \"\": at least one of user or group must be specified";
        let cause = ("spec.user".to_owned(), why.to_owned());
        return Err(Refusal::invalid(group, "", "", &[cause]));
    }
    let mut groups = groups.filter_map(Value::as_str);
    Ok(user == USER || groups.any(|name| name == "system:masters"))
}
