//! Connections of a public listener: which ones are let in, and which one makes room when there is none.
//!
//! Addresses share a listener. One that has authenticated before may hold more connections, and places are kept for all of these. Room is
//! made only by connections without an open stream, the oldest first.

mod known;
mod state;

use std::{
    net::IpAddr,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use opentelemetry::metrics::Meter;
use tokio::time::{Instant, sleep, sleep_until};
use tokio_util::sync::CancellationToken;

use self::state::State;

/// Time until a busy connection is looked at again.
const BUSY_PAUSE: Duration = Duration::from_secs(1);

/// True for an address that stands for many clients, such as a trusted proxy.
pub type IsShared = Arc<dyn Fn(IpAddr) -> bool + Send + Sync>;

/// How many connections a listener holds, of all addresses and of one.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    total: usize,
    /// Of an address that has not authenticated yet.
    of_unknown: usize,
    /// Of an address that has.
    of_known: usize,
    /// Of all addresses that have not authenticated yet.
    of_all_unknown: usize,
}

impl ConnectionLimits {
    /// Gives an unknown address a quarter of `total`, all of them three quarters, and one that has authenticated as much.
    #[must_use]
    pub const fn of(total: usize) -> Self {
        Self {
            total,
            of_unknown: total / 4,
            of_known: total - total / 4,
            of_all_unknown: total - total / 4,
        }
    }
}

/// Table of the open connections of one listener. Clones share it.
#[derive(Clone)]
pub struct ConnectionTable(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    is_shared: IsShared,
}

/// Network that shares the limits of one address: an IPv4 address, or a /56 of IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Source(IpAddr);

impl Source {
    fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V4(address) => address.into(),
            IpAddr::V6(address) => {
                let network = address.to_bits() & (u128::MAX << 72);
                std::net::Ipv6Addr::from_bits(network).into()
            }
        })
    }
}

impl ConnectionTable {
    /// Addresses for which `is_shared` is true have no limit of their own.
    #[must_use]
    pub fn new(limits: ConnectionLimits, is_shared: IsShared) -> Self {
        Self(Arc::new(Inner {
            state: Mutex::new(State::new(limits)),
            is_shared,
        }))
    }

    /// Takes a place for a connection; none if all that could make room have open streams.
    #[must_use]
    pub fn admit(&self, peer: IpAddr) -> Option<Place> {
        let is_shared = (self.0.is_shared)(peer.to_canonical());
        let evicted = CancellationToken::new();
        let mut state = self.lock();
        let admitted = state.admit(Source::of(peer), is_shared, &evicted, Instant::now());
        let warning = state.take_warning();
        drop(state);
        if let Some(open) = warning {
            tracing::warn!(
                open,
                "four fifths of the connections of a public listener are taken; at the limit, idle ones are closed and others are refused"
            );
        }
        Some(Place {
            table: self.clone(),
            id: admitted?,
            evicted,
            is_known: AtomicBool::new(false),
        })
    }

    #[must_use]
    pub fn open(&self) -> usize {
        self.lock().open()
    }

    /// Number of connections that were refused or closed to make room.
    #[must_use]
    pub fn turned_away(&self) -> u64 {
        self.lock().turned_away()
    }

    /// Registers the figures of the table under the meter of its part.
    pub fn register_metrics(&self, meter: &Meter) {
        let table = self.clone();
        let open = meter.u64_observable_gauge("listener.connections");
        let open = open.with_description("Open connections of the public listener");
        let open = open.with_callback(move |observer| observer.observe(table.open() as u64, &[]));
        let table = self.clone();
        let away = meter.u64_observable_counter("listener.connections.turned_away");
        let away = away.with_description(
            "Connections of the public listener that were refused, or closed to make room",
        );
        let away = away.with_callback(move |observer| observer.observe(table.turned_away(), &[]));
        // The meter keeps the callbacks registered.
        let _ = (open.build(), away.build());
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Place of one connection, released when dropped.
pub struct Place {
    table: ConnectionTable,
    id: u64,
    evicted: CancellationToken,
    is_known: AtomicBool,
}

impl Place {
    /// Resolves when the connection must make room for another one.
    pub async fn evicted(&self) {
        self.evicted.cancelled().await;
    }

    /// Lifts the limits of the peer's address to those of one that has authenticated.
    pub fn authenticated(&self) {
        if !self.is_known.swap(true, Ordering::Relaxed) {
            self.table.lock().know(self.id);
        }
    }

    /// True if the peer's address has authenticated before.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.table.lock().is_known(self.id)
    }

    /// Resolves when the connection has had no open stream for `time`.
    pub(crate) async fn idle_for(&self, time: Duration) {
        loop {
            match self.idle_since() {
                None => sleep(time.max(BUSY_PAUSE)).await,
                Some(since) => {
                    sleep_until(since + time).await;
                    if self.idle_since() == Some(since) {
                        return;
                    }
                }
            }
        }
    }

    pub(crate) fn idle_since(&self) -> Option<Instant> {
        self.table.lock().idle_since(self.id)
    }

    fn begin_stream(&self) {
        self.table.lock().begin_stream(self.id);
    }

    fn end_stream(&self) {
        self.table.lock().end_stream(self.id, Instant::now());
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.table.lock().release(self.id);
    }
}

/// Connection that a request came over, in the extensions of the request. The connection is not idle while one is held.
#[derive(Clone)]
pub struct ClientConnection(Arc<OpenStream>);

struct OpenStream(Arc<Place>);

impl ClientConnection {
    pub(crate) fn begin(place: Arc<Place>) -> Self {
        place.begin_stream();
        Self(Arc::new(OpenStream(place)))
    }

    /// Notes that the peer has shown a valid credential.
    pub fn authenticated(&self) {
        self.0.0.authenticated();
    }
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.end_stream();
    }
}

#[cfg(test)]
mod tests;
