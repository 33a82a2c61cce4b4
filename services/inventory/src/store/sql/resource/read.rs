//! Queries of resources. A list scans keys window by window, so that the work for a page is bounded even if almost nothing matches;
//! contents are read only for matches.

use bytes::Bytes;
use causeway_database::{Database, Query, Row, query};
use causeway_proto::ids::AccountId;
use futures::{FutureExt as _, TryStreamExt as _, future::BoxFuture};

use crate::{
    application::{Health, HeldObject, Scope, Uid, View},
    resource::{ResourceFilter, ResourceKey, ResourcePage, ResourceRecord},
    store::{
        ChangeRange, ResourceReads, StoreError,
        sql::SqlStore,
        sql::read::{from_json, held_object, life, rows_up_to, signed},
    },
};

/// Rows per window if rows are filtered.
const WINDOW: usize = if cfg!(test) { 3 } else { 2_000 };
/// Windows per page.
const WINDOWS: usize = if cfg!(test) { 2 } else { 5 };
const KEY: &str = "runtime_name, cluster, resource, namespace, name, runtime";

/// Columns of a row to read.
#[derive(Clone, Copy)]
enum Columns {
    /// Only those that the filter needs.
    None,
    /// Those of the basic view.
    Basic,
    /// All.
    Full,
}

impl From<View> for Columns {
    fn from(view: View) -> Self {
        match view {
            View::Row | View::Basic => Self::Basic,
            View::Full => Self::Full,
        }
    }
}

pub(in crate::store::sql) async fn held(
    database: &Database,
    scope: &Scope,
    after: Option<&Uid>,
    limit: usize,
) -> Result<Vec<HeldObject>, StoreError> {
    let rows = query(
        "SELECT namespace, name, uid, resource_version, root_digest FROM resource
         WHERE account = $1 AND runtime = $2 AND cluster = $3 AND resource = $4 AND uid > $5 AND deleted = 0
         ORDER BY uid LIMIT $6",
    )
    .bind(scope.account.as_str())
    .bind(scope.runtime.as_str())
    .bind(scope.cluster.as_str())
    .bind(scope.kind.as_str())
    .bind(after.map_or("", Uid::as_str))
    .bind(rows_up_to(limit))
    .fetch_all(database)
    .await?;
    rows.iter().map(held_object).collect()
}

impl ResourceReads for SqlStore {
    fn list_resources<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a ResourceFilter,
        view: View,
        after: Option<&'a ResourceKey>,
        limit: usize,
    ) -> BoxFuture<'a, Result<ResourcePage, StoreError>> {
        async move {
            let database = &self.database;
            let list = ListQuery {
                database,
                account,
                filter,
            };
            let mut page = ResourcePage::default();
            let mut after = after.cloned();
            for _ in 0..WINDOWS {
                let wanted = limit - page.items.len();
                let (found, last) = list.window(after.as_ref(), wanted).await?;
                if !list.fetch_matching(&found, view, limit, &mut page).await? {
                    return Ok(page);
                }
                page.looked.clone_from(&last);
                let Some((key, _)) = last.filter(|_| page.items.len() < limit) else {
                    return Ok(page);
                };
                after = Some(key);
            }
            Ok(page)
        }
        .boxed()
    }

    fn resource_key<'a>(
        &'a self,
        account: &'a AccountId,
        change: u64,
    ) -> BoxFuture<'a, Result<Option<ResourceKey>, StoreError>> {
        async move {
            let database = &self.database;
            let mut query = query("SELECT ");
            query.push(KEY);
            query.push(" FROM resource WHERE deleted = 0 AND account = ");
            query.push_bind(account.as_str());
            query.push(" AND change = ").push_bind(signed(change));
            let row = query.fetch_optional(database).await?;
            row.as_ref().map(key).transpose()
        }
        .boxed()
    }

    fn changed_resources<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a ResourceFilter,
        view: View,
        range: ChangeRange,
        limit: usize,
    ) -> BoxFuture<'a, Result<ResourcePage, StoreError>> {
        async move {
            let database = &self.database;
            let mut query = select(view.into(), account);
            query.push(" AND change > ").push_bind(signed(range.after));
            query.push(" AND change <= ").push_bind(signed(range.to));
            push_place(&mut query, filter);
            query.push(" ORDER BY change LIMIT ");
            query.push_bind(rows_up_to(limit + 1));
            let mut page = ResourcePage::default();
            let mut rows = query.fetch(database);
            while let Some(row) = rows.try_next().await? {
                if !page.push(record(&row)?, limit) {
                    break;
                }
            }
            Ok(page)
        }
        .boxed()
    }
}

struct ListQuery<'a> {
    database: &'a Database,
    account: &'a AccountId,
    filter: &'a ResourceFilter,
}

impl ListQuery<'_> {
    /// Ids of matching rows of the next window, and the last scanned row if there may be more. One id too many marks a full page.
    async fn window(
        &self,
        after: Option<&ResourceKey>,
        wanted: usize,
    ) -> Result<(Vec<i64>, Option<(ResourceKey, u64)>), StoreError> {
        let every = self.filter.visible.is_everything() && self.filter.labels.is_everything();
        let size = if every { wanted + 1 } else { WINDOW };
        let mut query = select(Columns::None, self.account);
        query.push(" AND deleted = 0");
        push_place(&mut query, self.filter);
        push_state(&mut query, self.filter);
        if let Some(after) = after {
            query.push(" AND (").push(KEY).push(") > ");
            query.push_list(values(after));
        }
        query.push(" ORDER BY ").push(KEY).push(" LIMIT ");
        query.push_bind(rows_up_to(size));
        let rows = query.fetch_all(self.database).await?;
        let (mut found, mut last) = (Vec::new(), None);
        for row in &rows {
            let record = record(row)?;
            if self.filter.matches(&record) {
                found.push(row.try_get(16)?);
            }
            last = Some((record.key, record.change));
            if found.len() > wanted {
                return Ok((found, last));
            }
        }
        Ok((found, last.filter(|_| rows.len() == size)))
    }

    /// Adds the rows that still match; false if the page is full.
    async fn fetch_matching(
        &self,
        ids: &[i64],
        view: View,
        limit: usize,
        page: &mut ResourcePage,
    ) -> Result<bool, StoreError> {
        if ids.is_empty() {
            return Ok(true);
        }
        let mut query = select(view.into(), self.account);
        query.push(" AND deleted = 0 AND id IN ");
        query.push_list(ids.iter().copied());
        query.push(" ORDER BY ").push(KEY);
        let mut rows = query.fetch(self.database);
        while let Some(row) = rows.try_next().await? {
            let record = record(&row)?;
            // The row may have changed since the window was scanned.
            if self.filter.matches(&record) && !page.push(record, limit) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Adds the columns of a record without its content, and the account.
pub(in crate::store::sql) fn push_columns_of_names(query: &mut Query, account: &AccountId) {
    push_select(query, Columns::None, account);
}

fn select(content: Columns, account: &AccountId) -> Query {
    let mut query = query("");
    push_select(&mut query, content, account);
    query
}

fn push_select(query: &mut Query, content: Columns, account: &AccountId) {
    query.push("SELECT ");
    query.push(KEY);
    query.push(", uid, resource_version, deleted, kind, labels, health, belongs, past, ");
    query.push("change, received_at, id, ");
    let nothing = &[][..];
    match content {
        Columns::None => query.push_bind(nothing).push(", ").push_bind(nothing),
        Columns::Basic => query.push("basic, ").push_bind(nothing),
        Columns::Full => query.push("basic, detail"),
    };
    query.push(" FROM resource WHERE account = ");
    query.push_bind(account.as_str());
}

fn push_place(query: &mut Query, filter: &ResourceFilter) {
    // Kinds begin with a capital letter, resource names never do.
    let is_kind = filter.kind.starts_with(|first: char| first.is_uppercase());
    let kind = if is_kind {
        " AND kind = "
    } else {
        " AND resource = "
    };
    let columns = [
        (" AND runtime_name = ", &filter.runtime),
        (" AND cluster = ", &filter.cluster),
        (" AND namespace = ", &filter.namespace),
        (" AND name = ", &filter.name),
        (kind, &filter.kind),
    ];
    push_equal(query, &columns);
}

fn push_state(query: &mut Query, filter: &ResourceFilter) {
    let columns = [
        (" AND at_name = ", &filter.application),
        (" AND at_namespace = ", &filter.application_namespace),
    ];
    push_equal(query, &columns);
    if !filter.health.is_empty() {
        query.push(" AND health IN ");
        query.push_list(filter.health.iter().map(|health| health.code()));
    }
}

fn push_equal(query: &mut Query, columns: &[(&'static str, &String)]) {
    for (column, wanted) in columns {
        if !wanted.is_empty() {
            query.push(column).push_bind(wanted.as_str());
        }
    }
}

fn values(key: &ResourceKey) -> [&str; 6] {
    [
        &key.runtime_name,
        &key.cluster,
        &key.resource,
        &key.namespace,
        &key.name,
        &key.runtime,
    ]
}

fn key(row: &Row) -> Result<ResourceKey, StoreError> {
    Ok(ResourceKey {
        runtime_name: row.try_get(0)?,
        cluster: row.try_get(1)?,
        resource: row.try_get(2)?,
        namespace: row.try_get(3)?,
        name: row.try_get(4)?,
        runtime: row.try_get(5)?,
    })
}

pub(in crate::store::sql) fn record(row: &Row) -> Result<ResourceRecord, StoreError> {
    Ok(ResourceRecord {
        key: key(row)?,
        uid: Uid::from(row.try_get::<&str>(6)?),
        resource_version: row.try_get::<i64>(7)?.cast_unsigned(),
        life: life(row.try_get(8)?),
        kind: row.try_get(9)?,
        labels: std::sync::Arc::new(from_json(row.try_get(10)?)?),
        health: Health::from_code(row.try_get(11)?),
        belongs: from_json(row.try_get(12)?)?,
        past: from_json(row.try_get(13)?)?,
        change: row.try_get::<Option<i64>>(14)?.unwrap_or(0).cast_unsigned(),
        received_at: row.try_get(15)?,
        basic: Bytes::copy_from_slice(row.try_get(17)?),
        detail: Bytes::copy_from_slice(row.try_get(18)?),
    })
}
