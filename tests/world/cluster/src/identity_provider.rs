//! OpenID Connect provider (Dex) with configured users, for tests and trials of sign-in.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use serde::Serialize;
use serde_json::json;

use crate::{
    Program, Programs,
    error::ClusterError,
    folder::Folder,
    process::{Launch, Place, Process, ProcessGuard},
};

const START_TIMEOUT: Duration = Duration::from_secs(300);

/// User who can sign in.
#[derive(Debug, Clone, Serialize)]
pub struct Person {
    /// Subject claim, which never changes.
    pub id: String,
    /// Login name.
    pub name: String,
    pub email: String,
    pub password: String,
    pub groups: Vec<String>,
}

/// A running provider. Dropping it ends it.
#[derive(Debug)]
pub struct IdentityProvider {
    issuer: String,
    // Ends before its folder is removed.
    _process: Process,
    _guard: ProcessGuard,
    _folder: Folder,
}

impl IdentityProvider {
    /// Serves these people to a public client of this id, over plaintext on a free loopback port. The redirect URIs are
    /// those that the client may name; without one, any loopback address and the device flow.
    ///
    /// # Errors
    /// The program is not built, or it does not get ready; the error names its log, which is kept.
    pub async fn start(
        people: &[Person],
        client: &str,
        redirects: &[String],
    ) -> Result<Self, ClusterError> {
        let programs = Programs::find(&[Program::Dex])?;
        let mut folder = Folder::new()?;
        let place = Place {
            logs: folder.make("log")?,
            home: folder.make("home")?,
        };
        let config = folder.path().join("dex.json");
        write(&config, people, client, redirects)?;
        let guard = ProcessGuard::new().map_err(|source| unusable(&place.home, source))?;
        folder.sweep_after(&guard)?;
        let launch =
            Launch::new("dex", programs.path(Program::Dex)).argument(config.display().to_string());
        let mut process = Process::start(&launch, &guard, &place)?;
        let log = place.logs.join("dex.log");
        let issuer = process
            .wait_until(START_TIMEOUT, async || issuer(&log))
            .await?;
        Ok(Self {
            issuer,
            _process: process,
            _guard: guard,
            _folder: folder,
        })
    }

    /// The URL under which it is known, such as `http://127.0.0.1:40001`.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }
}

fn write(
    file: &Path,
    people: &[Person],
    client: &str,
    redirects: &[String],
) -> Result<(), ClusterError> {
    let config = json!({
        "users": people,
        "clients": [{"id": client, "name": client, "public": true, "redirectURIs": redirects}],
    });
    fs::write(file, config.to_string()).map_err(|source| unusable(file, source))
}

fn unusable(path: &Path, source: std::io::Error) -> ClusterError {
    let path: PathBuf = path.to_owned();
    ClusterError::Folder { path, source }
}

/// It writes its issuer when it listens, among what it logs.
fn issuer(log: &Path) -> Result<String, String> {
    let text = fs::read_to_string(log).map_err(|error| error.to_string())?;
    // A line without its end is not whole yet.
    let lines = text
        .split_inclusive('\n')
        .filter_map(|line| line.strip_suffix('\n'));
    let mut issuers = lines.filter(|line| line.starts_with("http"));
    issuers
        .next()
        .map(str::to_owned)
        .ok_or_else(|| "it names no issuer yet".to_owned())
}
