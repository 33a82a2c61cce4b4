//! The store of a single process: one SQLite file in WAL mode, one writer task that commits what came in together, and a pool
//! of readers.

mod batch;
mod held;
mod list;
mod read;
mod schema;
mod writer;

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use causeway_proto::ids::AccountId;
use causeway_shell::FolderLock;
use futures::{FutureExt as _, future::BoxFuture};
use sqlx::{
    ConnectOptions as _, SqlitePool,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use tokio::sync::{Semaphore, mpsc, oneshot};

use super::{Commits, Extent, Reads, Receipt, Span, Store, StoreError, Write};
use crate::{
    application::{Filter, HeldObject, Key, Page, Record, Scope, Uid, View, Visible},
    digest::Digest,
    metrics::Metrics,
};
use writer::{Job, Writer};

const QUEUED_JOBS: usize = 1024;
const QUEUED_KIB: usize = 128 << 10;
const COMPRESS_INLINE: usize = 16 << 10;
const READERS: u32 = 4;

/// Why a data folder cannot be used. One line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has it.
    #[error(
        "data folder {0} is in use by another process: stop that one or choose another folder with --data"
    )]
    Locked(PathBuf),
    /// A newer version wrote it.
    #[error(
        "data folder {folder} was written by a newer version (schema {found}, this one knows {known}): start that version or choose another folder with --data"
    )]
    Newer {
        folder: PathBuf,
        found: i64,
        known: i64,
    },
    /// The file system refused.
    #[error("data folder {0} cannot be used: check that it is a folder that this user may write")]
    Folder(PathBuf, #[source] io::Error),
    /// The database refused.
    #[error(
        "database {0} cannot be opened: check that it is a causeway database and the disk is not full"
    )]
    Database(PathBuf, #[source] sqlx::Error),
}

/// A store in a file.
#[derive(Debug)]
pub struct Sqlite {
    incarnation: u64,
    readers: SqlitePool,
    jobs: mpsc::Sender<Job>,
    room: Arc<Semaphore>,
    commits: Arc<Commits>,
    // The lock ends with the file handle.
    _lock: FolderLock,
}

/// The task that must run for the store to take writes. It ends when the store is dropped.
pub type WriterTask = BoxFuture<'static, ()>;

impl Sqlite {
    /// Opens the database of a data folder, making both where they are missing.
    pub async fn open(folder: &Path, metrics: Metrics) -> Result<(Self, WriterTask), OpenError> {
        let lock = lock(folder)?;
        let path = folder.join("inventory.db");
        let failed = |error| OpenError::Database(path.clone(), error);
        let options = SqliteConnectOptions::new()
            .filename(&path)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(Duration::from_secs(5))
            .disable_statement_logging();
        let create = options.clone().create_if_missing(true);
        let mut connection = create.connect().await.map_err(failed)?;
        schema::migrate(&mut connection, folder, &path).await?;
        let incarnation = schema::incarnation(&mut connection).await.map_err(failed)?;
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            .connect_with(options.read_only(true))
            .await
            .map_err(failed)?;
        let (jobs, queue) = mpsc::channel(QUEUED_JOBS);
        let commits = Arc::<Commits>::default();
        let writer = Writer::new(connection, queue, commits.clone(), metrics);
        let store = Self {
            incarnation,
            readers,
            jobs,
            room: Arc::new(Semaphore::new(QUEUED_KIB)),
            commits,
            _lock: lock,
        };
        Ok((store, writer.run().boxed()))
    }

    async fn take(&self, write: Write) -> Result<Receipt, StoreError> {
        let kib = u32::try_from(size(&write) / 1024 + 1).unwrap_or(u32::MAX);
        let room = self.room.clone().acquire_many_owned(kib).await;
        let room = room.map_err(|_| StoreError::Stopped)?;
        let (reply, answer) = oneshot::channel();
        let job = Job {
            write: compressed(write).await?,
            reply,
            _room: room,
        };
        self.jobs.send(job).await.map_err(|_| StoreError::Stopped)?;
        Ok(async move { answer.await.map_err(|_| StoreError::Stopped)? }.boxed())
    }
}

fn lock(folder: &Path) -> Result<FolderLock, OpenError> {
    let refused = |error| OpenError::Folder(folder.to_owned(), error);
    fs::create_dir_all(folder).map_err(refused)?;
    let lock = FolderLock::take(&folder.join("inventory.lock")).map_err(refused)?;
    lock.ok_or_else(|| OpenError::Locked(folder.to_owned()))
}

fn size(write: &Write) -> usize {
    match write {
        Write::Report(change) => change.size(),
        Write::Manifest(_, _, content) => content.len(),
        Write::Epoch(_) | Write::Forget(_) => 0,
    }
}

async fn compressed(write: Write) -> Result<Write, StoreError> {
    let Write::Manifest(account, digest, content) = write else {
        return Ok(write);
    };
    let small = content.len() <= COMPRESS_INLINE;
    let compress = move || zstd::bulk::compress(&content, 3);
    let packed = if small {
        compress()
    } else {
        tokio::task::spawn_blocking(compress)
            .await
            .map_err(|error| StoreError::Failed(error.into()))?
    };
    let packed = packed.map_err(|error| StoreError::Failed(error.into()))?;
    Ok(Write::Manifest(account, digest, packed.into()))
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl Store for Sqlite {
    fn submit(&self, write: Write) -> BoxFuture<'_, Result<Receipt, StoreError>> {
        self.take(write).boxed()
    }

    fn reads(&self) -> &dyn Reads {
        self
    }

    fn queued(&self) -> usize {
        QUEUED_JOBS - self.jobs.capacity()
    }
}

impl Reads for Sqlite {
    fn incarnation(&self) -> u64 {
        self.incarnation
    }

    fn held<'a>(
        &'a self,
        scope: &'a Scope,
        after: Option<&'a Uid>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<HeldObject>, StoreError>> {
        read::held(&self.readers, scope, after, limit).boxed()
    }

    fn list<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        view: View,
        after: Option<&'a Key>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page<Record>, StoreError>> {
        list::list(&self.readers, account, filter, view, after, limit).boxed()
    }

    fn changed<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        view: View,
        span: Span,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page<Record>, StoreError>> {
        read::changed(&self.readers, account, filter, view, span, limit).boxed()
    }

    fn keys<'a>(
        &'a self,
        account: &'a AccountId,
        visible: &'a Visible,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Key>, StoreError>> {
        list::keys(&self.readers, account, visible, limit).boxed()
    }

    fn key_of<'a>(
        &'a self,
        account: &'a AccountId,
        change: u64,
    ) -> BoxFuture<'a, Result<Option<Key>, StoreError>> {
        list::key_of(&self.readers, account, change).boxed()
    }

    fn manifest<'a>(
        &'a self,
        account: &'a AccountId,
        digest: &'a Digest,
    ) -> BoxFuture<'a, Result<Option<Bytes>, StoreError>> {
        read::manifest(&self.readers, account, digest).boxed()
    }

    fn extent<'a>(&'a self, account: &'a AccountId) -> BoxFuture<'a, Result<Extent, StoreError>> {
        read::extent(&self.readers, account).boxed()
    }

    fn live(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        read::live(&self.readers).boxed()
    }

    fn commits(&self) -> &Commits {
        &self.commits
    }
}
