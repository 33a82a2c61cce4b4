//! The audit, and what is forgotten with time.

use causeway_proto::ids::AccountId;
use uuid::Uuid;

use super::{MemoryStore, State};
use crate::{
    audit::{AuditRecord, End, Entry, Outcome, Written},
    store::{Answer, AuditStore, NEVER_TOLD},
};

impl State {
    fn write(&mut self, entry: Entry) -> Written {
        match entry {
            Entry::Open(record) => {
                self.audit.push(*record);
                Written::Done
            }
            Entry::Close { audit_id, end } => {
                let mut rows = self.audit.iter_mut();
                let Some(row) = rows.find(|row| row.audit_id == audit_id) else {
                    return Written::NoRow;
                };
                if row.end.is_some() {
                    return Written::Kept;
                }
                row.end = Some(end);
                Written::Done
            }
        }
    }
}

impl AuditStore for MemoryStore {
    fn write_audit(&self, entries: Vec<Entry>) -> Answer<'_, Vec<Written>> {
        self.with(|state| {
            entries
                .into_iter()
                .map(|entry| state.write(entry))
                .collect()
        })
    }

    fn list_audit<'a>(
        &'a self,
        account: &'a AccountId,
        before: Option<Uuid>,
        limit: u32,
    ) -> Answer<'a, Vec<AuditRecord>> {
        self.with(|state| {
            let own = state.audit.iter().filter(|row| row.account == *account);
            let page = own.filter(|row| before.is_none_or(|before| row.audit_id < before));
            let mut page: Vec<AuditRecord> = page.cloned().collect();
            page.sort_by_key(|row| std::cmp::Reverse(row.audit_id));
            page.truncate(limit as usize);
            page
        })
    }

    fn close_stale_audit(&self, opened_before: i64, now: i64) -> Answer<'_, u64> {
        self.with(|state| {
            let rows = state.audit.iter_mut();
            let stale = rows.filter(|row| row.end.is_none() && row.intended_at < opened_before);
            let end = || End::new(now, Outcome::Unknown, 2, NEVER_TOLD.to_owned());
            let closed = stale.map(|row| row.end = Some(end())).count();
            u64::try_from(closed).unwrap_or(u64::MAX)
        })
    }

    fn forget(&self, before: i64) -> Answer<'_, ()> {
        self.with(|state| {
            state.requests.retain(|(_, _, made_at)| *made_at >= before);
            state.tokens.retain(|(token, _)| token.expires_at >= before);
        })
    }
}
