//! How often something may be tried: buckets that empty by each try and fill with time. They are rows, so that no restart and no
//! other replica fills them; one that is full again is as none. A bucket is of an address, or of somebody whom a provider vouched for: what a stranger tries empties
//! the stranger's own, and never that of the user whose name was tried.

use std::{
    net::{IpAddr, Ipv6Addr, SocketAddr},
    time::Duration,
};

use causeway_proto::ids::AccountId;

use crate::secret::{hex, sha256};

/// So many buckets of a kind are kept that are not full; whoever has none by then shares one.
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
/// Credentials that nobody has.
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
    /// Whose it is; bounded, and no text that somebody chose.
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

    /// That of a person. Names that differ in case, blanks or forms of letters only share it.
    pub(crate) fn of_person(account: &AccountId, provider: &str, name: &str) -> Self {
        let digest = sha256(format!("{account}\0{provider}\0{}", folded(name)).as_bytes());
        Self {
            limit: PERSONS,
            name: hex(&digest[..16]),
        }
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
        match after <= latest {
            true => Ok(after),
            false => Err(Throttled {
                wait: after - latest,
            }),
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

/// What stays of a name when case, blanks, marks and the forms of letters are taken away.
fn folded(name: &str) -> String {
    let narrow = |letter: char| match letter {
        // Full-width forms of ASCII, which look alike.
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(letter as u32 - 0xfee0).unwrap_or(letter),
        other => other,
    };
    let kept = name.chars().map(narrow).flat_map(char::to_lowercase);
    kept.filter(|letter| letter.is_alphanumeric()).collect()
}

#[cfg(test)]
mod tests;
