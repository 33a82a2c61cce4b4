//! Which applications a caller asks for, and how they are handed out.

use super::{Health, Key, Record, Summary, Sync};

/// How many encoded bytes of applications one answer may hold, so that it fits into a gRPC message of 4 MiB.
pub const ANSWER_BYTES: usize = 3 << 20;

/// How much of each application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Without trees, histories and results per resource.
    Basic,
    /// Everything.
    Full,
}

/// Which applications; an empty field matches all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this runtime, by name.
    pub runtime: String,
    /// Of this cluster.
    pub cluster: String,
    /// Of this namespace.
    pub namespace: String,
    /// Of this name.
    pub name: String,
    /// Of this project.
    pub project: String,
    /// Of one of these sync states.
    pub sync: Vec<Sync>,
    /// Of one of these health states.
    pub health: Vec<Health>,
}

impl Filter {
    /// Whether an application of this place can ever match.
    pub fn admits(&self, key: &Key) -> bool {
        let same = |wanted: &str, there: &str| wanted.is_empty() || wanted == there;
        same(&self.runtime, &key.runtime_name)
            && same(&self.cluster, &key.cluster)
            && same(&self.namespace, &key.namespace)
            && same(&self.name, &key.name)
    }

    /// Whether an application in this state matches, given that its place does.
    pub fn accepts(&self, summary: &Summary) -> bool {
        (self.project.is_empty() || *self.project == *summary.project)
            && (self.sync.is_empty() || self.sync.contains(&summary.sync))
            && (self.health.is_empty() || self.health.contains(&summary.health))
    }
}

/// A page of what was asked for, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// The items.
    pub items: Vec<T>,
    /// Whether there is more after them.
    pub rest: Rest,
}

/// Whether there is more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// There is.
    More,
    /// There is not.
    End,
}

impl Page<Record> {
    /// Adds a record unless the page is full; `false` once nothing more fits.
    pub fn push(&mut self, record: Record, limit: usize, bytes: &mut usize) -> bool {
        let fits = self.items.is_empty() || *bytes + record.size() <= ANSWER_BYTES;
        if self.items.len() >= limit || !fits {
            self.rest = Rest::More;
            return false;
        }
        *bytes += record.size();
        self.items.push(record);
        true
    }
}

/// The names that are nearest to one that does not exist, best first, at most three.
pub fn nearest(wanted: &Key, there: &[Key]) -> Vec<Key> {
    let mut scored: Vec<(f64, &Key)> = there
        .iter()
        .map(|key| (likeness(wanted, key), key))
        .filter(|(score, _)| *score >= 0.5)
        .collect();
    scored.sort_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(right.1)));
    scored
        .into_iter()
        .take(3)
        .map(|(_, key)| key.clone())
        .collect()
}

fn likeness(wanted: &Key, there: &Key) -> f64 {
    let name = strsim::normalized_damerau_levenshtein(&wanted.name, &there.name);
    let elsewhere = usize::from(wanted.runtime_name != there.runtime_name)
        + usize::from(wanted.namespace != there.namespace);
    // The same name in another place is a better guess than another name in the same place.
    if elsewhere == 0 {
        name
    } else {
        name - 0.01 * f64::from(u8::try_from(elsewhere).unwrap_or(2))
    }
}
