//! Lists calls by filter.
//!
//! One filter selects the index; the others scan a bounded number of rows. A page can therefore be short although more
//! rows follow.

use causeway_database::{Database, Error, Query as Sql, Row, query};
use uuid::Uuid;

use super::{
    find,
    row::{read_intent, signed, unsigned},
};
use crate::{
    audit::{AuditRecord, ChainId, End, EndFilter, Filter, Outcome, Page, Query, Verdict},
    store::StoreError,
};

/// How many calls the other filters look at for one page.
const LOOKED_AT: i64 = 5_000;

const RECORD: &str = "i.sequence, i.kind, i.written_at, i.audit_id, i.subject, i.credential, i.method, \
     i.permission, i.runtime, i.target, i.request_id, i.trace_id, i.source_address, \
     o.written_at AS ended_at, o.outcome AS ended, o.code AS ended_code, o.message AS ended_message";

/// Index that leads to the calls, the most selective first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeadingIndex {
    RequestId,
    Target,
    End(EndFilter),
    Subject,
    Method,
    Runtime,
    Place,
}

impl LeadingIndex {
    fn of(filter: &Filter) -> Self {
        match (filter, filter.end) {
            (filter, _) if filter.request_id.is_some() => Self::RequestId,
            (filter, _) if filter.target.is_some() => Self::Target,
            (_, Some(end)) if end != EndFilter::Outcome(Outcome::Succeeded) => Self::End(end),
            (filter, _) if filter.subject.is_some() => Self::Subject,
            (filter, _) if filter.method.is_some() => Self::Method,
            (filter, _) if filter.runtime.is_some() => Self::Runtime,
            (_, Some(end)) => Self::End(end),
            _ => Self::Place,
        }
    }

    /// Adds what the places of calls are read from; the name of the place is `s`.
    fn push(self, sql: &mut Sql, filter: &Filter) {
        let of = |sql: &mut Sql, column: &'static str, value: &Option<String>| {
            sql.push("SELECT sequence AS s FROM audit WHERE account = $1 AND ");
            sql.push(column).push(" = ");
            sql.push_bind(value.clone()).push(" AND sequence");
        };
        match self {
            Self::RequestId => of(sql, "request_id", &filter.request_id),
            Self::Target => of(sql, "target", &filter.target),
            Self::Subject => of(sql, "subject", &filter.subject),
            Self::Method => of(sql, "method", &filter.method),
            Self::Runtime => of(sql, "runtime", &filter.runtime),
            Self::End(EndFilter::Pending) => {
                sql.push("SELECT sequence AS s FROM audit_open WHERE account = $1 AND sequence");
            }
            Self::End(EndFilter::Denied) => {
                sql.push(
                    "SELECT closes AS s FROM audit WHERE account = $1 AND denied = 1 AND closes",
                );
            }
            Self::End(EndFilter::Outcome(outcome)) => {
                sql.push("SELECT closes AS s FROM audit WHERE account = $1 AND outcome = ");
                sql.push_bind(outcome.number()).push(" AND closes");
            }
            Self::Place => {
                sql.push("SELECT sequence AS s FROM audit WHERE account = $1 AND subject IS NOT NULL AND sequence");
            }
        }
    }
}

/// A page of calls.
pub(crate) async fn page(database: &Database, asked: &Query) -> Result<Page, StoreError> {
    let filter = &asked.filter;
    let times = (filter.since, filter.until);
    let (low, high) = find::between(database, &asked.chain, times).await?;
    let high = high.min(asked.before.map_or(i64::MAX, signed));
    let lead = LeadingIndex::of(filter);
    let looks = others(filter, lead).next().is_some() || filter.end.is_some();
    let most = if looks {
        LOOKED_AT
    } else {
        i64::from(asked.limit) + 1
    };
    let places = |sql: &mut Sql| {
        lead.push(sql, filter);
        sql.push(" < ").push_bind(high);
        // The same column again, for the lower end.
        sql.push(lead.and_from()).push_bind(low);
        sql.push(" ORDER BY s DESC LIMIT ").push_bind(most);
    };
    let mut sql = query("SELECT ").bind(asked.chain.as_str());
    sql.push(RECORD).push(" FROM (");
    places(&mut sql);
    sql.push(") p JOIN audit i ON i.account = $1 AND i.sequence = p.s ");
    sql.push("LEFT JOIN audit o ON o.account = $1 AND o.closes = p.s WHERE i.subject IS NOT NULL");
    for (column, value) in others(filter, lead) {
        sql.push(" AND ").push(column).push(" = ").push_bind(value);
    }
    push_end(&mut sql, filter);
    sql.push(" ORDER BY p.s DESC LIMIT ");
    sql.push_bind(i64::from(asked.limit) + 1);
    let rows = sql.fetch_all(database).await?;
    let records = rows.iter().map(|row| read(row, &asked.chain));
    let mut records = records.collect::<Result<Vec<_>, _>>()?;
    if records.len() > asked.limit as usize {
        records.truncate(asked.limit as usize);
        let next = records.last().map(|record| record.sequence);
        return Ok(Page { records, next });
    }
    let next = if looks {
        rest(database, &asked.chain, places, most).await?
    } else {
        None
    };
    Ok(Page { records, next })
}

impl LeadingIndex {
    fn and_from(self) -> &'static str {
        match self {
            Self::End(EndFilter::Denied | EndFilter::Outcome(_)) => " AND closes >= ",
            Self::End(EndFilter::Pending)
            | Self::RequestId
            | Self::Target
            | Self::Subject
            | Self::Method
            | Self::Runtime
            | Self::Place => " AND sequence >= ",
        }
    }
}

/// Where to go on behind what was looked at, if that was not all.
async fn rest(
    database: &Database,
    chain: &ChainId,
    places: impl Fn(&mut Sql),
    most: i64,
) -> Result<Option<u64>, StoreError> {
    let mut sql = query("SELECT COUNT(*) AS n, MIN(s) AS lowest FROM (").bind(chain.as_str());
    places(&mut sql);
    sql.push(") p");
    let row = sql.fetch_one(database).await?;
    if row.try_get::<i64>("n")? < most {
        return Ok(None);
    }
    let lowest = row.try_get::<Option<i64>>("lowest")?;
    Ok(lowest
        .map(|lowest| unsigned("lowest", lowest))
        .transpose()?)
}

/// The filters by texts that do not lead.
fn others(filter: &Filter, lead: LeadingIndex) -> impl Iterator<Item = (&'static str, String)> {
    let all = [
        ("i.request_id", &filter.request_id, LeadingIndex::RequestId),
        ("i.target", &filter.target, LeadingIndex::Target),
        ("i.subject", &filter.subject, LeadingIndex::Subject),
        ("i.method", &filter.method, LeadingIndex::Method),
        ("i.runtime", &filter.runtime, LeadingIndex::Runtime),
    ];
    let set = all.into_iter().filter(move |(.., leads)| *leads != lead);
    set.filter_map(|(column, value, _)| Some((column, value.clone()?)))
}

fn push_end(sql: &mut Sql, filter: &Filter) {
    match filter.end {
        None => {}
        Some(EndFilter::Pending) => {
            sql.push(" AND o.sequence IS NULL");
        }
        Some(EndFilter::Denied) => {
            sql.push(" AND o.denied = 1");
        }
        Some(EndFilter::Outcome(outcome)) => {
            sql.push(" AND o.outcome = ").push_bind(outcome.number());
        }
    }
}

/// One call.
pub(crate) async fn one(
    database: &Database,
    chain: &ChainId,
    audit_id: Uuid,
) -> Result<Option<AuditRecord>, StoreError> {
    let mut sql = query("SELECT ").bind(chain.as_str());
    sql.push(RECORD)
        .push(" FROM audit i LEFT JOIN audit o ON o.account = $1 AND o.closes = i.sequence ");
    sql.push("WHERE i.account = $1 AND i.subject IS NOT NULL AND i.audit_id = ");
    sql.push_bind(audit_id.to_string());
    let row = sql.fetch_optional(database).await?;
    Ok(row.map(|row| read(&row, chain)).transpose()?)
}

fn read(row: &Row, chain: &ChainId) -> Result<AuditRecord, Error> {
    let denied = row.try_get::<i64>("kind")? == 2;
    Ok(AuditRecord {
        chain: chain.clone(),
        sequence: unsigned("sequence", row.try_get(0)?)?,
        audit_id: row.get_parsed("audit_id")?,
        intended_at: row.try_get(2)?,
        intent: read_intent(row, 4)?,
        verdict: if denied {
            Verdict::Denied
        } else {
            Verdict::Allowed
        },
        end: read_end(row)?,
    })
}

fn read_end(row: &Row) -> Result<Option<End>, Error> {
    let Some(ended_at) = row.try_get::<Option<i64>>("ended_at")? else {
        return Ok(None);
    };
    let outcome = row.try_get::<i64>("ended")?;
    let code = row.try_get::<i64>("ended_code")?;
    Ok(Some(End {
        ended_at,
        outcome: Outcome::from_number(outcome)
            .ok_or_else(|| Row::corrupt("outcome", format!("{outcome} is no outcome")))?,
        code: u32::try_from(code).map_err(|error| Row::corrupt("code", error))?,
        message: row.try_get("ended_message")?,
    }))
}
