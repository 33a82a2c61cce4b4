//! The life of one session beside its calls: hello, seat, orders, end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use causeway_websocket::{Close, CloseCode};
use rand::RngExt;
use tokio::time::{sleep, timeout};

use causeway_proto::tunnel::v1 as pb;
use pb::open_request::Notice;

use crate::connect::{Dialled, Tunnel};
use crate::control::Control;
use crate::link::{Link, SessionCommand, SessionInfo};
use crate::session::{Admitted, RuntimeAddress, SessionId};

const HELLO_WAIT: Duration = Duration::from_secs(10);
/// A session whose seat was taken may finish its calls for this long.
const SUPERSEDED_GRACE: Duration = Duration::from_secs(600);

/// Runs beside the HTTP/2 connection and is dropped with it.
pub(crate) async fn supervise(tunnel: Arc<Tunnel>, link: Link, dialled: Dialled, peer: SocketAddr) {
    let opened = timeout(HELLO_WAIT, Control::open(&link, tunnel.shell.instance())).await;
    let (mut control, hello) = match opened {
        Ok(Ok(opened)) => opened,
        Ok(Err(error)) => return tracing::info!(%peer, "no session: {error:#}"),
        Err(_elapsed) => {
            return tracing::info!(%peer, "no session: the client's hello did not come");
        }
    };
    link.describe(SessionInfo {
        peer,
        key: dialled.key.clone(),
        connected_at: SystemTime::now(),
        version: hello.version,
        routes: hello.routes,
        round_trip: hello.round_trip,
    });
    let Some(seated) = Seated::take(tunnel, &link, dialled) else {
        return close(
            &link,
            CloseCode::Superseded,
            "a newer session holds this seat",
        )
        .await;
    };
    match seated.order(&link).await {
        SessionCommand::Superseded(generation) => {
            control.notify(Notice::Superseded(pb::SupersededNotice { generation }));
            finish(&link, SUPERSEDED_GRACE).await;
            close(
                &link,
                CloseCode::Superseded,
                "a newer session took this seat",
            )
            .await;
        }
        SessionCommand::Drain | SessionCommand::Serve => {
            seated.drain(&link, &mut control).await;
            close(&link, CloseCode::Restart, "this replica is going away").await;
        }
    }
}

/// Registration of a session; removed from the table when dropped.
struct Seated {
    tunnel: Arc<Tunnel>,
    address: RuntimeAddress,
    id: SessionId,
}

impl Seated {
    /// Registers the session and supersedes the previous one.
    fn take(tunnel: Arc<Tunnel>, link: &Link, dialled: Dialled) -> Option<Self> {
        let Dialled {
            seat, generation, ..
        } = dialled;
        let address = seat.address.clone();
        let admitted = tunnel.table.lock().admit(seat, generation, link.clone());
        let Admitted { id, superseded } = match admitted {
            Ok(admitted) => admitted,
            Err(error) => {
                tracing::info!(runtime = %address.runtime, %error, "no session");
                return None;
            }
        };
        if let Some(old) = superseded {
            old.link
                .send_command(SessionCommand::Superseded(generation.0));
        }
        if tunnel.shell.shutdown().is_requested() {
            link.send_command(SessionCommand::Drain);
        }
        tunnel.changed.notify_one();
        tunnel.metrics.opened(&address);
        tracing::info!(account = %address.account, runtime = %address.runtime, generation = generation.0, "a session is open");
        Some(Self {
            tunnel,
            address,
            id,
        })
    }

    async fn order(&self, link: &Link) -> SessionCommand {
        let mut orders = link.commands();
        let ordered = orders
            .wait_for(|order| *order != SessionCommand::Serve)
            .await
            .map(|order| *order);
        ordered.unwrap_or(SessionCommand::Drain)
    }

    /// Make before break: the client is asked to open another session first. Notices are spread,
    /// so that not all clients of this replica dial its neighbour at once.
    async fn drain(&self, link: &Link, control: &mut Control) {
        let grace = self.tunnel.drain_grace;
        let share: f64 = rand::rng().random_range(0.0..=1.0);
        sleep((grace / 4).mul_f64(share)).await;
        let grace_ms = u32::try_from(grace.as_millis()).unwrap_or(u32::MAX);
        control.notify(Notice::Drain(pb::DrainNotice { grace_ms }));
        let _ = timeout(grace / 4, control.drain_ready()).await;
        self.tunnel.table.lock().retire(&self.address, self.id);
        self.tunnel.changed.notify_one();
        finish(link, grace / 2).await;
    }
}

impl Drop for Seated {
    fn drop(&mut self) {
        self.tunnel.table.lock().leave(&self.address, self.id);
        self.tunnel.changed.notify_one();
    }
}

async fn finish(link: &Link, grace: Duration) {
    if timeout(grace, link.idle()).await.is_err() {
        tracing::warn!(
            open_calls = link.open_calls(),
            "calls were cut: they did not end in time"
        );
    }
}

/// Asks for the end and stays until the connection has seen it, so that the close frame gets out.
async fn close(link: &Link, code: CloseCode, reason: &str) {
    link.close(Close::new(code, reason));
    sleep(Duration::from_secs(2)).await;
}
