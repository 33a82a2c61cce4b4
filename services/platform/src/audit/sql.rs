//! SQL audit store and its retention. A separate table holds calls without an outcome.

mod find;
mod list;
mod row;

use std::collections::HashMap;

use causeway_database::{Transaction, query};
use uuid::Uuid;

use self::row::{insert, read_entry, read_head, signed, write_head};
use crate::store::sql::SqlStore;
use crate::{
    audit::{
        AppendResult, AuditRecord, Body, ChainEntry, ChainId, End, Entry, Head, Outcome,
        OverdueBounds, Page, Query, Seal,
    },
    store::{AuditStore, CUT_EVERY, NEVER_TOLD, PruneProgress, StoreError, StoreFuture},
};

/// How many rows one step takes from a chain's beginning.
const CUT_ROWS: i64 = 5_000;
/// How many calls one transaction closes as unknown.
const STALE_ROWS: i64 = 1_000;

/// The heads that a transaction has moved, written at its end.
#[derive(Default)]
struct Heads(HashMap<ChainId, Head>);

impl AuditStore for SqlStore {
    fn write_audit(&self, entries: Vec<Entry>) -> StoreFuture<'_, Vec<AppendResult>> {
        Box::pin(async move {
            let mut transaction = self.begin().await?;
            let (mut heads, mut written) = (Heads::default(), Vec::with_capacity(entries.len()));
            for entry in entries {
                written.push(match entry {
                    Entry::Open(record) => open(&mut transaction, &mut heads, *record).await?,
                    Entry::Close { audit_id, end } => {
                        close(&mut transaction, &mut heads, audit_id, end).await?
                    }
                });
            }
            heads.write(&mut transaction).await?;
            transaction.commit().await?;
            Ok(written)
        })
    }

    fn audit_head<'a>(&'a self, chain: &'a ChainId) -> StoreFuture<'a, Option<Head>> {
        Box::pin(async move {
            let row = query("SELECT * FROM audit_heads WHERE account = $1")
                .bind(chain.as_str())
                .fetch_optional(&self.database)
                .await?;
            Ok(row.as_ref().map(read_head).transpose()?)
        })
    }

    fn unsealed_audit(&self, entries: u64, before: i64, limit: u32) -> StoreFuture<'_, Vec<Head>> {
        Box::pin(async move {
            let rows = query(
                "SELECT * FROM audit_heads WHERE sequence - sealed >= $1 OR unsealed_since < $2 LIMIT $3",
            )
            .bind(signed(entries))
            .bind(before)
            .bind(limit)
            .fetch_all(&self.database)
            .await?;
            Ok(rows.iter().map(read_head).collect::<Result<_, _>>()?)
        })
    }

    fn seal_audit<'a>(&'a self, head: &'a Head, seal: Seal, at: i64) -> StoreFuture<'a, ()> {
        Box::pin(async move {
            let mut transaction = self.begin().await?;
            let mut heads = Heads::default();
            let now = heads.of(&mut transaction, &head.chain).await?;
            if (now.sequence, now.hash) != (head.sequence, head.hash) {
                return Ok(());
            }
            let entry = now.append(at, Body::Checkpoint(seal));
            insert(&mut transaction, &head.chain, &entry).await?;
            heads.write(&mut transaction).await?;
            transaction.commit().await?;
            Ok(())
        })
    }

    fn list_audit<'a>(&'a self, query: &'a Query) -> StoreFuture<'a, Page> {
        Box::pin(list::page(&self.database, query))
    }

    fn find_audit<'a>(
        &'a self,
        chain: &'a ChainId,
        audit_id: Uuid,
    ) -> StoreFuture<'a, Option<AuditRecord>> {
        Box::pin(list::one(&self.database, chain, audit_id))
    }

    fn read_audit<'a>(
        &'a self,
        chain: &'a ChainId,
        from: u64,
        limit: u32,
    ) -> StoreFuture<'a, Vec<ChainEntry>> {
        Box::pin(async move {
            let rows = query(
                "SELECT sequence, kind, written_at, hash, audit_id, subject, credential, method, \
                 permission, runtime, target, request_id, trace_id, source_address, closes, outcome, \
                 code, message, seal FROM audit WHERE account = $1 AND sequence >= $2 \
                 AND sequence >= (SELECT first_sequence FROM audit_heads WHERE account = $1) \
                 ORDER BY sequence LIMIT $3",
            )
            .bind(chain.as_str())
            .bind(signed(from))
            .bind(limit)
            .fetch_all(&self.database)
            .await?;
            Ok(rows.iter().map(read_entry).collect::<Result<_, _>>()?)
        })
    }

    fn audit_since<'a>(&'a self, chain: &'a ChainId, at: i64) -> StoreFuture<'a, u64> {
        Box::pin(find::since(&self.database, chain, at))
    }

    fn close_stale_audit(&self, overdue: OverdueBounds, now: i64) -> StoreFuture<'_, u64> {
        Box::pin(async move {
            let mut closed = 0;
            loop {
                let rows = close_stale(self, overdue, now).await?;
                closed += rows;
                if rows < STALE_ROWS.unsigned_abs() {
                    return Ok(closed);
                }
            }
        })
    }

    fn cut_audit(&self, before: i64, now: i64) -> StoreFuture<'_, PruneProgress> {
        Box::pin(async move {
            let mut transaction = self.begin().await?;
            let cut = match remove_behind(&mut transaction).await? {
                PruneProgress::More => PruneProgress::More,
                PruneProgress::Done => begin_later(&mut transaction, before, now).await?,
            };
            transaction.commit().await?;
            Ok(cut)
        })
    }

    fn forget(&self, before: i64) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let mut transaction = self.begin().await?;
            query("DELETE FROM requests WHERE made_at < $1")
                .bind(before)
                .execute(&mut transaction)
                .await?;
            query("DELETE FROM join_tokens WHERE expires_at < $1")
                .bind(before)
                .execute(&mut transaction)
                .await?;
            transaction.commit().await?;
            Ok(())
        })
    }
}

impl Heads {
    /// The head of a chain, new where it has no entries.
    async fn of(
        &mut self,
        transaction: &mut Transaction,
        chain: &ChainId,
    ) -> Result<&mut Head, StoreError> {
        if !self.0.contains_key(chain) {
            let row = query("SELECT * FROM audit_heads WHERE account = $1")
                .bind(chain.as_str())
                .fetch_optional(transaction)
                .await?;
            let head = row.as_ref().map(read_head).transpose()?;
            let head = head.unwrap_or_else(|| Head::new(chain.clone()));
            self.0.insert(chain.clone(), head);
        }
        Ok(self.0.get_mut(chain).expect("it was put there just now"))
    }

    async fn write(self, transaction: &mut Transaction) -> Result<(), StoreError> {
        for head in self.0.into_values() {
            write_head(transaction, &head).await?;
        }
        Ok(())
    }
}

/// Writes a call in the transaction of its effect.
pub(crate) async fn append(
    transaction: &mut Transaction,
    record: AuditRecord,
) -> Result<(), StoreError> {
    let mut heads = Heads::default();
    open(transaction, &mut heads, record).await?;
    heads.write(transaction).await
}

async fn open(
    transaction: &mut Transaction,
    heads: &mut Heads,
    record: AuditRecord,
) -> Result<AppendResult, StoreError> {
    let (chain, audit_id, ended) = (record.chain.clone(), record.audit_id, record.end.is_some());
    let entries = record.append_to(heads.of(transaction, &chain).await?);
    for entry in &entries {
        insert(transaction, &chain, entry).await?;
    }
    if let Some(opened) = entries.first().filter(|_| !ended) {
        query("INSERT INTO audit_open (audit_id, account, sequence, written_at) VALUES ($1, $2, $3, $4)")
            .bind(audit_id.to_string())
            .bind(chain.as_str())
            .bind(signed(opened.sequence))
            .bind(opened.at)
            .execute(transaction)
            .await?;
    }
    Ok(AppendResult::Done)
}

async fn close(
    transaction: &mut Transaction,
    heads: &mut Heads,
    audit_id: Uuid,
    end: End,
) -> Result<AppendResult, StoreError> {
    let Some((chain, closes)) = find::open(transaction, audit_id).await? else {
        return find::missing(transaction, audit_id).await;
    };
    query("DELETE FROM audit_open WHERE audit_id = $1")
        .bind(audit_id.to_string())
        .execute(transaction)
        .await?;
    let head = heads.of(transaction, &chain).await?;
    let entry = end.append_to(head, audit_id, closes);
    insert(transaction, &chain, &entry).await?;
    Ok(AppendResult::Done)
}

async fn close_stale(
    store: &SqlStore,
    overdue: OverdueBounds,
    now: i64,
) -> Result<u64, StoreError> {
    let mut transaction = store.begin().await?;
    let stale = find::stale(&mut transaction, overdue, STALE_ROWS).await?;
    let mut heads = Heads::default();
    for audit_id in &stale {
        let end = End::new(now, Outcome::Unknown, 2, NEVER_TOLD.to_owned());
        close(&mut transaction, &mut heads, *audit_id, end).await?;
    }
    heads.write(&mut transaction).await?;
    transaction.commit().await?;
    Ok(stale.len() as u64)
}

/// Removes some rows that are before the beginning of their chain.
async fn remove_behind(transaction: &mut Transaction) -> Result<PruneProgress, StoreError> {
    let row = query(
        "SELECT a.account, a.sequence, h.first_sequence FROM audit_heads h JOIN audit a \
         ON a.account = h.account AND a.sequence < h.first_sequence ORDER BY a.account, a.sequence LIMIT 1",
    )
    .fetch_optional(&mut *transaction)
    .await?;
    let Some(row) = row else {
        return Ok(PruneProgress::Done);
    };
    let (lowest, first): (i64, i64) = (row.try_get("sequence")?, row.try_get("first_sequence")?);
    query("DELETE FROM audit WHERE account = $1 AND sequence < $2")
        .bind(row.try_get::<String>("account")?)
        .bind(first.min(lowest.saturating_add(CUT_ROWS)))
        .execute(transaction)
        .await?;
    Ok(PruneProgress::More)
}

/// Lets one chain begin with its newest checkpoint from before a time.
async fn begin_later(
    transaction: &mut Transaction,
    before: i64,
    now: i64,
) -> Result<PruneProgress, StoreError> {
    let row = query(
        "SELECT h.account, MAX(c.sequence) AS cut FROM audit_heads h \
         JOIN audit f ON f.account = h.account AND f.sequence = h.first_sequence AND f.written_at < $1 \
         JOIN audit c ON c.account = h.account AND c.seal IS NOT NULL AND c.sequence > h.first_sequence \
         AND c.written_at < $2 GROUP BY h.account LIMIT 1",
    )
    .bind(before - CUT_EVERY)
    .bind(before)
    .fetch_optional(&mut *transaction)
    .await?;
    let Some(row) = row else {
        return Ok(PruneProgress::Done);
    };
    let chain = ChainId::stored(row.try_get("account")?);
    let cut = row::unsigned("cut", row.try_get("cut")?)?;
    let mut heads = Heads::default();
    let head = heads.of(transaction, &chain).await?;
    let through = cut - 1;
    let entry = head.append(now, Body::Retention { through, before });
    head.first = cut;
    insert(transaction, &chain, &entry).await?;
    heads.write(transaction).await?;
    Ok(PruneProgress::More)
}
