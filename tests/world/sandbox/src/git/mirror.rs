//! Mirrors of repositories elsewhere, fetched when they are asked for and not more often than every three seconds.

use std::{collections::HashMap, path::PathBuf, sync::Arc, time::Duration};

use sha2::{Digest, Sha256};
use tokio::{sync::Mutex, time::Instant};

use super::{GitError, GitProgram, Repository};

const FRESH: Duration = Duration::from_secs(3);
/// Settings of Git for a fetch.
const SETTINGS: [&str; 6] = [
    "protocol.allow=never",
    "protocol.http.allow=always",
    "protocol.https.allow=always",
    "http.followRedirects=initial",
    "transfer.fsckObjects=true",
    "gc.auto=0",
];

/// Mirror clones by URL, one folder each.
#[derive(Debug)]
pub(crate) struct Mirrors {
    program: Arc<GitProgram>,
    folder: PathBuf,
    fetched: Mutex<HashMap<String, Arc<Mutex<Option<Instant>>>>>,
}

impl Mirrors {
    pub(crate) fn new(program: Arc<GitProgram>, folder: PathBuf) -> Self {
        Self {
            program,
            folder,
            fetched: Mutex::default(),
        }
    }

    /// The mirror of `url`, as fresh as three seconds ago.
    pub(crate) async fn open(&self, url: &str) -> Result<Repository, GitError> {
        if !is_remote(url) {
            return Err(GitError::BadUrl {
                url: url.to_owned(),
            });
        }
        let slot = Arc::clone(self.fetched.lock().await.entry(url.to_owned()).or_default());
        let mut fetched = slot.lock().await;
        let folder = self.folder.join(file_name(url));
        let made = tokio::fs::create_dir_all(&self.folder).await;
        made.map_err(|source| GitError::Folder {
            path: self.folder.clone(),
            source,
        })?;
        let repository = Repository::create(Arc::clone(&self.program), folder).await?;
        if fetched.is_none_or(|at| at.elapsed() > FRESH) {
            fetch(&repository, url).await?;
            *fetched = Some(Instant::now());
        }
        Ok(repository)
    }
}

async fn fetch(repository: &Repository, url: &str) -> Result<(), GitError> {
    let branches = [
        "fetch",
        "--quiet",
        "--prune",
        "--no-write-fetch-head",
        "--end-of-options",
        url,
    ];
    let refspecs = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"];
    let arguments: Vec<&str> = SETTINGS
        .into_iter()
        .flat_map(|setting| ["-c", setting])
        .chain(branches)
        .chain(refspecs)
        .collect();
    repository.git(&arguments, &[]).await?;
    Ok(())
}

/// Only remotes over HTTP: no local paths, no `ext::` commands, nothing that reads as an option.
fn is_remote(url: &str) -> bool {
    (url.starts_with("http://") || url.starts_with("https://"))
        && url.len() <= 2_000
        && !url.chars().any(|c| c.is_control() || c.is_whitespace())
}

fn file_name(url: &str) -> String {
    let digest = Sha256::digest(url.as_bytes());
    let hex: String = digest
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("{hex}.git")
}
