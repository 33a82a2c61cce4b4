//! Import of rows into an empty database.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use sqlx::{
    ConnectOptions as _, SqlitePool,
    postgres::PgPoolOptions,
    sqlite::{SqliteJournalMode, SqlitePoolOptions},
};

use super::{
    CopyError, PartTables, Table,
    source::is_there,
    table::{quoted, tables},
};
use crate::{
    DatabaseArgs, Error, Migration, OpenError, Query, Transaction, Value,
    migration::{Dialect, migrate},
    postgres::{ACQUIRE_TIMEOUT, enter, lock, name, options},
    query,
    sqlite::options as file_options,
};

/// Maximum number of placeholders of a statement.
const MAX_VALUES: usize = 8000;
const MOST_ROWS: usize = 500;

/// Database that receives a copy. Dropping it before [`Self::finish`] rolls everything back.
pub struct CopyTarget {
    transaction: Option<Transaction>,
    name: String,
    unfinished: Option<TemporaryFile>,
}

/// Temporary SQLite file, renamed to its final path at the end.
struct TemporaryFile {
    file: PathBuf,
    place: PathBuf,
    pool: SqlitePool,
}

impl CopyTarget {
    /// Creates a SQLite file.
    ///
    /// # Errors
    /// The file exists or cannot be created.
    pub async fn create_file(place: &Path, kept: &PartTables) -> Result<Self, CopyError> {
        let name = place.display().to_string();
        if place.exists() {
            let instead = "move it away, with what lies beside it, or name another folder";
            return Err(CopyError::Taken {
                name,
                part: kept.part,
                instead: instead.to_owned(),
            });
        }
        let failed = |error| OpenError::Unusable(name.clone(), error);
        let file = place.with_extension("db.unfinished");
        remove(&file).map_err(|error| failed(error.into()))?;
        let options = file_options(&file)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Delete);
        let pool = SqlitePoolOptions::new().max_connections(1);
        let pool = pool.connect_with(options).await.map_err(failed)?;
        let begun = pool.begin().await.map_err(failed)?;
        let place = place.to_owned();
        Ok(Self {
            transaction: Some(Transaction::Sqlite(begun)),
            name,
            unfinished: Some(TemporaryFile { file, place, pool }),
        })
    }

    /// Opens a server.
    ///
    /// # Errors
    /// The server is unavailable or rejects the connection.
    pub async fn open_server(args: &DatabaseArgs) -> Result<Self, CopyError> {
        let options = options(args, "restore")?;
        let name = name(&options);
        let failed = |error| OpenError::Unusable(name.clone(), error);
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .acquire_timeout(ACQUIRE_TIMEOUT);
        let pool = pool.connect_with(options.disable_statement_logging()).await;
        let begun = pool.map_err(failed)?.begin().await.map_err(failed)?;
        Ok(Self {
            transaction: Some(Transaction::Postgres(begun)),
            name,
            unfinished: None,
        })
    }

    /// Creates the tables of a part with the first `steps` migrations and selects them for the following inserts.
    ///
    /// # Errors
    /// The part has tables already, or a statement fails.
    pub async fn create_tables(
        &mut self,
        kept: &PartTables,
        steps: usize,
    ) -> Result<Vec<Table>, CopyError> {
        let name = self.name.clone();
        let steps = &kept.migrations[..steps.min(kept.migrations.len())];
        let transaction = self.transaction();
        if matches!(transaction, Transaction::Postgres(_)) {
            claim(transaction, kept, &name).await?;
        }
        take(transaction, steps, &name).await?;
        tables(transaction, kept).await
    }

    /// Inserts rows with a value for each column of a table from [`Self::create_tables`].
    pub async fn insert(&mut self, table: &Table, rows: Vec<Vec<Value>>) -> Result<(), CopyError> {
        let most = (MAX_VALUES / table.columns.len().max(1)).clamp(1, MOST_ROWS);
        let mut rows = rows.into_iter().peekable();
        while rows.peek().is_some() {
            let some = rows.by_ref().take(most).collect();
            insertion(table, some).execute(self.transaction()).await?;
        }
        Ok(())
    }

    /// Completes a part after its last row: sets the counters of identity columns and gives the copy its own identity.
    pub async fn finish_part(
        &mut self,
        kept: &PartTables,
        tables: &[Table],
        random: i64,
    ) -> Result<(), CopyError> {
        let transaction = self.transaction();
        for sql in kept.renewals {
            query(sql).bind(random).execute(transaction).await?;
        }
        if matches!(transaction, Transaction::Postgres(_)) {
            for table in tables {
                advance_identities(transaction, kept.part, table).await?;
            }
        }
        Ok(())
    }

    /// Makes the copy durable and moves it into place.
    ///
    /// # Errors
    /// The database or the file system fails.
    pub async fn finish(mut self) -> Result<(), CopyError> {
        if let Some(transaction) = self.transaction.take() {
            transaction.commit().await?;
        }
        let Some(unfinished) = self.unfinished.take() else {
            return Ok(());
        };
        unfinished.pool.close().await;
        let put = fs::hard_link(&unfinished.file, &unfinished.place)
            .and_then(|()| remove(&unfinished.file))
            .and_then(|()| sync_folder(&unfinished.place));
        put.map_err(|error| OpenError::Unusable(self.name.clone(), error.into()).into())
    }

    fn transaction(&mut self) -> &mut Transaction {
        self.transaction
            .as_mut()
            .expect("it goes only where this is consumed")
    }
}

impl Drop for CopyTarget {
    fn drop(&mut self) {
        if let Some(unfinished) = &self.unfinished {
            // The next restore removes it.
            let _ = remove(&unfinished.file);
        }
    }
}

/// Creates and locks the empty schema of a part.
async fn claim(
    transaction: &mut Transaction,
    kept: &PartTables,
    name: &str,
) -> Result<(), CopyError> {
    // A concurrently starting part waits until the copy is complete.
    query("SELECT pg_advisory_xact_lock($1)")
        .bind(lock(kept.part))
        .fetch_one(&mut *transaction)
        .await?;
    if is_there(transaction, kept.part).await? {
        let part = kept.part;
        return Err(CopyError::Taken {
            name: name.to_owned(),
            part,
            instead: format!(
                "name another with --database, or give up what is there by DROP SCHEMA \"{part}\" CASCADE"
            ),
        });
    }
    let make = format!("CREATE SCHEMA IF NOT EXISTS {}", quoted(kept.part));
    Query::composed(make).execute(&mut *transaction).await?;
    Ok(enter(transaction, kept.part).await?)
}

async fn take(
    transaction: &mut Transaction,
    steps: &[Migration],
    name: &str,
) -> Result<(), OpenError> {
    match transaction {
        Transaction::Sqlite(transaction) => {
            migrate(&mut **transaction, Dialect::Sqlite, steps, name).await
        }
        Transaction::Postgres(transaction) => {
            migrate(&mut **transaction, Dialect::Postgres, steps, name).await
        }
    }
}

fn insertion(table: &Table, rows: Vec<Vec<Value>>) -> Query {
    let (name, columns) = table.quoted();
    let mut query = Query::composed(format!("INSERT INTO {name} ({columns}) VALUES "));
    let mut separator = "";
    for row in rows {
        query.push(separator).push_list(row);
        separator = ", ";
    }
    query
}

/// Advances the identity counters of a server past the copied rows, which SQLite does itself.
async fn advance_identities(
    transaction: &mut Transaction,
    part: &str,
    table: &Table,
) -> Result<(), Error> {
    let counted = query(
        "SELECT CAST(column_name AS TEXT) FROM information_schema.columns
         WHERE table_schema = $1 AND table_name = $2 AND is_identity = 'YES'",
    );
    let counted = counted.bind(part).bind(table.name.as_str());
    for row in counted.fetch_all(&mut *transaction).await? {
        let column: &str = row.try_get(0)?;
        let (name, max) = (quoted(&table.name), format!("max({})", quoted(column)));
        Query::composed(format!(
            "SELECT setval(pg_get_serial_sequence($1, $2), coalesce({max}, 1), {max} IS NOT NULL) FROM {name}"
        ))
        .bind(format!("{}.{name}", quoted(part)))
        .bind(column)
        .fetch_one(&mut *transaction)
        .await?;
    }
    Ok(())
}

/// Removes a file and its journal.
fn remove(file: &Path) -> io::Result<()> {
    for file in [file, &file.with_extension("unfinished-journal")] {
        match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Syncs the folder, which makes a rename durable.
fn sync_folder(file: &Path) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}
