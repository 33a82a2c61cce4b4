//! One set of queries over a SQLite file or PostgreSQL: a query is written once, with `$1` placeholders and what both know, and
//! runs on whichever the part was started with. Where the two differ in a word (a type in a table, the operator for globs),
//! that word is in `dialect.rs` and nowhere else.
//!
//! Owns connections, their bounds and times, transactions, migrations and the news between replicas. On both databases there is
//! one writer at a time: SQLite has one connection that writes, PostgreSQL a lock that each transaction takes first, so what only
//! one caller may win is decided the same way on both. Knows no table and no part. `copy` reads all rows of one moment, and fills an
//! empty place with them.

mod args;
mod connection;
mod copy;
mod dialect;
mod error;
mod listener;
mod migration;
mod postgres;
mod query;
mod row;
mod sqlite;
mod trace;
mod value;

pub use args::DatabaseArgs;
pub use connection::{Database, Transaction};
pub use copy::{ColumnKind, CopyError, CopySchema, CopySource, CopyTarget, PartTables, Table};
pub use error::{OpenError, Remedy, is_unavailable};
pub use listener::Listener;
pub use migration::{Dialect, Migration};
pub use query::{Query, ReadSource, query};
pub use row::{Column, Row};
pub use sqlx::Error;
pub use value::Value;

#[cfg(test)]
mod tests;
