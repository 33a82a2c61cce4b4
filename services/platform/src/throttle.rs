//! Rate limits: token buckets stored as rows, shared by replicas and durable across restarts.
//!
//! A full bucket has no row. A bucket belongs to a client address or to a verified identity, so an unauthenticated client
//! cannot exhaust the bucket of the user whose name it tries.

pub(crate) mod sql;

use std::{
    net::{IpAddr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use causeway_proto::ids::{AccountId, ProviderName, UserId};

use crate::secret::{hex, sha256};

/// So many buckets of a kind are kept that are not full; further clients share one.
const MOST_BUCKETS: u32 = 20_000;

/// How large a bucket is, and how fast it fills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limit {
    /// What it is about, the first word of its rows.
    pub kind: &'static str,
    /// So many tries at once.
    pub burst: i64,
    /// One more after each of these, in milliseconds.
    pub every: i64,
    /// There are at most so many buckets that are not full.
    pub most: u32,
}

/// Everything that asks a provider.
pub(crate) const ATTEMPTS: Limit = Limit {
    kind: "attempt",
    burst: 60,
    every: 1_000,
    most: MOST_BUCKETS,
};
/// Sign-ins that failed.
pub(crate) const FAILURES: Limit = Limit {
    kind: "failure",
    burst: 10,
    every: 6_000,
    most: MOST_BUCKETS,
};
/// Sign-ins of one person.
pub(crate) const PERSONS: Limit = Limit {
    kind: "person",
    burst: 20,
    every: 30_000,
    most: MOST_BUCKETS,
};
/// Sign-ins of one job of a CI system, which may run many times at once.
pub(crate) const JOBS: Limit = Limit {
    kind: "job",
    burst: 200,
    every: 1_000,
    most: MOST_BUCKETS,
};
/// Unknown credentials.
pub(crate) const CREDENTIALS: Limit = Limit {
    kind: "credential",
    burst: 100,
    every: 1_000,
    most: MOST_BUCKETS,
};

/// One bucket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bucket {
    pub limit: Limit,
    /// Owner; bounded, and no text that a client chose.
    pub name: String,
}

/// A bucket is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many attempts: try again in {} s", .wait.div_euclid(1000) + 1)]
pub struct Throttled {
    /// Until the next try counts, in milliseconds.
    pub wait: i64,
}

impl Throttled {
    /// Until the next try counts.
    pub(crate) fn after(self) -> Duration {
        Duration::from_millis(self.wait.unsigned_abs())
    }
}

impl Bucket {
    /// That of an address; all of a network that one customer gets.
    pub(crate) fn of_source(limit: Limit, source: &str) -> Self {
        let name = network(source);
        Self { limit, name }
    }

    /// Bucket of a person, by the subject, which no other person has.
    pub(crate) fn of_person(account: &AccountId, provider: &ProviderName, subject: &str) -> Self {
        Self::of_vouched(PERSONS, [account.as_str(), provider.as_str(), subject])
    }

    /// That of a job of a CI system, by the service account and by what its issuer calls it.
    pub(crate) fn of_job(account: &AccountId, user: &UserId, identity: &str) -> Self {
        Self::of_vouched(JOBS, [account.as_str(), user.as_str(), identity])
    }

    fn of_vouched(limit: Limit, whose: [&str; 3]) -> Self {
        let digest = sha256(whose.join("\0").as_bytes());
        let name = hex(&digest[..16]);
        Self { limit, name }
    }

    /// The one that all share who have none of their own.
    pub(crate) fn of_others(&self) -> Self {
        let name = "others".to_owned();
        Self {
            name,
            ..self.clone()
        }
    }

    /// The name of its row.
    pub(crate) fn row(&self) -> String {
        format!("{}/{}", self.limit.kind, self.name)
    }
}

impl Limit {
    /// When a bucket that is full again at `full_at` would be after one more try at `now`; all in milliseconds since 1970.
    pub(crate) fn take(&self, full_at: Option<i64>, now: i64) -> Result<i64, Throttled> {
        // Clocks of replicas differ, and can be set back: nothing is full later than an empty bucket would be.
        let latest = now + self.burst * self.every;
        let full_at = full_at.unwrap_or(now).clamp(now, latest);
        let after = full_at + self.every;
        if after <= latest {
            Ok(after)
        } else {
            Err(Throttled {
                wait: after - latest,
            })
        }
    }
}

/// An address without its port, and of a new one the 56 bits that a customer has at the least.
fn network(source: &str) -> String {
    let address = source.parse::<SocketAddr>().map(|address| address.ip());
    let address = address.or_else(|_| source.parse::<IpAddr>());
    match address.map(|address| address.to_canonical()) {
        Ok(IpAddr::V4(address)) => address.to_string(),
        Ok(IpAddr::V6(address)) => {
            Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 72)).to_string()
        }
        Err(_) => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests;
