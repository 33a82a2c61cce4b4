//! Why a copy is not made.

use crate::{Error, OpenError};

/// Why a copy is not made. One line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The database cannot be used.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// There is nothing to copy.
    #[error(
        "{name} holds nothing of the part {part}: is it another database, or was the part never started?"
    )]
    Absent {
        /// The database.
        name: String,
        /// The part.
        part: &'static str,
    },
    /// There is something already.
    #[error(
        "{name} has rows of the part {part} already, and nothing is written over them: {instead}"
    )]
    Taken {
        /// The database.
        name: String,
        /// The part.
        part: &'static str,
        /// What to do.
        instead: String,
    },
    /// A table is not what the steps make.
    #[error("the table {table} of the part {part} is not what its steps make of it")]
    Table {
        /// The part.
        part: &'static str,
        /// The table.
        table: String,
    },
    /// The database refuses, or does not answer.
    #[error("the database refuses")]
    Refused(#[from] Error),
}
