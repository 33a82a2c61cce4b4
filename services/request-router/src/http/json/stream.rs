//! A stream of messages as JSON, each sent as soon as it is there: a line for each, or an event for each.
//!
//! An event has as its id the cursor after its message, where the RPC has one, so that a reader who comes again with the header
//! `last-event-id` misses nothing. The last event is always the status, since readers of events take every other end for a broken
//! connection and come again.

use std::{convert::Infallible, time::Duration};

use bytes::Bytes;
use causeway_shell::ByteBudget;
use futures::Stream;
use http::{HeaderMap, header};
use http_body::{Body as _, Frame};
use http_body_util::{BodyExt as _, StreamBody};
use prost_reflect::{DynamicMessage, FieldDescriptor, ReflectMessage as _};
use serde_json::json;
use tonic::{Code, Status};

use super::LARGEST_ANSWER;
use crate::{
    call::Relayed,
    grpc_frame::Messages,
    refusal, status_json,
    table::Method,
    transcode::{ResponseError, View},
};

const EVENTS: &str = "text/event-stream";
const LINES: &str = "application/x-ndjson";
/// Proxies close connections on which nothing comes for long.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How a stream is written.
pub(super) struct Writer {
    view: View,
    form: Form,
}

enum Form {
    Lines,
    /// With the field of each message that becomes its id.
    Events(Option<FieldDescriptor>),
}

impl Writer {
    /// In the form that the caller accepts; lines where both are as good.
    pub(super) fn new(method: &Method, headers: &HeaderMap, view: View) -> Self {
        let form = if accepts_events(headers) {
            Form::Events(method.answered_cursor())
        } else {
            Form::Lines
        };
        Self { view, form }
    }

    pub(super) fn content_type(&self) -> &'static str {
        match self.form {
            Form::Lines => LINES,
            Form::Events(_) => EVENTS,
        }
    }

    fn opening(&self) -> Option<Bytes> {
        let events = matches!(self.form, Form::Events(_));
        events.then(|| Bytes::from_static(b"retry: 1000\n\n"))
    }

    /// What tells nothing but that the stream goes on.
    fn pause(&self) -> Option<Bytes> {
        let events = matches!(self.form, Form::Events(_));
        events.then(|| Bytes::from_static(b":\n\n"))
    }

    fn message(&self, message: &[u8], out: &mut Vec<u8>) -> Result<(), ResponseError> {
        let message = self.view.read(message)?;
        match &self.form {
            Form::Lines => {
                self.view.write(message, out)?;
                out.push(b'\n');
            }
            Form::Events(cursor) => {
                if let Some(id) = cursor.as_ref().and_then(|cursor| id(&message, cursor)) {
                    out.extend_from_slice(format!("id: {id}\n").as_bytes());
                }
                out.extend_from_slice(b"data: ");
                self.view.write(message, out)?;
                out.extend_from_slice(b"\n\n");
            }
        }
        Ok(())
    }

    fn end(&self, status: &Status) -> Option<Bytes> {
        let json = status_json::to_json(status);
        match self.form {
            Form::Lines if status.code() == Code::Ok => None,
            Form::Lines => Some(format!("{}\n", json!({ "error": json })).into()),
            Form::Events(_) => Some(format!("event: status\ndata: {json}\n\n").into()),
        }
    }

    /// All messages that a frame completes.
    fn step(
        &self,
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
        let mut out = Vec::new();
        while let Some(message) = messages.next().map_err(refusal::answer)? {
            let written = self.message(&message, &mut out);
            written.map_err(|error| refusal::lost(error.to_string()))?;
        }
        Ok((!out.is_empty()).then(|| out.into()))
    }
}

/// Writes as long as the upstream goes on. What ends it in error is the last line, `{"error": …}`, or the last event.
pub(super) fn body(
    writer: Writer,
    mut upstream: Relayed,
    budget: ByteBudget,
) -> StreamBody<impl Stream<Item = Result<Frame<Bytes>, Infallible>> + Send + 'static> {
    let frames = async_stream::stream! {
        let mut messages = Messages::new(LARGEST_ANSWER);
        let mut reservation = budget.reserve();
        if let Some(opening) = writer.opening() {
            yield opening;
        }
        let mut status = Status::ok("");
        while !upstream.is_end_stream() {
            let piece = match tokio::time::timeout(KEEP_ALIVE, upstream.frame()).await {
                Ok(None) => break,
                Ok(Some(frame)) => match reservation.grow_to(messages.held()).await {
                    Ok(()) => writer.step(&mut messages, frame),
                    Err(error) => Err(error.into()),
                },
                Err(_) => Ok(writer.pause()),
            };
            match piece {
                Ok(None) => {}
                Ok(Some(piece)) => {
                    reservation = budget.reserve();
                    yield piece;
                }
                Err(failed) => {
                    status = failed;
                    break;
                }
            }
        }
        if let Some(end) = writer.end(&status) {
            yield end;
        }
    };
    StreamBody::new(futures::StreamExt::map(frames, |piece| {
        Ok(Frame::data(piece))
    }))
}

/// The text of a cursor, if it can stand in one line.
fn id(message: &DynamicMessage, cursor: &FieldDescriptor) -> Option<String> {
    debug_assert_eq!(&message.descriptor(), cursor.parent_message());
    let value = message.get_field(cursor);
    let text = value.as_str()?;
    let plain = !text.is_empty() && !text.contains(['\n', '\r', '\0']);
    plain.then(|| text.to_owned())
}

/// True if events are asked for by name and nothing else is wanted more.
fn accepts_events(headers: &HeaderMap) -> bool {
    let quality = |kind| {
        let values = headers.get_all(header::ACCEPT).iter();
        let values = values.filter_map(|value| value.to_str().ok());
        let mut ranges = values.flat_map(|value| value.split(','));
        ranges.find_map(|range| quality_of(range, kind))
    };
    let events = quality(EVENTS).unwrap_or(0.0);
    events > 0.0 && events >= quality(LINES).unwrap_or(0.0)
}

/// How much a range of `accept` wants this kind, where it names it.
fn quality_of(range: &str, kind: &str) -> Option<f32> {
    let mut parts = range.split(';').map(str::trim);
    let named = parts.next()?.eq_ignore_ascii_case(kind);
    let quality = parts.find_map(|part| part.strip_prefix("q=")?.parse().ok());
    named.then(|| quality.unwrap_or(1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(accept: &[&str]) -> bool {
        let pairs = accept
            .iter()
            .map(|accept| (header::ACCEPT, accept.parse().unwrap()));
        accepts_events(&pairs.collect())
    }

    #[test]
    fn events_are_written_for_those_who_name_them() {
        for accept in [
            &["text/event-stream"][..],
            &["TEXT/Event-Stream;charset=utf-8"],
            &["application/json, text/event-stream;q=0.1"],
            &["application/x-ndjson;q=0.5, text/event-stream"],
            &["application/json", "text/event-stream"],
        ] {
            assert!(events(accept), "{accept:?}");
        }
        for accept in [
            &[][..],
            &["*/*"],
            &["text/*"],
            &["text/event-stream;q=0"],
            &["text/event-stream-x"],
            &["application/x-ndjson, text/event-stream;q=0.9"],
        ] {
            assert!(!events(accept), "{accept:?}");
        }
    }
}
