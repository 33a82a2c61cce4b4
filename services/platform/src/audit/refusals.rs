//! Audit of refused unauthenticated clients and inactive credentials.
//!
//! Under load, refusals are aggregated to one row per network or credential and minute. An unauthenticated client cannot fill
//! the disk.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv6Addr, SocketAddr},
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{AuditRecord, ChainId, End, Entry, Intent, Outcome};

/// In milliseconds.
const MINUTE: i64 = 60_000;
/// How many refusals of one network, or of one credential, are written in a minute.
const OF_NETWORK: u64 = 10;
/// Number of refusals that are written in a minute.
const OF_ALL: u64 = 100;
/// How many networks, and how many credentials, are counted one by one in a minute.
const NETWORKS: usize = 1_000;
/// How many networks get a row of their own at a minute's end.
const TOLD: usize = 20;
const UNAUTHENTICATED: u32 = 16;

/// Refusals of unknown callers within this minute.
#[derive(Debug, Default)]
pub(crate) struct RefusalCounter(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    minute: i64,
    written: u64,
    networks: HashMap<String, u64>,
    ended: HashMap<EndedCredential, u64>,
    /// Of networks that are not counted one by one.
    others: u64,
}

/// Ended credential: chain of its account, owner and public name.
type EndedCredential = (ChainId, String, String);

impl RefusalCounter {
    /// Takes a refusal and gives what is to be written now: the refusal itself while there are few, and what is left of the minute
    /// before.
    pub(crate) fn refused(&self, intent: Intent, why: String, now: i64) -> Vec<Entry> {
        let mut state = self.lock();
        let mut entries = state.turn(now);
        if state.admits(network(&intent.source_address)) {
            entries.push(entry(ChainId::platform(), intent, why, now));
        }
        entries
    }

    /// The same for a refusal of a credential that opens nothing any more, in the chain of its account.
    pub(crate) fn refused_ended(
        &self,
        chain: ChainId,
        intent: Intent,
        why: String,
        now: i64,
    ) -> Vec<Entry> {
        let mut state = self.lock();
        let mut entries = state.turn(now);
        let ended = (
            chain.clone(),
            intent.subject.clone(),
            intent.credential.clone(),
        );
        if state.admits_ended(ended) {
            entries.push(entry(chain, intent, why, now));
        }
        entries
    }

    /// What is left of a minute that is over.
    pub(crate) fn left(&self, now: i64) -> Vec<Entry> {
        self.lock().turn(now)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn admits(&mut self, network: String) -> bool {
        if self.networks.len() >= NETWORKS && !self.networks.contains_key(&network) {
            self.others += 1;
            return false;
        }
        let seen = self.networks.entry(network).or_default();
        *seen += 1;
        let few = *seen <= OF_NETWORK && self.written < OF_ALL;
        if few {
            self.written += 1;
        }
        few
    }

    fn admits_ended(&mut self, ended: EndedCredential) -> bool {
        if self.ended.len() >= NETWORKS && !self.ended.contains_key(&ended) {
            self.others += 1;
            return false;
        }
        let seen = self.ended.entry(ended).or_default();
        *seen += 1;
        *seen <= OF_NETWORK
    }

    /// Begins a new minute, if it is one.
    fn turn(&mut self, now: i64) -> Vec<Entry> {
        let minute = now.div_euclid(MINUTE);
        if minute == self.minute {
            return Vec::new();
        }
        let ended = std::mem::replace(
            self,
            Self {
                minute,
                ..Self::default()
            },
        );
        ended.into_entries(now)
    }

    fn into_entries(self, now: i64) -> Vec<Entry> {
        // Without the rows that were written one by one: whose they were is not kept once there are too many.
        let over = |seen: u64| {
            if self.written < OF_ALL {
                seen.saturating_sub(OF_NETWORK)
            } else {
                seen
            }
        };
        let counted = self
            .networks
            .into_iter()
            .map(|(network, seen)| (over(seen), network));
        let mut counted: Vec<_> = counted.filter(|(seen, _)| *seen > 0).collect();
        counted.sort_by(|one, other| other.cmp(one));
        let behind = counted.split_off(counted.len().min(TOLD));
        let others = self.others + behind.iter().map(|(seen, _)| seen).sum::<u64>();
        if others > 0 {
            counted.push((others, "others".to_owned()));
        }
        let told = counted.into_iter().map(|(seen, network)| {
            let intent = Intent {
                subject: "unknown".to_owned(),
                source_address: network,
                ..Intent::default()
            };
            entry(ChainId::platform(), intent, counted_text(seen), now)
        });
        let ended = self.ended.into_iter();
        let ended = ended.map(|(whose, seen)| (whose, seen.saturating_sub(OF_NETWORK)));
        let ended = ended.filter(|(_, seen)| *seen > 0);
        let ended = ended.map(|((chain, subject, credential), seen)| {
            let intent = Intent {
                subject,
                credential,
                ..Intent::default()
            };
            entry(chain, intent, counted_text(seen), now)
        });
        told.chain(ended).collect()
    }
}

fn counted_text(seen: u64) -> String {
    format!("{seen} refusals in one minute, of which at most {OF_NETWORK} have a row of their own")
}

fn entry(chain: ChainId, intent: Intent, why: String, now: i64) -> Entry {
    let end = End::new(now, Outcome::Failed, UNAUTHENTICATED, why);
    Entry::Open(Box::new(AuditRecord::denied(chain, intent, end)))
}

/// The network of an address: 24 bits of an old one, 56 of a new one.
fn network(source: &str) -> String {
    let address = source.parse::<SocketAddr>().map(|address| address.ip());
    let address = address.or_else(|_| source.parse::<IpAddr>());
    match address.map(|address| address.to_canonical()) {
        Ok(IpAddr::V4(address)) => {
            let [a, b, c, _] = address.octets();
            format!("{a}.{b}.{c}.0/24")
        }
        Ok(IpAddr::V6(address)) => {
            let network = Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 72));
            format!("{network}/56")
        }
        Err(_) => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests;
