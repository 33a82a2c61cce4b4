//! Database access for SQLite and PostgreSQL with one set of queries. Differences in SQL dialect are handled in `dialect.rs` only.
//!
//! Owns connections, timeouts, transactions, migrations and notifications between replicas. Both databases have one writer at a time:
//! SQLite has one writing connection, PostgreSQL an advisory lock that each transaction takes first. So races are decided the same
//! way on both. `copy` exports a consistent snapshot and imports it into an empty database.

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
mod writable;

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
pub use writable::UnwritableError;

#[cfg(test)]
mod tests;
