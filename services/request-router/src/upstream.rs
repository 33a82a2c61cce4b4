//! Connections to the parts behind the router: HTTP/2, kept open, dialled again when they break.
//!
//! A call that cannot reach its part fails within a second, within five where that is a runtime elsewhere; it never waits for the part to come back.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use causeway_relay::TrustRoots;
use causeway_shell::Shutdown;
use futures::FutureExt as _;
use http::{
    HeaderMap, Method, Request, Response, Uri, Version,
    uri::{Authority, PathAndQuery, Scheme},
};
use hyper::{body::Incoming, client::conn::http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    task::JoinSet,
    time::Instant,
};
use tokio_rustls::TlsConnector;
use tonic::body::Body;

use crate::config::UpstreamUrl;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(1);
/// The same where the world lies between.
const FAR_CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// How often it is logged that a part cannot be reached.
const LOG_INTERVAL: Duration = Duration::from_secs(10);
const STREAMS_PER_CONNECTION: usize = 100;
const CONNECTIONS: usize = 64;
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(10);
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(20);
const STREAM_WINDOW: u32 = 256 << 10;
/// As much as all streams together, so that readers who take nothing leave the others theirs.
const CONNECTION_WINDOW: u32 = STREAMS_PER_CONNECTION as u32 * STREAM_WINDOW;
const HEADER_BYTES: u32 = 32 << 10;

/// All upstreams by the name of the part.
pub(crate) type Upstreams = BTreeMap<String, Upstream>;

/// One part, wherever it listens.
pub(crate) struct Upstream {
    name: String,
    scheme: Scheme,
    authority: Authority,
    address: (String, u16),
    tls: Option<TlsConnector>,
    connect_timeout: Duration,
    shutdown: Shutdown,
    pool: Mutex<Pool>,
    dialing: tokio::sync::Mutex<Option<Failure>>,
}

/// The last dial failed.
struct Failure {
    at: Instant,
    cause: Arc<str>,
    logged: Instant,
}

#[derive(Default)]
struct Pool {
    connections: Vec<Connection>,
    drivers: JoinSet<()>,
}

/// A connection; `open` is held once by the pool and once by each call on it.
#[derive(Clone)]
struct Connection {
    sender: http2::SendRequest<Body>,
    open: ConnectionSlot,
}

/// A place among the calls of a connection, held until the answer has ended.
#[derive(Clone)]
pub(crate) struct ConnectionSlot(Arc<()>);

/// A call that did not get an answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UpstreamError {
    #[error("cannot reach {part}: {cause}")]
    Unreachable { part: String, cause: Arc<str> },
    #[error("{part} ended the connection before it answered")]
    Lost { part: String },
}

impl Upstream {
    /// Dials nothing yet. `bundle` holds the certificates to trust instead of the system's.
    pub(crate) fn new(
        name: &str,
        url: &UpstreamUrl,
        bundle: Option<&[u8]>,
        shutdown: Shutdown,
    ) -> anyhow::Result<Self> {
        let tls = if url.is_secure() {
            Some(client_tls(bundle)?)
        } else {
            None
        };
        Ok(Self {
            name: name.to_owned(),
            scheme: url.scheme().clone(),
            authority: url.authority().clone(),
            address: url.address(),
            tls,
            connect_timeout: CONNECT_TIMEOUT,
            shutdown,
            pool: Mutex::default(),
            dialing: tokio::sync::Mutex::default(),
        })
    }

    /// One that is not in this cluster.
    pub(crate) fn far(self) -> Self {
        Self {
            connect_timeout: FAR_CONNECT_TIMEOUT,
            ..self
        }
    }

    /// Sends a gRPC request; the answer's body streams. Sent again only where it certainly was not sent.
    pub(crate) async fn send(
        &self,
        path: PathAndQuery,
        headers: HeaderMap,
        body: Body,
    ) -> Result<(Response<Incoming>, ConnectionSlot), UpstreamError> {
        let mut request = Request::new(body);
        *request.method_mut() = Method::POST;
        *request.version_mut() = Version::HTTP_2;
        *request.uri_mut() = self.uri(path);
        *request.headers_mut() = headers;
        let mut unsent = Some(request);
        for _ in 0..2 {
            let Some(request) = unsent.take() else { break };
            let mut connection = self.connection().await?;
            match connection.sender.try_send_request(request).await {
                Ok(response) => return Ok((response, connection.open)),
                Err(mut error) => {
                    unsent = error.take_message();
                    tracing::debug!(part = self.name, error = %error.error(), "a call failed");
                }
            }
        }
        Err(UpstreamError::Lost {
            part: self.name.clone(),
        })
    }

    fn uri(&self, path: PathAndQuery) -> Uri {
        let mut parts = http::uri::Parts::default();
        parts.scheme = Some(self.scheme.clone());
        parts.authority = Some(self.authority.clone());
        parts.path_and_query = Some(path);
        Uri::from_parts(parts).expect("scheme, authority and path are all there")
    }

    async fn connection(&self) -> Result<Connection, UpstreamError> {
        if let Some(connection) = self.pooled() {
            return Ok(connection);
        }
        let arrived = Instant::now();
        let mut failed = self.dialing.lock().await;
        // Another call may have dialled while this one waited. Its failure counts for the calls that waited, not for later
        // ones: the part may have recovered since.
        if let Some(connection) = self.pooled() {
            return Ok(connection);
        }
        if let Some(failure) = failed.as_ref().filter(|failure| arrived <= failure.at) {
            return Err(self.unreachable(&failure.cause));
        }
        let most = self.connect_timeout;
        let dialled = tokio::time::timeout(most, self.dial().boxed()).await;
        let dialled = dialled.unwrap_or_else(|_| Err(anyhow::anyhow!("no answer within {most:?}")));
        match dialled {
            Ok(connection) => {
                *failed = None;
                Ok(connection)
            }
            Err(error) => {
                let cause: Arc<str> = format!("{error:#}").into();
                let logged = self.log_failure(failed.as_ref(), &cause);
                let at = Instant::now();
                let error = self.unreachable(&cause);
                *failed = Some(Failure { at, cause, logged });
                Err(error)
            }
        }
    }

    fn unreachable(&self, cause: &Arc<str>) -> UpstreamError {
        UpstreamError::Unreachable {
            part: self.name.clone(),
            cause: cause.clone(),
        }
    }

    /// Logs a failed dial at a limited rate; returns the time of the last log line.
    fn log_failure(&self, before: Option<&Failure>, cause: &str) -> Instant {
        if let Some(before) = before.filter(|before| before.logged.elapsed() < LOG_INTERVAL) {
            return before.logged;
        }
        // Upstreams that stop together with the router are expected to be unreachable.
        if !self.shutdown.is_requested() {
            tracing::warn!(part = self.name, address = %self.authority, cause, "cannot reach an upstream");
        }
        Instant::now()
    }

    /// The first connection with a free place, so that those which are not needed run empty.
    fn pooled(&self) -> Option<Connection> {
        let mut pool = self.pool();
        pool.connections
            .retain(|connection| !connection.sender.is_closed());
        let full = pool.connections.len() >= CONNECTIONS;
        let free = pool
            .connections
            .iter()
            .find(|connection| connection.calls() < STREAMS_PER_CONNECTION);
        match free {
            None if full => pool
                .connections
                .iter()
                .min_by_key(|connection| connection.calls())
                .cloned(),
            free => free.cloned(),
        }
    }

    async fn dial(&self) -> anyhow::Result<Connection> {
        let (host, port) = &self.address;
        let stream = TcpStream::connect((host.as_str(), *port)).await?;
        stream.set_nodelay(true)?;
        match &self.tls {
            None => self.open(stream).await,
            Some(tls) => {
                let name = rustls::pki_types::ServerName::try_from(host.clone())?;
                self.open(tls.connect(name, stream).await?).await
            }
        }
    }

    async fn open<IO>(&self, io: IO) -> anyhow::Result<Connection>
    where
        IO: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(CONNECTION_WINDOW)
            .max_header_list_size(HEADER_BYTES)
            .keep_alive_interval(KEEPALIVE_INTERVAL)
            .keep_alive_timeout(KEEPALIVE_TIMEOUT)
            .keep_alive_while_idle(true);
        let (sender, driver) = builder.handshake(TokioIo::new(io)).await?;
        let connection = Connection {
            sender,
            open: ConnectionSlot(Arc::new(())),
        };
        let mut pool = self.pool();
        while pool.drivers.try_join_next().is_some() {}
        pool.drivers.spawn(async move {
            if let Err(error) = driver.await {
                tracing::debug!(%error, "a connection to an upstream ended");
            }
        });
        pool.connections.push(connection.clone());
        Ok(connection)
    }

    fn pool(&self) -> std::sync::MutexGuard<'_, Pool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection {
    fn calls(&self) -> usize {
        Arc::strong_count(&self.open.0) - 1
    }
}

/// Trusts the certificates of `bundle`, or those of the system, and speaks HTTP/2.
fn client_tls(bundle: Option<&[u8]>) -> anyhow::Result<TlsConnector> {
    let roots = bundle.map_or(TrustRoots::Native, |pem| TrustRoots::Pem(pem.to_vec()));
    Ok(TlsConnector::from(roots.client_config(b"h2")?))
}
