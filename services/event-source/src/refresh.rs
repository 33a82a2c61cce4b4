//! The subscriber `argocd-refresh`: requests a comparison of exactly the Applications that a push concerns.

pub(crate) mod application;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use futures::{StreamExt as _, stream};

use self::application::{Application, ApplicationKey};
use crate::{
    deliver::Handle,
    delivery::{Attempt, Delivery, Subscriber},
    kube::{Applications, PatchError},
    spool::now_ms,
};

/// An Application is written at most once in this time.
const PACE_MS: u64 = 2_000;
const WRITES_AT_ONCE: usize = 8;
/// Applications that an outcome names.
const NAMED: usize = 5;
const MAX_REMEMBERED: usize = 50_000;

/// Refreshes Applications.
pub(crate) struct Refresh {
    applications: Applications,
    pace: Pace,
}

/// When each Application was last written, in milliseconds since 1970.
#[derive(Debug, Default)]
pub(crate) struct Pace(BTreeMap<ApplicationKey, u64>);

/// What a batch needs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    /// Applications to write now.
    pub(crate) writes: BTreeSet<ApplicationKey>,
    pub(crate) steps: Vec<Step>,
}

/// What one delivery needs.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) concerned: Vec<ApplicationKey>,
    /// Of these, those that were not written since it was received.
    pub(crate) missing: Vec<ApplicationKey>,
    /// Until all of them may be written.
    pub(crate) wait_ms: u64,
}

impl Pace {
    /// Plans the writes for deliveries, each by its time of receipt and the Applications concerned.
    pub(crate) fn plan(&self, deliveries: Vec<(u64, Vec<ApplicationKey>)>, now_ms: u64) -> Plan {
        let mut writes = BTreeSet::new();
        let mut steps = Vec::with_capacity(deliveries.len());
        for (received_ms, concerned) in deliveries {
            let last = |key: &ApplicationKey| self.0.get(key).copied();
            // A write of the same millisecond may have come before the push.
            let is_missing = |key: &&ApplicationKey| last(key).is_none_or(|at| at <= received_ms);
            let missing: Vec<_> = concerned.iter().filter(is_missing).cloned().collect();
            let wait = |key: &ApplicationKey| {
                last(key).map_or(0, |at| (at + PACE_MS).saturating_sub(now_ms))
            };
            writes.extend(missing.iter().filter(|key| wait(key) == 0).cloned());
            steps.push(Step {
                wait_ms: missing.iter().map(wait).max().unwrap_or(0),
                concerned,
                missing,
            });
        }
        Plan { writes, steps }
    }

    pub(crate) fn written(&mut self, key: ApplicationKey, at_ms: u64) {
        if self.0.len() >= MAX_REMEMBERED {
            self.0.retain(|_, at| *at + PACE_MS > at_ms);
        }
        self.0.insert(key, at_ms);
    }
}

impl Refresh {
    pub(crate) fn new(applications: Applications) -> Self {
        Self {
            applications,
            pace: Pace::default(),
        }
    }

    async fn write(
        &mut self,
        keys: BTreeSet<ApplicationKey>,
    ) -> BTreeMap<ApplicationKey, PatchError> {
        let applications = &self.applications;
        let writes = keys.into_iter().map(|key| async move {
            let at = now_ms();
            let written = applications.refresh(&key).await;
            (key, at, written)
        });
        let written: Vec<_> = stream::iter(writes)
            .buffer_unordered(WRITES_AT_ONCE)
            .collect()
            .await;
        let mut failed = BTreeMap::new();
        for (key, at, result) in written {
            match result {
                Ok(()) => self.pace.written(key, at),
                Err(error) => drop(failed.insert(key, error)),
            }
        }
        failed
    }
}

impl Handle for Refresh {
    const SUBSCRIBER: Subscriber = Subscriber::ArgocdRefresh;

    async fn handle(&mut self, batch: &[Arc<Delivery>]) -> Vec<Attempt> {
        let concerned = self
            .applications
            .concerned(batch, Application::is_concerned);
        let Some(concerned) = concerned else {
            let text = "the Applications of the cluster are not known yet".to_owned();
            return vec![Attempt::Unavailable(text); batch.len()];
        };
        let received = batch.iter().map(|it| it.received_ms).zip(concerned);
        let Plan { writes, steps } = self.pace.plan(received.collect(), now_ms());
        let failed = self.write(writes).await;
        let attempts = batch.iter().zip(steps);
        attempts
            .map(|(delivery, step)| attempt(delivery, &step, &failed))
            .collect()
    }
}

fn attempt(
    delivery: &Delivery,
    step: &Step,
    failed: &BTreeMap<ApplicationKey, PatchError>,
) -> Attempt {
    let error = step
        .missing
        .iter()
        .find_map(|key| Some((key, failed.get(key)?)));
    match error {
        Some((_, PatchError::Unavailable(cause))) => Attempt::Unavailable(cause.clone()),
        Some((key, PatchError::Rejected(cause))) => Attempt::Failed(format!("{key}: {cause}")),
        None if step.wait_ms > 0 => Attempt::Deferred(Duration::from_millis(step.wait_ms)),
        None => Attempt::Done(summary(delivery, &step.concerned)),
    }
}

fn summary(delivery: &Delivery, concerned: &[ApplicationKey]) -> String {
    if !delivery.event.is_push() {
        return "it changes no reference".to_owned();
    }
    let names: Vec<_> = concerned
        .iter()
        .take(NAMED)
        .map(ToString::to_string)
        .collect();
    match concerned.len() {
        0 => "no application follows it".to_owned(),
        number if number > NAMED => {
            format!("refreshed {} and {} more", names.join(", "), number - NAMED)
        }
        _ => format!("refreshed {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests;
