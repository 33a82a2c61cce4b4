//! A local upstream: one HTTP/2 connection that is opened when the first call needs it and again
//! after a loss.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use causeway_shell::Shell;
use http::uri::Authority;
use http::{Request, Response};
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::Mutex as AsyncMutex;
use tokio::time::timeout;

use crate::failure::ForwardError;
use crate::head;
use crate::relay::cause;
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
    current: Mutex<Option<SendRequest<Incoming>>>,
    /// Held by whoever connects, so that one loss makes one connection.
    connecting: AsyncMutex<()>,
    shell: Shell,
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

    pub(crate) async fn send(
        &self,
        mut request: Request<Incoming>,
    ) -> Result<Response<Incoming>, ForwardError> {
        head::point_at(&mut request, &self.authority);
        // A connection can end between being found open and being used.
        for _attempt in 0..2 {
            let mut sender = self.sender().await?;
            match sender.try_send_request(request).await {
                Ok(response) => return Ok(response),
                Err(mut error) => match error.take_message() {
                    Some(unsent) => request = unsent,
                    None => return Err(cause(error.error())),
                },
            }
        }
        Err(self.unreachable("it closes every connection"))
    }

    async fn sender(&self) -> Result<SendRequest<Incoming>, ForwardError> {
        if let Some(sender) = self.open() {
            return Ok(sender);
        }
        let _connecting = self.connecting.lock().await;
        if let Some(sender) = self.open() {
            return Ok(sender);
        }
        let connected = timeout(CONNECT_WAIT, self.connect()).await;
        let connected =
            connected.map_err(|_elapsed| self.unreachable("it did not answer in time"))?;
        let sender = connected.map_err(|error| self.unreachable(&format!("{error:#}")))?;
        *self.slot() = Some(sender.clone());
        Ok(sender)
    }

    fn open(&self) -> Option<SendRequest<Incoming>> {
        self.slot()
            .as_ref()
            .filter(|sender| !sender.is_closed())
            .cloned()
    }

    async fn connect(&self) -> anyhow::Result<SendRequest<Incoming>> {
        let socket = TcpStream::connect(self.authority.as_str()).await?;
        socket.set_nodelay(true)?;
        let (sender, connection) = Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .initial_stream_window_size(STREAM_WINDOW_BYTES)
            .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
            .max_header_list_size(HEADER_LIST_BYTES)
            .max_send_buf_size(SEND_BUFFER_BYTES)
            .handshake(TokioIo::new(socket))
            .await?;
        let upstream = self.authority.clone();
        self.shell.tasks().spawn("upstream", async move {
            if let Err(error) = connection.await {
                tracing::debug!(%upstream, %error, "the connection to an upstream ended badly");
            }
        });
        Ok(sender)
    }

    fn unreachable(&self, error: &str) -> ForwardError {
        tracing::warn!(route = self.name, upstream = %self.authority, error, "an upstream cannot be reached");
        ForwardError::Unreachable(self.name.clone())
    }

    fn slot(&self) -> std::sync::MutexGuard<'_, Option<SendRequest<Incoming>>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
