//! All that a part keeps, as rows that either database can hold: read as of one moment while others write, and written into an
//! empty place, as a whole or not at all. Rows and not files, so what was in a SQLite file can go on in a PostgreSQL, no program of
//! the server's version has to be there, and what an older version wrote is brought up to date by the usual steps.

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

/// What a part keeps, for whoever copies all of it.
#[derive(Debug, Clone, Copy)]
pub struct PartTables {
    /// The part, whose name its schema on a server has.
    pub part: &'static str,
    /// The name of its SQLite file.
    pub file: &'static str,
    /// The steps to its tables.
    pub migrations: &'static [Migration],
    /// Tables whose rows mean nothing later on.
    pub transient: &'static [&'static str],
    /// What tells a copy from what it was made of: statements in which `$1` is a random number. They hold for the tables of every
    /// version.
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
        for made in self.migrations.iter().flat_map(|step| made(step.sql)) {
            if !self.transient.contains(&made) && !names.contains(&made) {
                names.push(made);
            }
        }
        names
    }
}

fn made(sql: &'static str) -> impl Iterator<Item = &'static str> {
    let behind = sql.split("CREATE TABLE ").skip(1);
    behind.filter_map(|rest| rest.split([' ', '(']).next())
}

#[cfg(test)]
mod tests;
