//! Queries of histories. Each goes through the row of the history, which has the account.

use causeway_database::{Error, Row, query};
use causeway_proto::ids::AccountId;
use futures::{FutureExt as _, TryStreamExt as _, future::BoxFuture};

use super::insert::{SAME_REVISIONS, decode_facts};
use crate::{
    digest::Digest,
    history::{Entry, Frame, History, MAX_PATCHES, Moment, ReadBudget},
    inventory::ApplicationRequest,
    order::ObjectLife,
    store::{
        HistoryReads, StoreError,
        sql::SqlStore,
        sql::read::{key, rows_up_to, signed, traits},
    },
};

/// Histories under one name, in several clusters and runtimes.
const MAX_HISTORIES: usize = 100;
pub(in crate::store::sql) const ENTRY: &str = "SELECT received_at, change, resource_version, facts, revisions, uid, root_digest, content FROM history";

impl HistoryReads for SqlStore {
    fn find_histories<'a>(
        &'a self,
        account: &'a AccountId,
        wanted: &'a ApplicationRequest,
    ) -> BoxFuture<'a, Result<Vec<History>, StoreError>> {
        async move {
let database = &self.database;
    let mut query = query(
        "SELECT s.runtime_name, s.namespace, s.name, s.cluster, s.runtime, s.id, a.id,
             coalesce(a.project, s.project), coalesce(a.labels, s.labels)
         FROM story s LEFT JOIN application a ON a.account = s.account AND a.runtime = s.runtime
             AND a.cluster = s.cluster AND a.namespace = s.namespace AND a.name = s.name AND a.deleted = 0
         WHERE s.account = $1 AND s.runtime_name = $2 AND s.namespace = $3 AND s.name = $4",
    )
    .bind(account.as_str())
    .bind(wanted.runtime.as_str())
    .bind(wanted.namespace.as_str())
    .bind(wanted.name.as_str());
    if !wanted.cluster.is_empty() {
        query
            .push(" AND s.cluster = ")
            .push_bind(wanted.cluster.as_str());
    }
    query
        .push(" ORDER BY s.id DESC LIMIT ")
        .push_bind(rows_up_to(MAX_HISTORIES));
    let rows = query.fetch_all(database).await?;
    rows.iter().map(history).collect()
 }.boxed()
    }

    fn history_entries<'a>(
        &'a self,
        account: &'a AccountId,
        history: i64,
        until: Moment,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Entry>, StoreError>> {
        async move {
            let database = &self.database;
            let mut query = query(ENTRY);
            query.push(" WHERE story = (SELECT id FROM story WHERE account = ");
            query.push_bind(account.as_str()).push(" AND id = ");
            query
                .push_bind(history)
                .push(") AND (received_at, change) <= ");
            query.push_list([until.at, signed(until.change)]);
            query.push(" ORDER BY received_at DESC, change DESC LIMIT ");
            query.push_bind(rows_up_to(most + MAX_PATCHES));
            let mut rows = query.fetch(database);
            let (mut entries, mut budget) = (Vec::new(), ReadBudget::default());
            let mut same_revisions = Vec::new();
            while let Some(row) = rows.try_next().await? {
                let entry = entry(&row).map_err(|_| StoreError::Corrupt("history"))?;
                budget.add(&entry.frame);
                let enough = entries.len() + 1 >= most || budget.is_exhausted();
                let end = enough && entry.frame.is_standalone();
                entries.push(entry);
                same_revisions.push(has_same_revisions(&row)?);
                if end {
                    break;
                }
            }
            let oldest_first = entries.iter_mut().zip(same_revisions).rev();
            fill_revisions(oldest_first);
            Ok(entries)
        }
        .boxed()
    }

    fn history_start<'a>(
        &'a self,
        account: &'a AccountId,
        history: i64,
    ) -> BoxFuture<'a, Result<Option<Moment>, StoreError>> {
        async move {
            let database = &self.database;
            let row = query(
                "SELECT received_at, change FROM history
         WHERE story = (SELECT id FROM story WHERE account = $1 AND id = $2)
         ORDER BY received_at, change LIMIT 1",
            )
            .bind(account.as_str())
            .bind(history)
            .fetch_optional(database)
            .await?;
            Ok(row.as_ref().map(moment).transpose()?)
        }
        .boxed()
    }
}

fn history(row: &Row) -> Result<History, StoreError> {
    let live: Option<i64> = row.try_get(6)?;
    Ok(History {
        id: row.try_get(5)?,
        key: key(row)?,
        life: if live.is_some() {
            ObjectLife::Live
        } else {
            ObjectLife::Gone
        },
        traits: traits(row.try_get(7)?, row.try_get(8)?)?,
    })
}

pub(in crate::store::sql) fn moment(row: &Row) -> Result<Moment, Error> {
    Ok(Moment {
        at: row.try_get(0)?,
        change: row.try_get::<i64>(1)?.cast_unsigned(),
    })
}

/// True if the revisions of a row are those of the previous one.
pub(in crate::store::sql) fn has_same_revisions(row: &Row) -> Result<bool, Error> {
    Ok(row.try_get::<i64>(3)? & SAME_REVISIONS != 0)
}

/// Fills in revisions that are stored in a previous entry, oldest first.
pub(in crate::store::sql) fn fill_revisions<'a>(
    entries: impl Iterator<Item = (&'a mut Entry, bool)>,
) {
    let mut last = Vec::new();
    for (entry, same_revisions) in entries {
        let revisions = &mut entry.summary.revisions;
        if same_revisions {
            revisions.clone_from(&last);
        } else {
            last.clone_from(revisions);
        }
    }
}

/// Decodes a row, except for revisions that are stored in a previous one.
pub(in crate::store::sql) fn entry(row: &Row) -> Result<Entry, Error> {
    let (revisions, uid) = (row.try_get(4)?, row.try_get(5)?);
    let (frame, importance, summary) =
        decode_facts(row.try_get(3)?, revisions, uid, row.try_get(7)?)?;
    let digest = Digest::try_from(row.try_get::<&[u8]>(6)?);
    let digest = digest.map_err(|error| Row::corrupt("root_digest", error));
    Ok(Entry {
        moment: moment(row)?,
        resource_version: row.try_get::<i64>(2)?.cast_unsigned(),
        summary,
        importance,
        root_digest: (frame != Frame::Tombstone).then_some(digest).transpose()?,
        frame,
    })
}
