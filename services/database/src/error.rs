//! Why a database cannot be used.

use std::path::PathBuf;

use sqlx::{Error, migrate::MigrateError};

/// Why a database does not open. One line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The flag cannot be read.
    #[error("--database: {0}")]
    Flag(String),
    /// The password cannot be read.
    #[error("--database-password-file {0}")]
    Password(PathBuf, #[source] std::io::Error),
    /// A newer version wrote it.
    #[error(
        "{name} was written by a newer causeway (schema {found}, this one knows {known}): start the newer one"
    )]
    Newer {
        /// The database.
        name: String,
        /// Its schema.
        found: i64,
        /// The newest that is known.
        known: usize,
    },
    /// It is there and refuses.
    #[error("{0} cannot be opened")]
    Unusable(String, #[source] Error),
    /// Its tables cannot be brought up to date.
    #[error("the tables of {0} cannot be brought up to date")]
    Migration(String, #[source] MigrateError),
}

/// Whether the database cannot be reached or is overloaded, so that the same may work later.
#[must_use]
pub fn is_unavailable(error: &Error) -> bool {
    if let Error::Database(refusal) = error {
        return refusal.code().is_some_and(|code| is_passing(&code));
    }
    matches!(
        error,
        Error::Io(_)
            | Error::PoolTimedOut
            | Error::PoolClosed
            | Error::WorkerCrashed
            | Error::Protocol(_)
    )
}

/// Connections, collisions, resources, operators; a lock that was not had in time; a server that only reads until it leads again.
fn is_passing(code: &str) -> bool {
    let classes = ["08", "40", "53", "57", "55P03", "25006", "25P03"];
    code.len() == 5 && classes.iter().any(|class| code.starts_with(class))
}
