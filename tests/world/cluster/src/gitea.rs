//! Gitea, a Git provider in one process, for tests and trials of Git.
//!
//! Owns: its process, ports and folder. Never: reaches another machine; webhooks go to loopback only.

mod fixtures;

use std::{
    fs,
    net::Ipv4Addr,
    path::{Path, PathBuf},
    time::Duration,
};

use rcgen::{KeyPair, PKCS_ED25519};
use tokio::process::Command;

use crate::{
    Program, Programs,
    argocd::serves,
    error::ClusterError,
    folder::Folder,
    port,
    process::{Launch, Place, Process, ProcessGuard},
};
pub use fixtures::{DeployKey, GiteaUser};

const NAME: &str = "gitea";
const ADMIN: &str = "admin";
const START_TIMEOUT: Duration = Duration::from_secs(300);
/// Attempts with other ports; each was free a moment before.
const ATTEMPTS: usize = 5;

/// A running Gitea, which forgets all at its end. Dropping it ends it.
#[derive(Debug)]
pub struct Gitea {
    ports: Ports,
    admin: GiteaUser,
    host_key: String,
    http: reqwest::Client,
    launch: Launch,
    // Ends before its folder is removed.
    process: Process,
    guard: ProcessGuard,
    place: Place,
    folder: Folder,
}

#[derive(Debug, Clone, Copy)]
struct Ports {
    http: u16,
    ssh: u16,
}

impl Gitea {
    /// Starts on free ports of loopback, with SQLite and one administrator.
    ///
    /// # Errors
    /// The program is not built, or it does not get ready; the error names its log, which is kept.
    pub async fn start() -> Result<Self, ClusterError> {
        // It does not know whose child it is, and the guard that does is part of that program.
        let programs = Programs::find(&[Program::Kubernetes, Program::Gitea])?;
        let mut folder = Folder::new()?;
        let place = Place {
            logs: folder.make("log")?,
            home: folder.make("home")?,
        };
        let guard = ProcessGuard::new().map_err(|source| ClusterError::Folder {
            path: place.home.clone(),
            source,
        })?;
        folder.sweep_after(&guard)?;
        let host_key = write_host_key(folder.path())?;
        let program = programs.path(Program::Gitea);
        let config = folder.path().join("app.ini");
        write_config(
            &config,
            program,
            Ports {
                http: port::free()?,
                ssh: port::free()?,
            },
        )?;
        let command = AdminCommand {
            program,
            config: &config,
            place: &place,
        };
        command.run(&["migrate"]).await?;
        let admin = command.create_admin().await?;
        let launch = Launch::new(NAME, programs.path(Program::Kubernetes))
            .argument("guard")
            .argument(program.display().to_string())
            .arguments(["--config", &config.display().to_string(), "web"]);
        let (process, ports) = serve(&launch, &guard, &place, (program, &config)).await?;
        let http = reqwest::Client::builder().no_proxy().build();
        Ok(Self {
            ports,
            admin,
            host_key,
            http: http.expect("a client without options can be made"),
            launch,
            process,
            guard,
            place,
            folder,
        })
    }

    /// Base URL, without a slash at its end; the API is below `/api/v1`.
    pub fn url(&self) -> String {
        address(self.ports.http)
    }

    /// Base of SSH URLs, such as `ssh://git@127.0.0.1:20001`.
    pub fn ssh_url(&self) -> String {
        format!("ssh://git@{}:{}", Ipv4Addr::LOCALHOST, self.ports.ssh)
    }

    /// Line for the file of known hosts of `ssh`.
    pub fn known_host(&self) -> String {
        let (host, port) = (Ipv4Addr::LOCALHOST, self.ports.ssh);
        format!("[{host}]:{port} {}\n", self.host_key)
    }

    /// The administrator, whose token has every scope.
    pub fn admin(&self) -> &GiteaUser {
        &self.admin
    }

    /// Kills it as a crash would. Its data stays.
    pub async fn kill(&mut self) {
        self.process.kill().await;
    }

    /// Starts it again after [`Self::kill`], on the same ports.
    ///
    /// # Errors
    /// It does not get ready; the error names its log.
    pub async fn restart(&mut self) -> Result<(), ClusterError> {
        self.process = Process::start(&self.launch, &self.guard, &self.place)?;
        let ready = serves(health(self.ports.http));
        Ok(self.process.wait_until(START_TIMEOUT, || ready()).await?)
    }

    /// Fails when the process has ended.
    ///
    /// # Errors
    /// The error names its log.
    pub fn check(&mut self) -> Result<(), ClusterError> {
        Ok(self.process.check()?)
    }

    /// The folder with its data and its logs.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn logs(&self) -> PathBuf {
        self.place.logs.clone()
    }
}

/// Commands of the program that work on the database of a server that does not run yet.
struct AdminCommand<'a> {
    program: &'a Path,
    config: &'a Path,
    place: &'a Place,
}

impl AdminCommand<'_> {
    async fn create_admin(&self) -> Result<GiteaUser, ClusterError> {
        let password = format!("{:032x}", rand::random::<u128>());
        let email = format!("{ADMIN}@example.com");
        let words = [
            "admin",
            "user",
            "create",
            "--admin",
            "--must-change-password=false",
        ];
        let account = [
            "--username",
            ADMIN,
            "--password",
            &password,
            "--email",
            &email,
        ];
        let token = [
            "--access-token",
            "--access-token-name",
            "all",
            "--access-token-scopes",
            "all",
        ];
        let words: Vec<_> = words.into_iter().chain(account).chain(token).collect();
        let output = self.run(&words).await?;
        // The last word of the output.
        let token = output.split_whitespace().next_back().unwrap_or_default();
        Ok(GiteaUser {
            name: ADMIN.to_owned(),
            token: token.to_owned(),
            password,
        })
    }

    async fn run(&self, words: &[&str]) -> Result<String, ClusterError> {
        let failed = |reason: String| ClusterError::Provider {
            request: words.first().copied().unwrap_or_default().to_owned(),
            reason,
            logs: self.place.logs.clone(),
        };
        let output = Command::new(self.program)
            .arg("--config")
            .arg(self.config)
            .args(words)
            .env("HOME", &self.place.home)
            .kill_on_drop(true)
            .output()
            .await
            .map_err(|error| failed(error.to_string()))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let complaint = String::from_utf8_lossy(&output.stderr);
        Err(failed(
            complaint.lines().last().unwrap_or_default().to_owned(),
        ))
    }
}

/// Starts the server, on other ports where the first ones were taken meanwhile.
async fn serve(
    launch: &Launch,
    guard: &ProcessGuard,
    place: &Place,
    (program, config): (&Path, &Path),
) -> Result<(Process, Ports), ClusterError> {
    let mut attempts = 0;
    loop {
        let ports = Ports {
            http: port::free()?,
            ssh: port::free()?,
        };
        write_config(config, program, ports)?;
        let mut process = Process::start(launch, guard, place)?;
        let ready = serves(health(ports.http));
        match process.wait_until(START_TIMEOUT, || ready()).await {
            Ok(()) => return Ok((process, ports)),
            Err(error) if error.is_address_in_use() && attempts < ATTEMPTS => attempts += 1,
            Err(error) => return Err(error.into()),
        }
    }
}

fn address(port: u16) -> String {
    format!("http://{}:{port}", Ipv4Addr::LOCALHOST)
}

fn health(port: u16) -> String {
    format!("{}/api/healthz", address(port))
}

/// Without a key of ours the first start would make one for RSA, which takes seconds. Returns the public key.
fn write_host_key(folder: &Path) -> Result<String, ClusterError> {
    let key = KeyPair::generate_for(&PKCS_ED25519).expect("the provider of cryptography has it");
    write(&folder.join("host_key"), &key.serialize_pem())?;
    Ok(fixtures::public_key(key.public_key_raw()))
}

fn write(path: &Path, text: &str) -> Result<(), ClusterError> {
    fs::write(path, text).map_err(|source| ClusterError::Folder {
        path: path.to_owned(),
        source,
    })
}

fn write_config(path: &Path, program: &Path, ports: Ports) -> Result<(), ClusterError> {
    let folder = path.with_file_name("");
    let folder = folder.display();
    let files = program.with_file_name("");
    let files = files.display();
    let user = rustix::process::getuid();
    let name = user_name(user.as_raw());
    let Ports { http, ssh } = ports;
    let text = format!(
        "APP_NAME = provider
RUN_USER = {name}
RUN_MODE = prod
WORK_PATH = {folder}data
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
[server]
PROTOCOL = http
HTTP_ADDR = 127.0.0.1
HTTP_PORT = {http}
ROOT_URL = http://127.0.0.1:{http}/
STATIC_ROOT_PATH = {files}
APP_DATA_PATH = {folder}data
START_SSH_SERVER = true
SSH_LISTEN_HOST = 127.0.0.1
SSH_LISTEN_PORT = {ssh}
SSH_DOMAIN = 127.0.0.1
SSH_PORT = {ssh}
SSH_SERVER_HOST_KEYS = {folder}host_key
BUILTIN_SSH_SERVER_USER = git
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = {folder}data/gitea.db
SQLITE_JOURNAL_MODE = WAL
[repository]
ROOT = {folder}repositories
DEFAULT_BRANCH = main
[security]
INSTALL_LOCK = true
SECRET_KEY = not-a-secret-in-a-test
PASSWORD_HASH_ALGO = pbkdf2
[service]
DISABLE_REGISTRATION = true
[webhook]
ALLOWED_HOST_LIST = loopback
DELIVER_TIMEOUT = 5
[indexer]
ISSUE_INDEXER_TYPE = db
[oauth2]
ENABLED = false
[actions]
ENABLED = false
[cron]
ENABLED = false
[session]
PROVIDER = memory
[log]
MODE = console
LEVEL = Warn
"
    );
    write(path, &text)
}

/// The name that the system has for a user, as the server compares it with its own.
fn user_name(id: u32) -> String {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let id = id.to_string();
    let mut rows = users
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>());
    let row = rows.find(|row| row.get(2) == Some(&id.as_str()));
    row.and_then(|row| row.first().map(|name| (*name).to_owned()))
        .unwrap_or_default()
}
