//! Hands deliveries to a subscriber until each is done or dead. A delivery that fails waits for its next try and holds up no other.

use std::{sync::Arc, time::Duration};

use causeway_shell::Shutdown;
use tokio::time::sleep;

use crate::{
    delivery::{Attempt, Delivery, State, Subscriber},
    spool::Spool,
};

const BATCH: usize = 500;
/// Without a delivery that is due.
const IDLE: Duration = Duration::from_secs(60);

/// Handles deliveries. Doing the same again must be harmless, since a crash may come before the record of a try.
pub(crate) trait Handle: Send {
    const SUBSCRIBER: Subscriber;

    /// Tries deliveries; one attempt for each, in order.
    fn handle(&mut self, batch: &[Arc<Delivery>]) -> impl Future<Output = Vec<Attempt>> + Send;
}

/// Runs until the shutdown.
pub(crate) async fn run<H: Handle>(
    spool: Spool,
    mut handler: H,
    shutdown: Shutdown,
) -> anyhow::Result<()> {
    let mut changes = spool.changes();
    loop {
        changes.borrow_and_update();
        let batch = spool.take_ready(H::SUBSCRIBER, BATCH);
        if batch.is_empty() {
            let due = spool.next_due(H::SUBSCRIBER).unwrap_or(IDLE);
            tokio::select! {
                () = shutdown.requested() => return Ok(()),
                _ = changes.changed() => {}
                () = sleep(due) => {}
            }
            continue;
        }
        let deliveries: Vec<_> = batch.iter().map(|(it, _)| Arc::clone(it)).collect();
        let attempts = tokio::select! {
            () = shutdown.requested() => return Ok(()),
            attempts = handler.handle(&deliveries) => attempts,
        };
        for ((delivery, before), attempt) in batch.iter().zip(attempts) {
            let after = before.after(attempt.clone(), before.changed_ms);
            if after.state == State::Dead {
                let (subscriber, cause) = (H::SUBSCRIBER.as_str(), &after.detail);
                tracing::error!(
                    delivery = delivery.number,
                    subscriber,
                    cause,
                    "a webhook failed in all tries; 'causeway webhook replay' tries it again"
                );
            }
            let target = (delivery.number, H::SUBSCRIBER);
            spool.record(target, before, attempt).await;
        }
    }
}
