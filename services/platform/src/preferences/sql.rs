//! SQL store of preferences and saved views.

use causeway_database::{Error, Row, Transaction, query};
use causeway_proto::ids::{AccountId, UserId};

use crate::{
    preferences::{
        model::{MOST_VIEWS, Preferences, SavedView, ViewPlace},
        store::PreferenceStore,
    },
    request::UserRequest,
    sign_in::sql::{from_json, to_json},
    store::sql::{Record, SqlStore},
    store::{Change, StoreError, StoreFuture},
};

impl PreferenceStore for SqlStore {
    fn preferences<'a>(
        &'a self,
        account: &'a AccountId,
        user: &'a UserId,
    ) -> StoreFuture<'a, Preferences> {
        Box::pin(async move {
            let row = query("SELECT * FROM preferences WHERE account = $1 AND user_id = $2")
                .bind(account.as_str())
                .bind(user.as_str())
                .fetch_optional(&self.database)
                .await?;
            let Some(row) = row else {
                return Ok(Preferences::default());
            };
            let version: i64 = row.try_get("version")?;
            Ok(Preferences {
                content: row.try_get("content")?,
                version: version.unsigned_abs(),
            })
        })
    }

    fn set_preferences<'a>(
        &'a self,
        request: &'a UserRequest,
        preferences: &'a Preferences,
        now: i64,
    ) -> StoreFuture<'a, Change<u64>> {
        Box::pin(async move {
            let next = preferences.version.saturating_add(1);
            let outcome = next.to_string();
            let record = Record::new(request, &outcome, now);
            let repeat = async |_: &mut Transaction, outcome: &str| Ok(outcome.parse().ok());
            self.once(record, repeat, async |work: &mut Transaction| {
                let changed = write(work, request, preferences).await?;
                Ok(if changed {
                    Change::first(next)
                } else {
                    Change::Stale
                })
            })
            .await
        })
    }

    fn list_saved_views<'a>(
        &'a self,
        account: &'a AccountId,
        user: &'a UserId,
        (behind, limit): (Option<&'a ViewPlace>, u32),
    ) -> StoreFuture<'a, Vec<SavedView>> {
        Box::pin(async move {
            let rows = query(
                "SELECT v.* FROM saved_views v \
                 JOIN users u ON u.account = v.account AND u.user_id = v.user_id \
                 WHERE v.account = $1 AND (v.user_id = $2 OR v.roles <> '[]') \
                 AND u.deleted_at IS NULL \
                 AND (v.user_id > $3 OR v.user_id = $3 AND v.name > $4) \
                 ORDER BY v.user_id, v.name LIMIT $5",
            )
            .bind(account.as_str())
            .bind(user.as_str())
            .bind(behind.map_or("", |(owner, _)| owner.as_str()))
            .bind(behind.map_or("", |(_, name)| name.as_str()))
            .bind(i64::from(limit))
            .fetch_all(&self.database)
            .await?;
            Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
        })
    }

    fn save_view<'a>(
        &'a self,
        request: &'a UserRequest,
        view: &'a SavedView,
    ) -> StoreFuture<'a, Change<SavedView>> {
        Box::pin(async move {
            let record = Record::new(request, &view.name, view.updated_at);
            let repeat = async |work: &mut Transaction, name: &str| find(work, request, name).await;
            self.once(record, repeat, async |work: &mut Transaction| {
                let is_new = find(work, request, &view.name).await?.is_none();
                if is_new && count(work, request).await? >= i64::from(MOST_VIEWS) {
                    return Ok(Change::Full);
                }
                upsert(work, view).await?;
                Ok(Change::first(view.clone()))
            })
            .await
        })
    }

    fn delete_saved_view<'a>(
        &'a self,
        request: &'a UserRequest,
        name: &'a str,
        now: i64,
    ) -> StoreFuture<'a, Change<()>> {
        Box::pin(async move {
            let record = Record::new(request, name, now);
            let repeat = async |_: &mut Transaction, _: &str| Ok(Some(()));
            self.once(record, repeat, async |work: &mut Transaction| {
                if find(work, request, name).await?.is_none() {
                    return Ok(Change::Unknown);
                }
                query("DELETE FROM saved_views WHERE account = $1 AND user_id = $2 AND name = $3")
                    .bind(request.account.as_str())
                    .bind(request.user.as_str())
                    .bind(name)
                    .execute(work)
                    .await?;
                Ok(Change::first(()))
            })
            .await
        })
    }
}

/// Writes preferences whose version is current. One statement, so that of two writers of one version one fails.
async fn write(
    work: &mut Transaction,
    request: &UserRequest,
    preferences: &Preferences,
) -> Result<bool, StoreError> {
    let version = i64::try_from(preferences.version).unwrap_or(i64::MAX);
    let sql = if version == 0 {
        "INSERT INTO preferences (account, user_id, content, version) VALUES ($1, $2, $3, $4 + 1) \
         ON CONFLICT (account, user_id) DO NOTHING RETURNING version"
    } else {
        "UPDATE preferences SET content = $3, version = $4 + 1 \
         WHERE account = $1 AND user_id = $2 AND version = $4 RETURNING version"
    };
    let row = query(sql)
        .bind(request.account.as_str())
        .bind(request.user.as_str())
        .bind(preferences.content.as_str())
        .bind(version)
        .fetch_optional(work)
        .await?;
    Ok(row.is_some())
}

async fn count(work: &mut Transaction, request: &UserRequest) -> Result<i64, StoreError> {
    let row = query("SELECT COUNT(*) FROM saved_views WHERE account = $1 AND user_id = $2")
        .bind(request.account.as_str())
        .bind(request.user.as_str())
        .fetch_optional(work)
        .await?;
    let count: Option<i64> = row.map(|row| row.try_get(0)).transpose()?;
    Ok(count.unwrap_or_default())
}

async fn find(
    work: &mut Transaction,
    request: &UserRequest,
    name: &str,
) -> Result<Option<SavedView>, StoreError> {
    let row = query("SELECT * FROM saved_views WHERE account = $1 AND user_id = $2 AND name = $3")
        .bind(request.account.as_str())
        .bind(request.user.as_str())
        .bind(name)
        .fetch_optional(work)
        .await?;
    Ok(row.as_ref().map(read).transpose()?)
}

async fn upsert(work: &mut Transaction, view: &SavedView) -> Result<(), StoreError> {
    query(
        "INSERT INTO saved_views (account, user_id, name, page, query, roles, updated_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7) \
         ON CONFLICT (account, user_id, name) DO UPDATE SET page = excluded.page, \
         query = excluded.query, roles = excluded.roles, updated_at = excluded.updated_at",
    )
    .bind(view.account.as_str())
    .bind(view.owner.as_str())
    .bind(view.name.as_str())
    .bind(view.page.as_str())
    .bind(view.query.as_str())
    .bind(to_json(&view.roles))
    .bind(view.updated_at)
    .execute(work)
    .await?;
    Ok(())
}

fn read(row: &Row) -> Result<SavedView, Error> {
    Ok(SavedView {
        account: row.get_parsed("account")?,
        owner: row.get_parsed("user_id")?,
        name: row.try_get("name")?,
        page: row.try_get("page")?,
        query: row.try_get("query")?,
        roles: from_json(row, "roles")?,
        updated_at: row.try_get("updated_at")?,
    })
}
