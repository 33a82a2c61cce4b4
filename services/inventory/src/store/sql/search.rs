//! Search by names. Ranks and limits in the database, so that a word which matches everything reads no more rows than a page has.

use causeway_database::{Query, query};
use causeway_proto::ids::AccountId;
use futures::{FutureExt as _, TryStreamExt as _, future::BoxFuture};

use super::{
    SqlStore,
    read::{key, rows_up_to, traits},
    resource::read::{push_columns_of_names, record},
};
use crate::{
    application::{Details, Health, Key, Source, Summary, Sync},
    resource::ResourceRecord,
    search::{FoundCluster, FoundImage, SearchQuery},
    store::{
        SearchReads, StoreError,
        predicates::{Columns, push_rules},
    },
};

/// Resources that are checked against the scope.
const MAX_CANDIDATES: usize = 2_000;
/// Runtimes with clusters.
const MAX_CLUSTERS: usize = 1_000;

impl SearchReads for SqlStore {
    fn search_applications<'a>(
        &'a self,
        account: &'a AccountId,
        search: &'a SearchQuery,
    ) -> BoxFuture<'a, Result<Vec<(Key, Summary)>, StoreError>> {
        async move {
            let mut query = query(
                "SELECT runtime_name, namespace, name, cluster, runtime, project, labels, sync, health, source
                 FROM application WHERE deleted = 0 AND account = ",
            );
            query.push_bind(account.as_str());
            push_words(&mut query, search, &["name", "namespace", "project"]);
            push_rules(&mut query, &search.visible, Columns::All);
            push_best(&mut query, search, "name", ", name, runtime_name, namespace, cluster, runtime", search.limit + 1);
            let mut rows = query.fetch(&self.database);
            let mut found = Vec::new();
            while let Some(row) = rows.try_next().await? {
                let key = key(&row)?;
                let summary = Summary {
                    traits: traits(row.try_get(5)?, row.try_get(6)?)?,
                    sync: Sync::from_code(row.try_get(7)?),
                    health: Health::from_code(row.try_get(8)?),
                    source: Source::from_code(row.try_get(9)?),
                    details: Details::default(),
                };
                if search.visible.contains(&key, &summary) {
                    found.push((key, summary));
                }
            }
            Ok(found)
        }
        .boxed()
    }

    fn search_clusters<'a>(
        &'a self,
        account: &'a AccountId,
        search: &'a SearchQuery,
    ) -> BoxFuture<'a, Result<Vec<FoundCluster>, StoreError>> {
        async move {
            let mut query = query(
                "SELECT runtime_name, cluster, count(*) FROM application WHERE deleted = 0 AND account = ",
            );
            query.push_bind(account.as_str());
            push_words(&mut query, search, &["runtime_name", "cluster"]);
            push_rules(&mut query, &search.visible, Columns::All);
            query.push(" GROUP BY runtime_name, cluster ORDER BY runtime_name, cluster LIMIT ");
            query.push_bind(rows_up_to(MAX_CLUSTERS));
            let rows = query.fetch_all(&self.database).await?;
            let found = rows.iter().map(|row| {
                Ok(FoundCluster {
                    runtime: row.try_get(0)?,
                    cluster: row.try_get(1)?,
                    applications: row.try_get::<i64>(2)?.cast_unsigned(),
                })
            });
            found.collect()
        }
        .boxed()
    }

    fn search_resources<'a>(
        &'a self,
        account: &'a AccountId,
        search: &'a SearchQuery,
    ) -> BoxFuture<'a, Result<Vec<ResourceRecord>, StoreError>> {
        async move {
            let mut query = query("");
            push_columns_of_names(&mut query, account);
            query.push(" AND deleted = 0");
            push_words(&mut query, search, &["name", "namespace", "kind"]);
            let limit = if search.visible.is_everything() {
                search.limit + 1
            } else {
                MAX_CANDIDATES
            };
            push_best(
                &mut query,
                search,
                "name",
                ", name, runtime_name, cluster, resource, namespace, runtime",
                limit,
            );
            let mut rows = query.fetch(&self.database);
            let mut found = Vec::new();
            while let Some(row) = rows.try_next().await? {
                let record = record(&row)?;
                if record.is_visible(&search.visible) {
                    found.push(record);
                }
                if found.len() > search.limit {
                    break;
                }
            }
            Ok(found)
        }
        .boxed()
    }

    fn search_images<'a>(
        &'a self,
        account: &'a AccountId,
        search: &'a SearchQuery,
    ) -> BoxFuture<'a, Result<Vec<FoundImage>, StoreError>> {
        async move {
            let mut query = query("SELECT repository, tag, count(*) FROM image WHERE account = ");
            query.push_bind(account.as_str());
            push_words(&mut query, search, &["repository", "tag"]);
            if !search.visible.is_everything() {
                query.push(
                    " AND EXISTS (SELECT 1 FROM application WHERE application.account = image.account
                     AND application.runtime = image.runtime AND application.cluster = image.at_cluster
                     AND application.namespace = image.at_namespace AND application.name = image.at_name
                     AND application.deleted = 0",
                );
                push_rules(&mut query, &search.visible, Columns::All);
                query.push(")");
            }
            query.push(" GROUP BY repository, tag");
            push_best(&mut query, search, "repository", ", repository, tag", search.limit + 1);
            let rows = query.fetch_all(&self.database).await?;
            let found = rows.iter().map(|row| {
                Ok(FoundImage {
                    repository: row.try_get(0)?,
                    tag: row.try_get(1)?,
                    uses: row.try_get::<i64>(2)?.cast_unsigned(),
                })
            });
            found.collect()
        }
        .boxed()
    }
}

/// Each word in one of these columns.
fn push_words(query: &mut Query, search: &SearchQuery, columns: &[&'static str]) {
    for word in &search.words {
        let mut start = " AND (";
        for column in columns {
            let is_lower = matches!(*column, "kind" | "tag");
            query
                .push(start)
                .push(if is_lower { "lower(" } else { "(" });
            query.push(column).push(")");
            query.push_glob(&format!("*{word}*"));
            start = " OR ";
        }
        query.push(")");
    }
}

/// The order of [`SearchQuery::rank`], and the limit.
fn push_best(
    query: &mut Query,
    search: &SearchQuery,
    column: &'static str,
    rest: &'static str,
    limit: usize,
) {
    let word = search.words.first().map_or("", String::as_str);
    query.push(" ORDER BY CASE WHEN ").push(column).push(" = ");
    query.push_bind(word).push(" THEN 0 WHEN ").push(column);
    query.push_glob(&format!("{word}*"));
    query.push(" THEN 1");
    for before in ["-", ".", "/", "_"] {
        query.push(" WHEN ").push(column);
        query.push_glob(&format!("*{before}{word}*"));
        query.push(" THEN 2");
    }
    query.push(" ELSE 3 END").push(rest).push(" LIMIT ");
    query.push_bind(rows_up_to(limit));
}
