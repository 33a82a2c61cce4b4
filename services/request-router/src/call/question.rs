//! What the part `platform` is asked about a request, read from the very bytes that go on.

use causeway_proto::{access::v1::Kind, error::v1::Reason, ids::RequestId, platform::v1 as pb};
use http::HeaderMap;
use sha2::{Digest as _, Sha256};
use tonic::{Code, Status};

use super::Call;
use crate::{fields, refusal, table::Method};

/// What the platform is asked about a request.
pub(super) fn of(
    call: &Call<'_>,
    headers: &HeaderMap,
    message: &[u8],
    credential: String,
) -> Result<pb::AuthorizeRequest, Status> {
    let method = call.method;
    let [runtime, request_id] = fields::texts(message, [method.runtime(), method.request_id()])?;
    let runtime = if method.is_inside_runtime() {
        runtime
            .filter(|name| !name.is_empty())
            .ok_or_else(|| no_runtime(method))?
    } else {
        ""
    };
    if matches!(method.contract.kind, Kind::Mutation | Kind::Session) {
        check_request_id(request_id.unwrap_or_default())?;
    }
    Ok(pb::AuthorizeRequest {
        credential,
        method: method.path().to_owned(),
        runtime: runtime.to_owned(),
        request_digest: Sha256::digest(message).to_vec().into(),
        request_id: request_id.unwrap_or_default().to_owned(),
        source_address: call
            .source
            .map(|source| source.to_string())
            .unwrap_or_default(),
        trace_id: crate::trace::id(headers).unwrap_or_default(),
        target: target(method, message)?,
        going_on: false,
    })
}

fn target(method: &Method, message: &[u8]) -> Result<String, Status> {
    let names: Vec<_> = method.described_fields().collect();
    let mut values = Vec::with_capacity(names.len());
    for name in &names {
        let value = match (method.texts_field(name), method.messages_field(name)) {
            (Some(several), _) => fields::all(message, several)?.join(" "),
            (None, Some(several)) => fields::summary(message, several)?,
            (None, None) => {
                let [value] = fields::texts(message, [method.text_field(name)])?;
                value.unwrap_or_default().to_owned()
            }
        };
        values.push(value);
    }
    let value = |name: &str| {
        let index = names.iter().position(|known| *known == name)?;
        Some(values[index].as_str()).filter(|value| !value.is_empty())
    };
    Ok(method.describe(value))
}

fn check_request_id(text: &str) -> Result<(), Status> {
    let parsed = text.parse::<RequestId>();
    parsed
        .map(|_| ())
        .map_err(|error| refusal::field("request_id", error.to_string()))
}

fn no_runtime(method: &Method) -> Status {
    if method.runtime().is_some() {
        return refusal::field(
            "runtime",
            "runtime must name the runtime that the call is for",
        );
    }
    let text = format!("{} is for parts of a runtime, not for users", method.path());
    refusal::status(Code::PermissionDenied, Reason::PermissionDenied, text)
}
