//! The platform of a fleet, as a process of its own: all its parts, each served as its own process would.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    os::unix::process::CommandExt as _,
    process::{Child, Command, Stdio},
};

use anyhow::{Context as _, ensure};
use causeway_testkit::{Databases, PlatformParts, Postgres, fleet::PlatformDoor};
use tempfile::TempDir;

use super::Database;

/// The process that is measured: prints its address, serves until its standard input closes.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct ServeArgs {
    /// Where it keeps what it owns
    #[arg(long)]
    folder: std::path::PathBuf,
    /// The databases of the parts platform and inventory; files in the folder if not given
    #[arg(long, num_args = 2)]
    databases: Vec<String>,
}

pub(crate) fn serve(args: &ServeArgs) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Runtime::new()?;
    let flags = |url: &String| vec!["--database".to_owned(), url.clone()];
    let databases: Vec<_> = args.databases.iter().map(flags).collect();
    let databases = match databases.as_slice() {
        [platform, inventory] => Databases {
            platform,
            inventory,
        },
        _ => Databases::default(),
    };
    let parts = runtime.block_on(PlatformParts::start(&args.folder, databases));
    writeln!(std::io::stdout(), "{}", parts.router.url())?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// A running one. Its drop ends it.
pub(crate) struct Platform {
    child: Child,
    door: PlatformDoor,
    _folder: TempDir,
    _server: Option<Postgres>,
}

impl Platform {
    pub(crate) fn start(database: Database) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let wanted = database == Database::Postgres;
        let server = wanted.then(Postgres::start).flatten();
        ensure!(
            server.is_some() == wanted,
            "there is no PostgreSQL on this machine: leave --database out"
        );
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("fleet-platform").arg("--folder");
        command.arg(folder.path());
        if let Some(server) = &server {
            command.arg("--databases");
            command.args([server.database(), server.database()]);
        }
        // a Ctrl-C is for the fleet, which stops first
        command.process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().context("start the platform")?;
        let output = child.stdout.take().context("its output is piped")?;
        let mut url = String::new();
        BufReader::new(output).read_line(&mut url)?;
        let admin_key = fs::read_to_string(folder.path().join("platform/admin.key"))?;
        let door = PlatformDoor {
            url: url.trim().to_owned(),
            admin_key: admin_key.trim().to_owned(),
        };
        Ok(Self {
            child,
            door,
            _folder: folder,
            _server: server,
        })
    }

    pub(crate) fn door(&self) -> &PlatformDoor {
        &self.door
    }

    /// The most resident memory that it had, in MiB.
    pub(super) fn most_resident(&self) -> anyhow::Result<f64> {
        most_resident(self.child.id())
    }
}

impl Drop for Platform {
    fn drop(&mut self) {
        // One that has ended by itself needs no end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The most resident memory that a process had, in MiB.
pub(crate) fn most_resident(process: u32) -> anyhow::Result<f64> {
    memory(process, "VmHWM:")
}

/// Resident memory of a process in MiB.
pub(super) fn resident(process: u32) -> anyhow::Result<f64> {
    memory(process, "VmRSS:")
}

fn memory(process: u32, which: &str) -> anyhow::Result<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix(which));
    let line = line.with_context(|| format!("no {which}"))?.trim();
    let kib: f64 = line.trim_end_matches(" kB").trim().parse()?;
    Ok(kib / 1024.0)
}
