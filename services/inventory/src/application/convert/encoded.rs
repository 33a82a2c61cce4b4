//! Encoded states as they came over the wire. The digest covers these bytes, fields that are unknown here included.

use bytes::Bytes;
use prost::Message;

use crate::{digest::Digest, report::FieldError};

/// Field 1 as bytes, of which there are 32.
const ROOT_DIGEST: [u8; 2] = [0x0a, 32];

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

/// A state as its reporter encoded it, without its digest.
#[derive(Debug)]
pub(crate) struct EncodedState {
    /// SHA-256 of `canonical`.
    pub(crate) root_digest: Digest,
    /// The bytes that the digest covers, fields that are unknown here included.
    pub(crate) canonical: Bytes,
}

impl EncodedState {
    /// How many bytes the digest takes at the head of an encoded state: tag, length and content.
    pub(crate) const HEAD: usize = ROOT_DIGEST.len() + 32;

    /// Computes the digest of an encoded state and compares it with the one that the state claims.
    pub(crate) fn verify(field: &str, claimed: &[u8], state: &Bytes) -> Result<Self, FieldError> {
        let claimed =
            Digest::try_from(claimed).map_err(|_| FieldError::new(field, "must have 32 bytes"))?;
        let head = [&ROOT_DIGEST[..], claimed.as_bytes()].concat();
        if !state.starts_with(&head) {
            return Err(FieldError::new(field, "must be encoded first, and once"));
        }
        let canonical = state.slice(head.len()..);
        let root_digest = Digest::of(&canonical);
        if claimed != root_digest {
            let problem = format!("is {claimed}, but the state that came has {root_digest}");
            return Err(FieldError::new(field, problem));
        }
        Ok(Self {
            root_digest,
            canonical,
        })
    }
}
