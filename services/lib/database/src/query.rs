//! Query builder with bound values.

use std::{borrow::Cow, fmt::Write as _};

use futures::{
    StreamExt as _, TryStreamExt as _,
    stream::{BoxStream, try_unfold},
};
use sqlx::{
    AssertSqlSafe, Error, Postgres, SqlSafeStr as _, SqlStr, Sqlite, postgres::PgArguments,
    sqlite::SqliteArguments,
};

use crate::{
    Database, Row, Transaction, Value,
    connection::bounded,
    dialect::{GLOB, query_for_postgres},
    trace::{System, span, traced},
};

/// Query text and bound values. The text consists of constants only, which rules out SQL injection.
#[derive(Debug, Clone)]
#[must_use = "a query does nothing until it is executed or fetched"]
pub struct Query {
    sql: Cow<'static, str>,
    values: Vec<Value>,
    globs: Globs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Globs {
    None,
    Some,
}

/// Executor of a read: the database or a transaction.
pub enum ReadSource<'a> {
    /// Committed state.
    Committed(&'a Database),
    /// State within a transaction.
    Transaction(&'a mut Transaction),
}

impl ReadSource<'_> {
    /// Reborrows the source for another query.
    pub fn reborrow(&mut self) -> ReadSource<'_> {
        match self {
            Self::Committed(database) => ReadSource::Committed(database),
            Self::Transaction(transaction) => ReadSource::Transaction(transaction),
        }
    }

    fn system(&self) -> System {
        match self {
            Self::Committed(database) => database.system(),
            Self::Transaction(transaction) => transaction.system(),
        }
    }
}

impl<'a> From<&'a Database> for ReadSource<'a> {
    fn from(database: &'a Database) -> Self {
        Self::Committed(database)
    }
}

impl<'a> From<&'a mut Transaction> for ReadSource<'a> {
    fn from(transaction: &'a mut Transaction) -> Self {
        Self::Transaction(transaction)
    }
}

/// Creates a query; `$1` and so on are the bound values in order.
pub fn query(sql: &'static str) -> Query {
    Query {
        sql: Cow::Borrowed(sql),
        values: Vec::new(),
        globs: Globs::None,
    }
}

impl Query {
    /// Creates a query from constants of this crate and table names from the database catalog.
    pub(crate) fn composed(sql: String) -> Self {
        Self {
            sql: Cow::Owned(sql),
            values: Vec::new(),
            globs: Globs::None,
        }
    }

    /// Binds the next value.
    pub fn bind(mut self, value: impl Into<Value>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Appends text.
    pub fn push(&mut self, sql: &'static str) -> &mut Self {
        self.sql.to_mut().push_str(sql);
        self
    }

    /// Appends a placeholder and binds its value.
    pub fn push_bind(&mut self, value: impl Into<Value>) -> &mut Self {
        self.values.push(value.into());
        let number = self.values.len();
        write!(self.sql.to_mut(), "${number}").expect("a text takes all that is written to it");
        self
    }

    /// Appends `(…)` with a placeholder for each value; for no values `(NULL)`, which matches nothing.
    pub fn push_list<V: Into<Value>>(&mut self, values: impl IntoIterator<Item = V>) -> &mut Self {
        self.push("(");
        let mut separator = "";
        for value in values {
            self.push(separator).push_bind(value);
            separator = ", ";
        }
        self.push(if separator.is_empty() { "NULL)" } else { ")" })
    }

    /// Appends a glob match on the preceding expression: `*` matches any text, `?` one character.
    pub fn push_glob(&mut self, pattern: &str) -> &mut Self {
        self.globs = Globs::Some;
        self.push(GLOB).push_bind(Value::Glob(pattern.to_owned()))
    }

    /// Runs the query and returns the number of affected rows.
    pub async fn execute(self, transaction: &mut Transaction) -> Result<u64, Error> {
        let span = span(transaction.system(), &self.sql);
        let executed = bounded(async {
            match transaction {
                Transaction::Sqlite(transaction) => {
                    let done = self.for_sqlite()?.execute(&mut **transaction).await?;
                    Ok(done.rows_affected())
                }
                Transaction::Postgres(transaction) => {
                    let done = self.for_postgres()?.execute(&mut **transaction).await?;
                    Ok(done.rows_affected())
                }
            }
        });
        traced(span, executed).await
    }

    /// Returns all rows.
    pub async fn fetch_all(self, from: impl Into<ReadSource<'_>>) -> Result<Vec<Row>, Error> {
        let from = from.into();
        let span = span(from.system(), &self.sql);
        let rows = bounded(self.rows(from).try_collect());
        traced(span, rows).await
    }

    /// Returns the first row, if any.
    pub async fn fetch_optional(
        self,
        from: impl Into<ReadSource<'_>>,
    ) -> Result<Option<Row>, Error> {
        let from = from.into();
        let span = span(from.system(), &self.sql);
        let row = bounded(async {
            match from {
                ReadSource::Committed(Database::Sqlite(database)) => {
                    let row = self.for_sqlite()?.fetch_optional(&database.readers).await?;
                    Ok(row.map(Row::Sqlite))
                }
                ReadSource::Committed(Database::Postgres(database)) => {
                    let row = self.for_postgres()?.fetch_optional(&database.pool).await?;
                    Ok(row.map(Row::Postgres))
                }
                ReadSource::Transaction(Transaction::Sqlite(transaction)) => {
                    let row = self
                        .for_sqlite()?
                        .fetch_optional(&mut **transaction)
                        .await?;
                    Ok(row.map(Row::Sqlite))
                }
                ReadSource::Transaction(Transaction::Postgres(transaction)) => {
                    let row = self
                        .for_postgres()?
                        .fetch_optional(&mut **transaction)
                        .await?;
                    Ok(row.map(Row::Postgres))
                }
            }
        });
        traced(span, row).await
    }

    /// Returns the only row.
    ///
    /// # Errors
    /// There is no row, or the query fails.
    pub async fn fetch_one(self, from: impl Into<ReadSource<'_>>) -> Result<Row, Error> {
        self.fetch_optional(from).await?.ok_or(Error::RowNotFound)
    }

    /// Streams rows, for responses that are limited by size. A timeout is an error and ends the stream.
    pub fn fetch<'a>(self, from: impl Into<ReadSource<'a>>) -> BoxStream<'a, Result<Row, Error>> {
        let rows = self.rows(from);
        let next = async |mut rows: BoxStream<'a, _>| {
            let row = bounded(rows.try_next()).await?;
            Ok(row.map(|row| (row, rows)))
        };
        try_unfold(rows, next).boxed()
    }

    fn rows<'a>(self, from: impl Into<ReadSource<'a>>) -> BoxStream<'a, Result<Row, Error>> {
        match from.into() {
            ReadSource::Committed(Database::Sqlite(database)) => match self.for_sqlite() {
                Ok(query) => query.fetch(&database.readers).map_ok(Row::Sqlite).boxed(),
                Err(error) => failed(error),
            },
            ReadSource::Committed(Database::Postgres(database)) => match self.for_postgres() {
                Ok(query) => query.fetch(&database.pool).map_ok(Row::Postgres).boxed(),
                Err(error) => failed(error),
            },
            ReadSource::Transaction(Transaction::Sqlite(transaction)) => match self.for_sqlite() {
                Ok(query) => query.fetch(&mut **transaction).map_ok(Row::Sqlite).boxed(),
                Err(error) => failed(error),
            },
            ReadSource::Transaction(Transaction::Postgres(transaction)) => {
                match self.for_postgres() {
                    Ok(query) => query
                        .fetch(&mut **transaction)
                        .map_ok(Row::Postgres)
                        .boxed(),
                    Err(error) => failed(error),
                }
            }
        }
    }

    fn for_sqlite(self) -> Result<sqlx::query::Query<'static, Sqlite, SqliteArguments>, Error> {
        let mut arguments = SqliteArguments::default();
        for value in self.values {
            value.add_to_sqlite(&mut arguments).map_err(Error::Encode)?;
        }
        Ok(sqlx::query_with(text(self.sql), arguments))
    }

    fn for_postgres(self) -> Result<sqlx::query::Query<'static, Postgres, PgArguments>, Error> {
        let mut arguments = PgArguments::default();
        for value in self.values {
            value
                .add_to_postgres(&mut arguments)
                .map_err(Error::Encode)?;
        }
        let sql = match self.globs {
            Globs::None => self.sql,
            Globs::Some => query_for_postgres(&self.sql).into(),
        };
        Ok(sqlx::query_with(text(sql), arguments))
    }
}

/// Text that consists of constants.
fn text(sql: Cow<'static, str>) -> SqlStr {
    match sql {
        Cow::Borrowed(sql) => SqlStr::from_static(sql),
        Cow::Owned(sql) => AssertSqlSafe(sql).into_sql_str(),
    }
}

fn failed<'a>(error: Error) -> BoxStream<'a, Result<Row, Error>> {
    futures::stream::once(async { Err(error) }).boxed()
}
