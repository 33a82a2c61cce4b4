//! The control stream of a session: the first call on it, opened by this end.

use std::task::{Context, Poll};
use std::time::Duration;

use anyhow::{Context as _, bail};
use causeway_relay::{IncomingBody, SendError};
use futures::future::BoxFuture;
use http::uri::PathAndQuery;
use http::{Response, Uri};
use http_body_util::Either;
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_stream::wrappers::ReceiverStream;
use tonic::body::Body;
use tonic::client::Grpc;
use tonic::codec::{BufferSettings, Codec};
use tonic::{Request, Streaming};
use tonic_prost::{ProstCodec, ProstDecoder, ProstEncoder};
use tower::Service;

use causeway_proto::tunnel::v1 as pb;

use crate::link::Link;

const OPEN: &str = "/causeway.tunnel.v1.ControlService/Open";
const MESSAGE_BYTES: usize = 16 * 1024;
/// Notices that wait for a client which does not read.
const NOTICES: usize = 4;

/// An open control stream.
pub(crate) struct Control {
    notices: mpsc::Sender<pb::OpenRequest>,
    messages: Streaming<pb::OpenResponse>,
}

/// What the client said of itself.
pub(crate) struct Hello {
    pub(crate) version: String,
    pub(crate) routes: Vec<String>,
    /// From sending our hello to having read the client's.
    pub(crate) round_trip: Duration,
}

impl Control {
    /// Opens the stream and exchanges hellos.
    pub(crate) async fn open(link: &Link, server: &str) -> anyhow::Result<(Self, Hello)> {
        let (notices, outgoing) = mpsc::channel(NOTICES);
        let hello = pb::ServerHello {
            server: server.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        let begin = Instant::now();
        notices
            .try_send(request(pb::open_request::Notice::Hello(hello)))
            .context("the server's hello")?;
        let origin = Uri::from_static("http://tunnel");
        let client = Grpc::with_origin(Transport(link.clone()), origin);
        let mut client = client.max_decoding_message_size(MESSAGE_BYTES);
        let outgoing = Request::new(ReceiverStream::new(outgoing));
        let opened = client.streaming(outgoing, PathAndQuery::from_static(OPEN), Small);
        let response = opened.await.context("open the control stream")?;
        let mut messages = response.into_inner();
        let first = messages.message().await.context("the client's hello")?;
        let Some(pb::open_response::Message::Hello(hello)) = first.and_then(|first| first.message)
        else {
            bail!("the client did not begin with a hello");
        };
        let hello = Hello {
            version: hello.version,
            routes: hello.routes,
            round_trip: begin.elapsed(),
        };
        Ok((Self { notices, messages }, hello))
    }

    /// Never waits: a client that reads no notices is closed all the same.
    pub(crate) fn notify(&self, notice: pb::open_request::Notice) {
        let _ = self.notices.try_send(request(notice));
    }

    /// Resolves when the client has another session, or cannot say so any more.
    pub(crate) async fn drain_ready(&mut self) {
        while let Ok(Some(message)) = self.messages.message().await {
            if let Some(pb::open_response::Message::DrainReady(_)) = message.message {
                return;
            }
        }
    }
}

fn request(notice: pb::open_request::Notice) -> pb::OpenRequest {
    pb::OpenRequest {
        notice: Some(notice),
    }
}

/// A link as the transport of a generated client.
#[derive(Clone)]
struct Transport(Link);

impl Service<http::Request<Body>> for Transport {
    type Response = Response<IncomingBody>;
    type Error = Box<dyn std::error::Error + Send + Sync>;
    type Future = BoxFuture<'static, Result<Self::Response, Self::Error>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let link = self.0.clone();
        Box::pin(async move {
            match link.send(request.map(Either::Right)) {
                Ok(exchange) => Ok(exchange.await?),
                Err(SendError::Closed(_)) => Err("the session has ended".into()),
                Err(SendError::Invalid(error)) => Err(error.into()),
            }
        })
    }
}

type Protobuf = ProstCodec<pb::OpenRequest, pb::OpenResponse>;

/// Protobuf with buffers of the size of a notice. The usual ones would be a quarter of what an
/// idle session costs.
struct Small;

impl Small {
    fn settings() -> BufferSettings {
        BufferSettings::new(256, MESSAGE_BYTES)
    }
}

impl Codec for Small {
    type Encode = pb::OpenRequest;
    type Decode = pb::OpenResponse;
    type Encoder = ProstEncoder<pb::OpenRequest>;
    type Decoder = ProstDecoder<pb::OpenResponse>;

    fn encoder(&mut self) -> Self::Encoder {
        Protobuf::raw_encoder(Self::settings())
    }

    fn decoder(&mut self) -> Self::Decoder {
        Protobuf::raw_decoder(Self::settings())
    }
}
