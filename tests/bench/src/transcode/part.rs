//! The part behind: it answers at once, with an object of some size.

use std::net::SocketAddr;

use bytes::Bytes;
use causeway_proto::proxy::v1 as pb;
use http::{HeaderMap, HeaderValue, Request, Response, header};
use http_body_util::{BodyExt as _, StreamBody};
use hyper::{body::Frame, body::Incoming, server::conn::http2, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message as _;
use tokio::{net::TcpListener, task::JoinSet};

const MANIFEST: usize = 1024;

/// Its drop ends it.
pub(super) struct Part {
    address: SocketAddr,
    _serving: JoinSet<()>,
}

impl Part {
    pub(super) async fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let mut serving = JoinSet::new();
        serving.spawn(accept(listener, answer()));
        Ok(Self {
            address,
            _serving: serving,
        })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }
}

/// The answer as it travels.
fn answer() -> Bytes {
    let answer = pb::GetLiveApplicationResponse {
        manifest: vec![b'x'; MANIFEST].into(),
        resource_version: 9_007_199_254_740_993,
    };
    let encoded = answer.encode_to_vec();
    let length = u32::try_from(encoded.len()).unwrap_or(u32::MAX);
    [&[0], length.to_be_bytes().as_slice(), &encoded]
        .concat()
        .into()
}

async fn accept(listener: TcpListener, answer: Bytes) {
    let mut open = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        // What cannot be set makes it slower for all ways alike.
        let _ = stream.set_nodelay(true);
        let answer = answer.clone();
        let service = service_fn(move |request| call(request, answer.clone()));
        open.spawn(async move {
            let serving = http2::Builder::new(TokioExecutor::new());
            // It ends with its peer.
            let _ = serving
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

async fn call(
    request: Request<Incoming>,
    answer: Bytes,
) -> Result<
    Response<StreamBody<impl futures::Stream<Item = Result<Frame<Bytes>, hyper::Error>>>>,
    hyper::Error,
> {
    request.into_body().collect().await?;
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static("0"));
    let frames = [Frame::data(answer), Frame::trailers(trailers)].map(Ok);
    let mut response = Response::new(StreamBody::new(futures::stream::iter(frames)));
    let kind = HeaderValue::from_static("application/grpc");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}
