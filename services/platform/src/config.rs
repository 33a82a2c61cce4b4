//! Command-line flags of the platform.

use std::{path::PathBuf, time::Duration};

use causeway_database::DatabaseArgs;
use causeway_oidc::Url;

use crate::{
    data_folder::make_private,
    keys::ring::{KeyRing, PARTS_KEY},
    store::RootKeyNote,
};

const SHORTEST_RETENTION: Duration = Duration::from_secs(24 * 60 * 60);

/// Where the platform keeps what it owns, and what it tells to runtimes that join.
#[derive(clap::Args, Debug, Clone)]
pub struct Args {
    /// The folder of the keys, and of the database where --database names none; made if it is not there
    #[arg(long = "data", env = "CAUSEWAY_DATA", value_name = "FOLDER")]
    pub data: PathBuf,
    /// The file that the first start writes the admin's API key to, or takes it from if it holds one [default: <data>/admin.key]
    #[arg(long, env = "CAUSEWAY_ADMIN_KEY_FILE", value_name = "FILE")]
    pub admin_key_file: Option<PathBuf>,
    /// Where runtimes find the tunnel server, for example wss://causeway.example.com:7401/tunnel/v1
    #[arg(long, env = "CAUSEWAY_TUNNEL_URL", value_name = "URL")]
    pub tunnel_url: Option<String>,
    /// The folder of the keys: root.pem, parts.pem, platform.pem and the signing keys, made where they are missing; replicas share it, and changes in it are taken up within seconds [default: <data>/keys]
    #[arg(long, env = "CAUSEWAY_KEYS", value_name = "FOLDER")]
    pub keys: Option<PathBuf>,
    /// Go on with another root key than the database was begun with: every runtime must join again
    #[arg(long, env = "CAUSEWAY_NEW_ROOT_KEY")]
    pub new_root_key: bool,
    /// How long a signing key signs before the next one takes its place
    #[arg(
        long,
        env = "CAUSEWAY_SIGNING_KEY_AGE",
        value_name = "DURATION",
        default_value = "30d"
    )]
    pub signing_key_age: humantime::Duration,
    /// The certificates that vouch for the tunnel server, told to runtimes that join; without it they use their system's
    #[arg(long, env = "CAUSEWAY_TUNNEL_CA", value_name = "FILE")]
    pub tunnel_ca: Option<PathBuf>,
    /// How long the audit is kept, for example 400d, at least 1d; without it for ever. What is older goes by whole days
    #[arg(long, env = "CAUSEWAY_AUDIT_RETENTION", value_name = "TIME", value_parser = retention)]
    pub audit_retention: Option<Duration>,
    /// How long a session of a person lasts after the sign-in
    #[arg(
        long,
        env = "CAUSEWAY_SESSION_AGE",
        value_name = "DURATION",
        default_value = "12h"
    )]
    pub session_age: humantime::Duration,
    /// Where browsers find the platform, for example https://causeway.example.com: they come back there from identity providers
    #[arg(long, env = "CAUSEWAY_PUBLIC_URL", value_name = "URL", value_parser = public_url)]
    pub public_url: Option<Url>,
    /// Let identity providers and issuers of CI systems be on loopback, without encryption too. For trials: admins of every account could have the platform ask what listens on this machine
    #[arg(long, env = "CAUSEWAY_LOOPBACK_ISSUERS")]
    pub loopback_issuers: bool,
    #[command(flatten)]
    pub database: DatabaseArgs,
}

impl Args {
    /// The file with the admin's API key.
    pub fn admin_key_file(&self) -> PathBuf {
        let given = self.admin_key_file.clone();
        given.unwrap_or_else(|| self.data.join("admin.key"))
    }

    /// The file with the platform's key for its parts, for their `--part-issuer-key`.
    pub fn part_issuer_key_file(&self) -> PathBuf {
        self.keys_folder().join(PARTS_KEY)
    }

    /// Makes the platform's keys, so that other parts of this process can be given theirs before the platform serves.
    ///
    /// # Errors
    /// A file cannot be read or written, or holds no key.
    pub fn make_keys(&self) -> anyhow::Result<()> {
        make_private(&self.data)?;
        KeyRing::open(&self.keys_folder()).map(drop)
    }

    pub(crate) fn first_root(&self) -> RootKeyNote {
        if self.new_root_key {
            RootKeyNote::IsThis
        } else {
            RootKeyNote::Stays
        }
    }

    pub(crate) fn keys_folder(&self) -> PathBuf {
        let given = self.keys.clone();
        given.unwrap_or_else(|| self.data.join("keys"))
    }
}

fn public_url(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| error.to_string())?;
    let loopback = matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
    let bare = url.username().is_empty() && url.query().is_none() && url.fragment().is_none();
    if bare && (url.scheme() == "https" || (url.scheme() == "http" && loopback)) {
        Ok(url)
    } else {
        Err("neither https nor http on loopback, or with a query".to_owned())
    }
}

fn retention(text: &str) -> Result<Duration, String> {
    let time = humantime::parse_duration(text).map_err(|error| error.to_string())?;
    if time < SHORTEST_RETENTION {
        Err("less than a day: write for example 400d".to_owned())
    } else {
        Ok(time)
    }
}
