//! Errors of opening a database.

use std::{io, path::PathBuf};

use sqlx::{Error, migrate::MigrateError};

/// Error of opening a database: one line with the next step.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Invalid value of the flag.
    #[error("--database: {0}")]
    Flag(String),
    /// Unreadable password file.
    #[error("--database-password-file {0}")]
    Password(PathBuf, #[source] io::Error),
    /// The schema is of a newer version.
    #[error(
        "{name} was written by a newer causeway (schema {found}, this one knows {known}): start that one, {elsewhere}"
    )]
    Newer {
        name: String,
        found: i64,
        /// Newest supported migration.
        known: usize,
        /// Alternative for the user.
        elsewhere: Remedy,
    },
    /// The schema is of a development version with other migrations under the same number.
    #[error(
        "{name} was written by another causeway, whose step {step} to its tables differs from this one's (a version in development): start that one, {elsewhere}"
    )]
    Other {
        name: String,
        /// First migration that differs.
        step: i64,
        /// Alternative for the user.
        elsewhere: Remedy,
    },
    /// The database exists but cannot be opened.
    #[error("{0} cannot be opened")]
    Unusable(String, #[source] Error),
    /// Migration failed.
    #[error("the schema of {0} cannot be migrated")]
    Migration(String, #[source] MigrateError),
}

/// Alternatives to a database that this version cannot use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Remedy {
    #[error("move its folder away, or name another with --data")]
    Folder,
    #[error("or name another with --database")]
    Server,
}

/// Returns true if the database is unavailable or overloaded, so that a retry may succeed.
#[must_use]
pub fn is_unavailable(error: &Error) -> bool {
    if let Error::Database(refusal) = error {
        return refusal.code().is_some_and(|code| is_transient_code(&code));
    }
    if let Error::Io(error) = error {
        // An invalid TLS certificate, which a retry does not fix.
        return error.kind() != io::ErrorKind::InvalidData;
    }
    matches!(
        error,
        Error::PoolTimedOut | Error::PoolClosed | Error::WorkerCrashed | Error::Protocol(_)
    )
}

/// SQLSTATE classes of connection errors, serialization failures, resources and operator intervention; lock timeouts; read-only
/// standby servers.
fn is_transient_code(code: &str) -> bool {
    let classes = ["08", "40", "53", "57", "55P03", "25006", "25P03"];
    code.len() == 5 && classes.iter().any(|class| code.starts_with(class))
}
