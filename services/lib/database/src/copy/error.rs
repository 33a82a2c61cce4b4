//! Errors of backup and restore.

use crate::{Error, OpenError};

/// Error of a backup or restore: one line with the next step.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The part has no data in the source.
    #[error(
        "{name} holds nothing of the part {part}: is it another database, or was the part never started?"
    )]
    Absent { name: String, part: &'static str },
    /// The target already contains data.
    #[error(
        "{name} has rows of the part {part} already, and nothing is written over them: {instead}"
    )]
    Taken {
        name: String,
        part: &'static str,
        /// Alternative for the user.
        instead: String,
    },
    /// A table differs from the one that the migrations create.
    #[error("the table {table} of the part {part} differs from its migrations")]
    Table { part: &'static str, table: String },
    /// A statement failed, or the database is unavailable.
    #[error("the database rejected a statement")]
    Refused(#[from] Error),
}
