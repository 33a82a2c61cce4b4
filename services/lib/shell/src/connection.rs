//! Accepts connections and serves HTTP on them until the drain, HTTP/2 and HTTP/1.1 on one port.

mod counted;

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

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
    time::{sleep, timeout},
};
use tonic::{body::Body, transport::server::TcpConnectInfo};
use tower::{Service, ServiceExt as _, util::BoxCloneSyncService};

use self::counted::CountedService;
use crate::{
    connection_table::{ConnectionLimits, ConnectionTable, IsShared, Place},
    part::Shell,
    shutdown::Shutdown,
    tls::ServerTls,
};

const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(15);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(10);
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// The same for a public listener, where a peer may be silent.
const PUBLIC_FIRST_BYTE_TIMEOUT: Duration = Duration::from_secs(2);
const PUBLIC_HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(5);
/// After so long without an open stream a public connection is closed, and is cut if the peer does not follow.
const IDLE_TIMEOUT: Duration = Duration::from_secs(60);
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
const STREAMS_PER_CONNECTION: u32 = 1024;
const CONNECTIONS: usize = 8192;
const FIRST_READ: usize = 4096;
/// What is read ahead of a connection of HTTP/1.1, at most twice: a little more than the largest head.
const HTTP_1_BUFFER: usize = 40 << 10;

/// HTTP service without errors of its own: failures are responses.
pub type HttpService = BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>;

/// Serves any HTTP service to other parts: gRPC, JSON, upgrades to WebSocket. The part counts as started from here on.
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
    Connections::new(shell, tls, service, None)
        .accept(shell.clone(), listener)
        .boxed()
}

/// Serves as [`serve_http`] does, to the public: places are shared by address, and silent and idle connections are closed.
///
/// Requests also carry a [`ClientConnection`](crate::ClientConnection).
pub fn serve_public_http<S>(
    shell: &Shell,
    listener: TcpListener,
    tls: Option<ServerTls>,
    is_shared: IsShared,
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
    let table = ConnectionTable::new(ConnectionLimits::of(CONNECTIONS), is_shared);
    table.register_metrics(&shell.meter());
    let service = BoxCloneSyncService::new(service);
    Connections::new(shell, tls, service, Some(table))
        .accept(shell.clone(), listener)
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
    drive(io, service, shutdown.requested(), None).boxed()
}

#[derive(Clone)]
struct Connections {
    tls: Option<ServerTls>,
    service: HttpService,
    shutdown: Shutdown,
    /// Of a public listener only.
    table: Option<ConnectionTable>,
}

impl Connections {
    fn new(
        shell: &Shell,
        tls: Option<ServerTls>,
        service: HttpService,
        table: Option<ConnectionTable>,
    ) -> Self {
        Self {
            tls,
            service,
            shutdown: shell.shutdown(),
            table,
        }
    }

    async fn accept(self, shell: Shell, listener: TcpListener) -> anyhow::Result<()> {
        let address = listener
            .local_addr()
            .context("read the address of the listener")?;
        let tls = self.tls.is_some();
        tracing::info!(part = shell.name(), %address, tls, "listens");
        shell.readiness().started();
        let mut open = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                () = self.shutdown.requested() => break,
                Some(_) = open.join_next() => {}
                accepted = listener.accept(), if self.may_accept(open.len()) => match accepted {
                    Ok((stream, peer)) => self.open(&mut open, stream, (peer, address)),
                    Err(error) => {
                        // Usually out of file descriptors. Closing connections free some, so wait instead of spinning.
                        tracing::warn!(%error, "cannot accept a connection");
                        sleep(ACCEPT_PAUSE).await;
                    }
                }
            }
        }
        drop(listener);
        while open.join_next().await.is_some() {}
        Ok(())
    }

    /// A public listener takes every connection and decides then which one has to go.
    fn may_accept(&self, open: usize) -> bool {
        self.table.is_some() || open < CONNECTIONS
    }

    fn open(
        &self,
        open: &mut JoinSet<()>,
        stream: TcpStream,
        (peer, local): (SocketAddr, SocketAddr),
    ) {
        let place = match &self.table {
            None => None,
            Some(table) => match table.admit(peer.ip()) {
                Some(place) => Some(Arc::new(place)),
                None => return tracing::debug!(%peer, "no place for a connection"),
            },
        };
        open.spawn(self.clone().serve(stream, (peer, local), place));
    }

    async fn serve(
        self,
        stream: TcpStream,
        (peer, local): (SocketAddr, SocketAddr),
        place: Option<Arc<Place>>,
    ) {
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
        let stop = self.shutdown.requested();
        let Some(place) = place else {
            let service = BoxCloneSyncService::new(service);
            return secure(self.tls, stream, peer, service, stop, None).await;
        };
        let service = BoxCloneSyncService::new(CountedService::new(service, place.clone()));
        tokio::select! {
            () = secure(self.tls, stream, peer, service, stop, Some(place.clone())) => {}
            () = place.evicted() => tracing::debug!(%peer, "an idle connection made room for another one"),
        }
    }
}

/// Serves a connection over TLS where there is any.
async fn secure(
    tls: Option<ServerTls>,
    stream: TcpStream,
    peer: SocketAddr,
    service: HttpService,
    stop: impl Future<Output = ()> + Send,
    place: Option<Arc<Place>>,
) {
    let Some(tls) = tls else {
        return drive(stream, service, stop, place).await;
    };
    let limit = match &place {
        Some(_) if !speaks(&stream, peer).await => return,
        Some(_) => PUBLIC_HANDSHAKE_TIMEOUT,
        None => HANDSHAKE_TIMEOUT,
    };
    match timeout(limit, tls.acceptor().accept(stream)).await {
        Ok(Ok(stream)) => drive(stream, service, stop, place).await,
        Ok(Err(error)) => tracing::debug!(%peer, %error, "TLS handshake failed"),
        Err(_) => tracing::debug!(%peer, "TLS handshake took too long"),
    }
}

/// Waits for the first byte of a client.
async fn speaks(stream: &TcpStream, peer: SocketAddr) -> bool {
    let first = timeout(PUBLIC_FIRST_BYTE_TIMEOUT, stream.readable()).await;
    let speaks = matches!(first, Ok(Ok(())));
    if !speaks {
        tracing::debug!(%peer, "a connection stayed silent");
    }
    speaks
}

async fn drive<IO>(
    io: IO,
    service: HttpService,
    stop: impl Future<Output = ()> + Send,
    place: Option<Arc<Place>>,
) where
    IO: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut stop = std::pin::pin!(stop);
    let mut io = BufReader::with_capacity(FIRST_READ, io);
    let limit = place
        .as_ref()
        .map_or(HEADER_TIMEOUT, |_| PUBLIC_FIRST_BYTE_TIMEOUT);
    // Hyper detects the protocol without a timeout, so a silent peer would hold its connection slot forever.
    let first = tokio::select! {
        first = timeout(limit, io.fill_buf()) => first,
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
        () = idle(place.as_deref(), IDLE_TIMEOUT) => {
            connection.as_mut().graceful_shutdown();
            tokio::select! {
                end = connection => end,
                () = still_idle(place.as_deref()) => Ok(()),
            }
        }
    };
    if let Err(error) = end {
        tracing::debug!(%error, "a connection failed");
    }
}

/// Resolves when a public connection has been idle for `time`.
async fn idle(place: Option<&Place>, time: Duration) {
    match place {
        Some(place) => place.idle_for(time).await,
        None => std::future::pending().await,
    }
}

/// Waits for the peer's goodbye, and for streams that it opened before it heard ours.
async fn still_idle(place: Option<&Place>) {
    sleep(CLOSE_TIMEOUT).await;
    idle(place, Duration::ZERO).await;
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .max_buf_size(HTTP_1_BUFFER)
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
