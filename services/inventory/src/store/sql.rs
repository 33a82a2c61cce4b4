//! Store in a database: a SQLite file, or PostgreSQL shared by several replicas. One task commits queued writes in groups, and
//! queries run beside it.

mod application;
mod batch;
mod chunks;
mod current;
mod deployments;
mod event;
mod facets;
mod gc;
mod history;
mod image;
mod labels;
mod list;
mod manifests;
mod membership;
mod prefetch;
mod prepared_write;
mod quota;
mod read;
mod resource;
mod scan_order;
mod schema;
mod search;
mod state_cache;
mod state_updates;
mod statistics;
mod writer;

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use causeway_assertion::private_file::open_private_folder;
use causeway_database::{
    Database, DatabaseArgs, Error, Listener, PartTables, is_unavailable, query,
};
use causeway_proto::ids::AccountId;
use causeway_shell::FolderLock;
use futures::{FutureExt as _, future::BoxFuture};
use tokio::sync::{Semaphore, mpsc, oneshot};

use super::{
    ChangeBounds, CommitNotifier, MembershipStore, Reads, Receipt, Store, StoreError, Write,
};
use crate::{
    application::{HeldObject, ObjectKind, ObjectName, Scope, Uid},
    metrics::Metrics,
    page_key::PageKey,
    quota::{HistoryExcess, Owner, Usage},
};
use manifests::ReferenceCache;
use prepared_write::PreparedWrite;
use state_cache::StateCache;
use writer::{CHANGES, Job, Writer};

const MAX_QUEUED_JOBS: usize = 1024;
const MAX_CONCURRENT_COUNTS: usize = 2;
const MAX_QUEUED_KIB: usize = 128 << 10;

/// Tables of the inventory. Memberships are transient, because streams end with the process. A restored copy gets its own
/// incarnation: it will reuse change numbers, so no watch may continue across a restore.
pub const KEPT: PartTables = PartTables {
    part: "inventory",
    file: "inventory.db",
    migrations: &schema::MIGRATIONS,
    transient: &["seat"],
    renewals: &["UPDATE store SET incarnation = $1"],
};

/// Error of opening the database; one line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has locked the folder.
    #[error(
        "data folder {0} is in use by another process: stop that one or choose another folder with --data"
    )]
    Locked(PathBuf),
    /// The file system returned an error.
    #[error("data folder {0} cannot be used: check that it is a folder that this user may write")]
    Folder(PathBuf, #[source] io::Error),
    #[error(transparent)]
    Database(#[from] causeway_database::OpenError),
    /// The stored page key was edited.
    #[error(
        "the page_key in the table store is no key: set it to the empty text to generate another one"
    )]
    PageKey,
    /// A first statement failed.
    #[error("the database cannot be prepared: check the disk and the server's log")]
    Broken(#[from] Error),
}

/// Store in a database.
#[derive(Debug)]
pub struct SqlStore {
    incarnation: u64,
    page_key: PageKey,
    database: Database,
    jobs: mpsc::Sender<Job>,
    queue_memory: Arc<Semaphore>,
    commits: Arc<CommitNotifier>,
    state_cache: StateCache,
    /// Manifest references, cached for one round of garbage collection.
    references: ReferenceCache,
    /// Limits concurrent counts: they scan many rows, and would take all connections from the lists.
    counting: Semaphore,
    // Held for a file only; released when the store is dropped.
    _lock: Option<FolderLock>,
}

/// Writer task of a store. It must run for writes to complete, and ends when the store is dropped.
pub type WriterTask = BoxFuture<'static, ()>;

impl SqlStore {
    /// Opens the database of the flags, or else the one in the data folder; creates and migrates it where necessary.
    pub async fn open(
        args: &DatabaseArgs,
        folder: &Path,
        metrics: Metrics,
    ) -> Result<(Self, WriterTask), OpenError> {
        let lock = match args.database {
            Some(_) => None,
            None => Some(lock(folder)?),
        };
        let file = folder.join(KEPT.file);
        let database = Database::open(args, KEPT.part, &file, KEPT.migrations).await?;
        let incarnation = schema::incarnation(&database).await?;
        let page_key = schema::page_key(&database)
            .await?
            .ok_or(OpenError::PageKey)?;
        labels::backfill(&database).await?;
        history::backfill::backfill(&database).await?;
        membership::clear(&database).await?;
        let (jobs, queue) = mpsc::channel(MAX_QUEUED_JOBS);
        let commits = Arc::<CommitNotifier>::default();
        let state_cache = StateCache::new();
        let caches = (commits.clone(), state_cache.clone());
        let writer = Writer::new(database.clone(), queue, caches, metrics);
        let statistics = statistics::run(
            database.clone(),
            writer.written(),
            statistics::DEFAULT_POLICY,
        );
        let store = Self {
            incarnation,
            page_key,
            database,
            jobs,
            queue_memory: Arc::new(Semaphore::new(MAX_QUEUED_KIB)),
            commits,
            state_cache,
            references: ReferenceCache::default(),
            counting: Semaphore::new(MAX_CONCURRENT_COUNTS),
            _lock: lock,
        };
        let work = async move {
            tokio::select! {
                () = writer.run() => {}
                never = statistics => match never {},
            }
        };
        Ok((store, work.boxed()))
    }

    pub(crate) fn database(&self) -> &Database {
        &self.database
    }

    async fn enqueue(&self, write: Write) -> Result<Receipt, StoreError> {
        let kib = u32::try_from(write.size() / 1024 + 1).unwrap_or(u32::MAX);
        // Memory is reserved before the write is compressed, so that waiting callers hold no second copy.
        let memory = self.queue_memory.clone().acquire_many_owned(kib).await;
        let memory = memory.map_err(|_| StoreError::Stopped)?;
        let (reply, outcome) = oneshot::channel();
        let job = Job {
            write: PreparedWrite::new(write, &self.database, &self.references).await?,
            reply,
            _memory: memory,
        };
        self.jobs.send(job).await.map_err(|_| StoreError::Stopped)?;
        Ok(async move { outcome.await.map_err(|_| StoreError::Stopped)? }.boxed())
    }
}

fn lock(folder: &Path) -> Result<FolderLock, OpenError> {
    let refused = |error| OpenError::Folder(folder.to_owned(), error);
    open_private_folder(folder).map_err(refused)?;
    let lock = FolderLock::try_acquire(&folder.join("inventory.lock")).map_err(refused)?;
    lock.ok_or_else(|| OpenError::Locked(folder.to_owned()))
}

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        if is_unavailable(&error) {
            return Self::Unavailable;
        }
        Self::Failed(error.into())
    }
}

impl Store for SqlStore {
    fn submit(&self, write: Write) -> BoxFuture<'_, Result<Receipt, StoreError>> {
        self.enqueue(write).boxed()
    }

    fn reads(&self) -> &dyn Reads {
        self
    }

    fn memberships(&self) -> &dyn MembershipStore {
        self
    }

    fn queued(&self) -> usize {
        MAX_QUEUED_JOBS - self.jobs.capacity()
    }
}

impl Reads for SqlStore {
    fn incarnation(&self) -> u64 {
        self.incarnation
    }

    fn page_key(&self) -> &PageKey {
        &self.page_key
    }

    fn list_held<'a>(
        &'a self,
        scope: &'a Scope,
        after: Option<&'a Uid>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<HeldObject>, StoreError>> {
        match &scope.kind {
            ObjectKind::Application => {
                application::held(&self.database, scope, after, limit).boxed()
            }
            ObjectKind::Resource(_) => {
                resource::read::held(&self.database, scope, after, limit).boxed()
            }
            ObjectKind::Event => event::held(&self.database, scope, after, limit).boxed(),
        }
    }

    fn change_bounds<'a>(
        &'a self,
        account: &'a AccountId,
    ) -> BoxFuture<'a, Result<ChangeBounds, StoreError>> {
        async move {
            let database = &self.database;
            let row =
                query("SELECT latest_change, forgotten_change FROM account WHERE account = $1")
                    .bind(account.as_str())
                    .fetch_optional(database)
                    .await?;
            let Some(row) = row else {
                return Ok(ChangeBounds::default());
            };
            Ok(ChangeBounds {
                latest: row.try_get::<i64>(0)?.cast_unsigned(),
                forgotten: row.try_get::<i64>(1)?.cast_unsigned(),
            })
        }
        .boxed()
    }

    fn count_live(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        async move {
            let database = &self.database;
            let row = query(
                "SELECT (SELECT count(*) FROM application WHERE deleted = 0)
             + (SELECT count(*) FROM resource WHERE deleted = 0)",
            )
            .fetch_one(database)
            .await?;
            let count: i64 = row.try_get(0)?;
            Ok(count.cast_unsigned())
        }
        .boxed()
    }

    fn usage<'a>(&'a self, owner: &'a Owner) -> BoxFuture<'a, Result<Usage, StoreError>> {
        quota::usage(&self.database, owner).boxed()
    }

    fn is_held<'a>(
        &'a self,
        scope: &'a Scope,
        uid: &'a Uid,
        object: &'a ObjectName,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        quota::is_held(&self.database, scope, uid, object).boxed()
    }

    fn history_excess(&self, most: u64) -> BoxFuture<'_, Result<Vec<HistoryExcess>, StoreError>> {
        quota::history_excess(&self.database, most).boxed()
    }

    fn commits(&self) -> &CommitNotifier {
        &self.commits
    }

    fn poll_commits(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        async move {
            let rows =
                query("SELECT account, latest_change FROM account").fetch_all(&self.database);
            for row in rows.await? {
                let latest: i64 = row.try_get("latest_change")?;
                self.commits
                    .publish(&row.get_parsed("account")?, latest.cast_unsigned());
            }
            Ok(())
        }
        .boxed()
    }

    fn listen(&self) -> Listener {
        self.database.listen(CHANGES)
    }
}
