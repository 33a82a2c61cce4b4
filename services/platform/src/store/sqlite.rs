//! The store as a SQLite file: one writer, several readers, every commit on disk before it is answered.

mod api_keys;
mod audit;
mod runtimes;
mod schema;

use std::{path::Path, str::FromStr, time::Duration};

use anyhow::{Context as _, bail};
use causeway_proto::ids::AccountId;
use sqlx::{
    Row as _, Sqlite, SqlitePool, Transaction,
    migrate::MigrateError,
    sqlite::{
        SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteRow, SqliteSynchronous,
    },
};

use super::StoreError;
use crate::request::{Recorded, UserRequest};

const READERS: u32 = 4;
const BUSY: Duration = Duration::from_secs(5);
/// Callers that cannot even begin in this time are told so.
const PATIENCE: Duration = Duration::from_secs(10);

/// A database file.
#[derive(Debug, Clone)]
pub(crate) struct SqliteStore {
    writer: SqlitePool,
    readers: SqlitePool,
}

/// How a request id stands in the database.
enum Before {
    Never,
    Outcome(String),
    Reused,
}

impl SqliteStore {
    /// Opens the file, or makes it, and brings its schema up to date. A newer schema is refused.
    pub(crate) async fn open(file: &Path) -> anyhow::Result<Self> {
        let options = SqliteConnectOptions::new()
            .filename(file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .foreign_keys(true)
            .busy_timeout(BUSY);
        let pool = |most| {
            SqlitePoolOptions::new()
                .max_connections(most)
                .acquire_timeout(PATIENCE)
        };
        let opened = || format!("open {}", file.display());
        let writer = pool(1)
            .connect_with(options.clone())
            .await
            .with_context(opened)?;
        migrate(&writer, file).await?;
        let readers = pool(READERS).connect_with(options.read_only(true)).await;
        let readers = readers.with_context(opened)?;
        Ok(Self { writer, readers })
    }

    /// Writes what is in the journal into the file and closes it.
    pub(crate) async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }

    async fn begin(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        Ok(self.writer.begin().await?)
    }
}

async fn migrate(writer: &SqlitePool, file: &Path) -> anyhow::Result<()> {
    let migrator = schema::migrator();
    let known = migrator.iter().count();
    match migrator.run(writer).await {
        Ok(()) => Ok(()),
        Err(MigrateError::VersionMissing(version)) => bail!(
            "{} was written by a newer causeway (schema {version}, this one knows {known}): start the newer one",
            file.display()
        ),
        Err(error) => Err(error).with_context(|| format!("bring {} up to date", file.display())),
    }
}

/// What came of a request with this id before, if there was one.
async fn recall(
    transaction: &mut Transaction<'static, Sqlite>,
    request: &UserRequest,
) -> Result<Before, StoreError> {
    let row = sqlx::query(
        "SELECT digest, outcome FROM requests \
         WHERE account = $1 AND user = $2 AND method = $3 AND request_id = $4",
    )
    .bind(request.account.as_str())
    .bind(request.user.as_str())
    .bind(request.method)
    .bind(request.request_id.to_string())
    .fetch_optional(&mut **transaction)
    .await?;
    let Some(row) = row else {
        return Ok(Before::Never);
    };
    let digest: Vec<u8> = row.try_get("digest")?;
    if digest != request.digest {
        return Ok(Before::Reused);
    }
    Ok(Before::Outcome(row.try_get("outcome")?))
}

/// Keeps what came of a request.
async fn remember(
    transaction: &mut Transaction<'static, Sqlite>,
    request: &UserRequest,
    outcome: &str,
    now: i64,
) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO requests (account, user, method, request_id, digest, outcome, made_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
    )
    .bind(request.account.as_str())
    .bind(request.user.as_str())
    .bind(request.method)
    .bind(request.request_id.to_string())
    .bind(request.digest.as_slice())
    .bind(outcome)
    .bind(now)
    .execute(&mut **transaction)
    .await?;
    Ok(())
}

/// A text column as one of our types.
fn parsed<T>(row: &SqliteRow, column: &'static str) -> Result<T, sqlx::Error>
where
    T: FromStr,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    let text: String = row.try_get(column)?;
    text.parse().map_err(|error: T::Err| decode(column, error))
}

fn decode(
    column: &'static str,
    error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> sqlx::Error {
    sqlx::Error::ColumnDecode {
        index: column.to_owned(),
        source: error.into(),
    }
}

fn account(row: &SqliteRow) -> Result<AccountId, sqlx::Error> {
    parsed(row, "account")
}

impl<T> Recorded<T> {
    fn repeated(found: Option<T>, before: &'static str) -> Result<Self, StoreError> {
        let found = found.ok_or_else(|| decode(before, "the outcome of a request is gone"))?;
        Ok(Self::Repeated(found))
    }
}

#[cfg(test)]
impl SqliteStore {
    /// Makes the file look as if a later version had written it.
    pub(crate) async fn pretend_newer(&self) {
        let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                     VALUES (99, 'later', TRUE, x'00', 0)";
        sqlx::query(newer).execute(&self.writer).await.unwrap();
    }
}
