//! The entry point: commits, previews and the drain.

use std::{
    collections::HashMap,
    net::IpAddr,
    path::PathBuf,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use gix::{ObjectId, Repository};
use tokio::sync::RwLock;

use crate::{
    Change, Credential, FileEdit, GitError, Person, RemoteUrl, RepositoryPath, SigningKey,
    attempt::Attempt,
    clones::{CloneKey, Clones, create_private},
    journal::{Journal, Record},
    queue::Queue,
    transport::{Cage, Transport},
    tree::{Item, Tree},
};

/// The largest file that a preview shows as text.
const MAX_SHOWN: u64 = 1 << 20;

/// Bounds of the engine.
#[derive(Debug, Clone)]
pub struct Limits {
    /// For one call of the git program.
    pub time: Duration,
    /// For one clone.
    pub clone_bytes: u64,
    /// For all clones.
    pub cache_bytes: u64,
    /// Changes that wait for one branch.
    pub waiting: usize,
    /// How often a push is tried against others.
    pub attempts: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(60),
            clone_bytes: 512 << 20,
            cache_bytes: 2 << 30,
            waiting: 2000,
            attempts: 10,
        }
    }
}

/// Where the engine works, and as whom.
#[derive(Debug, Clone)]
pub struct Config {
    /// A folder for clones, which is emptied at the start.
    pub cache: PathBuf,
    /// The file with the results.
    pub journal: PathBuf,
    pub committer: Person,
    /// The git program, 2.38 or newer.
    pub git: PathBuf,
    pub limits: Limits,
    /// A build that is broken on purpose.
    #[cfg(test)]
    pub(crate) twin: crate::tests::twin::Twin,
}

/// A repository, and as whom it is reached.
#[derive(Debug, Clone)]
pub struct Remote {
    pub account: String,
    pub url: RemoteUrl,
    /// Names the credential, and changes with it.
    pub credential_id: String,
    pub credential: Credential,
    /// Signs the commits.
    pub signing_key: Option<Arc<SigningKey>>,
    /// The address of the host, when the caller has resolved and checked it.
    pub address: Option<IpAddr>,
}

/// What a credential may do with a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Access {
    pub read: Result<(), GitError>,
    pub push: Result<(), GitError>,
}

/// The commit of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    pub id: String,
    /// Whether an earlier request with this step id made it.
    pub is_repeat: bool,
}

/// What a change would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// The tip that the change was applied to.
    pub base: String,
    pub files: Vec<FileDiff>,
}

/// The change of one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDiff {
    pub path: String,
    /// A unified diff, or one line where the content is no text.
    pub text: String,
}

/// Commits changes, each step once.
pub struct Engine {
    pub(crate) config: Config,
    pub(crate) cage: Cage,
    pub(crate) clones: Clones,
    journal: Arc<Mutex<Journal>>,
    queues: Mutex<HashMap<(CloneKey, String), Arc<Queue>>>,
    running: RwLock<()>,
    is_draining: AtomicBool,
}

impl Engine {
    /// Reads the journal and empties the cache.
    pub fn open(config: Config) -> Result<Self, GitError> {
        let home = config.cache.join("home");
        let clones = Clones::open(&config.cache.join("clones"), config.limits.cache_bytes)?;
        create_private(&home)?;
        let journal = Journal::open(&config.journal)?;
        let cage = Cage {
            program: config.git.clone(),
            home,
            time: config.limits.time,
            max_bytes: config.limits.clone_bytes,
            #[cfg(test)]
            twin: config.twin,
        };
        Ok(Self {
            config,
            cage,
            clones,
            journal: Arc::new(Mutex::new(journal)),
            queues: Mutex::default(),
            running: RwLock::default(),
            is_draining: AtomicBool::new(false),
        })
    }

    /// Commits a change to a branch. A repeated step id returns its first commit.
    pub async fn commit(
        &self,
        remote: &Remote,
        branch: &str,
        change: Change,
    ) -> Result<Commit, GitError> {
        check_branch(branch)?;
        change.start.as_deref().map_or(Ok(()), check_branch)?;
        change.check()?;
        let _running = self.running.read().await;
        if self.is_draining.load(Ordering::SeqCst) {
            return Err(GitError::Draining);
        }
        let queue = self.queue(remote, branch);
        let done = queue.submit(self, remote, branch, Arc::new(change)).await;
        self.forget(remote, branch);
        done
    }

    /// Applies a change to the tip of a branch and shows the difference. Nothing is pushed.
    pub async fn preview(
        &self,
        remote: &Remote,
        branch: &str,
        change: Change,
    ) -> Result<Preview, GitError> {
        check_branch(branch)?;
        change.check()?;
        let clone = self.clones.get(remote);
        let mut clone = clone.lock().await;
        clone.prepare(remote)?;
        let mut attempt = Attempt::new(self, remote, branch, &mut clone);
        let tip = attempt.fetch().await?;
        let change = Arc::new(change);
        let mut applied = attempt.apply(tip, std::slice::from_ref(&change)).await?;
        if let Some((_, error)) = applied.failures.pop() {
            return Err(error);
        }
        let new = applied.commits.pop().map_or(tip, |(_, commit)| commit);
        let old_blobs = attempt.missing_before(tip, &change)?;
        attempt.fetch_blobs(&old_blobs).await?;
        let repository = attempt.open()?;
        let files = differences(&repository, tip, new, &change)?;
        Ok(Preview {
            base: tip.to_string(),
            files,
        })
    }

    /// Asks the server what the credential may do with a repository. Nothing is fetched or pushed.
    pub async fn check_access(&self, remote: &Remote) -> Result<Access, GitError> {
        let clone = self.clones.get(remote);
        let mut clone = clone.lock().await;
        clone.prepare(remote)?;
        let transport = Transport {
            cage: &self.cage,
            remote,
            folder: &clone.folder,
        };
        let read = transport.check_read().await;
        let push = match &read {
            Ok(()) => transport.check_push().await,
            Err(error) => Err(error.clone()),
        };
        Ok(Access { read, push })
    }

    /// Refuses new changes and waits for the running ones.
    pub async fn drain(&self) {
        self.is_draining.store(true, Ordering::SeqCst);
        drop(self.running.write().await);
    }

    pub(crate) fn record(&self, key: &str) -> Option<Record> {
        let journal = self.journal.lock().unwrap_or_else(PoisonError::into_inner);
        journal.get(key).cloned()
    }

    pub(crate) async fn store(&self, records: Vec<Record>) -> Result<(), GitError> {
        let journal = Arc::clone(&self.journal);
        let append = move || {
            journal
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .append(records)
        };
        blocking(append).await
    }

    fn queue(&self, remote: &Remote, branch: &str) -> Arc<Queue> {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (CloneKey::new(remote), branch.to_owned());
        Arc::clone(queues.entry(key).or_default())
    }

    /// Drops a queue that nothing uses.
    fn forget(&self, remote: &Remote, branch: &str) {
        let mut queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (CloneKey::new(remote), branch.to_owned());
        if queues
            .get(&key)
            .is_some_and(|queue| Arc::strong_count(queue) <= 2)
        {
            queues.remove(&key);
        }
    }
}

/// Runs work that reads and writes files on a thread for such work.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, GitError> + Send + 'static,
) -> Result<T, GitError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(GitError::Git(error.to_string())))
}

/// The rules of git for names of branches, and a bit more.
pub(crate) fn check_branch(branch: &str) -> Result<(), GitError> {
    let is_odd = |c: char| c.is_control() || c.is_whitespace() || "~^:?*[\\".contains(c);
    let is_part =
        |part: &str| !part.is_empty() && !part.starts_with(['.', '-']) && !part.ends_with(".lock");
    let is_valid = branch.len() <= 250
        && !branch.chars().any(is_odd)
        && branch.split('/').all(is_part)
        && !branch.contains("..")
        && !branch.contains("@{")
        && !branch.ends_with('.')
        && branch != "@"
        && branch != "HEAD";
    is_valid
        .then_some(())
        .ok_or(GitError::InvalidChange("the branch name is not valid"))
}

fn differences(
    repository: &Repository,
    old: ObjectId,
    new: ObjectId,
    change: &Change,
) -> Result<Vec<FileDiff>, GitError> {
    let tree =
        |commit: ObjectId| Ok::<_, GitError>(repository.find_commit(commit)?.tree_id()?.detach());
    let (mut old, mut new) = (
        Tree::new(repository, tree(old)?),
        Tree::new(repository, tree(new)?),
    );
    let mut paths: Vec<&RepositoryPath> = change.edits.iter().map(FileEdit::path).collect();
    paths.sort();
    paths.dedup();
    let mut files = Vec::new();
    for path in paths {
        let (before, after) = (old.get(path)?, new.get(path)?);
        if before != after {
            let texts = (text(&mut old, before), text(&mut new, after));
            let text = describe(path, texts, after);
            files.push(FileDiff {
                path: path.to_string(),
                text,
            });
        }
    }
    Ok(files)
}

/// The text of a file; an absent one is empty. Nothing for folders, binary and large files.
fn text(tree: &mut Tree<'_>, item: Option<Item>) -> Option<String> {
    match item {
        None => Some(String::new()),
        Some(Item::Folder(_)) => None,
        Some(Item::File(file)) => {
            let content = tree.read(file.id, MAX_SHOWN).ok().flatten()?;
            String::from_utf8(content)
                .ok()
                .filter(|text| !text.contains('\0'))
        }
    }
}

fn describe(
    path: &RepositoryPath,
    texts: (Option<String>, Option<String>),
    after: Option<Item>,
) -> String {
    match (texts, after) {
        ((Some(old), Some(new)), _) => {
            let diff = similar::TextDiff::from_lines(&old, &new);
            let names = (format!("a/{path}"), format!("b/{path}"));
            diff.unified_diff().header(&names.0, &names.1).to_string()
        }
        (_, None) => format!("deleted {path}\n"),
        (_, Some(Item::Folder(id) | Item::File(crate::tree::FileEntry { id, .. }))) => {
            format!("replaced {path} with object {id}\n")
        }
    }
}
