//! Problems: errors of applications, grouped by cause.

use std::collections::{BTreeSet, HashMap};

use crate::application::{Health, Key};

use super::cause::normalise;

/// Applications that a problem names.
const MAX_KEYS: usize = 500;
const MAX_RUNTIMES: usize = 10;
/// Causes that are told apart. Further ones only count as left out.
const MAX_CAUSES: usize = 5_000;
/// Bytes of an example.
const MAX_EXAMPLE: usize = 1 << 10;

/// An error of an application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// "health", "sync", or the type of an Argo CD condition.
    pub kind: String,
    /// The message.
    pub message: String,
    /// Names that the message may contain beside those of the application.
    pub name: String,
    /// Time of its start, in milliseconds since 1970; absent if unknown.
    pub since: Option<i64>,
}

/// One cause and the applications that it affects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// See [`Trouble::kind`].
    pub kind: String,
    /// The normalised message.
    pub message: String,
    /// The message of one application.
    pub example: String,
    /// Number of applications.
    pub count: u64,
    /// The earliest known start.
    pub since: Option<i64>,
    /// The first applications.
    pub keys: Vec<Key>,
    /// Their first runtimes.
    pub runtimes: BTreeSet<String>,
    /// The worst health among the applications.
    pub health: Health,
}

/// Problems of all applications that were read.
#[derive(Debug, Default)]
pub struct Problems {
    causes: HashMap<(String, String), Problem>,
    left_off: u64,
}

impl Problems {
    /// Adds the errors of an application. One with several of one cause counts once.
    pub(super) fn add(
        &mut self,
        key: &Key,
        health: Health,
        names: &[String],
        troubles: &[Trouble],
    ) {
        let mut known = BTreeSet::new();
        for trouble in troubles {
            let names = names
                .iter()
                .chain([&trouble.name, &key.name, &key.namespace]);
            let names: Vec<&str> = names.map(String::as_str).collect();
            let cause = (trouble.kind.clone(), normalise(&trouble.message, &names));
            if !known.insert(cause.clone()) {
                continue;
            }
            if self.causes.len() >= MAX_CAUSES && !self.causes.contains_key(&cause) {
                self.left_off += 1;
                continue;
            }
            let problem = self.causes.entry(cause);
            let problem = problem.or_insert_with_key(|(kind, message)| Problem {
                kind: kind.clone(),
                message: message.clone(),
                example: cut(&trouble.message),
                count: 0,
                since: None,
                keys: Vec::new(),
                runtimes: BTreeSet::new(),
                health,
            });
            problem.affect(key, health, trouble.since);
        }
    }

    /// The problems with most applications, and the number of the others.
    pub(super) fn into_worst(self, most: usize) -> (Vec<Problem>, u64) {
        let mut all: Vec<Problem> = self.causes.into_values().collect();
        let order = |it: &Problem| {
            let urgency = urgency(it.health);
            (
                std::cmp::Reverse(it.count),
                urgency,
                it.kind.clone(),
                it.message.clone(),
            )
        };
        all.sort_by_cached_key(order);
        let others = all.len().saturating_sub(most) as u64 + self.left_off;
        all.truncate(most);
        (all, others)
    }
}

impl Problem {
    fn affect(&mut self, key: &Key, health: Health, since: Option<i64>) {
        self.count += 1;
        self.since = self.since.into_iter().chain(since).min();
        if self.keys.len() < MAX_KEYS {
            self.keys.push(key.clone());
        }
        if self.runtimes.len() < MAX_RUNTIMES {
            self.runtimes.insert(key.runtime_name.clone());
        }
        if urgency(health) < urgency(self.health) {
            self.health = health;
        }
    }
}

fn cut(message: &str) -> String {
    message[..message.floor_char_boundary(MAX_EXAMPLE)].to_owned()
}

fn urgency(health: Health) -> usize {
    let order = Health::BY_URGENCY.iter();
    order.take_while(|it| **it != health).count()
}
