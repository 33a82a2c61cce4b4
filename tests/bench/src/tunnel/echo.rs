//! The echo server, the same for both paths: unary echo with trailers, and a stream without end.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use futures::stream;
use http::{HeaderMap, HeaderValue, Request, Response, header};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

pub(crate) const ECHO: &str = "/bench.Echo/Echo";
pub(crate) const FLOOD: &str = "/bench.Echo/Flood";

type Body = UnsyncBoxBody<Bytes, hyper::Error>;

/// Serves both listeners for ever: `plain` without TLS, `secured` with it.
pub(crate) async fn serve(
    plain: TcpListener,
    secured: TcpListener,
    tls: Arc<rustls::ServerConfig>,
) -> anyhow::Result<()> {
    let acceptor = TlsAcceptor::from(tls);
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = plain.accept() => {
                let (socket, _peer) = accepted?;
                socket.set_nodelay(true)?;
                connections.spawn(connection(socket));
            }
            accepted = secured.accept() => {
                let (socket, _peer) = accepted?;
                socket.set_nodelay(true)?;
                let acceptor = acceptor.clone();
                connections.spawn(async move {
                    if let Ok(socket) = acceptor.accept(socket).await {
                        connection(socket).await;
                    }
                });
            }
        }
    }
}

async fn connection(io: impl AsyncRead + AsyncWrite + Unpin + 'static) {
    let mut builder = http2::Builder::new(TokioExecutor::new());
    builder
        .max_concurrent_streams(1024)
        .initial_stream_window_size(256 * 1024)
        .initial_connection_window_size(1 << 30);
    // The load ends by closing its connection.
    let _ = builder
        .serve_connection(TokioIo::new(io), service_fn(answer))
        .await;
}

async fn answer(request: Request<Incoming>) -> Result<Response<Body>, hyper::Error> {
    let body = if request.uri().path() == FLOOD {
        let chunk = Bytes::from_static(&[7; 16 * 1024]);
        StreamBody::new(stream::repeat_with(move || Ok(Frame::data(chunk.clone())))).boxed_unsync()
    } else {
        let received = request.into_body().collect().await?.to_bytes();
        let body = Full::new(received).map_err(|never: Infallible| match never {});
        body.with_trailers(async { Some(Ok(trailers())) })
            .boxed_unsync()
    };
    let mut response = Response::new(body);
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/grpc"),
    );
    Ok(response)
}

fn trailers() -> HeaderMap {
    let mut trailers = HeaderMap::with_capacity(1);
    trailers.insert("grpc-status", HeaderValue::from_static("0"));
    trailers
}
