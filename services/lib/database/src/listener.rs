//! Notifications from other replicas (LISTEN/NOTIFY). They can be lost, so callers also poll.

use std::{future::pending, time::Duration};

use sqlx::{PgPool, postgres::PgListener};
use tokio::time::sleep;

const AGAIN: Duration = Duration::from_secs(1);

/// Subscription to one topic.
#[derive(Debug)]
pub struct Listener(Option<Channel>);

#[derive(Debug)]
struct Channel {
    pool: PgPool,
    channel: String,
    connected: Option<PgListener>,
}

impl Listener {
    /// Creates a listener that never fires, for databases without replicas.
    #[must_use]
    pub fn disabled() -> Self {
        Self(None)
    }

    pub(crate) fn on(pool: PgPool, channel: String) -> Self {
        Self(Some(Channel {
            pool,
            channel,
            connected: None,
        }))
    }

    /// Waits for a possible notification. Never fails: while the database is unavailable it keeps reconnecting.
    pub async fn notified(&mut self) {
        let Some(ear) = &mut self.0 else {
            return pending().await;
        };
        while ear.listen().await.is_err() {
            ear.connected = None;
            sleep(AGAIN).await;
        }
    }
}

impl Channel {
    async fn listen(&mut self) -> Result<(), sqlx::Error> {
        if let Some(listener) = &mut self.connected {
            // None means that the connection was re-established, so a notification may have been missed.
            return listener.try_recv().await.map(drop);
        }
        let mut listener = PgListener::connect_with(&self.pool).await?;
        listener.listen(&self.channel).await?;
        self.connected = Some(listener);
        Ok(())
    }
}
