//! Database and transaction handles for SQLite and PostgreSQL.

use std::{io, time::Duration};

use sqlx::{Error, Postgres, Sqlite};
use tokio::time::timeout;

use crate::{
    Listener,
    dialect::{FORCE_INDEX_SCANS, NOW_OF_POSTGRES, SQLITE_NOW},
    postgres::PostgresDatabase,
    query,
    sqlite::SqliteDatabase,
    trace::{System, span, traced},
};

/// Client-side timeout of a statement.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(15);

/// Open database. Clones share its connections.
#[derive(Debug, Clone)]
pub enum Database {
    /// SQLite file.
    Sqlite(SqliteDatabase),
    /// Server that other replicas may use as well.
    Postgres(PostgresDatabase),
}

/// Exclusive write transaction. Dropping it without a commit rolls it back.
pub enum Transaction {
    Sqlite(sqlx::Transaction<'static, Sqlite>),
    Postgres(sqlx::Transaction<'static, Postgres>),
}

impl Database {
    /// Starts a transaction. Waits while another one writes.
    ///
    /// # Errors
    /// The database is unavailable, or other transactions write for too long.
    pub async fn begin(&self) -> Result<Transaction, Error> {
        let begun = async {
            match self {
                Self::Sqlite(database) => Ok(Transaction::Sqlite(database.begin().await?)),
                Self::Postgres(database) => Ok(Transaction::Postgres(database.begin().await?)),
            }
        };
        bounded(begun).await
    }

    /// Returns true if other replicas may use the database.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }

    pub(crate) fn system(&self) -> System {
        match self {
            Self::Sqlite(_) => System::Sqlite,
            Self::Postgres(_) => System::Postgres,
        }
    }

    /// Subscribes to notifications of [`Transaction::notify`].
    #[must_use]
    pub fn listen(&self, topic: &'static str) -> Listener {
        match self {
            Self::Sqlite(_) => Listener::disabled(),
            Self::Postgres(database) => database.listen(topic),
        }
    }

    /// Runs ANALYZE on comma-separated tables after large writes, because autovacuum updates planner statistics later. SQLite
    /// needs none.
    pub async fn analyze(&self, tables: &'static str) -> Result<(), Error> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(database) => database.analyze(tables).await,
        }
    }

    /// Closes all idle connections and waits for the others. A SQLite file is then complete without its journal.
    pub async fn close(&self) {
        match self {
            Self::Sqlite(database) => database.close().await,
            Self::Postgres(database) => database.close().await,
        }
    }
}

impl Transaction {
    /// Commits the transaction.
    ///
    /// # Errors
    /// The commit failed, or its outcome is unknown because the database is unavailable.
    pub async fn commit(self) -> Result<(), Error> {
        let span = span(self.system(), "COMMIT");
        let committed = async {
            match self {
                Self::Sqlite(transaction) => transaction.commit().await,
                Self::Postgres(transaction) => transaction.commit().await,
            }
        };
        traced(span, bounded(committed)).await
    }

    pub(crate) fn system(&self) -> System {
        match self {
            Self::Sqlite(_) => System::Sqlite,
            Self::Postgres(_) => System::Postgres,
        }
    }

    /// Forces index scans in the rest of the transaction: a cached plan outlives the time when its tables were small.
    pub async fn force_index_scans(&mut self) -> Result<(), Error> {
        let Self::Postgres(transaction) = self else {
            return Ok(());
        };
        let told = sqlx::raw_sql(FORCE_INDEX_SCANS).execute(&mut **transaction);
        bounded(told).await.map(drop)
    }

    /// Returns the time of the database clock in milliseconds since 1970, on which all replicas agree.
    pub async fn now(&mut self) -> Result<i64, Error> {
        let asked = match self {
            Self::Sqlite(_) => query(SQLITE_NOW),
            Self::Postgres(_) => query(NOW_OF_POSTGRES),
        };
        asked.fetch_one(self).await?.try_get(0)
    }

    /// Notifies other replicas after the commit. Notifications can be lost, so the change must be a row too.
    pub async fn notify(&mut self, topic: &'static str) -> Result<(), Error> {
        if matches!(self, Self::Sqlite(_)) {
            return Ok(());
        }
        let told = query("SELECT pg_notify(current_schema() || '.' || $1, '')").bind(topic);
        told.fetch_optional(self).await.map(drop)
    }
}

/// Applies the statement timeout.
pub(crate) async fn bounded<T>(what: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let late = |_| Error::Io(io::Error::from(io::ErrorKind::TimedOut));
    timeout(STATEMENT_TIMEOUT, what).await.map_err(late)?
}
