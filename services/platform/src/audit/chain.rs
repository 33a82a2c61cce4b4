//! Hash chain of audit entries: detects changed, removed, inserted or reordered entries.
//!
//! The hash input is specified in the contract next to `AuditEntry`, so that verifiers can implement it independently.

use std::fmt;

use causeway_proto::ids::AccountId;
use uuid::Uuid;

use super::{Intent, Outcome, Seal};
use crate::secret::sha256;

/// Opens the bytes of an entry.
const CONTEXT: &[u8] = b"causeway-audit-entry-v1";
/// No account can have this name.
const PLATFORM: &str = "@platform";

/// The SHA-256 of an entry.
pub(crate) type Hash = [u8; 32];

/// Id of a chain: an account's, or the platform's own for refusals of unauthenticated calls.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ChainId(String);

/// Where a chain ends, and what is needed to go on. Times are milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Head {
    /// Which chain.
    pub chain: ChainId,
    /// The oldest entry that is kept; 1 in a new chain.
    pub first: u64,
    /// The newest entry; 0 in a new chain.
    pub sequence: u64,
    /// Its hash.
    pub hash: Hash,
    /// Its time.
    pub at: i64,
    /// The newest checkpoint; 0 if there is none.
    pub sealed: u64,
    /// The time of the first entry behind that checkpoint, if there is one.
    pub unsealed_since: Option<i64>,
}

/// What an entry says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Body {
    /// A call may go on.
    Intent {
        /// The call.
        audit_id: Uuid,
        /// What it says of itself.
        intent: Intent,
    },
    /// A call was refused.
    Denial {
        /// The call.
        audit_id: Uuid,
        /// What it says of itself.
        intent: Intent,
        /// The gRPC status code's number.
        code: u32,
        /// Why.
        message: String,
    },
    /// A call has ended.
    Outcome {
        /// The call.
        audit_id: Uuid,
        /// The sequence number of its intent.
        closes: u64,
        /// What happened.
        outcome: Outcome,
        /// The gRPC status code's number.
        code: u32,
        /// The status message.
        message: String,
    },
    /// The platform signs all entries before this one.
    Checkpoint(Seal),
    /// Old entries were removed.
    Retention {
        /// All up to this one.
        through: u64,
        /// They were from before this time.
        before: i64,
    },
}

/// One entry as it stands in its chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChainEntry {
    /// Its place.
    pub sequence: u64,
    /// When it was written, in milliseconds since 1970; never before the entry before.
    pub at: i64,
    /// What it says.
    pub body: Body,
    /// Its hash.
    pub hash: Hash,
}

impl ChainId {
    /// Chain of refusals of unauthenticated calls.
    pub(crate) fn platform() -> Self {
        Self(PLATFORM.to_owned())
    }

    /// A chain by the name that a store kept.
    pub(crate) fn stored(name: String) -> Self {
        Self(name)
    }

    /// Its name: the account, or `@platform`.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&AccountId> for ChainId {
    fn from(account: &AccountId) -> Self {
        Self(account.to_string())
    }
}

impl From<AccountId> for ChainId {
    fn from(account: AccountId) -> Self {
        Self(account.into())
    }
}

impl fmt::Display for ChainId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Head {
    /// The head of a chain without entries.
    pub(crate) fn new(chain: ChainId) -> Self {
        Self {
            chain,
            first: 1,
            sequence: 0,
            hash: [0; 32],
            at: 0,
            sealed: 0,
            unsealed_since: None,
        }
    }

    /// Adds an entry. Its time is that of the entry before where a clock went back.
    pub(crate) fn append(&mut self, at: i64, body: Body) -> ChainEntry {
        let (sequence, at) = (self.sequence + 1, at.max(self.at));
        let hash = hash(&self.hash, &self.chain, sequence, at, &body);
        self.sequence = sequence;
        self.hash = hash;
        self.at = at;
        if matches!(body, Body::Checkpoint(_)) {
            self.sealed = sequence;
            self.unsealed_since = None;
        } else {
            self.unsealed_since.get_or_insert(at);
        }
        ChainEntry {
            sequence,
            at,
            body,
            hash,
        }
    }
}

/// Bytes in which no two lists of fields are the same.
#[derive(Debug, Default)]
pub(crate) struct Framed(Vec<u8>);

impl Framed {
    pub(crate) fn bytes(mut self, field: &[u8]) -> Self {
        let length = u32::try_from(field.len()).expect("every field has a bound far below 4 GiB");
        self.0.extend(length.to_be_bytes());
        self.0.extend(field);
        self
    }

    pub(crate) fn text(self, field: &str) -> Self {
        self.bytes(field.as_bytes())
    }

    pub(crate) fn number(self, field: u64) -> Self {
        self.bytes(&field.to_be_bytes())
    }

    pub(crate) fn time(self, field: i64) -> Self {
        self.bytes(&field.to_be_bytes())
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

fn hash(before: &Hash, chain: &ChainId, sequence: u64, at: i64, body: &Body) -> Hash {
    let framed = Framed(before.to_vec()).bytes(CONTEXT).text(chain.as_str());
    let framed = framed.number(sequence).time(at);
    sha256(&body.framed(framed).into_bytes())
}

impl Body {
    fn framed(&self, to: Framed) -> Framed {
        match self {
            Self::Intent { audit_id, intent } => intent.framed(*audit_id, to.text("intent")),
            Self::Denial {
                audit_id,
                intent,
                code,
                message,
            } => {
                let to = intent.framed(*audit_id, to.text("denial"));
                to.number((*code).into()).text(message)
            }
            Self::Outcome {
                audit_id,
                closes,
                outcome,
                code,
                message,
            } => {
                let to = to.text("outcome").text(&audit_id.to_string());
                let to = to.number(*closes).number(outcome.number().into());
                to.number((*code).into()).text(message)
            }
            Self::Checkpoint(seal) => seal.framed(to.text("checkpoint")),
            Self::Retention { through, before } => {
                to.text("retention").number(*through).time(*before)
            }
        }
    }
}

impl Intent {
    fn framed(&self, audit_id: Uuid, to: Framed) -> Framed {
        let fields = [
            &self.subject,
            &self.credential,
            &self.method,
            &self.permission,
            &self.runtime,
            &self.target,
            &self.request_id,
            &self.trace_id,
            &self.source_address,
        ];
        let to = to.text(&audit_id.to_string());
        fields.into_iter().fold(to, |to, field| to.text(field))
    }
}

#[cfg(test)]
mod tests;
