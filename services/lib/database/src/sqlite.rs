//! SQLite file: one writing connection, several reading ones, every commit synced to disk.

use std::{
    fs::OpenOptions,
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
    time::Duration,
};

use sqlx::{
    ConnectOptions as _, Error, Sqlite, SqlitePool, Transaction,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};

use crate::{
    Database, Migration, OpenError,
    migration::{Dialect, migrate},
};

const READERS: u32 = 4;
const BUSY: Duration = Duration::from_secs(5);
/// Timeout for acquiring a connection.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(10);

const BEGIN: &str = "BEGIN IMMEDIATE";

#[derive(Debug, Clone)]
pub struct SqliteDatabase {
    pub(crate) file: PathBuf,
    writer: SqlitePool,
    pub(crate) readers: SqlitePool,
}

impl Database {
    /// Opens or creates a SQLite file and migrates its schema.
    ///
    /// # Errors
    /// The file is not a database, is of a newer version, or cannot be written.
    pub async fn open_file(file: &Path, migrations: &[Migration]) -> Result<Self, OpenError> {
        let options = options(file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal);
        let pool = |most| {
            SqlitePoolOptions::new()
                .max_connections(most)
                .acquire_timeout(ACQUIRE_TIMEOUT)
        };
        let name = file.display().to_string();
        let failed = |error| OpenError::Unusable(name.clone(), error);
        create_private(file).map_err(|error| failed(error.into()))?;
        let writer = pool(1).connect_with(options.clone()).await;
        let writer = writer.map_err(failed)?;
        let mut connection = writer.acquire().await.map_err(failed)?;
        migrate(&mut *connection, Dialect::Sqlite, migrations, &name).await?;
        drop(connection);
        let readers = pool(READERS).connect_with(options.read_only(true)).await;
        let readers = readers.map_err(failed)?;
        Ok(Self::Sqlite(SqliteDatabase {
            file: file.to_owned(),
            writer,
            readers,
        }))
    }
}

/// Creates the file with mode 0600, which SQLite gives to its journals, too.
fn create_private(file: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let created = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)
        .map(drop);
    match created {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        created => created,
    }
}

/// Returns the connection options of a file.
pub(crate) fn options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY)
        .disable_statement_logging()
}

impl SqliteDatabase {
    pub(crate) async fn begin(&self) -> Result<Transaction<'static, Sqlite>, Error> {
        match self.writer.begin_with(BEGIN).await {
            // On a full disk SQLite ends a transaction itself, which the connection does not notice.
            Err(Error::InvalidSavePointStatement) => {
                self.writer.acquire().await?.close().await?;
                self.writer.begin_with(BEGIN).await
            }
            begun => begun,
        }
    }

    /// Writes the journal into the file.
    pub(crate) async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}
