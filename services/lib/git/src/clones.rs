//! Bare, blobless, shallow clones in a bounded cache.
//!
//! A clone belongs to one account, one credential and one repository. Its folder has a random name.

use std::{
    collections::HashMap,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use gix::ObjectId;

use crate::{GitError, Remote, process::size_of};

/// Commits write loose objects; after this many a clone is made again too.
const MAX_COMMITS: u64 = 2000;
/// What the objects of one commit take on disk, about.
const COMMIT_BYTES: u64 = 4 << 10;

/// After this many fetches a clone is made again, which is cheaper than repacking it.
const MAX_FETCHES: u64 = 200;

/// Two calls with the same key may see the same objects.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CloneKey {
    account: String,
    credential: String,
    url: String,
}

impl CloneKey {
    pub(crate) fn new(remote: &Remote) -> Self {
        Self {
            account: remote.account.clone(),
            credential: remote.credential_id.clone(),
            url: remote.url.to_string(),
        }
    }
}

/// A clone, or the place for one. One batch works on it at a time.
pub(crate) struct Clone {
    pub(crate) folder: PathBuf,
    pub(crate) fetches: u64,
    pub(crate) commits: u64,
    /// The tips of branches after own pushes.
    pub(crate) tips: HashMap<String, ObjectId>,
    is_ready: bool,
}

pub(crate) struct Clones {
    root: PathBuf,
    max_bytes: u64,
    uses: AtomicU64,
    entries: Mutex<HashMap<CloneKey, Entry>>,
}

#[derive(Clone)]
struct Entry {
    clone: Arc<tokio::sync::Mutex<Clone>>,
    folder: PathBuf,
    last_use: u64,
    bytes: u64,
}

impl Clones {
    /// Empties the folder: what an earlier process left is not trusted.
    pub(crate) fn open(root: &Path, max_bytes: u64) -> Result<Self, GitError> {
        if root.exists() {
            std::fs::remove_dir_all(root)?;
        }
        create_private(root)?;
        Ok(Self {
            root: root.to_owned(),
            max_bytes,
            uses: AtomicU64::new(0),
            entries: Mutex::default(),
        })
    }

    /// The clone of a remote; the caller locks it for its work.
    pub(crate) fn get(&self, remote: &Remote) -> Arc<tokio::sync::Mutex<Clone>> {
        let last_use = self.uses.fetch_add(1, Ordering::Relaxed);
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = entries.entry(CloneKey::new(remote)).or_insert_with(|| {
            let folder = self.root.join(format!("{:032x}", rand::random::<u128>()));
            let clone = Clone {
                folder: folder.clone(),
                fetches: 0,
                commits: 0,
                tips: HashMap::new(),
                is_ready: false,
            };
            let clone = Arc::new(tokio::sync::Mutex::new(clone));
            Entry {
                clone,
                folder,
                last_use,
                bytes: 0,
            }
        });
        entry.last_use = last_use;
        Arc::clone(&entry.clone)
    }

    /// Notes the size of a clone after its use, and removes the least recently used ones until the rest fits.
    pub(crate) fn release(&self, remote: &Remote, bytes: u64) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries.get_mut(&CloneKey::new(remote)) {
            entry.bytes = bytes;
        }
        let mut found: Vec<_> = entries
            .iter()
            .map(|(key, entry)| (entry.last_use, key.clone()))
            .collect();
        found.sort();
        let mut total: u64 = entries.values().map(|entry| entry.bytes).sum();
        for (_, key) in found {
            if total <= self.max_bytes {
                return;
            }
            let is_idle = |entry: &Entry| Arc::strong_count(&entry.clone) == 1;
            if entries.get(&key).is_some_and(is_idle)
                && let Some(entry) = entries.remove(&key)
            {
                total = total.saturating_sub(entry.bytes);
                let _ = std::fs::remove_dir_all(&entry.folder);
            }
        }
    }
}

impl Clone {
    /// Makes the folder a bare repository that expects missing blobs.
    pub(crate) fn prepare(&mut self, remote: &Remote) -> Result<(), GitError> {
        if self.is_ready && self.fetches < MAX_FETCHES && self.commits < MAX_COMMITS {
            return Ok(());
        }
        self.discard()?;
        create_private(&self.folder)?;
        for name in ["objects/info", "objects/pack", "refs/heads", "refs/remotes"] {
            std::fs::create_dir_all(self.folder.join(name))?;
        }
        std::fs::write(self.folder.join("HEAD"), "ref: refs/heads/none\n")?;
        std::fs::write(self.folder.join("config"), configuration(remote))?;
        self.is_ready = true;
        self.fetches = 0;
        self.commits = 0;
        Ok(())
    }

    /// Throws the clone away, so that the next use makes it again.
    pub(crate) fn discard(&mut self) -> Result<(), GitError> {
        self.is_ready = false;
        self.tips.clear();
        if self.folder.exists() {
            std::fs::remove_dir_all(&self.folder)?;
        }
        Ok(())
    }

    /// The packs, and an estimate of the loose objects, which are too many to count.
    pub(crate) fn bytes(&self) -> u64 {
        size_of(&self.folder.join("objects/pack")) + self.commits * COMMIT_BYTES
    }

    pub(crate) fn open(&self) -> Result<gix::Repository, GitError> {
        let options = gix::open::Options::isolated()
            .with(gix::sec::Trust::Full)
            .open_path_as_is(true);
        Ok(options.open(&self.folder)?.to_thread_local())
    }
}

/// The URL has been parsed, so it holds no quote and no line break.
fn configuration(remote: &Remote) -> String {
    format!(
        "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tpartialClone = origin\n\
         [remote \"origin\"]\n\turl = \"{}\"\n\tpromisor = true\n\tpartialclonefilter = blob:none\n",
        remote.url
    )
}

pub(crate) fn create_private(folder: &Path) -> Result<(), GitError> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    Ok(())
}
