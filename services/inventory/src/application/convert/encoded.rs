//! States as they came over the wire, fields that are not known here included: only of these bytes is the digest that was told.

use bytes::Bytes;
use prost::Message;

use crate::{digest::Digest, report::FieldError};

/// Field 1 as bytes, of which there are 32.
pub(crate) const ROOT_DIGEST: [u8; 2] = [0x0a, 32];

/// `ReportRequest`, as far as it leads to a state.
#[derive(Message)]
struct Request {
    #[prost(message, repeated, tag = "2")]
    reports: Vec<Report>,
}

/// `Report`, with its state as it was encoded.
#[derive(Message)]
struct Report {
    #[prost(bytes = "bytes", repeated, tag = "6")]
    applications: Vec<Bytes>,
    #[prost(bytes = "bytes", repeated, tag = "9")]
    resources: Vec<Bytes>,
}

/// The application's state in a request, as it came; empty where it came in pieces, which no encoder makes.
pub(crate) fn encoded_application(request: &Bytes) -> Bytes {
    encoded(request, |report| &report.applications)
}

/// The same of a resource.
pub(crate) fn encoded_resource(request: &Bytes) -> Bytes {
    encoded(request, |report| &report.resources)
}

fn encoded(request: &Bytes, states: fn(&Report) -> &[Bytes]) -> Bytes {
    let request = Request::decode(request.clone()).unwrap_or_default();
    let states = match &request.reports[..] {
        [report] => states(report),
        _ => &[],
    };
    match states {
        [state] => state.clone(),
        _ => Bytes::new(),
    }
}

/// The digest that a state begins with, computed again and compared, and the bytes that it is of.
pub(crate) fn rooted(
    field: &str,
    told: &[u8],
    state: &Bytes,
) -> Result<(Digest, Bytes), FieldError> {
    let told = Digest::try_from(told).map_err(|_| FieldError::new(field, "must have 32 bytes"))?;
    let head = [&ROOT_DIGEST[..], told.as_bytes()].concat();
    if !state.starts_with(&head) {
        return Err(FieldError::new(field, "must be encoded first, and once"));
    }
    let canonical = state.slice(head.len()..);
    let computed = Digest::of(&canonical);
    if told != computed {
        let problem = format!("is {told}, but the state that came has {computed}");
        return Err(FieldError::new(field, problem));
    }
    Ok((told, canonical))
}
