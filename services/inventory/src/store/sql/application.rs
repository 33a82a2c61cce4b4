//! Queries of applications.

use bytes::Bytes;
use causeway_database::{Database, query};
use causeway_proto::ids::AccountId;
use futures::{FutureExt as _, TryStreamExt as _, future::BoxFuture};

use super::{
    SqlStore, facets, list,
    read::{
        RecordDetail, decompress, held_object, life, push_place, record, rows_up_to, select, signed,
    },
};
use crate::{
    application::{
        Facets, Field, Filter, HeldObject, Key, NextPage, Page, Place, Record, Scope, Sort, Uid,
        View, Visible,
    },
    digest::Digest,
    order::ObjectLife,
    store::{
        ApplicationReads, ChangeRange, StoreError,
        predicates::{Columns, push_rules},
    },
};

impl ApplicationReads for SqlStore {
    fn held_state<'a>(
        &'a self,
        scope: &'a Scope,
        uid: &'a Uid,
        root: &'a Digest,
    ) -> BoxFuture<'a, Result<Option<Bytes>, StoreError>> {
        async move {
            let database = &self.database;
            if let Some(packed) = self.state_cache.get(scope, uid, root).await {
                return Ok(decompress(&packed));
            }
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
            let held = life == ObjectLife::Live && row.try_get::<&[u8]>(0)? == root.as_bytes();
            let Some(packed) = packed.filter(|_| held) else {
                return Ok(None);
            };
            let canonical = decompress(&packed).ok_or(StoreError::Corrupt("state"))?;
            // A replica of an older version writes the one and not the other.
            let whole = Digest::of(&canonical) == *root;
            Ok(whole.then_some(canonical))
        }
        .boxed()
    }

    fn list_applications<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        view: View,
        after: Option<&'a Place>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page<Record>, StoreError>> {
        list::list(&self.database, account, filter, view, after, limit).boxed()
    }

    fn count_facets<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        fields: &'a [Field],
        most: usize,
    ) -> BoxFuture<'a, Result<Facets, StoreError>> {
        async move {
            let permit = self.counting.acquire().await;
            let _permit = permit.map_err(|_| StoreError::Stopped)?;
            facets::facets(&self.database, account, filter, fields, most).await
        }
        .boxed()
    }

    fn changed_applications<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        view: View,
        range: ChangeRange,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page<Record>, StoreError>> {
        async move {
            let database = &self.database;
            let mut query = select(view, RecordDetail::Everything, account);
            query.push(" AND change > ").push_bind(signed(range.after));
            query.push(" AND change <= ").push_bind(signed(range.to));
            push_place(&mut query, filter);
            push_rules(&mut query, &filter.visible, Columns::KeyOnly);
            query.push(" ORDER BY change LIMIT ");
            query.push_bind(rows_up_to(limit + 1));
            let mut page = Page {
                items: Vec::new(),
                rest: NextPage::End,
            };
            let mut bytes = 0;
            let mut rows = query.fetch(database);
            while let Some(row) = rows.try_next().await? {
                let record = record(&row, view, RecordDetail::Everything)?;
                if !page.push(record, limit, &mut bytes) {
                    break;
                }
            }
            Ok(page)
        }
        .boxed()
    }

    fn applications_of_changes<'a>(
        &'a self,
        account: &'a AccountId,
        view: View,
        changes: &'a [u64],
    ) -> BoxFuture<'a, Result<Vec<Record>, StoreError>> {
        async move {
            if changes.is_empty() {
                return Ok(Vec::new());
            }
            let mut query = select(view, RecordDetail::Labels, account);
            query.push(" AND deleted = 0 AND change IN ");
            query.push_list(changes.iter().map(|change| signed(*change)));
            let rows = query.fetch_all(&self.database).await?;
            let records = rows.iter();
            records
                .map(|row| record(row, view, RecordDetail::Labels))
                .collect()
        }
        .boxed()
    }

    fn application_keys<'a>(
        &'a self,
        account: &'a AccountId,
        visible: &'a Visible,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Key>, StoreError>> {
        list::keys(&self.database, account, visible, limit).boxed()
    }

    fn place_of<'a>(
        &'a self,
        account: &'a AccountId,
        sort: Sort,
        change: u64,
    ) -> BoxFuture<'a, Result<Option<Place>, StoreError>> {
        list::place_of(&self.database, account, sort, change).boxed()
    }
}

/// Live applications of a report scope after a uid.
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
