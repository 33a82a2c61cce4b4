//! The internal listener: HTTP/2 from services of the platform. It serves this part's own gRPC
//! services and forwards all other calls.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use causeway_relay::{IncomingBody, KeepAlive, headers::ROUTE, serve};
use causeway_shell::{HttpService, ServerTls, Shell};
use h2::server::Builder;
use http::{Request, Response};
use http_body_util::Either;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tokio_rustls::TlsAcceptor;
use tonic::body::Body;
use tower::ServiceExt;

use crate::forward::{ForwardedBody, Forwarder};

const TLS_WAIT: Duration = Duration::from_secs(10);
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
const OWN_SERVICE: &str = "/causeway.tunnel.v1.TunnelService/";
/// Served here, unless the caller names a route.
const PUBLIC_SERVICES: [&str; 2] = ["/grpc.health.v1.Health/", "/grpc.reflection."];

const STREAMS: u32 = 1024;
const STREAM_WINDOW_BYTES: u32 = 256 * 1024;
/// Allows every stream to stall: one connection carries the calls of many callers.
const CONNECTION_WINDOW_BYTES: u32 = STREAMS * STREAM_WINDOW_BYTES;
const HEADER_LIST_BYTES: u32 = 32 * 1024;
const SEND_BUFFER_BYTES: usize = 64 * 1024;
/// As on the tunnel hop: many callers share the connection, so a burst of cancelled calls must not
/// end it.
const PENDING_RESETS: usize = 4 * 1024;
const LOCAL_ERROR_RESETS: usize = 1 << 20;
const KEEP_ALIVE: KeepAlive = KeepAlive {
    every: Duration::from_secs(15),
    wait: Duration::from_secs(10),
};

/// Serves the internal listener.
#[derive(Clone)]
pub(crate) struct InternalListener {
    pub(crate) shell: Shell,
    pub(crate) forwarder: Forwarder,
    pub(crate) own: HttpService,
    pub(crate) tls: Option<ServerTls>,
}

impl InternalListener {
    pub(crate) async fn serve(self, listener: TcpListener) -> anyhow::Result<()> {
        let shutdown = self.shell.shutdown();
        let this = Arc::new(self);
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                () = shutdown.requested() => break,
                Some(_ended) = connections.join_next() => {}
                accepted = listener.accept() => match accepted {
                    Ok((socket, peer)) => {
                        connections.spawn(Arc::clone(&this).accept_connection(socket, peer));
                    }
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept a connection");
                        sleep(ACCEPT_PAUSE).await;
                    }
                },
            }
        }
        drop(listener);
        while connections.join_next().await.is_some() {}
        Ok(())
    }

    async fn accept_connection(self: Arc<Self>, socket: TcpStream, peer: SocketAddr) {
        // Fails only for a closed socket, which the handshake below reports.
        let _ = socket.set_nodelay(true);
        let Some(tls) = &self.tls else {
            return self.serve_connection(socket).await;
        };
        match timeout(TLS_WAIT, TlsAcceptor::from(tls.config()).accept(socket)).await {
            Ok(Ok(secured)) => self.serve_connection(secured).await,
            Ok(Err(error)) => tracing::debug!(%peer, %error, "TLS handshake failed"),
            Err(_elapsed) => tracing::debug!(%peer, "TLS handshake took too long"),
        }
    }

    async fn serve_connection(self: Arc<Self>, io: impl AsyncRead + AsyncWrite + Unpin + 'static) {
        let stop = self.shell.shutdown();
        let call = |request| Arc::clone(&self).handle(request);
        let ended = serve(io, &builder(), KEEP_ALIVE, call, stop.requested()).await;
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection of the internal listener failed");
        }
    }

    async fn handle(self: Arc<Self>, request: Request<IncomingBody>) -> Response<ForwardedBody> {
        if !is_own(&request) {
            return self.forwarder.call(request).await;
        }
        let Ok(response) = self.own.clone().oneshot(request.map(Body::new)).await;
        response.map(Either::Right)
    }
}

fn is_own<B>(request: &Request<B>) -> bool {
    let path = request.uri().path();
    let is_public = PUBLIC_SERVICES
        .iter()
        .any(|prefix| path.starts_with(prefix));
    path.starts_with(OWN_SERVICE) || (is_public && !request.headers().contains_key(ROUTE))
}

fn builder() -> Builder {
    let mut builder = Builder::new();
    builder
        .max_concurrent_streams(STREAMS)
        .initial_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .max_header_list_size(HEADER_LIST_BYTES)
        .max_send_buffer_size(SEND_BUFFER_BYTES)
        .max_pending_accept_reset_streams(PENDING_RESETS)
        .max_local_error_reset_streams(Some(LOCAL_ERROR_RESETS));
    builder
}
