//! A local upstream: one HTTP/2 connection that is opened when the first call needs it and again
//! after a loss.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use causeway_relay::{Http2Client, IncomingBody, PendingResponse, SendError};
use causeway_shell::Shell;
use http::Request;
use http::uri::Authority;
use tokio::net::TcpStream;
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::timeout;

use crate::failure::ForwardError;
use crate::headers;
use crate::route::Route;

const CONNECT_WAIT: Duration = Duration::from_secs(5);
const STREAM_WINDOW_BYTES: u32 = 256 * 1024;
/// Room for every call of both sessions to stall.
const CONNECTION_WINDOW_BYTES: u32 = 1 << 30;
const HEADER_LIST_BYTES: u32 = 32 * 1024;
const SEND_BUFFER_BYTES: usize = 64 * 1024;

pub(crate) struct Upstream {
    name: String,
    authority: Authority,
    current: Mutex<Option<Http2Client>>,
    /// Serializes dials, so that one lost connection is replaced once.
    connecting: AsyncMutex<()>,
    shell: Shell,
}

/// What became of a call that was given to an upstream.
pub(crate) enum Sent {
    Begun(PendingResponse<IncomingBody>),
    /// There is no connection; nothing of the call has left.
    NotConnected(Box<Request<IncomingBody>>),
}

impl Upstream {
    pub(crate) fn new(route: &Route, shell: &Shell) -> Self {
        Self {
            name: route.name.to_string(),
            authority: route.upstream.clone(),
            current: Mutex::new(None),
            connecting: AsyncMutex::new(()),
            shell: shell.clone(),
        }
    }

    /// Begins a call on the connection that is open.
    pub(crate) fn send(&self, mut request: Request<IncomingBody>) -> Result<Sent, ForwardError> {
        headers::point_at(&mut request, &self.authority);
        match self.open() {
            Some(requests) => begin(&requests, request),
            None => Ok(Sent::NotConnected(Box::new(request))),
        }
    }

    /// Begins a call that was not sent, on a new connection where there is none.
    pub(crate) async fn connect(
        &self,
        mut unsent: Box<Request<IncomingBody>>,
    ) -> Result<PendingResponse<IncomingBody>, ForwardError> {
        // A connection can end between being opened and being used.
        for _attempt in 0..2 {
            match begin(&self.connected().await?, *unsent)? {
                Sent::Begun(exchange) => return Ok(exchange),
                Sent::NotConnected(request) => unsent = request,
            }
        }
        Err(self.unreachable("it closes every connection"))
    }

    async fn connected(&self) -> Result<Http2Client, ForwardError> {
        if let Some(requests) = self.open() {
            return Ok(requests);
        }
        let _connecting = self.connecting.lock().await;
        if let Some(requests) = self.open() {
            return Ok(requests);
        }
        let dialled = timeout(CONNECT_WAIT, self.dial()).await;
        let dialled = dialled.map_err(|_elapsed| self.unreachable("it did not answer in time"))?;
        let requests = dialled.map_err(|error| self.unreachable(&format!("{error:#}")))?;
        *self.slot() = Some(requests.clone());
        Ok(requests)
    }

    fn open(&self) -> Option<Http2Client> {
        self.slot()
            .as_ref()
            .filter(|requests| !requests.is_closed())
            .cloned()
    }

    async fn dial(&self) -> anyhow::Result<Http2Client> {
        let socket = TcpStream::connect(self.authority.as_str()).await?;
        socket.set_nodelay(true)?;
        let mut builder = h2::client::Builder::new();
        builder
            .enable_push(false)
            .initial_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .max_header_list_size(HEADER_LIST_BYTES)
            .max_send_buffer_size(SEND_BUFFER_BYTES);
        let (requests, connection) = Http2Client::open(socket, &builder, None).await?;
        let upstream = self.authority.clone();
        self.shell.tasks().spawn("upstream", async move {
            if let Err(error) = connection.await {
                tracing::debug!(%upstream, %error, "the connection to an upstream ended badly");
            }
        });
        Ok(requests)
    }

    fn unreachable(&self, error: &str) -> ForwardError {
        tracing::warn!(route = self.name, upstream = %self.authority, error, "an upstream cannot be reached");
        ForwardError::Unreachable(self.name.clone())
    }

    fn slot(&self) -> MutexGuard<'_, Option<Http2Client>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn begin(requests: &Http2Client, request: Request<IncomingBody>) -> Result<Sent, ForwardError> {
    match requests.send(request) {
        Ok(exchange) => Ok(Sent::Begun(exchange)),
        Err(SendError::Closed(unsent)) => Ok(Sent::NotConnected(unsent)),
        Err(SendError::Invalid(error)) => Err(ForwardError::from(&error)),
    }
}
