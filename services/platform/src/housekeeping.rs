//! Periodic tasks: flushes last uses, closes stale audit rows, applies retention and announces the platform.

use std::{convert::Infallible, sync::Arc, time::Duration};

use causeway_proto::ids::PartName;
use causeway_shell::Shell;
use tokio::time::{MissedTickBehavior, interval};

use crate::{
    audit::OverdueBounds,
    keys::service::KeyService,
    parts::model::{Health, INTERVAL_SECONDS, Part},
    platform::{Platform, Presence, now},
    request::KEPT_FOR,
    sessions::model::KEPT_ENDED,
    store::StoreError,
};

const FLUSH: Duration = Duration::from_secs(30);
const LOOK_AT_KEYS: Duration = Duration::from_secs(3);
const TIDY: Duration = Duration::from_secs(60 * 60);
/// Strangers fill these, so they are looked after more often.
const SWEEP: Duration = Duration::from_secs(60);

/// Runs until it is dropped; ends only by a failure that leaves no sense in going on.
pub(crate) async fn run(platform: Arc<Platform>, shell: Shell) -> anyhow::Result<Infallible> {
    let every = |seconds| {
        let mut interval = interval(seconds);
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        interval
    };
    let (mut flush, mut tidy, mut sweep) = (every(FLUSH), every(TIDY), every(SWEEP));
    let mut tell = every(Duration::from_secs(INTERVAL_SECONDS.into()));
    let (mut health, mut flushed) = (shell.health(), now());
    loop {
        tokio::select! {
            _ = flush.tick() => {
                let since = std::mem::replace(&mut flushed, now());
                note("last uses", platform.flush(since).await);
            }
            _ = tidy.tick() => note("old rows", clean(&platform).await),
            _ = sweep.tick() => {
                note("full buckets", platform.audit.store.sweep_buckets(now()).await);
                note("client secrets", platform.identity_providers.reseal(now()).await);
            }
            _ = tell.tick() => {
                announce(&platform, &shell)?;
                note("figures of runtimes", platform.runtimes.count_runtimes(now()).await);
            }
            changed = health.changed() => {
                changed?;
                announce(&platform, &shell)?;
            }
        }
    }
}

/// Takes up changes of the key files, and makes the next signing key when one has signed for `age` seconds.
pub(crate) async fn keep_keys(keys: &KeyService, age: u64) -> Infallible {
    let age = i64::try_from(age).unwrap_or(i64::MAX);
    let mut look = interval(LOOK_AT_KEYS);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut failing = false;
    loop {
        look.tick().await;
        let kept = keys.keep_keys(age);
        if let Err(error) = &kept
            && !failing
        {
            let error = format!("{error:#}");
            tracing::error!(%error, "failed to reload or rotate the key files; keeping the current keys and retrying");
        }
        failing = kept.is_err();
    }
}

/// A failure here is tried again the next time.
fn note(what: &str, result: Result<(), impl Into<anyhow::Error>>) {
    if let Err(error) = result {
        tracing::error!(what, error = %format!("{:#}", error.into()), "periodic task failed; it runs again at its next interval");
    }
}

async fn clean(platform: &Platform) -> Result<(), StoreError> {
    let now = now();
    let overdue = OverdueBounds::at(now);
    let closed = platform.audit.store.close_stale_audit(overdue, now).await?;
    if closed > 0 {
        tracing::warn!(
            rows = closed,
            "calls ended without a reported outcome; recorded as unknown in the audit"
        );
    }
    platform.audit.cut_audit(now).await?;
    platform
        .audit
        .store
        .sweep_sign_ins(now - KEPT_ENDED, now)
        .await?;
    platform.audit.store.forget(now - KEPT_FOR).await
}

fn announce(platform: &Platform, shell: &Shell) -> anyhow::Result<()> {
    let name: PartName = shell.name().parse()?;
    let (health, pending) = match &*shell.health().borrow() {
        causeway_shell::Health::Ready => (Health::Serving, Vec::new()),
        causeway_shell::Health::Starting { pending } => (Health::NotServing, pending.clone()),
        causeway_shell::Health::Draining => (Health::NotServing, vec!["shutdown"]),
    };
    let part = Part {
        name,
        instance: shell.instance().to_owned(),
        version: shell.version().to_owned(),
        health,
        pending: pending.into_iter().map(str::to_owned).collect(),
        allowed_actions: Vec::new(),
        notices: shell.notices().watch().borrow().values().cloned().collect(),
        last_seen_at: now(),
    };
    Ok(platform.parts.announce(None, part, Presence::Staying)?)
}

#[cfg(test)]
mod tests;
