//! Errors over HTTP: a code, its headers and a `google.rpc.Status` as JSON.

use causeway_proto::error::v1::Reason;
use causeway_shell::status::http_status;
use http::{HeaderValue, Method as Verb, Response, StatusCode, header};
use http_body_util::Full;
use tonic::{Code, Status, body::Body};
use tonic_types::StatusExt as _;

use super::respond;
use crate::{refusal, status_json, table::Table};

/// A request that gets no answer but an error.
pub(super) struct Refused {
    status: Status,
    /// Where HTTP has a better code than the one that belongs to the gRPC code.
    http: Option<StatusCode>,
    allow: Option<HeaderValue>,
}

impl Refused {
    pub(super) fn unknown(path: &str, table: &Table) -> Self {
        let meant = table.nearest(path);
        let hint = meant.map_or(String::new(), |meant| format!("; did you mean {meant}?"));
        let shown: String = path.chars().take(200).collect();
        let status = Status::not_found(format!("nothing is at {shown}{hint}"));
        Self::from(status)
    }

    pub(super) fn other_verb<'v>(verb: &Verb, allowed: impl IntoIterator<Item = &'v Verb>) -> Self {
        Self::not_for(verb, allow(allowed))
    }

    /// Where a look at the headers alone is not taken for the whole.
    pub(super) fn only(verb: &Verb, allowed: &Verb) -> Self {
        let list = format!("{allowed}, OPTIONS");
        let allow = HeaderValue::try_from(list);
        Self::not_for(verb, allow.expect("names of verbs are a valid header"))
    }

    fn not_for(verb: &Verb, allow: HeaderValue) -> Self {
        let list = allow.to_str().unwrap_or_default();
        let status = Status::unimplemented(format!("{verb} is not for this path; use {list}"));
        Self {
            status,
            http: Some(StatusCode::METHOD_NOT_ALLOWED),
            allow: Some(allow),
        }
    }

    pub(super) fn too_large() -> Self {
        Self::from(refusal::too_large())
    }

    pub(super) fn headers_too_large() -> Self {
        Self {
            http: Some(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE),
            ..Self::from(refusal::headers_too_large())
        }
    }

    pub(super) fn encoded() -> Self {
        let text = "the body is compressed; send it without the header content-encoding";
        Self {
            http: Some(StatusCode::UNSUPPORTED_MEDIA_TYPE),
            ..Self::from(refusal::field("content-encoding", text))
        }
    }

    pub(super) fn not_json() -> Self {
        let text = "the body must be JSON: send the header 'content-type: application/json'";
        Self {
            http: Some(StatusCode::UNSUPPORTED_MEDIA_TYPE),
            ..Self::from(refusal::field("content-type", text))
        }
    }

    pub(super) fn into_response(self) -> Response<Body> {
        let json = status_json::to_json(&self.status).to_string();
        let code = self.http.unwrap_or_else(|| http_status(self.status.code()));
        let mut response = respond(code, "application/json", Full::new(json.into()));
        let headers = response.headers_mut();
        if let Some(allow) = self.allow {
            headers.insert(header::ALLOW, allow);
        }
        if let Some(outcome) = self.status.metadata().get(causeway_relay::OUTCOME.as_str())
            && let Ok(outcome) = HeaderValue::from_bytes(outcome.as_encoded_bytes())
        {
            headers.insert(causeway_relay::OUTCOME, outcome);
        }
        if let Some(seconds) = retry_after(&self.status) {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if code == StatusCode::UNAUTHORIZED {
            headers.insert(
                header::WWW_AUTHENTICATE,
                HeaderValue::from_static("Bearer realm=\"causeway\""),
            );
        }
        response
    }
}

impl From<Status> for Refused {
    fn from(status: Status) -> Self {
        let too_large = status.code() == Code::ResourceExhausted
            && causeway_client::reason(&status) == Some(Reason::TooLarge);
        Self {
            status,
            http: too_large.then_some(StatusCode::PAYLOAD_TOO_LARGE),
            allow: None,
        }
    }
}

/// Whole seconds, rounded up, where the part says how long to wait.
fn retry_after(status: &Status) -> Option<u64> {
    let delay = status.get_details_retry_info()?.retry_delay?;
    Some(delay.as_secs() + u64::from(delay.subsec_nanos() > 0))
}

/// The answer to OPTIONS instead of the refusal of another verb.
pub(super) fn allowed(refused: &Response<Body>) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let allow = refused.headers().get(header::ALLOW).cloned();
    let allow = allow.map(|allow| (header::ALLOW, allow));
    response.headers_mut().extend(allow);
    response
}

/// The answer to OPTIONS.
pub(super) fn options<'v>(allowed: impl IntoIterator<Item = &'v Verb>) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response.headers_mut().insert(header::ALLOW, allow(allowed));
    response
}

fn allow<'v>(verbs: impl IntoIterator<Item = &'v Verb>) -> HeaderValue {
    let mut names: Vec<_> = verbs.into_iter().map(Verb::as_str).collect();
    if names.contains(&"GET") {
        names.push("HEAD");
    }
    names.push("OPTIONS");
    HeaderValue::try_from(names.join(", ")).expect("names of verbs are a valid header")
}
