//! Accepts connections and serves HTTP on them until the drain, HTTP/2 and HTTP/1.1 on one port.

use std::{convert::Infallible, net::SocketAddr, time::Duration};

use anyhow::Context as _;
use futures::{FutureExt as _, future::BoxFuture};
use http::{Request, Response};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};
use tonic::{body::Body, transport::server::TcpConnectInfo};
use tower::{Service, ServiceExt as _, util::BoxCloneSyncService};

use crate::{part::Shell, shutdown::Shutdown, tls::ServerTls};

const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(15);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(10);
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
const STREAMS_PER_CONNECTION: u32 = 1024;
const CONNECTIONS: usize = 8192;
const FIRST_READ: usize = 4096;

/// HTTP service without errors of its own: failures are responses.
pub type HttpService = BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>;

/// Serves any HTTP service: gRPC, JSON, upgrades to WebSocket. The part counts as started from here on.
///
/// Requests carry a [`TcpConnectInfo`]. When the shell drains, the listener closes, HTTP/2 peers get GOAWAY and
/// the future ends once the last connection has; dropping it cuts them.
pub fn serve_http<S>(
    shell: &Shell,
    listener: TcpListener,
    tls: Option<ServerTls>,
    service: S,
) -> BoxFuture<'static, anyhow::Result<()>>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>
        + Clone
        + Send
        + Sync
        + 'static,
    S::Future: Send + 'static,
{
    let service = BoxCloneSyncService::new(service);
    accept(
        shell.clone(),
        listener,
        Connections {
            tls,
            service,
            shutdown: shell.shutdown(),
        },
    )
    .boxed()
}

/// Serves one connection accepted elsewhere, such as an in-process pipe, until the peer disconnects or the part drains.
pub fn serve_connection<IO>(
    io: IO,
    service: HttpService,
    shutdown: &Shutdown,
) -> BoxFuture<'static, ()>
where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    drive(io, service, shutdown.requested()).boxed()
}

#[derive(Clone)]
struct Connections {
    tls: Option<ServerTls>,
    service: HttpService,
    shutdown: Shutdown,
}

async fn accept(
    shell: Shell,
    listener: TcpListener,
    connections: Connections,
) -> anyhow::Result<()> {
    let address = listener
        .local_addr()
        .context("read the address of the listener")?;
    let tls = connections.tls.is_some();
    tracing::info!(part = shell.name(), %address, tls, "listens");
    shell.readiness().started();
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            () = connections.shutdown.requested() => break,
            Some(_) = open.join_next() => {}
            accepted = listener.accept(), if open.len() < CONNECTIONS => match accepted {
                Ok((stream, peer)) => {
                    open.spawn(connections.clone().serve(stream, peer, address));
                }
                Err(error) => {
                    // Usually out of file descriptors. Closing connections free some, so wait instead of spinning.
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            }
        }
    }
    drop(listener);
    while open.join_next().await.is_some() {}
    Ok(())
}

impl Connections {
    async fn serve(self, stream: TcpStream, peer: SocketAddr, local: SocketAddr) {
        // Fails only for a disconnected peer, which the next read reports.
        let _ = stream.set_nodelay(true);
        let info = TcpConnectInfo {
            local_addr: Some(local),
            remote_addr: Some(peer),
        };
        let service = self.service.map_request(move |mut request: Request<Body>| {
            request.extensions_mut().insert(info.clone());
            request
        });
        let service = BoxCloneSyncService::new(service);
        let stop = self.shutdown.requested();
        let Some(tls) = self.tls else {
            return drive(stream, service, stop).await;
        };
        match tokio::time::timeout(HANDSHAKE_TIMEOUT, tls.acceptor().accept(stream)).await {
            Ok(Ok(stream)) => drive(stream, service, stop).await,
            Ok(Err(error)) => tracing::debug!(%peer, %error, "TLS handshake failed"),
            Err(_) => tracing::debug!(%peer, "TLS handshake took too long"),
        }
    }
}

async fn drive<IO>(io: IO, service: HttpService, stop: impl Future<Output = ()> + Send)
where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut stop = std::pin::pin!(stop);
    let mut io = BufReader::with_capacity(FIRST_READ, io);
    // Hyper detects the protocol without a timeout, so a silent peer would hold its connection slot forever.
    let first = tokio::select! {
        first = tokio::time::timeout(HEADER_TIMEOUT, io.fill_buf()) => first,
        () = &mut stop => return,
    };
    if !matches!(first, Ok(Ok([_, ..]))) {
        return;
    }
    let service =
        service.map_request(|request: Request<hyper::body::Incoming>| request.map(Body::new));
    let builder = builder();
    let connection =
        builder.serve_connection_with_upgrades(TokioIo::new(io), TowerToHyperService::new(service));
    let mut connection = std::pin::pin!(connection);
    let end = tokio::select! {
        end = &mut connection => end,
        () = &mut stop => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = end {
        tracing::debug!(%error, "a connection failed");
    }
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIMEOUT);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(KEEPALIVE_INTERVAL)
        .keep_alive_timeout(KEEPALIVE_TIMEOUT)
        .max_concurrent_streams(STREAMS_PER_CONNECTION)
        .adaptive_window(true);
    builder
}
