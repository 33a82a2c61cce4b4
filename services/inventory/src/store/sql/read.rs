//! Questions to the database. Each names the account first.

use std::sync::Arc;

use bytes::Bytes;
use causeway_database::{Database, Error, Query, Row, query};
use causeway_proto::ids::AccountId;
use futures::TryStreamExt as _;

use super::{Extent, Span, StoreError};
use crate::{
    application::{
        Filter, Health, HeldObject, Key, ObjectName, Page, Record, Rest, Scope, Source, Summary,
        Sync, Traits, Uid, View,
    },
    digest::Digest,
    order::Life,
    patch,
    store::visible::{Columns, Sql, push_rules},
};

/// More than any state or manifest that is taken.
const CONTENT_BYTES: usize = 16 << 20;

pub(super) async fn held(
    database: &Database,
    scope: &Scope,
    after: Option<&Uid>,
    limit: usize,
) -> Result<Vec<HeldObject>, StoreError> {
    let rows = query(
        "SELECT namespace, name, uid, resource_version, root_digest FROM application
         WHERE account = $1 AND runtime = $2 AND cluster = $3 AND uid > $4 AND deleted = 0
         ORDER BY uid LIMIT $5",
    )
    .bind(scope.account.as_str())
    .bind(scope.runtime.as_str())
    .bind(scope.cluster.as_str())
    .bind(after.map_or("", Uid::as_str))
    .bind(rows_up_to(limit))
    .fetch_all(database)
    .await?;
    rows.iter().map(held_object).collect()
}

pub(super) fn held_object(row: &Row) -> Result<HeldObject, StoreError> {
    let root_digest = Digest::try_from(row.try_get::<&[u8]>(4)?);
    Ok(HeldObject {
        object: ObjectName {
            namespace: row.try_get::<&str>(0)?.into(),
            name: row.try_get::<&str>(1)?.into(),
        },
        uid: Uid::from(row.try_get::<&str>(2)?),
        resource_version: row.try_get::<i64>(3)?.cast_unsigned(),
        root_digest: root_digest.map_err(|_| StoreError::Corrupt("root digest"))?,
    })
}

pub(super) async fn held_state(
    database: &Database,
    scope: &Scope,
    uid: &Uid,
    root: &Digest,
) -> Result<Option<Bytes>, StoreError> {
    // What is gone is not left out here: by that, a server that has not yet counted its rows looks through all that are there, in
    // the index of their names.
    let row = query(
        "SELECT root_digest, canonical, deleted FROM application
         WHERE account = $1 AND runtime = $2 AND cluster = $3 AND uid = $4",
    )
    .bind(scope.account.as_str())
    .bind(scope.runtime.as_str())
    .bind(scope.cluster.as_str())
    .bind(uid.as_str())
    .fetch_optional(database)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let packed: Option<Vec<u8>> = row.try_get(1)?;
    let life = life(row.try_get(2)?);
    let held = life == Life::Live && row.try_get::<&[u8]>(0)? == root.as_bytes();
    let Some(packed) = packed.filter(|_| held) else {
        return Ok(None);
    };
    let canonical = unpacked(&packed).ok_or(StoreError::Corrupt("state"))?;
    // A replica of an older version writes the one and not the other.
    let whole = Digest::of(&canonical) == *root;
    Ok(whole.then_some(canonical))
}

/// What was compressed; nothing where it cannot be read.
pub(super) fn unpacked(packed: &[u8]) -> Option<Bytes> {
    patch::apply(b"", packed, CONTENT_BYTES).ok()
}

pub(super) async fn changed(
    database: &Database,
    account: &AccountId,
    filter: &Filter,
    view: View,
    span: Span,
    limit: usize,
) -> Result<Page<Record>, StoreError> {
    let mut query = select(view, Remembered::Everything, account);
    query.push(" AND change > ").push_bind(signed(span.after));
    query.push(" AND change <= ").push_bind(signed(span.to));
    push_place(&mut query, filter);
    push_rules(&mut query, &filter.visible, Columns::Place);
    query.push(" ORDER BY change LIMIT ");
    query.push_bind(rows_up_to(limit + 1));
    let mut page = Page {
        items: Vec::new(),
        rest: Rest::End,
    };
    let mut bytes = 0;
    let mut rows = query.fetch(database);
    while let Some(row) = rows.try_next().await? {
        let record = record(&row, view, Remembered::Everything)?;
        if !page.push(record, limit, &mut bytes) {
            break;
        }
    }
    Ok(page)
}

/// How much of what an application was is read.
#[derive(Clone, Copy)]
pub(super) enum Remembered {
    /// Nothing, not even its labels.
    Nothing,
    /// Its labels.
    Labels,
    /// Its labels and its past.
    Everything,
}

impl Sql for Query {
    fn text(&mut self, text: &'static str) {
        self.push(text);
    }

    fn value(&mut self, value: String) {
        self.push_bind(value);
    }

    fn pattern(&mut self, pattern: &str) {
        self.push_glob(pattern);
    }
}

pub(super) fn select(view: View, remembered: Remembered, account: &AccountId) -> Query {
    let mut query = columns(view, remembered);
    query.push(" FROM application WHERE account = ");
    query.push_bind(account.as_str());
    query
}

/// What a record is read from.
pub(super) fn columns(view: View, remembered: Remembered) -> Query {
    let mut query = query("");
    push_columns(&mut query, view, remembered);
    query
}

pub(super) fn push_columns(query: &mut Query, view: View, remembered: Remembered) {
    // No more than is wanted: SQLite copies each value of each row by itself.
    query.push(
        "SELECT runtime_name, namespace, name, cluster, runtime, uid, resource_version, \
         project, sync, health, change, received_at, source, basic",
    );
    if view == View::Full {
        query.push(", detail");
    }
    query.push(match remembered {
        Remembered::Nothing => "",
        Remembered::Labels => ", labels",
        Remembered::Everything => ", labels, past, deleted",
    });
}

pub(super) fn push_place(query: &mut Query, filter: &Filter) {
    let columns = [
        (" AND runtime_name = ", &filter.runtime),
        (" AND cluster = ", &filter.cluster),
        (" AND namespace = ", &filter.namespace),
        (" AND name = ", &filter.name),
    ];
    for (column, wanted) in columns {
        if !wanted.is_empty() {
            query.push(column).push_bind(wanted.as_str());
        }
    }
}

pub(super) fn push_state(query: &mut Query, filter: &Filter) {
    if !filter.project.is_empty() {
        query
            .push(" AND project = ")
            .push_bind(filter.project.as_str());
    }
    push_any(
        query,
        " AND sync IN ",
        filter.sync.iter().map(|sync| sync.code()),
    );
    push_any(
        query,
        " AND health IN ",
        filter.health.iter().map(|health| health.code()),
    );
    push_any(
        query,
        " AND source IN ",
        filter.source.iter().map(|source| source.code()),
    );
}

fn push_any(query: &mut Query, start: &'static str, codes: impl ExactSizeIterator<Item = i64>) {
    if codes.len() > 0 {
        query.push(start).push_list(codes);
    }
}

/// A record of a row with the columns of [`push_columns`]. One whose past is not read is live.
pub(super) fn record(row: &Row, view: View, remembered: Remembered) -> Result<Record, StoreError> {
    let basic = 13;
    let detail = basic + usize::from(view == View::Full);
    let (labels, past, deleted) = match remembered {
        Remembered::Nothing => ("", "", 0),
        Remembered::Labels => (row.try_get(detail + 1)?, "", 0),
        Remembered::Everything => {
            let labels = row.try_get(detail + 1)?;
            (labels, row.try_get(detail + 2)?, row.try_get(detail + 3)?)
        }
    };
    Ok(Record {
        key: key(row)?,
        uid: Uid::from(row.try_get::<&str>(5)?),
        resource_version: row.try_get::<i64>(6)?.cast_unsigned(),
        life: life(deleted),
        summary: Summary {
            traits: traits(row.try_get(7)?, labels)?,
            sync: Sync::from_code(row.try_get(8)?),
            health: Health::from_code(row.try_get(9)?),
            source: Source::from_code(row.try_get(12)?),
        },
        past: decoded(past)?,
        change: row.try_get::<i64>(10)?.cast_unsigned(),
        received_at: row.try_get(11)?,
        basic: Bytes::copy_from_slice(row.try_get(basic)?),
        detail: match view {
            View::Basic => Bytes::new(),
            View::Full => Bytes::copy_from_slice(row.try_get(detail)?),
        },
    })
}

/// A project and labels as they are kept.
pub(super) fn traits(project: &str, labels: &str) -> Result<Traits, Error> {
    Ok(Traits {
        project: project.into(),
        labels: Arc::new(decoded(labels)?),
    })
}

/// A value that is kept as JSON; the least there is where it was not read.
pub(super) fn decoded<T: Default + serde::de::DeserializeOwned>(json: &str) -> Result<T, Error> {
    if json.is_empty() {
        return Ok(T::default());
    }
    serde_json::from_str(json).map_err(|error| Error::Decode(error.into()))
}

pub(super) fn life(deleted: i64) -> Life {
    if deleted == 0 { Life::Live } else { Life::Gone }
}

pub(super) fn key(row: &Row) -> Result<Key, StoreError> {
    Ok(Key {
        runtime_name: row.try_get(0)?,
        namespace: row.try_get(1)?,
        name: row.try_get(2)?,
        cluster: row.try_get(3)?,
        runtime: row.try_get(4)?,
    })
}

pub(super) async fn manifest(
    database: &Database,
    account: &AccountId,
    digest: &Digest,
) -> Result<Option<Bytes>, StoreError> {
    let row = query("SELECT content FROM manifest WHERE account = $1 AND digest = $2")
        .bind(account.as_str())
        .bind(&digest.as_bytes()[..])
        .fetch_optional(database)
        .await?;
    let Some(row) = row else { return Ok(None) };
    let content = unpacked(row.try_get(0)?);
    content.ok_or(StoreError::Corrupt("manifest")).map(Some)
}

pub(super) async fn live(database: &Database) -> Result<u64, StoreError> {
    let row = query(
        "SELECT (SELECT count(*) FROM application WHERE deleted = 0)
             + (SELECT count(*) FROM resource WHERE deleted = 0)",
    )
    .fetch_one(database)
    .await?;
    let count: i64 = row.try_get(0)?;
    Ok(count.cast_unsigned())
}

pub(super) async fn extent(database: &Database, account: &AccountId) -> Result<Extent, StoreError> {
    let row = query("SELECT latest_change, forgotten_change FROM account WHERE account = $1")
        .bind(account.as_str())
        .fetch_optional(database)
        .await?;
    let Some(row) = row else {
        return Ok(Extent::default());
    };
    Ok(Extent {
        latest: row.try_get::<i64>(0)?.cast_unsigned(),
        forgotten: row.try_get::<i64>(1)?.cast_unsigned(),
    })
}

/// Where the changes of all accounts stand.
pub(super) async fn extents(database: &Database) -> Result<Vec<(AccountId, u64)>, StoreError> {
    let rows = query("SELECT account, latest_change FROM account").fetch_all(database);
    let rows = rows.await?;
    let extents = rows.iter().map(|row| {
        let latest: i64 = row.try_get("latest_change")?;
        Ok((row.get_parsed("account")?, latest.cast_unsigned()))
    });
    extents.collect()
}

pub(super) fn rows_up_to(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// Change numbers stay far below 2^63, and a cursor beyond finds nothing.
pub(super) fn signed(change: u64) -> i64 {
    i64::try_from(change).unwrap_or(i64::MAX)
}
