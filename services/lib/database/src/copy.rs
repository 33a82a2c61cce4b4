//! Backup and restore of a part's tables as rows: a consistent snapshot, imported atomically into an empty database.
//!
//! Rows instead of files allow moves between SQLite and PostgreSQL, need no server tools, and let migrations upgrade old backups.

mod error;
mod source;
mod table;
mod target;

pub use self::{
    error::CopyError,
    source::{CopySchema, CopySource},
    table::{ColumnKind, Table},
    target::CopyTarget,
};
use crate::{
    Migration,
    migration::{Dialect, checksums},
};

/// Tables and migrations of a part, for backup and restore.
#[derive(Debug, Clone, Copy)]
pub struct PartTables {
    /// Name of the part, also of its schema on a server.
    pub part: &'static str,
    /// Name of its SQLite file.
    pub file: &'static str,
    pub migrations: &'static [Migration],
    /// Tables that are not copied.
    pub transient: &'static [&'static str],
    /// Statements that give a copy its own identity, with a random number as `$1`. They must work with the tables of every
    /// version.
    pub renewals: &'static [&'static str],
}

impl PartTables {
    /// Returns the checksums of the migrations in a dialect.
    #[must_use]
    pub fn steps(&self, dialect: Dialect) -> Vec<Vec<u8>> {
        checksums(dialect, self.migrations)
    }

    /// Returns the tables, ordered so that referenced tables come first.
    fn tables(&self) -> Vec<&'static str> {
        let mut names: Vec<&str> = Vec::new();
        // Both dialects create the same tables in the same order.
        let created = self.migrations.iter();
        for table in created.flat_map(|step| created_tables(step.sqlite)) {
            if !self.transient.contains(&table) && !names.contains(&table) {
                names.push(table);
            }
        }
        names
    }
}

fn created_tables(sql: &'static str) -> impl Iterator<Item = &'static str> {
    let statements = sql.split("CREATE TABLE ").skip(1);
    statements.filter_map(|rest| rest.split([' ', '(']).next())
}

#[cfg(test)]
mod tests;
