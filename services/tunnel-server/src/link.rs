//! Connection of a session: HTTP/2 client of the tunnel hop, budget of open calls and commands to end it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use causeway_proto::ids::KeyId;
use causeway_relay::{Http2Client, IncomingBody, PendingResponse, SendError, tunnel_hop};
use causeway_websocket::{Close, Closer};
use http::Request;
use http_body_util::Either;
use tokio::sync::{Notify, watch};

/// Command to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SessionCommand {
    Serve,
    /// A session of this generation replaced it.
    Superseded(u64),
    /// This replica stops.
    Drain,
}

/// Request body on the tunnel hop: a forwarded call, or the control stream.
pub(crate) type Outgoing = Either<IncomingBody, tonic::body::Body>;

/// Connection of a session. Clones share it.
#[derive(Clone)]
pub(crate) struct Link {
    requests: Http2Client,
    shared: Arc<Shared>,
}

/// Reported properties of a session.
#[derive(Debug, Clone)]
pub(crate) struct SessionInfo {
    pub(crate) peer: SocketAddr,
    /// Key that authenticated the runtime.
    pub(crate) key: KeyId,
    pub(crate) connected_at: SystemTime,
    pub(crate) version: String,
    pub(crate) routes: Vec<String>,
    pub(crate) round_trip: Duration,
}

struct Shared {
    info: OnceLock<SessionInfo>,
    open: AtomicU32,
    idle: Notify,
    command: watch::Sender<SessionCommand>,
    closer: Closer,
}

impl Link {
    pub(crate) fn new(requests: Http2Client, closer: Closer) -> Self {
        let shared = Shared {
            info: OnceLock::new(),
            open: AtomicU32::new(0),
            idle: Notify::new(),
            command: watch::Sender::new(SessionCommand::Serve),
            closer,
        };
        Self {
            requests,
            shared: Arc::new(shared),
        }
    }

    /// Sets the properties once the client has sent its hello.
    pub(crate) fn describe(&self, info: SessionInfo) {
        let _ = self.shared.info.set(info);
    }

    pub(crate) fn info(&self) -> Option<&SessionInfo> {
        self.shared.info.get()
    }

    pub(crate) fn open_calls(&self) -> u32 {
        self.shared.open.load(Ordering::Relaxed)
    }

    /// Reserves a call slot of the session; `None` when all are taken.
    pub(crate) fn reserve_call(&self) -> Option<OpenCall> {
        let before = self.shared.open.fetch_add(1, Ordering::Relaxed);
        let call = OpenCall {
            shared: Arc::clone(&self.shared),
        };
        // Dropping the guard releases the slot if it exceeds the budget.
        (before < tunnel_hop::STREAMS).then_some(call)
    }

    /// Sends a request without waiting for capacity.
    pub(crate) fn send(
        &self,
        request: Request<Outgoing>,
    ) -> Result<PendingResponse<Outgoing>, SendError<Outgoing>> {
        self.requests.send(request)
    }

    /// True once the connection has ended; its session leaves the table soon after.
    pub(crate) fn is_closed(&self) -> bool {
        self.requests.is_closed()
    }

    /// Commands an orderly end of the session. The first command wins.
    pub(crate) fn send_command(&self, command: SessionCommand) {
        self.shared.command.send_if_modified(|current| {
            let first = *current == SessionCommand::Serve;
            if first {
                *current = command;
            }
            first
        });
    }

    pub(crate) fn commands(&self) -> watch::Receiver<SessionCommand> {
        self.shared.command.subscribe()
    }

    /// Closes the session with its open calls.
    pub(crate) fn close(&self, close: Close) {
        self.shared.closer.close(close);
    }

    pub(crate) fn closed_by_peer(&self) -> Option<Close> {
        self.shared.closer.received()
    }

    /// Resolves when no call is open.
    pub(crate) async fn idle(&self) {
        loop {
            let idle = self.shared.idle.notified();
            if self.open_calls() == 0 {
                return;
            }
            idle.await;
        }
    }
}

/// Open call; releases its slot when dropped.
pub(crate) struct OpenCall {
    shared: Arc<Shared>,
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        if self.shared.open.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.shared.idle.notify_waiters();
        }
    }
}
