//! Where a platform keeps what it owns.

use std::{
    fs::DirBuilder,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use causeway_database::{DatabaseArgs, PartTables};
use causeway_shell::FolderLock;

use super::PARTS;

/// Where the databases and the keys of the platform are.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct PlaceArgs {
    /// The --data of `causeway up`: the databases and keys of all parts are in it
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["platform_data", "inventory_data", "tunnel_data"])]
    data: Option<PathBuf>,
    /// The --data of `causeway serve platform`
    #[arg(long, value_name = "FOLDER")]
    platform_data: Option<PathBuf>,
    /// The --data of `causeway serve inventory`
    #[arg(long, value_name = "FOLDER")]
    inventory_data: Option<PathBuf>,
    /// The --data of `causeway serve tunnel-server`, where that made its own certificate
    #[arg(long, value_name = "FOLDER")]
    tunnel_data: Option<PathBuf>,
    /// The folder of the keys [default: keys in the folder of the part platform]
    #[arg(long, env = "CAUSEWAY_KEYS", value_name = "FOLDER")]
    keys: Option<PathBuf>,
    /// The PostgreSQL of both parts, or of the part platform
    #[arg(
        long,
        env = "CAUSEWAY_DATABASE",
        value_name = "URL",
        hide_env_values = true
    )]
    database: Option<String>,
    /// The file with the password for --database
    #[arg(long, env = "CAUSEWAY_DATABASE_PASSWORD_FILE", value_name = "FILE")]
    database_password_file: Option<PathBuf>,
    /// The PostgreSQL of the part inventory, where that is another one
    #[arg(long, value_name = "URL")]
    inventory_database: Option<String>,
    /// The file with the password for --inventory-database
    #[arg(long, value_name = "FILE")]
    inventory_database_password_file: Option<PathBuf>,
    /// Only what this part keeps; may be repeated. Without it what all parts keep
    #[arg(long = "part", value_name = "PART", value_parser = ["inventory", "platform"])]
    parts: Vec<String>,
}

/// Database of a part.
#[derive(Debug, Clone)]
pub(super) enum PartDatabase {
    /// In a file of this folder.
    Folder(PathBuf),
    /// On a server.
    Server(DatabaseArgs),
}

impl PlaceArgs {
    /// The parts that are meant.
    pub(super) fn parts(&self) -> Vec<PartTables> {
        let meant = |kept: &PartTables| {
            self.parts.is_empty() || self.parts.iter().any(|it| it == kept.part)
        };
        PARTS.into_iter().filter(meant).collect()
    }

    pub(super) fn home(&self, kept: &PartTables) -> anyhow::Result<PartDatabase> {
        let folder = match kept.part {
            "inventory" => &self.inventory_data,
            _ => &self.platform_data,
        };
        if let Some(folder) = self.folder(kept.part, folder.as_ref()) {
            return Ok(PartDatabase::Folder(folder));
        }
        let own = self.inventory_database.as_ref();
        let own = own.filter(|_| kept.part == "inventory");
        let (url, password) = match own {
            Some(url) => (Some(url), &self.inventory_database_password_file),
            None => (self.database.as_ref(), &self.database_password_file),
        };
        let Some(url) = url else {
            bail!(
                "where does the part {0} keep its rows? Give --data, --{0}-data or --database, or leave it out by --part",
                kept.part
            );
        };
        Ok(PartDatabase::Server(DatabaseArgs {
            database_password_file: password.clone(),
            ..DatabaseArgs::from_url(url.clone())
        }))
    }

    /// The folder of the keys, if one is known.
    pub(super) fn keys(&self) -> Option<PathBuf> {
        let beside = || {
            Some(
                self.folder("platform", self.platform_data.as_ref())?
                    .join("keys"),
            )
        };
        self.keys.clone().or_else(beside)
    }

    /// The folder of the tunnel server's own certificate, if one is known.
    pub(super) fn tunnel(&self) -> Option<PathBuf> {
        self.folder("tunnel-server", self.tunnel_data.as_ref())
    }

    fn folder(&self, part: &str, own: Option<&PathBuf>) -> Option<PathBuf> {
        let of_all = self.data.as_ref().map(|data| data.join(part));
        of_all.or_else(|| own.cloned())
    }
}

/// Makes a folder, with those above it, that only its owner may enter.
pub(super) fn make_private(folder: &Path) -> anyhow::Result<()> {
    let mut builder = DirBuilder::new();
    let made = builder.recursive(true).mode(0o700).create(folder);
    made.with_context(|| format!("cannot make {}", folder.display()))
}

/// Takes a part's folder as the part itself would, so that neither runs beside the other.
pub(super) fn lock(folder: &Path, part: &str) -> anyhow::Result<FolderLock> {
    make_private(folder)?;
    let file = folder.join(format!("{part}.lock"));
    let lock = FolderLock::try_acquire(&file).with_context(|| file.display().to_string())?;
    lock.with_context(|| {
        format!(
            "{}: the part {part} runs here; stop it, or name another folder",
            folder.display()
        )
    })
}
