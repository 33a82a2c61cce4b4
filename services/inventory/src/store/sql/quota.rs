//! What one runtime has, and its oldest history beyond the quota.

use causeway_database::{Database, Row, query};

use super::read::signed;
use crate::{
    application::{ObjectKind, ObjectName, Scope, Uid},
    quota::{HistoryExcess, Owner, Usage},
    store::StoreError,
};

/// Reads lengths only, so that no content leaves its pages.
const USAGE: &str = "SELECT
    (SELECT count(*) FROM application WHERE account = $1 AND runtime = $2 AND deleted = 0)
        + (SELECT count(*) FROM resource WHERE account = $1 AND runtime = $2 AND deleted = 0),
    (SELECT count(*) FROM event WHERE account = $1 AND runtime = $2 AND deleted = 0),
    CAST((SELECT coalesce(sum(length(basic) + length(detail) + length(manifests) + coalesce(length(canonical), 0)), 0)
            FROM application WHERE account = $1 AND runtime = $2)
        + (SELECT coalesce(sum(length(basic) + length(detail)), 0) FROM resource WHERE account = $1 AND runtime = $2)
        + (SELECT coalesce(sum(length(content)), 0) FROM event WHERE account = $1 AND runtime = $2)
        + (SELECT coalesce(sum(length(content)), 0) FROM manifest WHERE account = $1 AND runtime = $2 AND unused_since IS NULL) AS BIGINT)";

pub(super) async fn usage(database: &Database, owner: &Owner) -> Result<Usage, StoreError> {
    let row = query(USAGE)
        .bind(owner.0.as_str())
        .bind(owner.1.as_str())
        .fetch_one(database)
        .await?;
    Ok(Usage {
        objects: row.try_get::<i64>(0)?.cast_unsigned(),
        events: row.try_get::<i64>(1)?.cast_unsigned(),
        bytes: row.try_get::<i64>(2)?.cast_unsigned(),
    })
}

/// True for a live object with this uid, or with this name: an object that was created again replaces the former one.
pub(super) async fn is_held(
    database: &Database,
    scope: &Scope,
    uid: &Uid,
    object: &ObjectName,
) -> Result<bool, StoreError> {
    let mut query = query("SELECT count(*) FROM ");
    query.push(match scope.kind {
        ObjectKind::Application => "application",
        ObjectKind::Resource(_) => "resource",
        ObjectKind::Event => "event",
    });
    query
        .push(" WHERE account = ")
        .push_bind(scope.account.as_str());
    query
        .push(" AND runtime = ")
        .push_bind(scope.runtime.as_str());
    query
        .push(" AND cluster = ")
        .push_bind(scope.cluster.as_str());
    if let ObjectKind::Resource(_) = scope.kind {
        query
            .push(" AND resource = ")
            .push_bind(scope.kind.as_str());
    }
    query
        .push(" AND deleted = 0 AND (uid = ")
        .push_bind(uid.as_str());
    if scope.kind != ObjectKind::Event {
        query
            .push(" OR (namespace = ")
            .push_bind(&*object.namespace);
        query
            .push(" AND name = ")
            .push_bind(&*object.name)
            .push(")");
    }
    query.push(")");
    let row = query.fetch_one(database).await?;
    Ok(row.try_get::<i64>(0)? > 0)
}

/// Runtimes with more entries than allowed, and the time of the first one beyond.
pub(super) async fn history_excess(
    database: &Database,
    most: u64,
) -> Result<Vec<HistoryExcess>, StoreError> {
    let rows = query(
        "SELECT story.account, story.runtime FROM history JOIN story ON story.id = history.story
         GROUP BY story.account, story.runtime HAVING count(*) > $1",
    )
    .bind(signed(most))
    .fetch_all(database)
    .await?;
    let owner =
        |row: &Row| Ok::<_, StoreError>((row.get_parsed("account")?, row.get_parsed("runtime")?));
    let mut excess = Vec::new();
    for row in &rows {
        let owner: Owner = owner(row)?;
        let row = query(
            "SELECT received_at FROM history WHERE story IN (SELECT id FROM story WHERE account = $1 AND runtime = $2)
             ORDER BY received_at DESC LIMIT 1 OFFSET $3",
        )
        .bind(owner.0.as_str())
        .bind(owner.1.as_str())
        .bind(signed(most))
        .fetch_optional(database)
        .await?;
        if let Some(row) = row {
            let until = row.try_get(0)?;
            excess.push(HistoryExcess { owner, until });
        }
    }
    Ok(excess)
}
