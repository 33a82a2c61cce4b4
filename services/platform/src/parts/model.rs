//! Registry of running services by their announcements. In memory only: a live service announces itself every few seconds.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use causeway_proto::ids::PartName;

use crate::runtimes::presence::RuntimeKey;

/// The part that acts in a runtime.
const APP_PROXY: &str = "app-proxy";
/// How often parts are to tell, in seconds.
pub(crate) const INTERVAL_SECONDS: u32 = 5;
/// A part that was silent this long is lost, in milliseconds.
const LOST_AFTER: i64 = 30_000;
/// A part that was silent this long is forgotten, in milliseconds.
const FORGOTTEN_AFTER: i64 = 10 * 60 * 1000;
/// Number of replicas that are kept for each runtime and for the platform.
const MOST_PER_HOME: usize = 256;

/// Whether a part can do its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Health {
    /// It does.
    Serving,
    /// It cannot yet, or not any more.
    NotServing,
    /// It was silent for 30 seconds.
    Lost,
}

/// Runtime of a part; `None` on the platform.
pub(crate) type PartHome = Option<RuntimeKey>;

/// One replica of a part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its name.
    pub name: PartName,
    /// The replica.
    pub instance: String,
    /// Its version.
    pub version: String,
    /// Its health.
    pub health: Health,
    /// What it waits for.
    pub pending: Vec<String>,
    /// What a person should look at although it works.
    pub notices: Vec<String>,
    /// Actions that it allows; of an app-proxy.
    pub allowed_actions: Vec<String>,
    /// In milliseconds since 1970.
    pub last_seen_at: i64,
}

/// A home has more replicas than are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "more than {MOST_PER_HOME} replicas announce themselves; wait until the lost ones are forgotten"
)]
pub struct TooMany;

type Replicas = BTreeMap<(PartName, String), Part>;

/// All parts by where they run.
#[derive(Debug, Default)]
pub(crate) struct Parts(Mutex<BTreeMap<PartHome, Replicas>>);

impl Parts {
    /// Takes what a part tells in the place of what it told before.
    pub(crate) fn announce(&self, home: PartHome, part: Part) -> Result<(), TooMany> {
        let mut homes = self.lock();
        let replicas = homes.entry(home).or_default();
        let now = part.last_seen_at;
        replicas.retain(|_, known| !forgotten(known, now));
        let key = (part.name.clone(), part.instance.clone());
        if replicas.len() >= MOST_PER_HOME && !replicas.contains_key(&key) {
            return Err(TooMany);
        }
        replicas.insert(key, part);
        Ok(())
    }

    /// Forgets a part that stops in order, and gives what was known of it.
    pub(crate) fn leave(&self, home: &PartHome, name: &PartName, instance: &str) -> Option<Part> {
        let mut homes = self.lock();
        let replicas = homes.get_mut(home)?;
        replicas.remove(&(name.clone(), instance.to_owned()))
    }

    /// The parts of one home in the order of their names, with the silent ones as lost.
    pub(crate) fn of(&self, home: &PartHome, now: i64) -> Vec<Part> {
        let homes = self.lock();
        let replicas = homes.get(home).into_iter().flat_map(BTreeMap::values);
        let present = replicas.filter(|part| !forgotten(part, now)).cloned();
        present.map(|part| aged(part, now)).collect()
    }

    /// True if a part of a home told of itself of late.
    pub(crate) fn is_reporting(&self, home: &PartHome, now: i64) -> bool {
        let homes = self.lock();
        let mut replicas = homes.get(home).into_iter().flat_map(BTreeMap::values);
        replicas.any(|part| !lost(part, now))
    }

    /// The actions that the app-proxies of a home allow, in order.
    pub(crate) fn allowed_actions(&self, home: &PartHome, now: i64) -> Vec<String> {
        let homes = self.lock();
        let replicas = homes.get(home).into_iter().flat_map(BTreeMap::values);
        let proxies = replicas.filter(|part| part.name.as_str() == APP_PROXY && !lost(part, now));
        let actions: BTreeSet<_> = proxies.flat_map(|part| &part.allowed_actions).collect();
        actions.into_iter().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<PartHome, Replicas>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn forgotten(part: &Part, now: i64) -> bool {
    now.saturating_sub(part.last_seen_at) >= FORGOTTEN_AFTER
}

fn lost(part: &Part, now: i64) -> bool {
    now.saturating_sub(part.last_seen_at) >= LOST_AFTER
}

fn aged(mut part: Part, now: i64) -> Part {
    if lost(&part, now) {
        part.health = Health::Lost;
    }
    part
}

#[cfg(test)]
mod tests;
