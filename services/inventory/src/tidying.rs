//! What is no longer needed goes, in the background and a little at a time: nobody who writes waits for long.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use causeway_proto::time::to_millis;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::{
    event,
    history::thinning::Rules,
    store::{Keep, Outcome, Store, StoreError, Write},
};

const EVERY: Duration = Duration::from_secs(3600);
/// Objects that are gone.
const GONE: Duration = Duration::from_secs(7 * 24 * 3600);
/// Histories are made thin after what names manifests is forgotten: those outlive them.
const LATER: Duration = Duration::from_secs(24 * 3600);

/// How long what applications were is kept.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ages {
    /// At all.
    pub(crate) retention: Duration,
    /// Each state of it.
    pub(crate) full: Duration,
}

impl Ages {
    fn keep(self) -> Keep {
        Keep {
            gone: GONE,
            events: event::KEPT_FOR,
            unused: self.retention + LATER,
            deployments: self.retention,
        }
    }

    fn rules(self) -> Rules {
        let millis = |age: Duration| i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
        let now = to_millis(SystemTime::now());
        Rules::at(now, millis(self.retention), millis(self.full))
    }
}

/// Goes on until it is stopped.
pub(crate) async fn run(store: Arc<dyn Store>, ages: Ages, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            done = round(&*store, ages) => {
                if let Err(error) = done {
                    tracing::warn!(%error, "what is old was not forgotten");
                }
            }
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = sleep(EVERY) => {}
        }
    }
}

async fn round(store: &dyn Store, ages: Ages) -> Result<(), StoreError> {
    let forgotten = async { store.submit(Write::Forget(ages.keep())).await?.await };
    let forgotten = forgotten.await.map(drop);
    // What could not be forgotten keeps no history from becoming thin.
    let rules = ages.rules();
    let mut after = Some(0);
    while let Some(last) = after {
        after = match store.submit(Write::Thin(rules, last)).await?.await? {
            Outcome::Thinned { next } => next,
            Outcome::Kept
            | Outcome::Superseded
            | Outcome::Missing(_)
            | Outcome::Epoch(_)
            | Outcome::Forgotten { .. } => None,
        };
    }
    forgotten
}
