//! An HTTP/2 upstream of a runtime, as far as a tunnel can tell it from a gRPC server.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::stream;
use http::{HeaderMap, HeaderValue, Request, Response};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, StreamBody};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

pub(crate) const ECHO: &str = "/test.Echo/Echo";
pub(crate) const COUNT: &str = "/test.Echo/Count";
pub(crate) const HANG: &str = "/test.Echo/Hang";
pub(crate) const FLOOD: &str = "/test.Echo/Flood";
pub(crate) const HEAD_THEN_HANG: &str = "/test.Echo/HeadThenHang";

type Body = UnsyncBoxBody<Bytes, Infallible>;

pub(crate) struct Upstream {
    pub(crate) address: SocketAddr,
    /// Handlers that run now and shall not end by themselves.
    pub(crate) hanging: watch::Receiver<usize>,
    _tasks: JoinSet<()>,
}

struct Hanging(Arc<watch::Sender<usize>>);

impl Hanging {
    fn begin(count: &Arc<watch::Sender<usize>>) -> Self {
        count.send_modify(|count| *count += 1);
        Self(Arc::clone(count))
    }
}

impl Drop for Hanging {
    fn drop(&mut self) {
        self.0.send_modify(|count| *count -= 1);
    }
}

impl Upstream {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (count, hanging) = watch::channel(0);
        let count = Arc::new(count);
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((socket, _peer)) = listener.accept().await {
                socket.set_nodelay(true).unwrap();
                let count = Arc::clone(&count);
                let service = service_fn(move |request| {
                    let count = Arc::clone(&count);
                    async move { Ok::<_, Infallible>(answer(request, &count).await) }
                });
                let mut builder = http2::Builder::new(TokioExecutor::new());
                builder.max_concurrent_streams(1024);
                connections.spawn(builder.serve_connection(TokioIo::new(socket), service));
            }
        });
        Self {
            address,
            hanging,
            _tasks: tasks,
        }
    }
}

async fn answer(request: Request<Incoming>, count: &Arc<watch::Sender<usize>>) -> Response<Body> {
    let path = request.uri().path().to_owned();
    let seen = request.headers().clone();
    let authority = request
        .uri()
        .authority()
        .map(ToString::to_string)
        .unwrap_or_default();
    let body = match path.as_str() {
        ECHO => echo(request.into_body()),
        COUNT => numbers(),
        FLOOD => flood(Hanging::begin(count)),
        HEAD_THEN_HANG => hang(Hanging::begin(count)),
        _ => {
            let _hanging = Hanging::begin(count);
            std::future::pending().await
        }
    };
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert("content-type", HeaderValue::from_static("application/grpc"));
    headers.insert("x-authority", HeaderValue::from_str(&authority).unwrap());
    for name in ["traceparent", "causeway-route", "keep-alive", "x-custom"] {
        if let Some(value) = seen.get(name) {
            headers.insert(
                http::HeaderName::try_from(format!("seen-{name}")).unwrap(),
                value.clone(),
            );
        }
    }
    response
}

fn trailers() -> HeaderMap {
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static("0"));
    trailers.insert("x-last-word", HeaderValue::from_static("end"));
    trailers
}

fn echo(body: Incoming) -> Body {
    body.map_err(|_gone| -> Infallible { unreachable!("a broken request is dropped") })
        .with_trailers(async { Some(Ok(trailers())) })
        .boxed_unsync()
}

fn numbers() -> Body {
    let frames = (0..100_u8).map(|number| Ok(Frame::data(Bytes::from(vec![number]))));
    StreamBody::new(stream::iter(frames))
        .with_trailers(async { Some(Ok(trailers())) })
        .boxed_unsync()
}

fn flood(hanging: Hanging) -> Body {
    let chunk = Bytes::from(vec![7; 16 * 1024]);
    let frames = stream::repeat_with(move || {
        let _held = &hanging;
        Ok(Frame::data(chunk.clone()))
    });
    StreamBody::new(frames).boxed_unsync()
}

fn hang(hanging: Hanging) -> Body {
    let (frames_tx, frames) = mpsc::channel::<Result<Frame<Bytes>, Infallible>>(1);
    let silent = stream::unfold((hanging, frames_tx, frames), |mut held| async move {
        let frame = held.2.recv().await?;
        Some((frame, held))
    });
    StreamBody::new(silent).boxed_unsync()
}

/// The end of all patience, far from what anything takes.
pub(crate) const SOON: Duration = Duration::from_secs(60);
