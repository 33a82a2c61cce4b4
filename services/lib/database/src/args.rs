//! The flags of a database.

use std::{fmt, fs, path::PathBuf};

use crate::OpenError;

/// How many connections a replica has at most where no flag says another number.
const CONNECTIONS: u32 = 10;

/// Where the rows are kept.
#[derive(clap::Args, Clone)]
pub struct DatabaseArgs {
    /// A PostgreSQL that all replicas share, for example postgres://causeway@db.example.com/causeway; without it, a SQLite file in
    /// --data and one replica. TLS is asked of any server that is not on this machine, unless ?sslmode= says otherwise
    #[arg(
        long,
        env = "CAUSEWAY_DATABASE",
        value_name = "URL",
        hide_env_values = true
    )]
    pub database: Option<String>,
    /// The file with the password for --database
    #[arg(long, env = "CAUSEWAY_DATABASE_PASSWORD_FILE", value_name = "FILE")]
    pub database_password_file: Option<PathBuf>,
    /// How many connections to --database there are at most
    #[arg(
        long,
        env = "CAUSEWAY_DATABASE_CONNECTIONS",
        value_name = "N",
        default_value_t = CONNECTIONS
    )]
    pub database_connections: u32,
    /// Whether replicas hear of each other's changes at once, by LISTEN; otherwise they look every second, as they must behind a
    /// pooler that lends a connection for one transaction only
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
    /// Not the URL: there may be a password in it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = formatter.debug_struct("DatabaseArgs");
        text.field("database_password_file", &self.database_password_file)
            .field("database_connections", &self.database_connections)
            .field("database_listen", &self.database_listen)
            .finish_non_exhaustive()
    }
}

impl Default for DatabaseArgs {
    /// A file.
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
    /// A server at a URL.
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
