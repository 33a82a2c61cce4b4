//! The link of a session to its wire: the HTTP/2 connection of the tunnel hop, its budget of open
//! calls, and how it is told to end.

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

/// What a session is told from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Serve,
    /// A session of this generation took the seat.
    Superseded(u64),
    /// This replica goes away.
    Drain,
}

/// Request body on the tunnel hop: a forwarded call, or the control stream.
pub(crate) type Outgoing = Either<IncomingBody, tonic::body::Body>;

/// A link to a session's wire. Clones are the same link.
#[derive(Clone)]
pub(crate) struct Link {
    requests: Http2Client,
    shared: Arc<Shared>,
}

/// What is told of a session.
#[derive(Debug, Clone)]
pub(crate) struct About {
    pub(crate) peer: SocketAddr,
    /// The runtime's key that let it in.
    pub(crate) key: KeyId,
    pub(crate) connected_at: SystemTime,
    pub(crate) version: String,
    pub(crate) routes: Vec<String>,
    pub(crate) round_trip: Duration,
}

struct Shared {
    about: OnceLock<About>,
    open: AtomicU32,
    idle: Notify,
    order: watch::Sender<Order>,
    closer: Closer,
}

impl Link {
    pub(crate) fn new(requests: Http2Client, closer: Closer) -> Self {
        let shared = Shared {
            about: OnceLock::new(),
            open: AtomicU32::new(0),
            idle: Notify::new(),
            order: watch::Sender::new(Order::Serve),
            closer,
        };
        Self {
            requests,
            shared: Arc::new(shared),
        }
    }

    /// Set once, when the client has said its hello.
    pub(crate) fn describe(&self, about: About) {
        let _ = self.shared.about.set(about);
    }

    pub(crate) fn about(&self) -> Option<&About> {
        self.shared.about.get()
    }

    /// Calls under way.
    pub(crate) fn open_calls(&self) -> u32 {
        self.shared.open.load(Ordering::Relaxed)
    }

    /// Takes one of the session's places for calls, nothing when all are taken.
    pub(crate) fn reserve_call(&self) -> Option<OpenCall> {
        let before = self.shared.open.fetch_add(1, Ordering::Relaxed);
        let call = OpenCall {
            shared: Arc::clone(&self.shared),
        };
        // The place that was taken too much is given back by the guard.
        (before < tunnel_hop::STREAMS).then_some(call)
    }

    /// Begins a call at once.
    pub(crate) fn send(
        &self,
        request: Request<Outgoing>,
    ) -> Result<PendingResponse<Outgoing>, SendError<Outgoing>> {
        self.requests.send(request)
    }

    /// Whether the connection has ended; its session leaves the table soon.
    pub(crate) fn is_closed(&self) -> bool {
        self.requests.is_closed()
    }

    /// Tells the session to end in an orderly way. The first order counts.
    pub(crate) fn order(&self, order: Order) {
        self.shared.order.send_if_modified(|current| {
            let first = *current == Order::Serve;
            if first {
                *current = order;
            }
            first
        });
    }

    pub(crate) fn orders(&self) -> watch::Receiver<Order> {
        self.shared.order.subscribe()
    }

    /// Ends the session now, whatever it carries.
    pub(crate) fn close(&self, close: Close) {
        self.shared.closer.close(close);
    }

    pub(crate) fn closed_by_peer(&self) -> Option<Close> {
        self.shared.closer.received()
    }

    /// Resolves when no call is under way.
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

/// One call under way; gives its place back when dropped.
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
