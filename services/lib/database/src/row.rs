//! Result rows.

use std::str::FromStr;

use sqlx::{
    ColumnIndex, Decode, Error, Postgres, Row as _, Sqlite, Type, postgres::PgRow,
    sqlite::SqliteRow,
};

/// Row of either database.
pub enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

/// Type of a column in both databases: `String`, `&str`, `i64`, `bool`, `Vec<u8>`, `&[u8]` and options of these.
pub trait Column<'r>:
    Decode<'r, Sqlite> + Type<Sqlite> + Decode<'r, Postgres> + Type<Postgres>
{
}

impl<'r, T> Column<'r> for T where
    T: Decode<'r, Sqlite> + Type<Sqlite> + Decode<'r, Postgres> + Type<Postgres>
{
}

impl Row {
    /// Reads a column by name or index.
    ///
    /// # Errors
    /// The column does not exist or has another type.
    pub fn try_get<'r, T: Column<'r>>(
        &'r self,
        column: impl ColumnIndex<SqliteRow> + ColumnIndex<PgRow>,
    ) -> Result<T, Error> {
        match self {
            Self::Sqlite(row) => row.try_get(column),
            Self::Postgres(row) => row.try_get(column),
        }
    }

    /// Reads and parses a text column.
    ///
    /// # Errors
    /// The text cannot be parsed.
    pub fn get_parsed<T>(&self, column: &'static str) -> Result<T, Error>
    where
        T: FromStr,
        T::Err: std::error::Error + Send + Sync + 'static,
    {
        let text: &str = self.try_get(column)?;
        text.parse()
            .map_err(|error: T::Err| Self::corrupt(column, error))
    }

    /// Creates the error of a column with an invalid value.
    pub fn corrupt(
        column: &'static str,
        error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        Error::ColumnDecode {
            index: column.to_owned(),
            source: error.into(),
        }
    }
}
