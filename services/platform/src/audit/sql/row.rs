//! Row conversions of audit entries and chain heads.

use causeway_database::{Error, Row, Transaction, query};
use uuid::Uuid;

use crate::{
    audit::{Body, ChainEntry, ChainId, End, Hash, Head, Intent, Outcome, Seal},
    store::StoreError,
};

const INTENT: i64 = 1;
const DENIAL: i64 = 2;
const OUTCOME: i64 = 3;
const CHECKPOINT: i64 = 4;
const RETENTION: i64 = 5;

/// The columns of an entry that not every kind has.
#[derive(Default)]
struct Columns<'a> {
    kind: i64,
    audit_id: Option<String>,
    intent: Option<&'a Intent>,
    closes: Option<i64>,
    outcome: Option<Outcome>,
    code: Option<u32>,
    message: Option<&'a str>,
    seal: Option<Vec<u8>>,
    /// The time that a retention speaks of.
    before: Option<i64>,
}

impl<'a> Columns<'a> {
    fn of(entry: &'a ChainEntry) -> Self {
        match &entry.body {
            Body::Intent { audit_id, intent } => Self {
                kind: INTENT,
                audit_id: Some(audit_id.to_string()),
                intent: Some(intent),
                ..Self::default()
            },
            Body::Denial {
                audit_id,
                intent,
                code,
                message,
            } => Self {
                kind: DENIAL,
                audit_id: Some(audit_id.to_string()),
                intent: Some(intent),
                // It is its own end.
                closes: Some(signed(entry.sequence)),
                outcome: Some(Outcome::Failed),
                code: Some(*code),
                message: Some(message),
                ..Self::default()
            },
            Body::Outcome {
                audit_id,
                closes,
                outcome,
                code,
                message,
            } => Self {
                kind: OUTCOME,
                audit_id: Some(audit_id.to_string()),
                closes: Some(signed(*closes)),
                outcome: Some(*outcome),
                code: Some(*code),
                message: Some(message),
                ..Self::default()
            },
            Body::Checkpoint(seal) => Self {
                kind: CHECKPOINT,
                seal: Some(seal.to_bytes()),
                ..Self::default()
            },
            Body::Retention { through, before } => Self {
                kind: RETENTION,
                code: None,
                before: Some(*before),
                message: None,
                closes: None,
                outcome: None,
                audit_id: Some(through.to_string()),
                ..Self::default()
            },
        }
    }

    fn denied(&self) -> Option<i64> {
        let refused = self.code == Some(End::PERMISSION_DENIED);
        (self.kind == DENIAL || self.kind == OUTCOME && refused).then_some(1)
    }
}

pub(crate) async fn insert(
    transaction: &mut Transaction,
    chain: &ChainId,
    entry: &ChainEntry,
) -> Result<(), StoreError> {
    let columns = Columns::of(entry);
    let text = |pick: fn(&Intent) -> &String| columns.intent.map(|intent| pick(intent).clone());
    query(
        "INSERT INTO audit (account, sequence, kind, written_at, hash, audit_id, subject, credential, \
         method, permission, runtime, target, request_id, trace_id, source_address, closes, outcome, \
         code, message, denied, seal) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, \
         $14, $15, $16, $17, $18, $19, $20, $21)",
    )
    .bind(chain.as_str())
    .bind(signed(entry.sequence))
    .bind(columns.kind)
    .bind(entry.at)
    .bind(&entry.hash[..])
    .bind(columns.audit_id.clone())
    .bind(text(|intent| &intent.subject))
    .bind(text(|intent| &intent.credential))
    .bind(text(|intent| &intent.method))
    .bind(text(|intent| &intent.permission))
    .bind(text(|intent| &intent.runtime))
    .bind(text(|intent| &intent.target))
    .bind(text(|intent| &intent.request_id))
    .bind(text(|intent| &intent.trace_id))
    .bind(text(|intent| &intent.source_address))
    .bind(columns.closes)
    .bind(columns.outcome.map(Outcome::number))
    .bind(columns.code.map(i64::from).or(columns.before))
    .bind(columns.message)
    .bind(columns.denied())
    .bind(columns.seal)
    .execute(transaction)
    .await?;
    Ok(())
}

pub(crate) async fn write_head(
    transaction: &mut Transaction,
    head: &Head,
) -> Result<(), StoreError> {
    query(
        "INSERT INTO audit_heads (account, first_sequence, sequence, hash, written_at, sealed, unsealed_since) \
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (account) DO UPDATE SET \
         first_sequence = excluded.first_sequence, sequence = excluded.sequence, hash = excluded.hash, \
         written_at = excluded.written_at, sealed = excluded.sealed, unsealed_since = excluded.unsealed_since",
    )
    .bind(head.chain.as_str())
    .bind(signed(head.first))
    .bind(signed(head.sequence))
    .bind(&head.hash[..])
    .bind(head.at)
    .bind(signed(head.sealed))
    .bind(head.unsealed_since)
    .execute(transaction)
    .await?;
    Ok(())
}

pub(crate) fn read_head(row: &Row) -> Result<Head, Error> {
    let number = |column| unsigned(column, row.try_get(column)?);
    Ok(Head {
        chain: ChainId::stored(row.try_get("account")?),
        first: number("first_sequence")?,
        sequence: number("sequence")?,
        hash: hash(row)?,
        at: row.try_get("written_at")?,
        sealed: number("sealed")?,
        unsealed_since: row.try_get("unsealed_since")?,
    })
}

/// A row whose columns stand in the order of `read_audit`.
pub(crate) fn read_entry(row: &Row) -> Result<ChainEntry, Error> {
    let bytes: &[u8] = row.try_get(3)?;
    Ok(ChainEntry {
        sequence: unsigned("sequence", row.try_get(0)?)?,
        at: row.try_get(2)?,
        body: read_body(row)?,
        hash: to_hash(bytes)?,
    })
}

/// A row that another program wrote may lack any column: then it reads as empty, and its hash is wrong.
fn read_body(row: &Row) -> Result<Body, Error> {
    let text =
        |place: usize| Ok::<_, Error>(row.try_get::<Option<String>>(place)?.unwrap_or_default());
    let number = |place: usize| row.try_get::<Option<i64>>(place);
    let code =
        || Ok::<_, Error>(u32::try_from(number(16)?.unwrap_or_default()).unwrap_or(u32::MAX));
    let audit_id = || {
        let id = row.try_get::<Option<&str>>(4)?.unwrap_or_default();
        id.parse::<Uuid>()
            .map_err(|error| Row::corrupt("audit_id", error))
    };
    Ok(match row.try_get::<i64>(1)? {
        INTENT => Body::Intent {
            audit_id: audit_id()?,
            intent: read_intent(row, 5)?,
        },
        DENIAL => Body::Denial {
            audit_id: audit_id()?,
            intent: read_intent(row, 5)?,
            code: code()?,
            message: text(17)?,
        },
        OUTCOME => Body::Outcome {
            audit_id: audit_id()?,
            closes: number(14)?.unwrap_or_default().unsigned_abs(),
            outcome: number(15)?
                .and_then(Outcome::from_number)
                .unwrap_or(Outcome::Unknown),
            code: code()?,
            message: text(17)?,
        },
        CHECKPOINT => {
            let seal = row.try_get::<Option<&[u8]>>(18)?.and_then(Seal::from_bytes);
            Body::Checkpoint(seal.ok_or_else(|| Row::corrupt("seal", "it is no seal"))?)
        }
        RETENTION => Body::Retention {
            through: row.get_parsed("audit_id")?,
            before: number(16)?.unwrap_or_default(),
        },
        other => return Err(Row::corrupt("kind", format!("{other} is no kind of entry"))),
    })
}

/// Nine columns from a place on.
pub(crate) fn read_intent(row: &Row, first: usize) -> Result<Intent, Error> {
    let text = |place: usize| {
        let text = row.try_get::<Option<String>>(first + place)?;
        Ok::<_, Error>(text.unwrap_or_default())
    };
    Ok(Intent {
        subject: text(0)?,
        credential: text(1)?,
        method: text(2)?,
        permission: text(3)?,
        runtime: text(4)?,
        target: text(5)?,
        request_id: text(6)?,
        trace_id: text(7)?,
        source_address: text(8)?,
    })
}

fn hash(row: &Row) -> Result<Hash, Error> {
    to_hash(row.try_get("hash")?)
}

fn to_hash(bytes: &[u8]) -> Result<Hash, Error> {
    bytes
        .try_into()
        .map_err(|_| Row::corrupt("hash", "it has not 32 bytes"))
}

pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn unsigned(column: &'static str, number: i64) -> Result<u64, Error> {
    u64::try_from(number).map_err(|error| Row::corrupt(column, error))
}
