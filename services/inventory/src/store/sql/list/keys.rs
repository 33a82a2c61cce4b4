//! Keys and cursors of applications.

use causeway_database::{Database, Query, Row, query};
use causeway_proto::ids::AccountId;

use super::KEY;
use crate::{
    application::{Details, Health, Key, Place, ScopeTraits, Sort, Source, Summary, Sync, Visible},
    store::{
        StoreError,
        predicates::{Columns, push_rules},
        sql::read::{key, rows_up_to, signed, traits},
    },
};

/// Rows scanned per requested key.
const SCANNED_PER_KEY: usize = 10;

/// Selects the columns of a cursor.
pub(super) fn select_places() -> Query {
    let mut query = query("SELECT ");
    query.push(KEY);
    query.push(", project, sync, health, change FROM application");
    query
}

pub(super) fn place(row: &Row, sort: Sort) -> Result<Place, StoreError> {
    let summary = Summary {
        traits: traits(row.try_get(5)?, "")?,
        sync: Sync::from_code(row.try_get(6)?),
        health: Health::from_code(row.try_get(7)?),
        source: Source::Unspecified,
        details: Details::default(),
    };
    let change = row.try_get::<i64>(8)?.cast_unsigned();
    Ok(sort.place(&key(row)?, &summary, change))
}

pub(in crate::store::sql) async fn keys(
    database: &Database,
    account: &AccountId,
    visible: &Visible,
    limit: usize,
) -> Result<Vec<Key>, StoreError> {
    let mut query = query("SELECT ");
    query.push(KEY).push(", project, labels FROM application");
    query.push(" WHERE id IN (SELECT id FROM application WHERE deleted = 0 AND account = ");
    query.push_bind(account.as_str());
    query.push(" ORDER BY ").push(KEY).push(" LIMIT ");
    query.push_bind(rows_up_to(limit.saturating_mul(SCANNED_PER_KEY)));
    query.push(")");
    push_rules(&mut query, visible, Columns::All);
    query.push(" ORDER BY ").push(KEY).push(" LIMIT ");
    query.push_bind(rows_up_to(limit));
    let rows = query.fetch_all(database).await?;
    let mut keys = Vec::with_capacity(rows.len());
    for row in &rows {
        let key = key(row)?;
        let traits: ScopeTraits = traits(row.try_get(5)?, row.try_get(6)?)?;
        if visible.holds(&key, &traits) {
            keys.push(key);
        }
    }
    Ok(keys)
}

pub(in crate::store::sql) async fn place_of(
    database: &Database,
    account: &AccountId,
    sort: Sort,
    change: u64,
) -> Result<Option<Place>, StoreError> {
    let mut query = select_places();
    query.push(" WHERE deleted = 0 AND account = ");
    query.push_bind(account.as_str());
    query.push(" AND change = ").push_bind(signed(change));
    let row = query.fetch_optional(database).await?;
    row.map(|row| place(&row, sort)).transpose()
}
