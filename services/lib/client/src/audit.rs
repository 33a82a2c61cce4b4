//! Verifies an audit hash chain with the platform's root key: detects changed, removed, inserted, moved and truncated entries.
//! Shares no code with the platform that writes the chain, so that both cannot have the same defect.

mod bytes;

use std::collections::HashSet;

use causeway_assertion::PublicKey;
use causeway_proto::platform::v1::{self as pb, audit_entry::Body};

pub use self::bytes::Hash;
use self::bytes::{hash, millis, statement};
use crate::runtime::{TrustedSigningKey, read_signing_keys};

/// Entry that the chain must contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedEntry {
    /// Sequence number in the chain.
    pub sequence: u64,
    pub hash: Hash,
    /// Origin of the expectation, for example "the last verify".
    pub by: &'static str,
}

/// First inconsistency in a chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry {sequence}: {problem}")]
pub struct ChainError {
    pub sequence: u64,
    /// Description for users.
    pub problem: String,
}

/// Summary of a verified chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedChain {
    /// Number of verified entries.
    pub entries: u64,
    /// First verified entry; 0 if there is none.
    pub first: u64,
    /// Time of the first verified entry in milliseconds since 1970.
    pub since: i64,
    /// Last verified entry; 0 if there is none.
    pub last: u64,
    /// Hash of the last verified entry.
    pub hash: Hash,
    /// Newest checkpoint; 0 if there is none.
    pub sealed: u64,
}

/// Accepted start of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChainStart {
    /// Entry 1, or the checkpoint up to which the platform reports removal.
    Whole,
    /// Any checkpoint: a part of a chain.
    Part,
}

/// Predecessor that the hash of an entry covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Linking {
    Chained,
    /// Intentionally broken variant that tests must detect.
    #[cfg(test)]
    Loose,
}

/// Verifier that processes a chain entry by entry.
#[derive(Debug)]
pub struct AuditVerifier {
    chain: String,
    root: PublicKey,
    beginning: ChainStart,
    marks: Vec<ExpectedEntry>,
    open: HashSet<u64>,
    removed: Option<u64>,
    at: i64,
    key: Option<(pb::SigningKey, TrustedSigningKey)>,
    linking: Linking,
    so_far: VerifiedChain,
}

impl AuditVerifier {
    /// Creates a verifier for the chain of this name.
    #[must_use]
    pub fn new(chain: &str, root: PublicKey, beginning: ChainStart) -> Self {
        Self {
            chain: chain.to_owned(),
            root,
            beginning,
            marks: Vec::new(),
            open: HashSet::new(),
            removed: None,
            at: 0,
            key: None,
            linking: Linking::Chained,
            so_far: VerifiedChain {
                entries: 0,
                first: 0,
                since: 0,
                last: 0,
                hash: [0; 32],
                sealed: 0,
            },
        }
    }

    /// Requires this entry, unless the chain starts later.
    pub fn expect(&mut self, mark: ExpectedEntry) {
        self.marks.push(mark);
    }

    /// Requires the last entry that the platform reports.
    ///
    /// # Errors
    /// The signature of the platform is invalid.
    pub fn expect_head(&mut self, head: &pb::GetAuditHeadResponse) -> Result<(), ChainError> {
        let Some(seal) = &head.seal else {
            return Ok(());
        };
        let at = millis(head.signed_at.as_ref());
        self.check_seal(seal, head.sequence, at)?;
        let hash = seal.hash.as_ref().try_into();
        let hash = hash.map_err(|_| flaw(head.sequence, "its hash has not 32 bytes"))?;
        let (sequence, by) = (head.sequence, "the platform");
        self.marks.push(ExpectedEntry { sequence, hash, by });
        Ok(())
    }

    /// Verifies the next entry.
    ///
    /// # Errors
    /// The entry does not follow the previous one.
    pub fn add(&mut self, entry: &pb::AuditEntry) -> Result<(), ChainError> {
        let sequence = entry.sequence;
        self.check_place(entry)?;
        let before = self.before(entry);
        let own = hash(&before, &self.chain, entry);
        if entry.hash != own.as_slice() {
            return Err(flaw(
                sequence,
                "its hash is not that of its content and of the entry before",
            ));
        }
        let at = millis(entry.at.as_ref());
        if at < self.at {
            return Err(flaw(sequence, "it is older than the entry before"));
        }
        self.check_body(entry, &before, at)?;
        if let Some(mark) = self.marks.iter().find(|mark| mark.sequence == sequence)
            && mark.hash != own
        {
            let by = mark.by;
            return Err(flaw(sequence, format!("it is not the entry that {by} saw")));
        }
        self.at = at;
        self.so_far.entries += 1;
        (self.so_far.last, self.so_far.hash) = (sequence, own);
        Ok(())
    }

    /// Completes the verification at the end of the chain.
    ///
    /// # Errors
    /// A required entry is missing.
    pub fn end(self) -> Result<VerifiedChain, ChainError> {
        let last = self.so_far.last;
        if let Some(mark) = self.marks.iter().find(|mark| mark.sequence > last) {
            let (by, seen) = (mark.by, mark.sequence);
            let problem = format!("it is missing: {by} saw entries up to {seen}");
            return Err(flaw(last + 1, problem));
        }
        let removed = self.so_far.first.saturating_sub(1);
        if self.beginning == ChainStart::Whole && removed > 0 && self.removed != Some(removed) {
            let problem = format!(
                "it is missing, up to {removed}: no entry says that these were removed by retention"
            );
            return Err(flaw(1, problem));
        }
        Ok(self.so_far)
    }

    fn check_place(&mut self, entry: &pb::AuditEntry) -> Result<(), ChainError> {
        let sequence = entry.sequence;
        if sequence == 0 || sequence == u64::MAX {
            return Err(flaw(sequence, "no chain has an entry of this number"));
        }
        let next = self.so_far.last + 1;
        if self.so_far.first == 0 {
            let checkpoint = matches!(entry.body, Some(Body::Checkpoint(_)));
            if sequence != 1 && !checkpoint {
                let problem = format!(
                    "it is missing: what is there begins with entry {sequence}, which is no checkpoint"
                );
                return Err(flaw(sequence.saturating_sub(1), problem));
            }
            self.so_far.first = sequence;
            self.so_far.since = millis(entry.at.as_ref());
            return Ok(());
        }
        if sequence > next {
            let problem = format!(
                "it is missing: entry {sequence} follows {}",
                self.so_far.last
            );
            return Err(flaw(next, problem));
        }
        if sequence < next {
            return Err(flaw(sequence, "it stands twice or behind a later one"));
        }
        Ok(())
    }

    /// Returns the hash of the previous entry; for the first retained entry its checkpoint has it.
    fn before(&self, entry: &pb::AuditEntry) -> Hash {
        match self.linking {
            #[cfg(test)]
            Linking::Loose => return [0; 32],
            Linking::Chained => {}
        }
        match &entry.body {
            Some(Body::Checkpoint(seal)) if self.so_far.entries == 0 => {
                seal.hash.as_ref().try_into().unwrap_or_default()
            }
            _ => self.so_far.hash,
        }
    }

    fn check_body(
        &mut self,
        entry: &pb::AuditEntry,
        before: &Hash,
        at: i64,
    ) -> Result<(), ChainError> {
        let sequence = entry.sequence;
        match &entry.body {
            None => return Err(flaw(sequence, "it says nothing that this version knows")),
            Some(Body::Intent(_)) => {
                self.open.insert(sequence);
            }
            Some(Body::Denial(_)) => {}
            Some(Body::Outcome(outcome)) => {
                let known = self.open.remove(&outcome.closes);
                if !known && outcome.closes >= self.so_far.first {
                    let closes = outcome.closes;
                    let problem = format!(
                        "it is the outcome of entry {closes}, which has one already or is no intent"
                    );
                    return Err(flaw(sequence, problem));
                }
            }
            Some(Body::Checkpoint(seal)) => {
                if seal.hash != before.as_slice() {
                    return Err(flaw(
                        sequence,
                        "its checkpoint seals another chain of entries",
                    ));
                }
                self.check_seal(seal, sequence - 1, at)?;
                self.so_far.sealed = sequence;
            }
            Some(Body::Retention(retention)) => self.removed = Some(retention.through),
        }
        Ok(())
    }

    /// Checks that a key certified by the root key signed the checkpoint.
    fn check_seal(&mut self, seal: &pb::AuditSeal, covers: u64, at: i64) -> Result<(), ChainError> {
        let place = covers.saturating_add(1);
        let key = seal.signing_key.as_ref();
        let key = key.ok_or_else(|| flaw(place, "its signature names no key"))?;
        if self.key.as_ref().is_none_or(|(known, _)| known != key) {
            let read = read_signing_keys(&self.root, std::slice::from_ref(key)).pop();
            let trusted = read.ok_or_else(|| {
                flaw(
                    place,
                    "the root key does not certify the key that signed it",
                )
            })?;
            self.key = Some((key.clone(), trusted));
        }
        let statement = statement(&self.chain, covers, &seal.hash, at);
        let holds = self.key.as_ref().is_some_and(|(_, trusted)| {
            trusted.is_valid_at(at) && trusted.key.verifies(&statement, &seal.signature)
        });
        if holds {
            Ok(())
        } else {
            Err(flaw(place, "the platform's signature is invalid"))
        }
    }
}

fn flaw(sequence: u64, problem: impl Into<String>) -> ChainError {
    let problem = problem.into();
    ChainError { sequence, problem }
}

#[cfg(test)]
mod tests;
