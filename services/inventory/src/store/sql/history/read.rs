//! Questions for histories. Each goes by the row of the place, which names the account.

use causeway_database::{Database, Error, Row, query};
use causeway_proto::ids::AccountId;
use futures::TryStreamExt as _;

use super::insert::{AS_BEFORE, read_facts};
use crate::{
    digest::Digest,
    history::{Entry, Frame, Load, MOST_PATCHES, Moment, Story},
    inventory::Wanted,
    order::Life,
    store::{
        StoreError,
        sql::read::{key, rows_up_to, signed, traits},
    },
};

/// As many places have one name.
const SAME_NAME: usize = 100;
pub(in crate::store::sql) const ENTRY: &str = "SELECT received_at, change, resource_version, facts, revisions, uid, root_digest, content FROM history";

pub(in crate::store::sql) async fn stories(
    database: &Database,
    account: &AccountId,
    wanted: &Wanted,
) -> Result<Vec<Story>, StoreError> {
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
        .push_bind(rows_up_to(SAME_NAME));
    let rows = query.fetch_all(database).await?;
    rows.iter().map(story).collect()
}

fn story(row: &Row) -> Result<Story, StoreError> {
    let live: Option<i64> = row.try_get(6)?;
    Ok(Story {
        id: row.try_get(5)?,
        key: key(row)?,
        life: if live.is_some() {
            Life::Live
        } else {
            Life::Gone
        },
        traits: traits(row.try_get(7)?, row.try_get(8)?)?,
    })
}

pub(in crate::store::sql) async fn entries(
    database: &Database,
    account: &AccountId,
    story: i64,
    until: Moment,
    most: usize,
) -> Result<Vec<Entry>, StoreError> {
    let mut query = query(ENTRY);
    query.push(" WHERE story = (SELECT id FROM story WHERE account = ");
    query.push_bind(account.as_str()).push(" AND id = ");
    query
        .push_bind(story)
        .push(") AND (received_at, change) <= ");
    query.push_list([until.at, signed(until.change)]);
    query.push(" ORDER BY received_at DESC, change DESC LIMIT ");
    query.push_bind(rows_up_to(most + MOST_PATCHES));
    let mut rows = query.fetch(database);
    let (mut entries, mut load) = (Vec::new(), Load::default());
    let mut as_before = Vec::new();
    while let Some(row) = rows.try_next().await? {
        let entry = entry(&row).map_err(|_| StoreError::Corrupt("history"))?;
        load.add(&entry.frame);
        let enough = entries.len() + 1 >= most || load.is_full();
        let end = enough && entry.frame.stands_alone();
        entries.push(entry);
        as_before.push(is_as_before(&row)?);
        if end {
            break;
        }
    }
    let oldest_first = entries.iter_mut().zip(as_before).rev();
    carry_on(oldest_first);
    Ok(entries)
}

pub(in crate::store::sql) async fn beginning(
    database: &Database,
    account: &AccountId,
    story: i64,
) -> Result<Option<Moment>, StoreError> {
    let row = query(
        "SELECT received_at, change FROM history
         WHERE story = (SELECT id FROM story WHERE account = $1 AND id = $2)
         ORDER BY received_at, change LIMIT 1",
    )
    .bind(account.as_str())
    .bind(story)
    .fetch_optional(database)
    .await?;
    Ok(row.as_ref().map(moment).transpose()?)
}

pub(in crate::store::sql) fn moment(row: &Row) -> Result<Moment, Error> {
    Ok(Moment {
        at: row.try_get(0)?,
        change: row.try_get::<i64>(1)?.cast_unsigned(),
    })
}

/// Whether what a row says has the revisions of what the one before it says.
pub(in crate::store::sql) fn is_as_before(row: &Row) -> Result<bool, Error> {
    Ok(row.try_get::<i64>(3)? & AS_BEFORE != 0)
}

/// Gives those that have the revisions of the one before what it has, the oldest first.
pub(in crate::store::sql) fn carry_on<'a>(entries: impl Iterator<Item = (&'a mut Entry, bool)>) {
    let mut last = Vec::new();
    for (entry, as_before) in entries {
        let revisions = &mut entry.outline.revisions;
        if as_before {
            revisions.clone_from(&last);
        } else {
            last.clone_from(revisions);
        }
    }
}

/// What a row says, but for revisions that are those of the one before.
pub(in crate::store::sql) fn entry(row: &Row) -> Result<Entry, Error> {
    let (revisions, uid) = (row.try_get(4)?, row.try_get(5)?);
    let (frame, weight, outline) = read_facts(row.try_get(3)?, revisions, uid, row.try_get(7)?)?;
    let digest = Digest::try_from(row.try_get::<&[u8]>(6)?);
    let digest = digest.map_err(|error| Row::corrupt("root_digest", error));
    Ok(Entry {
        moment: moment(row)?,
        resource_version: row.try_get::<i64>(2)?.cast_unsigned(),
        outline,
        weight,
        root_digest: (frame != Frame::Gone).then_some(digest).transpose()?,
        frame,
    })
}
