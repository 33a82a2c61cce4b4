//! Command-line options of a database.

use std::{fmt, fs, path::PathBuf};

use crate::OpenError;

/// Default maximum of connections per replica.
const CONNECTIONS: u32 = 10;

/// Location of the database.
#[derive(clap::Args, Clone)]
pub struct DatabaseArgs {
    /// PostgreSQL URL that all replicas share, for example postgres://causeway@db.example.com/causeway; without it, a SQLite file
    /// in --data and one replica. Requires TLS except on this machine, unless ?sslmode= overrides it
    #[arg(
        long,
        env = "CAUSEWAY_DATABASE",
        value_name = "URL",
        hide_env_values = true
    )]
    pub database: Option<String>,
    /// File with the password for --database
    #[arg(long, env = "CAUSEWAY_DATABASE_PASSWORD_FILE", value_name = "FILE")]
    pub database_password_file: Option<PathBuf>,
    /// Maximum number of connections to --database
    #[arg(
        long,
        env = "CAUSEWAY_DATABASE_CONNECTIONS",
        value_name = "N",
        default_value_t = CONNECTIONS
    )]
    pub database_connections: u32,
    /// Whether replicas receive changes immediately by LISTEN; otherwise they poll every second, as required behind a pooler in
    /// transaction mode
    #[arg(
        long,
        env = "CAUSEWAY_DATABASE_LISTEN",
        value_name = "true|false",
        default_value_t = true,
        action = clap::ArgAction::Set
    )]
    pub database_listen: bool,
}

impl fmt::Debug for DatabaseArgs {
    /// Omits the URL, which may contain a password.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = formatter.debug_struct("DatabaseArgs");
        text.field("database_password_file", &self.database_password_file)
            .field("database_connections", &self.database_connections)
            .field("database_listen", &self.database_listen)
            .finish_non_exhaustive()
    }
}

impl Default for DatabaseArgs {
    /// SQLite file.
    fn default() -> Self {
        Self {
            database: None,
            database_password_file: None,
            database_connections: CONNECTIONS,
            database_listen: true,
        }
    }
}

impl DatabaseArgs {
    /// Creates the options for a server.
    #[must_use]
    pub fn from_url(url: String) -> Self {
        Self {
            database: Some(url),
            ..Self::default()
        }
    }

    pub(crate) fn password(&self) -> Result<Option<String>, OpenError> {
        let Some(file) = &self.database_password_file else {
            return Ok(None);
        };
        let text = fs::read_to_string(file);
        let text = text.map_err(|error| OpenError::Password(file.clone(), error))?;
        Ok(Some(text.trim_end_matches(['\r', '\n']).to_owned()))
    }
}
