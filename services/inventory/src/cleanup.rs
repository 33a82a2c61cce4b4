//! What is no longer needed goes, in the background and a little at a time: nobody who writes waits for long.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use causeway_proto::time::to_millis;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::{
    event,
    history::retention::Rules,
    store::{Old, Outcome, Store, StoreError, Write},
};

const EVERY: Duration = Duration::from_secs(3600);
/// Between two writes it rests so many times as long as the first one took: most of the time is others'.
const RESTS: u32 = 4;
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

/// How long to keep what nobody needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Keep {
    /// Objects that are gone.
    pub(crate) gone: Duration,
    /// Events since they were last told of.
    pub(crate) events: Duration,
    /// Manifests that no live object has named for so long.
    pub(crate) unused: Duration,
    /// Operations that have ended.
    pub(crate) deployments: Duration,
}

impl Keep {
    /// Each kind, with its age.
    pub(crate) fn kinds(self) -> [(Old, Duration); 6] {
        [
            (Old::Applications, self.gone),
            (Old::Resources, self.gone),
            (Old::Events, self.events),
            (Old::Deployments, self.deployments),
            (Old::Unnamed(0), self.unused),
            (Old::Manifests, self.unused),
        ]
    }
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
            () = round(&*store, ages.keep(), ages.rules()) => {}
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = sleep(EVERY) => {}
        }
    }
}

/// What cannot be done of one kind keeps no other one waiting.
pub(crate) async fn round(store: &dyn Store, keep: Keep, rules: Rules) {
    for (old, age) in keep.kinds() {
        if let Err(error) = forget(store, old, age).await {
            tracing::warn!(?old, %error, "what is old was not forgotten");
        }
    }
    if let Err(error) = thin(store, rules).await {
        tracing::warn!(%error, "histories were not made thin");
    }
}

/// Forgets all of a kind that has been so for so long; tells how many.
pub(crate) async fn forget(store: &dyn Store, old: Old, age: Duration) -> Result<u64, StoreError> {
    let (mut all, mut next) = (0, Some(old));
    while let Some(old) = next {
        let begun = Instant::now();
        let outcome = store.submit(Write::Forget(old, age)).await?.await?;
        (all, next) = match outcome {
            Outcome::Forgotten { count, next } => (all + count, next),
            Outcome::Kept
            | Outcome::Superseded
            | Outcome::Missing(_)
            | Outcome::Epoch(_)
            | Outcome::Thinned { .. } => (all, None),
        };
        if next.is_some() {
            sleep(RESTS * begun.elapsed()).await;
        }
    }
    Ok(all)
}

/// Makes all histories thin.
pub(crate) async fn thin(store: &dyn Store, rules: Rules) -> Result<(), StoreError> {
    let mut next = Some(0);
    while let Some(after) = next {
        let begun = Instant::now();
        next = match store.submit(Write::Thin(rules, after)).await?.await? {
            Outcome::Thinned { next } => next,
            Outcome::Kept
            | Outcome::Superseded
            | Outcome::Missing(_)
            | Outcome::Epoch(_)
            | Outcome::Forgotten { .. } => None,
        };
        if next.is_some() {
            sleep(RESTS * begun.elapsed()).await;
        }
    }
    Ok(())
}
