//! Tables and columns, read from the database catalog.

use super::{CopyError, PartTables};
use crate::{Error, Query, Row, Transaction, Value, query};

/// Table with its columns in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    pub columns: Vec<(String, ColumnKind)>,
}

/// Type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    Text,
    Integer,
    Blob,
    Boolean,
}

impl ColumnKind {
    fn of(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "text" => Some(Self::Text),
            "bigint" | "integer" => Some(Self::Integer),
            "blob" | "bytea" => Some(Self::Blob),
            "boolean" => Some(Self::Boolean),
            _ => None,
        }
    }

    pub(super) fn read(self, row: &Row, place: usize) -> Result<Value, Error> {
        Ok(match self {
            Self::Text => Value::Text(row.try_get(place)?),
            Self::Integer => Value::Integer(row.try_get(place)?),
            Self::Blob => Value::Blob(row.try_get(place)?),
            Self::Boolean => Value::Boolean(row.try_get(place)?),
        })
    }
}

impl Table {
    /// Returns the quoted names of the table and its columns, none of which contains a quote.
    pub(super) fn quoted(&self) -> (String, String) {
        let columns: Vec<_> = self.columns.iter().map(|(name, _)| quoted(name)).collect();
        (quoted(&self.name), columns.join(", "))
    }
}

pub(super) fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

/// Reads the tables of a part, ordered so that referenced tables come first.
pub(super) async fn tables(
    transaction: &mut Transaction,
    kept: &PartTables,
) -> Result<Vec<Table>, CopyError> {
    let mut tables = Vec::new();
    for name in kept.tables() {
        let rows = columns(transaction, kept.part, name).fetch_all(&mut *transaction);
        let mut columns = Vec::new();
        for row in rows.await? {
            let word: &str = row.try_get(1)?;
            let kind = ColumnKind::of(word).ok_or_else(|| CopyError::Table {
                part: kept.part,
                table: name.to_owned(),
            })?;
            columns.push((row.try_get(0)?, kind));
        }
        let name = name.to_owned();
        if !columns.is_empty() {
            tables.push(Table { name, columns });
        }
    }
    Ok(tables)
}

fn columns(transaction: &Transaction, part: &str, table: &str) -> Query {
    match transaction {
        Transaction::Sqlite(_) => {
            query("SELECT name, type FROM pragma_table_info($1) ORDER BY cid").bind(table)
        }
        Transaction::Postgres(_) => query(
            "SELECT CAST(column_name AS TEXT), CAST(data_type AS TEXT) FROM information_schema.columns
             WHERE table_schema = $1 AND table_name = $2 ORDER BY ordinal_position",
        )
        .bind(part)
        .bind(table),
    }
}
