//! Converts responses of parts to JSON over HTTP.

use bytes::Bytes;
use causeway_proto::access::v1::Kind;
use causeway_shell::ByteBudget;
use http::{
    HeaderMap, HeaderValue, Method as Verb, Response, StatusCode, header as names, request::Parts,
};
use http_body_util::{BodyExt as _, Full};
use sha2::{Digest as _, Sha256};
use tonic::{Status, body::Body};

use super::{LARGEST_ANSWER, respond, stream};
use crate::{
    call::Answer,
    grpc_frame::Messages,
    refusal,
    table::{Method, Shape},
    transcode::View,
};

/// Request headers that the response depends on.
const VARY: HeaderValue = HeaderValue::from_static("authorization, cookie, accept");
/// Lets the client cache the response and revalidate it by its ETag.
const CACHE_POLICY: HeaderValue = HeaderValue::from_static("private, no-cache");

/// Writes the response to one call.
pub(super) struct ResponseWriter<'c> {
    pub(super) method: &'c Method,
    pub(super) head: &'c Parts,
    pub(super) view: View,
    /// Version of the router, because versions may serialize a message differently.
    pub(super) version: &'static str,
    /// Memory for answers that are written as a whole.
    pub(super) budget: &'c ByteBudget,
}

impl ResponseWriter<'_> {
    pub(super) async fn write(self, answer: Answer) -> Result<Response<Body>, Status> {
        ended(&answer)?;
        if self.method.shape == Shape::ServerStream {
            return Ok(self.write_stream(answer));
        }
        let message = single(answer, self.budget).await?;
        let tag = self.is_tagged().then(|| tag(self.version, &message));
        let mut response = match &tag {
            Some(tag) if holds(&self.head.headers, tag) => unchanged(),
            _ => self.write_one(&message).await?,
        };
        if let Some(tag) = tag {
            let headers = response.headers_mut();
            headers.extend(HeaderValue::try_from(tag).map(|tag| (names::ETAG, tag)));
            headers.insert(names::CACHE_CONTROL, CACHE_POLICY);
            headers.append(names::VARY, VARY);
        }
        Ok(response)
    }

    fn write_stream(self, answer: Answer) -> Response<Body> {
        let writer = stream::Writer::new(self.method, &self.head.headers, self.view);
        let content_type = writer.content_type();
        let body = stream::body(writer, answer.body, self.budget.clone());
        let mut response = respond(StatusCode::OK, content_type, body);
        // Disables buffering in nginx and compatible proxies.
        let unbuffered = HeaderValue::from_static("no");
        response
            .headers_mut()
            .insert("x-accel-buffering", unbuffered);
        response
    }

    async fn write_one(&self, message: &[u8]) -> Result<Response<Body>, Status> {
        let mut json = Vec::with_capacity(2 * message.len() + 16);
        let written = self.view.read(message);
        let written = written.and_then(|message| self.view.write(message, &mut json));
        written.map_err(|error| refusal::lost(error.to_string()))?;
        let mut reservation = self.budget.reserve();
        let reserved = reservation.grow_to(json.len()).await;
        reserved.map_err(|error| refusal::cut_off(error.into()))?;
        let body = Full::new(reservation.attach(json.into()));
        Ok(respond(StatusCode::OK, "application/json", body))
    }

    /// Only reads get an ETag: responses of other calls may hold secrets.
    fn is_tagged(&self) -> bool {
        self.head.method == Verb::GET && self.method.contract.kind == Kind::Read
    }
}

fn unchanged() -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    response
}

/// Weak, because the order of map entries in the JSON may differ between equal messages.
pub(in crate::http) fn tag(version: &str, content: &[u8]) -> String {
    let mut digest = Sha256::new();
    digest.update(version);
    digest.update([0]);
    digest.update(content);
    let digest = digest.finalize();
    let hex: String = digest[..16]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("W/\"{hex}\"")
}

/// Whether a caller says that it has what is tagged so.
pub(in crate::http) fn holds(headers: &HeaderMap, tag: &str) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let values = headers.get_all(names::IF_NONE_MATCH).iter();
    let values = values.filter_map(|value| value.to_str().ok());
    let mut held = values.flat_map(|value| value.split(','));
    held.any(|held| held.trim() == "*" || opaque(held) == opaque(tag))
}

/// An answer that is an error from its first line on.
fn ended(answer: &Answer) -> Result<(), Status> {
    match Status::from_header_map(&answer.headers) {
        Some(status) if status.code() != tonic::Code::Ok => Err(status),
        _ => Ok(()),
    }
}

/// The message of a unary answer, or its error.
pub(in crate::http) async fn unary(answer: Answer, budget: &ByteBudget) -> Result<Bytes, Status> {
    ended(&answer)?;
    single(answer, budget).await
}

/// The one message of a unary answer.
async fn single(mut answer: Answer, budget: &ByteBudget) -> Result<Bytes, Status> {
    let mut messages = Messages::new(LARGEST_ANSWER);
    let mut found = None;
    let (mut reservation, mut received) = (budget.reserve(), 0);
    while let Some(frame) = answer.body.frame().await {
        let frame = match frame?.into_data() {
            Ok(data) => {
                received += data.len();
                let reserved = reservation.grow_to(received).await;
                reserved.map_err(|error| refusal::cut_off(error.into()))?;
                messages.push(data);
                while let Some(message) = messages.next().map_err(refusal::answer)? {
                    found = Some(message);
                }
                continue;
            }
            Err(frame) => frame,
        };
        let status = frame.trailers_ref().and_then(Status::from_header_map);
        if let Some(status) = status
            && status.code() != tonic::Code::Ok
        {
            return Err(status);
        }
    }
    messages.end()?;
    let found = found.map(|found| reservation.attach(found));
    found.ok_or_else(|| refusal::lost("the part ended the call without an answer"))
}
