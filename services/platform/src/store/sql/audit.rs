//! The audit, and what is forgotten with time.

use causeway_database::{Error, Row, Transaction, query};
use causeway_proto::ids::AccountId;
use uuid::Uuid;

use super::SqlStore;
use crate::{
    audit::{AuditRecord, End, Entry, Intent, Outcome, Verdict, Written},
    store::{Answer, AuditStore, NEVER_TOLD, StoreError},
};

impl AuditStore for SqlStore {
    fn write_audit(&self, entries: Vec<Entry>) -> Answer<'_, Vec<Written>> {
        Box::pin(async move {
            let mut transaction = self.begin().await?;
            let mut written = Vec::with_capacity(entries.len());
            for entry in &entries {
                written.push(match entry {
                    Entry::Open(record) => open(&mut transaction, record).await?,
                    Entry::Close { audit_id, end } => {
                        close(&mut transaction, *audit_id, end).await?
                    }
                });
            }
            transaction.commit().await?;
            Ok(written)
        })
    }

    fn list_audit<'a>(
        &'a self,
        account: &'a AccountId,
        before: Option<Uuid>,
        limit: u32,
    ) -> Answer<'a, Vec<AuditRecord>> {
        Box::pin(async move {
            let rows = query(
                "SELECT * FROM audit WHERE account = $1 AND audit_id < $2 ORDER BY audit_id DESC LIMIT $3",
            )
            .bind(account.as_str())
            .bind(&before.unwrap_or(Uuid::max()).as_bytes()[..])
            .bind(limit)
            .fetch_all(&self.database)
            .await?;
            Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
        })
    }

    fn close_stale_audit(&self, opened_before: i64, now: i64) -> Answer<'_, u64> {
        Box::pin(async move {
            let mut transaction = self.begin().await?;
            let closed = query(
                "UPDATE audit SET ended_at = $1, outcome = $2, code = 2, message = $3 \
                 WHERE ended_at IS NULL AND intended_at < $4",
            )
            .bind(now)
            .bind(outcome_number(Outcome::Unknown))
            .bind(NEVER_TOLD)
            .bind(opened_before)
            .execute(&mut transaction)
            .await?;
            transaction.commit().await?;
            Ok(closed)
        })
    }

    fn forget(&self, before: i64) -> Answer<'_, ()> {
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

async fn open(transaction: &mut Transaction, record: &AuditRecord) -> Result<Written, StoreError> {
    let (intent, end) = (&record.intent, record.end.as_ref());
    query(
        "INSERT INTO audit (account, audit_id, intended_at, subject, method, runtime, target, \
         request_id, trace_id, source_address, denied, ended_at, outcome, code, message) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)",
    )
    .bind(record.account.as_str())
    .bind(&record.audit_id.as_bytes()[..])
    .bind(record.intended_at)
    .bind(intent.subject.as_str())
    .bind(intent.method.as_str())
    .bind(intent.runtime.as_str())
    .bind(intent.target.as_str())
    .bind(intent.request_id.as_str())
    .bind(intent.trace_id.as_str())
    .bind(intent.source_address.as_str())
    .bind(record.verdict == Verdict::Denied)
    .bind(end.map(|end| end.ended_at))
    .bind(end.map(|end| outcome_number(end.outcome)))
    .bind(end.map(|end| end.code))
    .bind(end.map(|end| end.message.as_str()))
    .execute(transaction)
    .await?;
    Ok(Written::Done)
}

async fn close(
    transaction: &mut Transaction,
    audit_id: Uuid,
    end: &End,
) -> Result<Written, StoreError> {
    let closed = query(
        "UPDATE audit SET ended_at = $1, outcome = $2, code = $3, message = $4 \
         WHERE audit_id = $5 AND ended_at IS NULL",
    )
    .bind(end.ended_at)
    .bind(outcome_number(end.outcome))
    .bind(end.code)
    .bind(end.message.as_str())
    .bind(&audit_id.as_bytes()[..])
    .execute(transaction)
    .await?;
    if closed > 0 {
        return Ok(Written::Done);
    }
    let row = query("SELECT 1 FROM audit WHERE audit_id = $1")
        .bind(&audit_id.as_bytes()[..])
        .fetch_optional(&mut *transaction)
        .await?;
    Ok(row.map_or(Written::NoRow, |_| Written::Kept))
}

fn outcome_number(outcome: Outcome) -> i64 {
    match outcome {
        Outcome::Succeeded => 1,
        Outcome::Failed => 2,
        Outcome::Unknown => 3,
    }
}

fn read(row: &Row) -> Result<AuditRecord, Error> {
    let id: &[u8] = row.try_get("audit_id")?;
    let denied: bool = row.try_get("denied")?;
    Ok(AuditRecord {
        account: row.parsed("account")?,
        audit_id: Uuid::from_slice(id).map_err(|error| Row::corrupt("audit_id", error))?,
        intended_at: row.try_get("intended_at")?,
        intent: read_intent(row)?,
        verdict: if denied {
            Verdict::Denied
        } else {
            Verdict::Allowed
        },
        end: read_end(row)?,
    })
}

fn read_intent(row: &Row) -> Result<Intent, Error> {
    Ok(Intent {
        subject: row.try_get("subject")?,
        method: row.try_get("method")?,
        runtime: row.try_get("runtime")?,
        target: row.try_get("target")?,
        request_id: row.try_get("request_id")?,
        trace_id: row.try_get("trace_id")?,
        source_address: row.try_get("source_address")?,
    })
}

fn read_end(row: &Row) -> Result<Option<End>, Error> {
    let Some(ended_at) = row.try_get("ended_at")? else {
        return Ok(None);
    };
    let outcome = match row.try_get("outcome")? {
        1_i64 => Outcome::Succeeded,
        2 => Outcome::Failed,
        3 => Outcome::Unknown,
        other => return Err(Row::corrupt("outcome", format!("{other} is no outcome"))),
    };
    Ok(Some(End {
        ended_at,
        outcome,
        code: number(row, "code")?,
        message: row.try_get("message")?,
    }))
}

fn number(row: &Row, column: &'static str) -> Result<u32, Error> {
    let number: i64 = row.try_get(column)?;
    u32::try_from(number).map_err(|error| Row::corrupt(column, error))
}
