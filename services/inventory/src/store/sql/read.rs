//! Columns and row decoding that several queries share.

use std::sync::Arc;

use bytes::Bytes;
use causeway_database::{Error, Query, Row, query};
use causeway_proto::ids::AccountId;

use super::StoreError;
use crate::{
    application::{
        Filter, Health, HeldObject, Key, ObjectName, Record, ScopeTraits, Source, Summary, Sync,
        Uid, View,
    },
    convert,
    digest::Digest,
    order::ObjectLife,
    patch,
    store::predicates::Sql,
};

/// Limit of a decompressed state or manifest, above those of reports.
const MAX_CONTENT_BYTES: usize = 16 << 20;

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

/// Decompresses a content; none if it is corrupt.
pub(super) fn decompress(packed: &[u8]) -> Option<Bytes> {
    patch::apply(b"", packed, MAX_CONTENT_BYTES).ok()
}

/// Columns of a record that depend on the caller.
#[derive(Clone, Copy)]
pub(super) enum RecordDetail {
    /// Neither labels nor past.
    Nothing,
    /// Labels.
    Labels,
    /// Labels and past.
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

pub(super) fn select(view: View, detail: RecordDetail, account: &AccountId) -> Query {
    let mut query = columns(view, detail);
    query.push(" FROM application WHERE account = ");
    query.push_bind(account.as_str());
    query
}

/// Query of the columns of a record.
pub(super) fn columns(view: View, detail: RecordDetail) -> Query {
    let mut query = query("");
    push_columns(&mut query, view, detail);
    query
}

pub(super) fn push_columns(query: &mut Query, view: View, detail: RecordDetail) {
    // Only what is needed: SQLite copies each value of each row.
    query.push(
        "SELECT runtime_name, namespace, name, cluster, runtime, uid, resource_version, \
         project, sync, health, change, received_at, source, basic",
    );
    if view == View::Full {
        query.push(", detail");
    }
    query.push(match detail {
        RecordDetail::Nothing => "",
        RecordDetail::Labels => ", labels",
        RecordDetail::Everything => ", labels, past, deleted",
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
    if let Some(since) = filter.changed_since {
        query.push(" AND received_at >= ").push_bind(since);
    }
}

fn push_any(query: &mut Query, start: &'static str, codes: impl ExactSizeIterator<Item = i64>) {
    if codes.len() > 0 {
        query.push(start).push_list(codes);
    }
}

/// Decodes a row with the columns of [`push_columns`]. A record without its past is live.
pub(super) fn record(row: &Row, view: View, detail: RecordDetail) -> Result<Record, StoreError> {
    let basic = 13;
    let last = basic + usize::from(view == View::Full);
    let (labels, past, deleted) = match detail {
        RecordDetail::Nothing => ("", "", 0),
        RecordDetail::Labels => (row.try_get(last + 1)?, "", 0),
        RecordDetail::Everything => {
            let labels = row.try_get(last + 1)?;
            (labels, row.try_get(last + 2)?, row.try_get(last + 3)?)
        }
    };
    let encoded: &[u8] = row.try_get(basic)?;
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
            details: convert::details(encoded),
        },
        past: from_json(past)?,
        change: row.try_get::<i64>(10)?.cast_unsigned(),
        received_at: row.try_get(11)?,
        basic: Bytes::copy_from_slice(encoded),
        detail: match view {
            View::Row | View::Basic => Bytes::new(),
            View::Full => Bytes::copy_from_slice(row.try_get(last)?),
        },
    })
}

/// Decodes the columns of traits.
pub(super) fn traits(project: &str, labels: &str) -> Result<ScopeTraits, Error> {
    Ok(ScopeTraits {
        project: project.into(),
        labels: Arc::new(from_json(labels)?),
    })
}

/// Decodes a JSON column; the default if it was not selected.
pub(super) fn from_json<T: Default + serde::de::DeserializeOwned>(json: &str) -> Result<T, Error> {
    if json.is_empty() {
        return Ok(T::default());
    }
    serde_json::from_str(json).map_err(|error| Error::Decode(error.into()))
}

pub(super) fn life(deleted: i64) -> ObjectLife {
    if deleted == 0 {
        ObjectLife::Live
    } else {
        ObjectLife::Gone
    }
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

pub(super) fn rows_up_to(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// Change numbers stay far below 2^63; a larger cursor finds nothing.
pub(super) fn signed(change: u64) -> i64 {
    i64::try_from(change).unwrap_or(i64::MAX)
}
