//! Consistent snapshot of a database; other transactions continue to write.

use std::path::Path;

use futures::{StreamExt as _, TryStreamExt as _, stream::BoxStream};
use sqlx::{ConnectOptions as _, postgres::PgPoolOptions, sqlite::SqlitePoolOptions};

use super::{CopyError, PartTables, Table, table::tables};
use crate::{
    DatabaseArgs, Error, OpenError, Query, Row, Transaction, Value,
    migration::{Dialect, check_steps},
    postgres::{ACQUIRE_TIMEOUT, enter, name, options},
    query,
    sqlite::options as file_options,
};

/// Read-only snapshot of a database.
pub struct CopySource {
    transaction: Transaction,
    name: String,
}

/// Schema of a part.
#[derive(Debug, Clone)]
pub struct CopySchema {
    /// Checksums of the applied migrations.
    pub steps: Vec<Vec<u8>>,
    /// Tables, ordered so that referenced tables come first.
    pub tables: Vec<Table>,
}

impl CopySource {
    /// Opens a SQLite file read-only.
    ///
    /// # Errors
    /// The file does not exist or is not a database.
    pub async fn open_file(file: &Path) -> Result<Self, CopyError> {
        let name = file.display().to_string();
        let failed = |error| OpenError::Unusable(name.clone(), error);
        let pool = SqlitePoolOptions::new().max_connections(1);
        let pool = pool.connect_with(file_options(file).read_only(true)).await;
        let begun = pool.map_err(failed)?.begin_with("BEGIN").await;
        let mut transaction = Transaction::Sqlite(begun.map_err(failed)?);
        // SQLite takes its snapshot at the first read, not at BEGIN.
        let look = query("SELECT 1 FROM sqlite_master").fetch_optional(&mut transaction);
        look.await.map_err(failed)?;
        Ok(Self { transaction, name })
    }

    /// Opens a server with the schemas of all parts.
    ///
    /// # Errors
    /// The server is unavailable or rejects the connection.
    pub async fn open_server(args: &DatabaseArgs) -> Result<Self, CopyError> {
        let options = options(args, "backup")?;
        let name = name(&options);
        let failed = |error| OpenError::Unusable(name.clone(), error);
        let pool = PgPoolOptions::new()
            .max_connections(1)
            .acquire_timeout(ACQUIRE_TIMEOUT);
        let pool = pool.connect_with(options.disable_statement_logging()).await;
        let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        let begun = pool.map_err(failed)?.begin_with(begin).await;
        let mut transaction = Transaction::Postgres(begun.map_err(failed)?);
        let look = query("SELECT 1").fetch_one(&mut transaction);
        look.await.map_err(failed)?;
        Ok(Self { transaction, name })
    }

    #[must_use]
    pub fn dialect(&self) -> Dialect {
        match self.transaction {
            Transaction::Sqlite(_) => Dialect::Sqlite,
            Transaction::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Reads the schema of a part and selects it for the following reads.
    ///
    /// # Errors
    /// The part has no tables there, or they are of a newer version.
    pub async fn schema(&mut self, kept: &PartTables) -> Result<CopySchema, CopyError> {
        let dialect = self.dialect();
        if dialect == Dialect::Postgres {
            enter(&mut self.transaction, kept.part).await?;
        }
        let absent = || CopyError::Absent {
            name: self.name.clone(),
            part: kept.part,
        };
        let steps = if is_there(&mut self.transaction, kept.part).await? {
            steps(&mut self.transaction).await?
        } else {
            return Err(absent());
        };
        if steps.is_empty() {
            return Err(absent());
        }
        check_steps(dialect, kept.migrations, &steps, &self.name)?;
        let tables = tables(&mut self.transaction, kept).await?;
        Ok(CopySchema { steps, tables })
    }

    /// Counts the rows of a table of the selected part.
    pub async fn count(&mut self, table: &Table) -> Result<u64, Error> {
        let (name, _) = table.quoted();
        let all = Query::composed(format!("SELECT count(*) FROM {name}"));
        let row = all.fetch_one(&mut self.transaction).await?;
        Ok(row.try_get::<i64>(0)?.unsigned_abs())
    }

    /// Reads all rows of a table of the selected part, in no order.
    pub fn rows<'a>(&'a mut self, table: &'a Table) -> BoxStream<'a, Result<Vec<Value>, Error>> {
        let (name, columns) = table.quoted();
        let all = Query::composed(format!("SELECT {columns} FROM {name}"));
        let rows = all.fetch(&mut self.transaction);
        rows.and_then(async |row: Row| {
            let cells = table.columns.iter().enumerate();
            cells
                .map(|(place, (_, kind))| kind.read(&row, place))
                .collect()
        })
        .boxed()
    }
}

async fn steps(transaction: &mut Transaction) -> Result<Vec<Vec<u8>>, Error> {
    let taken = "SELECT checksum FROM _sqlx_migrations WHERE success ORDER BY version";
    let rows = query(taken).fetch_all(transaction).await?;
    rows.iter().map(|row| row.try_get(0)).collect()
}

/// Returns true if the part has tables in the database.
pub(super) async fn is_there(transaction: &mut Transaction, part: &str) -> Result<bool, Error> {
    let asked = match transaction {
        Transaction::Sqlite(_) => query("SELECT 1 FROM sqlite_master WHERE name = '_sqlx_migrations'"),
        Transaction::Postgres(_) => query(
            "SELECT 1 FROM information_schema.tables WHERE table_schema = $1 AND table_name = '_sqlx_migrations'",
        )
        .bind(part),
    };
    Ok(asked.fetch_optional(transaction).await?.is_some())
}
