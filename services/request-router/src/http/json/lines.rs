//! A stream of messages as lines of JSON, each sent as soon as it is there.

use std::convert::Infallible;

use bytes::Bytes;
use futures::Stream;
use http_body::{Body as _, Frame};
use http_body_util::{BodyExt as _, StreamBody};
use prost_reflect::MessageDescriptor;
use serde_json::json;
use tonic::{Code, Status};

use super::LARGEST_ANSWER;
use crate::{grpc_frame::Messages, refusal, relay::Relay, status_json, transcode};

/// One line per message; an error is the last line, `{"error": …}`.
pub(super) fn lines(
    response: MessageDescriptor,
    upstream: Relay,
) -> StreamBody<impl Stream<Item = Result<Frame<Bytes>, Infallible>> + Send + 'static> {
    StreamBody::new(async_stream::stream! {
        let mut upstream = upstream;
        let mut messages = Messages::new(LARGEST_ANSWER);
        while !upstream.is_end_stream() && let Some(frame) = upstream.frame().await {
            match step(&response, &mut messages, frame) {
                Ok(Some(lines)) => yield Ok(Frame::data(lines)),
                Ok(None) => {}
                Err(status) => {
                    yield Ok(Frame::data(error_line(&status)));
                    return;
                }
            }
        }
    })
}

/// The lines of all messages that a frame completes.
fn step(
    response: &MessageDescriptor,
    messages: &mut Messages,
    frame: Result<Frame<Bytes>, Status>,
) -> Result<Option<Bytes>, Status> {
    let data = match frame?.into_data() {
        Ok(data) => data,
        Err(frame) => {
            let status = frame.trailers_ref().and_then(Status::from_header_map);
            let failed = status.filter(|status| status.code() != Code::Ok);
            messages.end()?;
            return failed.map_or(Ok(None), Err);
        }
    };
    messages.push(data);
    let mut lines = Vec::new();
    while let Some(message) = messages.next()? {
        transcode::write_json(response, &message, &mut lines)
            .map_err(|error| refusal::lost(error.to_string()))?;
        lines.push(b'\n');
    }
    Ok((!lines.is_empty()).then(|| lines.into()))
}

fn error_line(status: &Status) -> Bytes {
    let line = json!({ "error": status_json::to_json(status) });
    format!("{line}\n").into()
}
