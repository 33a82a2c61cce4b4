//! Carries one call between a WebSocket and the runtime.

use std::{convert::Infallible, sync::Arc, time::Duration};

use bytes::Bytes;
use futures::{
    Sink, SinkExt as _, StreamExt as _,
    stream::{SplitSink, SplitStream},
};
use http::request::Parts;
use http_body::Frame as BodyFrame;
use http_body_util::{BodyExt as _, StreamBody};
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use tokio::{sync::mpsc, time};
use tokio_stream::wrappers::ReceiverStream;
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Error, Message,
        protocol::{CloseFrame, Role, WebSocketConfig, frame::coding::CloseCode},
    },
};
use tonic::{Code, Status, body::Body};

use super::super::Router;
use crate::{
    call::{Payload, Relayed},
    grpc_frame::{Frame, Messages},
    refusal,
};

const EXEC: &str = "/causeway.proxy.v1.ExecService/Exec";
/// Limit of the contract for a message, and its fields.
const LARGEST_MESSAGE: usize = (1 << 20) + (64 << 10);
const PING_EVERY: Duration = Duration::from_secs(15);
/// A browser that answers no ping for this long is gone.
const SILENT_FOR: Duration = Duration::from_secs(45);
/// Messages that wait for the runtime.
const WAITING: usize = 16;
/// Close codes of applications begin here.
const FIRST_CODE: u16 = 4000;
/// Limit of the protocol for the reason of a close frame.
const LONGEST_REASON: usize = 123;

type Socket = WebSocketStream<TokioIo<Upgraded>>;
type Requests = mpsc::Sender<Bytes>;

/// Why a browser sends no more.
enum Left {
    /// It closed the socket, or its connection broke.
    Gone,
    /// It sent something that is no message.
    Unfit,
}

/// Carries a call to its end, then closes the socket.
pub(super) async fn run(router: &Arc<Router>, head: &Parts, io: TokioIo<Upgraded>) {
    let config = WebSocketConfig::default()
        .max_message_size(Some(LARGEST_MESSAGE))
        .max_frame_size(Some(LARGEST_MESSAGE));
    let socket = Socket::from_raw_socket(io, Role::Server, Some(config)).await;
    let (mut sink, stream) = socket.split();
    if let Err(status) = verify(router, head).await {
        return close(&mut sink, &status).await;
    }
    let (requests, waiting) = mpsc::channel(WAITING);
    let status = tokio::select! {
        status = carry(router, head, request_body(waiting), &mut sink) => status,
        left = read(stream, requests) => match left {
            Left::Gone => return,
            Left::Unfit => refusal::field("message", "send binary messages of at most 1 MiB"),
        },
    };
    close(&mut sink, &status).await;
}

/// Verifies the credential. Nothing of the socket is read for one that opens nothing.
async fn verify(router: &Router, head: &Parts) -> Result<(), Status> {
    let method = router.table.method(EXEC);
    let method = method.ok_or_else(|| Status::unimplemented("no such method"))?;
    let call = router.call(method, &head.headers, head)?;
    Box::pin(router.exchange.verify_credential(&call)).await
}

/// Makes the call and sends its answers.
async fn carry(
    router: &Arc<Router>,
    head: &Parts,
    body: Body,
    sink: &mut SplitSink<Socket, Message>,
) -> Status {
    match begin(router, head, body).await {
        Ok(answers) => answer(answers, sink).await.unwrap_or_else(|status| status),
        Err(status) => status,
    }
}

async fn begin(router: &Arc<Router>, head: &Parts, body: Body) -> Result<Relayed, Status> {
    let method = router.table.method(EXEC);
    let method = method.ok_or_else(|| Status::unimplemented("no such method"))?;
    let call = router.call(method, &head.headers, head)?;
    let answer = Box::pin(router.exchange.call(&call, Payload::Stream(body))).await?;
    match Status::from_header_map(&answer.headers) {
        Some(status) if status.code() != Code::Ok => Err(status),
        _ => Ok(answer.body),
    }
}

/// Sends each answer as a message, and a ping now and then. Returns how the call ended.
async fn answer(
    mut answers: Relayed,
    sink: &mut (impl Sink<Message, Error = Error> + Unpin),
) -> Result<Status, Status> {
    let gone = |_| Status::cancelled("the browser has left");
    let mut messages = Messages::new(LARGEST_MESSAGE);
    let mut pings = time::interval_at(time::Instant::now() + PING_EVERY, PING_EVERY);
    loop {
        let frame = tokio::select! {
            frame = answers.frame() => frame,
            _ = pings.tick() => {
                sink.send(Message::Ping(Bytes::new())).await.map_err(gone)?;
                continue;
            }
        };
        let Some(frame) = frame else {
            return Err(refusal::lost("the call ended without a status"));
        };
        match frame?.into_data() {
            Ok(data) => messages.push(data),
            Err(frame) => {
                let status = frame.trailers_ref().and_then(Status::from_header_map);
                return status.ok_or_else(|| refusal::lost("the call ended without a status"));
            }
        }
        while let Some(message) = messages.next()? {
            sink.send(Message::Binary(message)).await.map_err(gone)?;
        }
    }
}

/// Reads messages until the browser leaves.
async fn read(mut stream: SplitStream<Socket>, requests: Requests) -> Left {
    let mut requests = Some(requests);
    loop {
        let message = match time::timeout(SILENT_FOR, stream.next()).await {
            Ok(Some(Ok(message))) => message,
            Ok(Some(Err(Error::Capacity(_)))) => return Left::Unfit,
            Ok(Some(Err(_)) | None) | Err(_) => return Left::Gone,
        };
        match message {
            Message::Binary(message) if message.is_empty() => requests = None,
            Message::Binary(message) => forward(requests.as_ref(), message).await,
            Message::Text(_) => return Left::Unfit,
            Message::Close(_) => return Left::Gone,
            Message::Ping(_) | Message::Pong(_) | Message::Frame(_) => {}
        }
    }
}

/// What comes after the end of the input is not sent.
async fn forward(requests: Option<&Requests>, message: Bytes) {
    if let Some(requests) = requests {
        // The call has ended; its status is on the way to the browser.
        let _ = requests.send(Frame::of(&message).into_bytes()).await;
    }
}

fn request_body(waiting: mpsc::Receiver<Bytes>) -> Body {
    let frames = ReceiverStream::new(waiting)
        .map(BodyFrame::data)
        .map(Ok::<_, Infallible>);
    Body::new(StreamBody::new(frames))
}

async fn close(sink: &mut (impl Sink<Message, Error = Error> + Unpin), status: &Status) {
    let frame = CloseFrame {
        code: close_code(status.code()),
        reason: reason(status.message()).into(),
    };
    // A browser that has left needs no reason.
    let _ = time::timeout(PING_EVERY, sink.send(Message::Close(Some(frame)))).await;
}

fn close_code(code: Code) -> CloseCode {
    if code == Code::Ok {
        return CloseCode::Normal;
    }
    CloseCode::from(FIRST_CODE + u16::try_from(code as i32).unwrap_or_default())
}

/// A text cut to the limit of the protocol.
fn reason(text: &str) -> String {
    let ends = text.char_indices().map(|(start, it)| start + it.len_utf8());
    let end = ends.take_while(|end| *end <= LONGEST_REASON).last();
    text[..end.unwrap_or_default()].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_fits_into_a_close_frame_and_is_cut_between_characters() {
        assert_eq!(reason("no"), "no");
        assert_eq!(reason(&"é".repeat(100)), "é".repeat(61));
        assert_eq!(reason(&"a".repeat(500)).len(), LONGEST_REASON);
    }

    #[test]
    fn a_close_code_tells_the_code_of_the_error() {
        assert_eq!(u16::from(close_code(Code::Ok)), 1000);
        assert_eq!(u16::from(close_code(Code::PermissionDenied)), 4007);
        assert_eq!(u16::from(close_code(Code::Unauthenticated)), 4016);
    }
}
