//! The store as rows, in a SQLite file or in a PostgreSQL that several replicas share: one task that commits what came in
//! together, and reads beside it.

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
mod order;
mod prefetch;
mod prepared_write;
mod read;
mod resource;
mod resource_reads;
mod schema;
mod state_cache;
mod state_updates;
mod statistics;
mod writer;

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::Bytes;
use causeway_database::{Database, DatabaseArgs, Error, Listener, PartTables, is_unavailable};
use causeway_proto::ids::AccountId;
use causeway_shell::FolderLock;
use futures::{FutureExt as _, future::BoxFuture};
use tokio::sync::{Semaphore, mpsc, oneshot};

use super::{Commits, Extent, Reads, Receipt, Rosters, Span, Store, StoreError, Write};
use crate::{
    application::{
        Facets, Field, Filter, HeldObject, Key, ObjectKind, Page, Place, Record, Scope, Sort, Uid,
        View, Visible,
    },
    deployment::{Deployments, Sought},
    digest::Digest,
    history::{Entry, Moment, Story},
    inventory::Wanted,
    metrics::Metrics,
    page_key::PageKey,
};
use manifests::Round;
use prepared_write::Task;
use state_cache::Recent;
use writer::{CHANGES, Job, Writer};

const QUEUED_JOBS: usize = 1024;
const COUNTS_AT_ONCE: usize = 2;
const QUEUED_KIB: usize = 128 << 10;

/// What the part keeps. Who reports is over with the streams that were open. A copy has an incarnation of its own: what its changes
/// are numbered by from then on was the number of others in what it was made of, so no watch may go on across it.
pub const KEPT: PartTables = PartTables {
    part: "inventory",
    file: "inventory.db",
    migrations: &schema::MIGRATIONS,
    transient: &["seat"],
    renewals: &["UPDATE store SET incarnation = $1"],
};

/// Why the database cannot be used. One line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has it.
    #[error(
        "data folder {0} is in use by another process: stop that one or choose another folder with --data"
    )]
    Locked(PathBuf),
    /// The file system refused.
    #[error("data folder {0} cannot be used: check that it is a folder that this user may write")]
    Folder(PathBuf, #[source] io::Error),
    /// The database refused.
    #[error(transparent)]
    Database(#[from] causeway_database::OpenError),
    /// Somebody changed a row by hand.
    #[error(
        "the page_key in the table store is no key: set it to the empty text, and another one is made"
    )]
    PageKey,
    /// The database did not do what it was asked first.
    #[error("the database does not work")]
    Broken(#[from] Error),
}

/// A store in a database.
#[derive(Debug)]
pub struct SqlStore {
    incarnation: u64,
    page_key: PageKey,
    database: Database,
    jobs: mpsc::Sender<Job>,
    room: Arc<Semaphore>,
    commits: Arc<Commits>,
    recent: Recent,
    /// What manifests are named, while those that are not are forgotten.
    round: Round,
    /// Counts look at many rows, and lists are not to wait for them.
    counting: Semaphore,
    // Of a file; it ends with the file handle.
    _lock: Option<FolderLock>,
}

/// The task that must run for the store to take writes. It ends when the store is dropped.
pub type WriterTask = BoxFuture<'static, ()>;

impl SqlStore {
    /// Opens the database that the flags name, or else the one of a data folder, making both where they are missing.
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
        labels::index_old(&database).await?;
        history::backfill::begin_old(&database).await?;
        membership::clear(&database).await?;
        let (jobs, queue) = mpsc::channel(QUEUED_JOBS);
        let commits = Arc::<Commits>::default();
        let recent = Recent::new();
        let told = (commits.clone(), recent.clone());
        let writer = Writer::new(database.clone(), queue, told, metrics);
        let statistics = statistics::run(database.clone(), writer.written(), statistics::USUAL);
        let store = Self {
            incarnation,
            page_key,
            database,
            jobs,
            room: Arc::new(Semaphore::new(QUEUED_KIB)),
            commits,
            recent,
            round: Round::default(),
            counting: Semaphore::new(COUNTS_AT_ONCE),
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

    async fn take(&self, write: Write) -> Result<Receipt, StoreError> {
        let kib = u32::try_from(size(&write) / 1024 + 1).unwrap_or(u32::MAX);
        let room = self.room.clone().acquire_many_owned(kib).await;
        let room = room.map_err(|_| StoreError::Stopped)?;
        let (reply, answer) = oneshot::channel();
        let job = Job {
            task: Task::prepare(write, &self.database, &self.round).await?,
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
        Write::Resource(change) => change.size(),
        Write::Event(change) => change.size(),
        Write::Manifest(_, _, content) => content.len(),
        Write::Following(change, base) => change.size() + base.canonical.len(),
        Write::Epoch(_) | Write::Forget(..) | Write::Thin(..) => 0,
    }
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
        self.take(write).boxed()
    }

    fn reads(&self) -> &dyn Reads {
        self
    }

    fn rosters(&self) -> &dyn Rosters {
        self
    }

    fn queued(&self) -> usize {
        QUEUED_JOBS - self.jobs.capacity()
    }
}

impl Reads for SqlStore {
    fn incarnation(&self) -> u64 {
        self.incarnation
    }

    fn page_key(&self) -> &PageKey {
        &self.page_key
    }

    fn held<'a>(
        &'a self,
        scope: &'a Scope,
        after: Option<&'a Uid>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<HeldObject>, StoreError>> {
        match &scope.kind {
            ObjectKind::Application => read::held(&self.database, scope, after, limit).boxed(),
            ObjectKind::Resource(_) => {
                resource::read::held(&self.database, scope, after, limit).boxed()
            }
            ObjectKind::Event => event::held(&self.database, scope, after, limit).boxed(),
        }
    }

    fn held_state<'a>(
        &'a self,
        scope: &'a Scope,
        uid: &'a Uid,
        root: &'a Digest,
    ) -> BoxFuture<'a, Result<Option<Bytes>, StoreError>> {
        async move {
            if let Some(packed) = self.recent.get(scope, uid, root).await {
                return Ok(read::unpacked(&packed));
            }
            read::held_state(&self.database, scope, uid, root).await
        }
        .boxed()
    }

    fn list<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        view: View,
        after: Option<&'a Place>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page<Record>, StoreError>> {
        list::list(&self.database, account, filter, view, after, limit).boxed()
    }

    fn facets<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        fields: &'a [Field],
        most: usize,
    ) -> BoxFuture<'a, Result<Facets, StoreError>> {
        async move {
            let permit = self.counting.acquire().await;
            let _permit = permit.map_err(|_| StoreError::Stopped)?;
            facets::facets(&self.database, account, filter, fields, most).await
        }
        .boxed()
    }

    fn changed<'a>(
        &'a self,
        account: &'a AccountId,
        filter: &'a Filter,
        view: View,
        span: Span,
        limit: usize,
    ) -> BoxFuture<'a, Result<Page<Record>, StoreError>> {
        read::changed(&self.database, account, filter, view, span, limit).boxed()
    }

    fn keys<'a>(
        &'a self,
        account: &'a AccountId,
        visible: &'a Visible,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Key>, StoreError>> {
        list::keys(&self.database, account, visible, limit).boxed()
    }

    fn place_of<'a>(
        &'a self,
        account: &'a AccountId,
        sort: Sort,
        change: u64,
    ) -> BoxFuture<'a, Result<Option<Place>, StoreError>> {
        list::place_of(&self.database, account, sort, change).boxed()
    }

    fn manifest<'a>(
        &'a self,
        account: &'a AccountId,
        digest: &'a Digest,
    ) -> BoxFuture<'a, Result<Option<Bytes>, StoreError>> {
        read::manifest(&self.database, account, digest).boxed()
    }

    fn deployments<'a>(
        &'a self,
        account: &'a AccountId,
        sought: &'a Sought,
        after: Option<u64>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Option<Deployments>, StoreError>> {
        deployments::list(&self.database, account, sought, after, limit).boxed()
    }

    fn stories<'a>(
        &'a self,
        account: &'a AccountId,
        wanted: &'a Wanted,
    ) -> BoxFuture<'a, Result<Vec<Story>, StoreError>> {
        history::read::stories(&self.database, account, wanted).boxed()
    }

    fn entries<'a>(
        &'a self,
        account: &'a AccountId,
        story: i64,
        until: Moment,
        most: usize,
    ) -> BoxFuture<'a, Result<Vec<Entry>, StoreError>> {
        history::read::entries(&self.database, account, story, until, most).boxed()
    }

    fn beginning<'a>(
        &'a self,
        account: &'a AccountId,
        story: i64,
    ) -> BoxFuture<'a, Result<Option<Moment>, StoreError>> {
        history::read::beginning(&self.database, account, story).boxed()
    }

    fn extent<'a>(&'a self, account: &'a AccountId) -> BoxFuture<'a, Result<Extent, StoreError>> {
        read::extent(&self.database, account).boxed()
    }

    fn live(&self) -> BoxFuture<'_, Result<u64, StoreError>> {
        read::live(&self.database).boxed()
    }

    fn commits(&self) -> &Commits {
        &self.commits
    }

    fn refresh(&self) -> BoxFuture<'_, Result<(), StoreError>> {
        async move {
            for (account, latest) in read::extents(&self.database).await? {
                self.commits.tell(&account, latest);
            }
            Ok(())
        }
        .boxed()
    }

    fn listen(&self) -> Listener {
        self.database.listen(CHANGES)
    }
}
