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
    /// The part, whose name its schema on a server has.
    pub part: &'static str,
    /// The name of its SQLite file.
    pub file: &'static str,
    /// The steps to its tables.
    pub migrations: &'static [Migration],
    /// Tables that are not copied.
    pub transient: &'static [&'static str],
    /// Statements that give a copy its own identity, with a random number as `$1`. They must fit the tables of every version.
    pub renewals: &'static [&'static str],
}

impl PartTables {
    /// What each step is to a kind of database: the checksum of its statements.
    #[must_use]
    pub fn steps(&self, dialect: Dialect) -> Vec<Vec<u8>> {
        checksums(dialect, self.migrations)
    }

    /// The names of the tables, each behind those that it refers to.
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
