//! Word from other replicas. It may get lost, so whoever listens also looks now and then.

use std::{future::pending, time::Duration};

use sqlx::{PgPool, postgres::PgListener};
use tokio::time::sleep;

const AGAIN: Duration = Duration::from_secs(1);

/// Hears of one topic.
#[derive(Debug)]
pub struct Listener(Option<Channel>);

#[derive(Debug)]
struct Channel {
    pool: PgPool,
    channel: String,
    connected: Option<PgListener>,
}

impl Listener {
    /// Hears nothing, since there is nobody else.
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

    /// Waits until somebody may have told something. Never fails: while the database is away it only waits.
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
            // Nothing where the connection was lost and made anew: word may have been missed meanwhile.
            return listener.try_recv().await.map(drop);
        }
        let mut listener = PgListener::connect_with(&self.pool).await?;
        listener.listen(&self.channel).await?;
        self.connected = Some(listener);
        Ok(())
    }
}
