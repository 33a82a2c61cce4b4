//! In-memory audit store and its retention.

use causeway_proto::{access::v1::Kind, method::method};
use uuid::Uuid;

use super::{MemoryStore, State};
use crate::{
    audit::{
        AppendResult, AuditRecord, Body, ChainEntry, ChainId, End, EndFilter, Entry, Filter, Head,
        Outcome, OverdueBounds, Page, Query, Seal, Verdict,
    },
    store::{AuditStore, CUT_EVERY, NEVER_TOLD, PruneProgress, StoreFuture},
};

/// A chain whole in memory.
#[derive(Debug)]
pub(crate) struct Chain {
    head: Head,
    entries: Vec<ChainEntry>,
}

impl Chain {
    fn new(id: ChainId) -> Self {
        let (head, entries) = (Head::new(id), Vec::new());
        Self { head, entries }
    }

    fn open(&mut self, record: AuditRecord) {
        self.entries.extend(record.append_to(&mut self.head));
    }

    fn close(&mut self, audit_id: Uuid, end: End) -> Option<AppendResult> {
        let record = self.record(audit_id)?;
        if record.end.is_some() {
            return Some(AppendResult::Kept);
        }
        let entry = end.append_to(&mut self.head, audit_id, record.sequence);
        self.entries.push(entry);
        Some(AppendResult::Done)
    }

    fn add(&mut self, at: i64, body: Body) {
        let entry = self.head.append(at, body);
        self.entries.push(entry);
    }

    fn record(&self, audit_id: Uuid) -> Option<AuditRecord> {
        self.records().find(|record| record.audit_id == audit_id)
    }

    /// All calls, newest first.
    fn records(&self) -> impl Iterator<Item = AuditRecord> {
        let opened = self.entries.iter().rev();
        opened.filter_map(|entry| AuditRecord::opened(&self.head.chain, entry, self.end_of(entry)))
    }

    fn end_of(&self, opened: &ChainEntry) -> Option<End> {
        let closing = |entry: &&ChainEntry| matches!(entry.body, Body::Outcome { closes, .. } if closes == opened.sequence);
        self.entries.iter().find(closing).and_then(End::of)
    }

    /// Begins later, where there is a checkpoint from before a time to begin with.
    fn cut(&mut self, before: i64, now: i64) -> PruneProgress {
        let old = self.entries.first().map(|entry| entry.at);
        let checkpoint =
            |entry: &&ChainEntry| matches!(entry.body, Body::Checkpoint(_)) && entry.at < before;
        let cut = self.entries.iter().rev().find(checkpoint);
        let cut = cut.map(|entry| entry.sequence);
        let (Some(cut), true) = (
            cut.filter(|cut| *cut > self.head.first),
            old.is_some_and(|old| old < before - CUT_EVERY),
        ) else {
            return PruneProgress::Done;
        };
        let through = cut - 1;
        self.add(now, Body::Retention { through, before });
        self.head.first = cut;
        self.entries.retain(|entry| entry.sequence >= cut);
        PruneProgress::More
    }
}

impl AuditRecord {
    /// The call that an entry opens, with how it ended; none of any other entry.
    fn opened(chain: &ChainId, entry: &ChainEntry, end: Option<End>) -> Option<Self> {
        let (audit_id, intent, verdict) = match &entry.body {
            Body::Intent { audit_id, intent } => (audit_id, intent, Verdict::Allowed),
            Body::Denial {
                audit_id, intent, ..
            } => (audit_id, intent, Verdict::Denied),
            Body::Outcome { .. } | Body::Checkpoint(_) | Body::Retention { .. } => return None,
        };
        Some(Self {
            chain: chain.clone(),
            sequence: entry.sequence,
            audit_id: *audit_id,
            intended_at: entry.at,
            intent: intent.clone(),
            verdict,
            end: end.or_else(|| End::of(entry)),
        })
    }
}

impl End {
    /// The end that an entry tells.
    fn of(entry: &ChainEntry) -> Option<Self> {
        let (outcome, code, message) = match &entry.body {
            Body::Outcome {
                outcome,
                code,
                message,
                ..
            } => (*outcome, *code, message.clone()),
            Body::Denial { code, message, .. } => (Outcome::Failed, *code, message.clone()),
            Body::Intent { .. } | Body::Checkpoint(_) | Body::Retention { .. } => return None,
        };
        Some(Self {
            ended_at: entry.at,
            outcome,
            code,
            message,
        })
    }
}

impl State {
    pub(super) fn write(&mut self, entry: Entry) -> AppendResult {
        match entry {
            Entry::Open(record) => {
                let new = || Chain::new(record.chain.clone());
                let chain = self.audit.entry(record.chain.clone()).or_insert_with(new);
                chain.open(*record);
                AppendResult::Done
            }
            Entry::Close { audit_id, end } => {
                let mut chains = self.audit.values_mut();
                let written = chains.find_map(|chain| chain.close(audit_id, end.clone()));
                written.unwrap_or(AppendResult::NoRow)
            }
        }
    }

    fn stale(&self, overdue: OverdueBounds) -> Vec<Uuid> {
        let records = self.audit.values().flat_map(Chain::records);
        let stale = records.filter(|record| record.end.is_none() && is_overdue(overdue, record));
        stale.map(|record| record.audit_id).collect()
    }
}

impl AuditStore for MemoryStore {
    fn write_audit(&self, entries: Vec<Entry>) -> StoreFuture<'_, Vec<AppendResult>> {
        self.with(|state| {
            let entries = entries.into_iter();
            entries.map(|entry| state.write(entry)).collect()
        })
    }

    fn audit_head<'a>(&'a self, chain: &'a ChainId) -> StoreFuture<'a, Option<Head>> {
        self.with(|state| state.audit.get(chain).map(|chain| chain.head.clone()))
    }

    fn unsealed_audit(&self, entries: u64, before: i64, limit: u32) -> StoreFuture<'_, Vec<Head>> {
        self.with(|state| {
            let heads = state.audit.values().map(|chain| &chain.head);
            let due = heads.filter(|head| {
                let old = head.unsealed_since.is_some_and(|since| since < before);
                old || head.sequence.saturating_sub(head.sealed) >= entries
            });
            due.take(limit as usize).cloned().collect()
        })
    }

    fn seal_audit<'a>(&'a self, head: &'a Head, seal: Seal, at: i64) -> StoreFuture<'a, ()> {
        self.with(|state| {
            if let Some(chain) = state
                .audit
                .get_mut(&head.chain)
                .filter(|it| it.head == *head)
            {
                chain.add(at, Body::Checkpoint(seal));
            }
        })
    }

    fn list_audit<'a>(&'a self, query: &'a Query) -> StoreFuture<'a, Page> {
        self.with(|state| {
            let chain = state.audit.get(&query.chain);
            let records = chain.into_iter().flat_map(Chain::records);
            let before = query.before.unwrap_or(u64::MAX);
            let asked = records.filter(|it| it.sequence < before && query.filter.matches(it));
            let mut records: Vec<_> = asked.take(query.limit as usize + 1).collect();
            let more = records.len() > query.limit as usize;
            records.truncate(query.limit as usize);
            let last = records.last().filter(|_| more);
            let next = last.map(|record| record.sequence);
            Page { records, next }
        })
    }

    fn find_audit<'a>(
        &'a self,
        chain: &'a ChainId,
        audit_id: Uuid,
    ) -> StoreFuture<'a, Option<AuditRecord>> {
        self.with(|state| state.audit.get(chain)?.record(audit_id))
    }

    fn read_audit<'a>(
        &'a self,
        chain: &'a ChainId,
        from: u64,
        limit: u32,
    ) -> StoreFuture<'a, Vec<ChainEntry>> {
        self.with(|state| {
            let chain = state.audit.get(chain);
            let entries = chain.into_iter().flat_map(|chain| &chain.entries);
            let asked = entries.filter(|entry| entry.sequence >= from);
            asked.take(limit as usize).cloned().collect()
        })
    }

    fn audit_since<'a>(&'a self, chain: &'a ChainId, at: i64) -> StoreFuture<'a, u64> {
        self.with(|state| {
            let Some(chain) = state.audit.get(chain) else {
                return 1;
            };
            let first = chain.entries.iter().find(|entry| entry.at >= at);
            first.map_or(chain.head.sequence + 1, |entry| entry.sequence)
        })
    }

    fn close_stale_audit(&self, overdue: OverdueBounds, now: i64) -> StoreFuture<'_, u64> {
        self.with(|state| {
            let stale = state.stale(overdue);
            for audit_id in &stale {
                let end = End::new(now, Outcome::Unknown, 2, NEVER_TOLD.to_owned());
                let audit_id = *audit_id;
                state.write(Entry::Close { audit_id, end });
            }
            stale.len() as u64
        })
    }

    fn cut_audit(&self, before: i64, now: i64) -> StoreFuture<'_, PruneProgress> {
        self.with(|state| {
            let mut chains = state.audit.values_mut();
            if chains.any(|chain| chain.cut(before, now) == PruneProgress::More) {
                PruneProgress::More
            } else {
                PruneProgress::Done
            }
        })
    }

    fn forget(&self, before: i64) -> StoreFuture<'_, ()> {
        self.with(|state| {
            state.requests.retain(|(_, _, made_at)| *made_at >= before);
            state.tokens.retain(|row| row.token.expires_at >= before);
        })
    }
}

fn is_overdue(bounds: OverdueBounds, record: &AuditRecord) -> bool {
    let method = method(&record.intent.method);
    let before = if method.is_some_and(|method| method.kind == Kind::Session) {
        bounds.session_before
    } else {
        bounds.asked_before
    };
    record.intended_at < before
}

impl Filter {
    pub(crate) fn matches(&self, record: &AuditRecord) -> bool {
        let intent = &record.intent;
        let texts = [
            (&self.subject, &intent.subject),
            (&self.method, &intent.method),
            (&self.runtime, &intent.runtime),
            (&self.target, &intent.target),
            (&self.request_id, &intent.request_id),
        ];
        let same =
            |(asked, is): (&Option<String>, &String)| asked.as_ref().is_none_or(|it| it == is);
        self.since.is_none_or(|since| record.intended_at >= since)
            && self.until.is_none_or(|until| record.intended_at < until)
            && texts.into_iter().all(same)
            && self.end.is_none_or(|end| end.matches(record))
    }
}

impl EndFilter {
    fn matches(self, record: &AuditRecord) -> bool {
        let outcome = record.end.as_ref().map(|end| end.outcome);
        match self {
            Self::Pending => outcome.is_none(),
            Self::Outcome(asked) => outcome == Some(asked),
            Self::Denied => record.is_denied(),
        }
    }
}
