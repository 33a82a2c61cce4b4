//! Finds positions in a chain.

use causeway_database::{Database, Row, Transaction, query};
use uuid::Uuid;

use super::row::{signed, unsigned};
use crate::{
    audit::{AppendResult, ChainId, OverdueBounds, sessions},
    store::StoreError,
};

/// The sequence number of the first entry that was written at a time or later; one behind the head if there is none.
pub(crate) async fn since(
    database: &Database,
    chain: &ChainId,
    at: i64,
) -> Result<u64, StoreError> {
    let found = query(
        "SELECT sequence FROM audit WHERE account = $1 AND written_at >= $2 ORDER BY written_at, sequence LIMIT 1",
    )
    .bind(chain.as_str())
    .bind(at)
    .fetch_optional(database)
    .await?;
    if let Some(row) = found {
        return Ok(unsigned("sequence", row.try_get("sequence")?)?);
    }
    let head = query("SELECT sequence FROM audit_heads WHERE account = $1")
        .bind(chain.as_str())
        .fetch_optional(database)
        .await?;
    let last = head.map_or(Ok(0), |row| row.try_get("sequence"))?;
    Ok(unsigned("sequence", last)? + 1)
}

/// The intent of a call without an end.
pub(crate) async fn open(
    transaction: &mut Transaction,
    audit_id: Uuid,
) -> Result<Option<(ChainId, u64)>, StoreError> {
    let row = query("SELECT account, sequence FROM audit_open WHERE audit_id = $1")
        .bind(audit_id.to_string())
        .fetch_optional(transaction)
        .await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let sequence = unsigned("sequence", row.try_get("sequence")?)?;
    Ok(Some((ChainId::stored(row.try_get("account")?), sequence)))
}

/// What becomes of an outcome of a call that is not open.
pub(crate) async fn missing(
    transaction: &mut Transaction,
    audit_id: Uuid,
) -> Result<AppendResult, StoreError> {
    let row = query("SELECT sequence FROM audit WHERE audit_id = $1 AND subject IS NOT NULL")
        .bind(audit_id.to_string())
        .fetch_optional(transaction)
        .await?;
    Ok(row.map_or(AppendResult::NoRow, |_| AppendResult::Kept))
}

/// Calls without an end that are overdue, oldest first.
pub(crate) async fn stale(
    transaction: &mut Transaction,
    overdue: OverdueBounds,
    limit: i64,
) -> Result<Vec<Uuid>, StoreError> {
    let mut query = query(
        "SELECT o.audit_id FROM audit_open o JOIN audit a ON a.account = o.account AND a.sequence = o.sequence WHERE o.written_at < ",
    );
    query.push_bind(overdue.asked_before);
    query.push(" AND (o.written_at < ");
    query.push_bind(overdue.session_before);
    query.push(" OR a.method NOT IN ").push_list(sessions());
    query.push(") ORDER BY o.written_at, o.audit_id LIMIT ");
    query.push_bind(limit);
    let rows = query.fetch_all(transaction).await?;
    let ids = rows.iter().map(|row: &Row| row.get_parsed("audit_id"));
    Ok(ids.collect::<Result<_, _>>()?)
}

/// The bounds of a chain's sequence numbers between two times, the second one excluded.
pub(crate) async fn between(
    database: &Database,
    chain: &ChainId,
    times: (Option<i64>, Option<i64>),
) -> Result<(i64, i64), StoreError> {
    let low = match times.0 {
        Some(at) => signed(since(database, chain, at).await?),
        None => 0,
    };
    let high = match times.1 {
        Some(at) => signed(since(database, chain, at).await?),
        None => i64::MAX,
    };
    Ok((low, high))
}
