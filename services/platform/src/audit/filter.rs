//! Filter of audit queries.

use super::{AuditRecord, ChainId, Outcome, Verdict};

/// Every filter that is set must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    /// Asked at this time or later, in milliseconds since 1970.
    pub since: Option<i64>,
    /// Asked before this time.
    pub until: Option<i64>,
    /// Who asked.
    pub subject: Option<String>,
    /// The path of the RPC.
    pub method: Option<String>,
    /// The runtime's name.
    pub runtime: Option<String>,
    /// What was touched.
    pub target: Option<String>,
    /// The client's id of the request.
    pub request_id: Option<String>,
    /// How it ended.
    pub end: Option<EndFilter>,
}

/// How a call must have ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndFilter {
    /// Not yet.
    Pending,
    /// So.
    Outcome(Outcome),
    /// By a refusal.
    Denied,
}

/// A page that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Query {
    /// Of which chain.
    pub chain: ChainId,
    /// Which calls.
    pub filter: Filter,
    /// Only those before this sequence number.
    pub before: Option<u64>,
    /// How many at most.
    pub limit: u32,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Page {
    /// Newest first. There may be fewer than were asked for although more follow.
    pub records: Vec<AuditRecord>,
    /// Before which sequence number more may follow.
    pub next: Option<u64>,
}

impl AuditRecord {
    /// True if the call was refused, by the platform or by the part that it was for.
    pub(crate) fn is_denied(&self) -> bool {
        self.verdict == Verdict::Denied || self.end.as_ref().is_some_and(|end| end.is_denial())
    }
}
