//! SQL store with the same queries for SQLite and PostgreSQL.

mod schema;

use std::path::Path;

use causeway_database::{Database, DatabaseArgs, OpenError, PartTables, Row, Transaction, query};

use super::{Change, StoreError};
use crate::{
    accounts::sql::is_overtaken,
    request::{Recorded, UserRequest},
};

/// What the part keeps. Messages of replicas and counts of failed sign-ins expire in moments.
pub const KEPT: PartTables = PartTables {
    part: "platform",
    file: "platform.db",
    migrations: &schema::MIGRATIONS,
    transient: &["heard", "throttles"],
    renewals: &[],
};

/// The rows of a database.
#[derive(Debug, Clone)]
pub(crate) struct SqlStore {
    pub database: Database,
}

/// Request of a mutation, and what is stored once it has succeeded.
pub(crate) struct Record<'a> {
    pub request: &'a UserRequest,
    /// Key of the changed object.
    pub outcome: &'a str,
    pub now: i64,
}

impl<'a> Record<'a> {
    pub(crate) fn new(request: &'a UserRequest, outcome: &'a str, now: i64) -> Self {
        Self {
            request,
            outcome,
            now,
        }
    }
}

/// Record of an earlier request with the same ID.
pub(crate) enum PriorRequest {
    Never,
    Outcome(String),
    Reused,
}

impl SqlStore {
    /// Opens the database that the flags name, or else the file, and brings its schema up to date. A newer schema is refused.
    pub(crate) async fn open(args: &DatabaseArgs, file: &Path) -> Result<Self, OpenError> {
        let database = Database::open(args, KEPT.part, file, KEPT.migrations).await?;
        Ok(Self { database })
    }

    /// Ends its connections.
    pub(crate) async fn close(&self) {
        self.database.close().await;
    }

    pub(crate) async fn begin(&self) -> Result<Transaction, StoreError> {
        Ok(self.database.begin().await?)
    }

    /// Runs `mutate` in one transaction, at most once for each request ID.
    ///
    /// For a repeated request calls `repeat` with the stored outcome instead, to read the result of the first attempt. Commits only what `mutate` has made;
    /// `record.outcome` is stored with the request ID.
    pub(crate) async fn once<T>(
        &self,
        record: Record<'_>,
        repeat: impl AsyncFnOnce(&mut Transaction, &str) -> Result<Option<T>, StoreError>,
        mutate: impl AsyncFnOnce(&mut Transaction) -> Result<Change<T>, StoreError>,
    ) -> Result<Change<T>, StoreError> {
        let request = record.request;
        let mut work = self.begin().await?;
        match recall(&mut work, request).await? {
            PriorRequest::Never => {}
            PriorRequest::Reused => return Ok(Change::Made(Recorded::Reused)),
            PriorRequest::Outcome(outcome) => {
                let found = repeat(&mut work, &outcome).await?;
                let repeated = |found| Change::Made(Recorded::Repeated(found));
                return Ok(found.map_or(Change::Unknown, repeated));
            }
        }
        // Locks the account's policy, so that the permission stays as it was checked until the commit.
        if is_overtaken(&mut work, request).await? {
            return Ok(Change::Overtaken);
        }
        let change = mutate(&mut work).await?;
        if let Change::Made(_) = change {
            remember(&mut work, request, record.outcome, record.now).await?;
            work.commit().await?;
        }
        Ok(change)
    }
}

/// What came of a request with this id before, if there was one.
pub(crate) async fn recall(
    transaction: &mut Transaction,
    request: &UserRequest,
) -> Result<PriorRequest, StoreError> {
    let row = query(
        "SELECT digest, outcome FROM requests \
         WHERE account = $1 AND user_id = $2 AND method = $3 AND request_id = $4",
    )
    .bind(request.account.as_str())
    .bind(request.user.as_str())
    .bind(request.method)
    .bind(request.request_id.to_string())
    .fetch_optional(transaction)
    .await?;
    let Some(row) = row else {
        return Ok(PriorRequest::Never);
    };
    let digest: &[u8] = row.try_get("digest")?;
    if digest != request.digest {
        return Ok(PriorRequest::Reused);
    }
    Ok(PriorRequest::Outcome(row.try_get("outcome")?))
}

/// Keeps what came of a request.
pub(crate) async fn remember(
    transaction: &mut Transaction,
    request: &UserRequest,
    outcome: &str,
    now: i64,
) -> Result<(), StoreError> {
    query(
        "INSERT INTO requests (account, user_id, method, request_id, digest, outcome, made_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(request.account.as_str())
    .bind(request.user.as_str())
    .bind(request.method)
    .bind(request.request_id.to_string())
    .bind(&request.digest[..])
    .bind(outcome)
    .bind(now)
    .execute(transaction)
    .await?;
    Ok(())
}

impl<T> Recorded<T> {
    pub(crate) fn repeated(found: Option<T>, before: &'static str) -> Result<Self, StoreError> {
        let gone = || Row::corrupt(before, "the outcome of a request is gone");
        Ok(Self::Repeated(found.ok_or_else(gone)?))
    }
}

#[cfg(test)]
impl SqlStore {
    /// Makes the database look as if a later version had written it.
    pub(crate) async fn pretend_newer(&self) {
        let mut transaction = self.begin().await.unwrap();
        query(
            "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
             VALUES (99, 'later', TRUE, '', 0)",
        )
        .execute(&mut transaction)
        .await
        .unwrap();
        transaction.commit().await.unwrap();
    }
}
