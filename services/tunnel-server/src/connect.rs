//! The tunnel listener: from a TCP connection to a session that calls can be given to.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use causeway_proto::ids::KeyId;
use causeway_relay::tunnel_hop;
use causeway_shell::{Place, Shell};
use causeway_websocket::{self as websocket, ByteStream, Refusal, UpgradeRequest};
use futures::future::BoxFuture;
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsAcceptor;

use crate::admission::Admission;
use crate::forward::Table;
use crate::link::{Link, SessionCommand};
use crate::metrics::Metrics;
use crate::session::{AdmitError, Generation, RuntimeAddress, Seat, SeatError};
use crate::supervise::supervise;

pub(crate) const PATH: &str = "/tunnel/v1";
const CLIENT: &str = "causeway-client";
const SLOT: &str = "causeway-slot";
const GENERATION: &str = "causeway-generation";
const SERVER: &str = "causeway-server";

/// A peer that is silent for so long does not want a tunnel.
const FIRST_BYTE_WAIT: Duration = Duration::from_secs(2);
const TLS_WAIT: Duration = Duration::from_secs(5);
/// When accepting fails, mostly for want of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Says which runtime dials, from nothing but a verified credential.
pub(crate) type ConnectAuthority =
    Arc<dyn Fn(&UpgradeRequest) -> BoxFuture<'static, Result<Dialler, Refusal>> + Send + Sync>;

/// A runtime that may open a tunnel.
pub(crate) struct Dialler {
    pub(crate) address: RuntimeAddress,
    /// The runtime's key that lets it in.
    pub(crate) key: KeyId,
}

/// The accepting half of the tunnel.
pub(crate) struct Tunnel {
    pub(crate) shell: Shell,
    pub(crate) table: Table,
    pub(crate) metrics: Metrics,
    pub(crate) authority: ConnectAuthority,
    pub(crate) tls: TlsAcceptor,
    pub(crate) admission: Admission,
    /// Notified whenever the set of sessions changes.
    pub(crate) changed: Arc<Notify>,
    /// How long calls under way may take once this replica drains.
    pub(crate) drain_grace: Duration,
}

/// Who dialled, and for which of its seats.
pub(crate) struct Dialled {
    pub(crate) seat: Seat,
    pub(crate) generation: Generation,
    pub(crate) key: KeyId,
}

impl Tunnel {
    /// Accepts until the drain, then ends every session in an orderly way.
    pub(crate) async fn serve(self: Arc<Self>, listener: TcpListener) -> anyhow::Result<()> {
        let shutdown = self.shell.shutdown();
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                biased;
                () = shutdown.requested() => break,
                Some(_ended) = connections.join_next() => {}
                accepted = listener.accept() => match accepted {
                    Ok((socket, peer)) => self.welcome(&mut connections, socket, peer),
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept a tunnel connection");
                        sleep(ACCEPT_PAUSE).await;
                    }
                },
            }
        }
        drop(listener);
        for session in self.table.lock().all() {
            session.link.send_command(SessionCommand::Drain);
        }
        while connections.join_next().await.is_some() {}
        Ok(())
    }

    fn welcome(
        self: &Arc<Self>,
        connections: &mut JoinSet<()>,
        socket: TcpStream,
        peer: SocketAddr,
    ) {
        let Some(place) = self.admission.admit(peer.ip()) else {
            tracing::debug!(%peer, "too many connections without an identity: one was closed unheard");
            return;
        };
        let tunnel = Arc::clone(self);
        connections.spawn(async move {
            let upgraded = tokio::select! {
                upgraded = tunnel.upgrade(socket, peer, &place) => upgraded,
                () = place.evicted() => Ok(None),
            };
            match upgraded {
                Ok(None) => tracing::debug!(%peer, "a connection was silent, or had to make room"),
                Ok(Some((stream, dialled))) => {
                    place.authenticated();
                    drop(place);
                    tunnel.hold(stream, dialled, peer).await;
                }
                Err(error) => tracing::info!(%peer, "a tunnel was not opened: {error:#}"),
            }
        });
    }

    /// Returns nothing for a peer that stays silent. Those are too many to be logged.
    async fn upgrade(
        &self,
        socket: TcpStream,
        peer: SocketAddr,
        place: &Place,
    ) -> anyhow::Result<Option<(ByteStream, Dialled)>> {
        socket.set_nodelay(true).context("set TCP_NODELAY")?;
        let Ok(readable) = timeout(FIRST_BYTE_WAIT, socket.readable()).await else {
            return Ok(None);
        };
        readable?;
        ensure!(
            self.admission.may_shake_hands(place, Instant::now()),
            "too many handshakes"
        );
        let secured = timeout(TLS_WAIT, self.tls.accept(socket))
            .await
            .context("TLS took too long")??;
        let authorise = |request| self.authorise(request);
        Ok(Some(websocket::accept(secured, peer, authorise).await?))
    }

    async fn authorise(
        &self,
        request: UpgradeRequest,
    ) -> Result<websocket::Admission<Dialled>, Refusal> {
        if request.path != PATH {
            return Err(Refusal::not_found("the tunnel is at /tunnel/v1"));
        }
        if self.shell.shutdown().is_requested() {
            return Err(Refusal::unavailable(
                "this replica is stopping",
                Duration::from_secs(1),
            ));
        }
        let dialler = (self.authority)(&request).await?;
        let dialled = dialled(dialler, &request.headers)
            .map_err(|error| Refusal::bad_request(&error.to_string()))?;
        self.table
            .lock()
            .check(&dialled.seat, dialled.generation)
            .map_err(|error| refusal(&error))?;
        let server = HeaderValue::from_str(self.shell.instance()).expect("a UUID is visible ASCII");
        let headers = HeaderMap::from_iter([(HeaderName::from_static(SERVER), server)]);
        Ok(websocket::Admission {
            identity: dialled,
            headers,
        })
    }

    /// Holds one session until it ends.
    async fn hold(self: Arc<Self>, stream: ByteStream, dialled: Dialled, peer: SocketAddr) {
        let runtime = dialled.seat.address.runtime.clone();
        let closer = stream.closer();
        let (requests, connection) = match tunnel_hop::connect(stream).await {
            Ok(opened) => opened,
            Err(error) => return tracing::info!(%peer, %runtime, %error, "no HTTP/2 in the tunnel"),
        };
        let link = Link::new(requests, closer);
        // A task of its own: the connection's must be woken for nothing else.
        let mut supervisor = JoinSet::new();
        supervisor.spawn(supervise(self, link.clone(), dialled, peer));
        let error = tokio::select! {
            ended = connection => ended.err(),
            _given_up = supervisor.join_next() => None,
        };
        let code = link.closed_by_peer().map(|close| u16::from(close.code()));
        tracing::info!(%peer, %runtime, code, error = error.map(tracing::field::display), "a session ended");
    }
}

fn dialled(dialler: Dialler, headers: &HeaderMap) -> Result<Dialled, SeatError> {
    let text = |name| {
        headers
            .get(name)
            .and_then(|value: &HeaderValue| value.to_str().ok())
            .unwrap_or_default()
    };
    Ok(Dialled {
        seat: Seat {
            address: dialler.address,
            client: text(CLIENT).parse()?,
            slot: text(SLOT).parse()?,
        },
        generation: text(GENERATION).parse()?,
        key: dialler.key,
    })
}

fn refusal(error: &AdmitError) -> Refusal {
    match error {
        AdmitError::Stale { .. } => Refusal::conflict(&error.to_string()),
        AdmitError::Full => Refusal::too_many(&error.to_string(), Duration::from_secs(30)),
    }
}
