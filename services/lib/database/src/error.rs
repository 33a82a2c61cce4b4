//! Why a database cannot be used.

use std::{io, path::PathBuf};

use sqlx::{Error, migrate::MigrateError};

/// Why a database does not open. One line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The flag cannot be read.
    #[error("--database: {0}")]
    Flag(String),
    /// The password cannot be read.
    #[error("--database-password-file {0}")]
    Password(PathBuf, #[source] io::Error),
    /// A newer version wrote it.
    #[error(
        "{name} was written by a newer causeway (schema {found}, this one knows {known}): start that one, {elsewhere}"
    )]
    Newer {
        /// The database.
        name: String,
        /// Its schema.
        found: i64,
        /// The newest that is known.
        known: usize,
        /// What else there is to do.
        elsewhere: Remedy,
    },
    /// A version wrote it that made other tables under the same number: one in development.
    #[error(
        "{name} was written by another causeway, whose step {step} to its tables differs from this one's (a version in development): start that one, {elsewhere}"
    )]
    Other {
        /// The database.
        name: String,
        /// The first step that differs.
        step: i64,
        /// What else there is to do.
        elsewhere: Remedy,
    },
    /// It is there and refuses.
    #[error("{0} cannot be opened")]
    Unusable(String, #[source] Error),
    /// Its tables cannot be brought up to date.
    #[error("the tables of {0} cannot be brought up to date")]
    Migration(String, #[source] MigrateError),
}

/// What to do with a database that this version cannot use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Remedy {
    /// It is a file.
    #[error("move its folder away, or name another with --data")]
    Folder,
    /// It is on a server.
    #[error("or name another with --database")]
    Server,
}

/// Whether the database cannot be reached or is overloaded, so that the same may work later.
#[must_use]
pub fn is_unavailable(error: &Error) -> bool {
    if let Error::Database(refusal) = error {
        return refusal.code().is_some_and(|code| is_passing(&code));
    }
    if let Error::Io(error) = error {
        // By TLS that is a certificate that nobody vouches for, and it stays so.
        return error.kind() != io::ErrorKind::InvalidData;
    }
    matches!(
        error,
        Error::PoolTimedOut | Error::PoolClosed | Error::WorkerCrashed | Error::Protocol(_)
    )
}

/// Connections, collisions, resources, operators; a lock that was not had in time; a server that only reads until it leads again.
fn is_passing(code: &str) -> bool {
    let classes = ["08", "40", "53", "57", "55P03", "25006", "25P03"];
    code.len() == 5 && classes.iter().any(|class| code.starts_with(class))
}
