//! Database and transaction handles for SQLite and PostgreSQL.

use std::{io, time::Duration};

use sqlx::{Error, Postgres, Sqlite};
use tokio::time::timeout;

use crate::{
    Listener,
    dialect::{BY_INDEXES, NOW_OF_POSTGRES, NOW_OF_SQLITE},
    postgres::PostgresDatabase,
    query,
    sqlite::SqliteDatabase,
    trace::{System, span, traced},
};

/// Client-side timeout of a statement.
const LONGEST_STATEMENT: Duration = Duration::from_secs(15);

/// A database that is open. Clones are the same one.
#[derive(Debug, Clone)]
pub enum Database {
    /// A file.
    Sqlite(SqliteDatabase),
    /// A server, which other replicas may use too.
    Postgres(PostgresDatabase),
}

/// Exclusive write transaction. Dropping it without a commit rolls it back.
pub enum Transaction {
    /// On a file.
    Sqlite(sqlx::Transaction<'static, Sqlite>),
    /// On a server.
    Postgres(sqlx::Transaction<'static, Postgres>),
}

impl Database {
    /// Begins a transaction; waits while another one writes.
    ///
    /// # Errors
    /// The database does not answer, or others write for too long.
    pub async fn begin(&self) -> Result<Transaction, Error> {
        let begun = async {
            match self {
                Self::Sqlite(database) => Ok(Transaction::Sqlite(database.begin().await?)),
                Self::Postgres(database) => Ok(Transaction::Postgres(database.begin().await?)),
            }
        };
        bounded(begun).await
    }

    /// Whether other replicas may use it too.
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

    /// Runs ANALYZE on comma-separated tables after large writes, because autovacuum updates planner statistics later.
    /// SQLite needs none.
    ///
    /// # Errors
    /// The server refuses, or does not answer.
    pub async fn analyze(&self, tables: &'static str) -> Result<(), Error> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(database) => database.analyze(tables).await,
        }
    }

    /// Ends all connections once they are at rest. A file is whole afterwards.
    pub async fn close(&self) {
        match self {
            Self::Sqlite(database) => database.close().await,
            Self::Postgres(database) => database.close().await,
        }
    }
}

impl Transaction {
    /// Makes durable what it wrote.
    ///
    /// # Errors
    /// The database refuses, or does not answer: then nobody knows whether it was written.
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
    ///
    /// # Errors
    /// The database refuses, or does not answer.
    pub async fn force_index_scans(&mut self) -> Result<(), Error> {
        let Self::Postgres(transaction) = self else {
            return Ok(());
        };
        let told = sqlx::raw_sql(BY_INDEXES).execute(&mut **transaction);
        bounded(told).await.map(drop)
    }

    /// The time by the database's own clock, in milliseconds since 1970. Replicas that must agree on what is late ask this one.
    ///
    /// # Errors
    /// The database refuses, or does not answer.
    pub async fn now(&mut self) -> Result<i64, Error> {
        let asked = match self {
            Self::Sqlite(_) => query(NOW_OF_SQLITE),
            Self::Postgres(_) => query(NOW_OF_POSTGRES),
        };
        asked.fetch_one(self).await?.try_get(0)
    }

    /// Notifies other replicas after the commit. Notifications can be lost, so the change must be a row too.
    ///
    /// # Errors
    /// The database refuses, or does not answer.
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
    timeout(LONGEST_STATEMENT, what).await.map_err(late)?
}
