//! The inventory as its callers see it: one value that all handlers share.

mod history;
mod lists;
mod resources;

use std::{collections::BTreeSet, fmt, sync::Arc};

use bytes::Bytes;
use causeway_proto::ids::{AccountId, RuntimeId, RuntimeName};
use futures::{FutureExt as _, Stream, future::BoxFuture, stream::BoxStream};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{
    application::{ANSWER_BYTES, Filter, Key, Record, View, Visible, nearest},
    deployment::{Deployment, DeploymentCounts, DeploymentFilter, DeploymentToken, Period},
    digest::Digest,
    metrics::Metrics,
    quota::{QuotaLedger, Quotas},
    report::membership::Members,
    report::{self, Incoming, Outgoing, ReadDelta, Reporter, SessionError},
    rows::{MAX_ROWS, Rows},
    store::{Store, StoreError},
    watch::{self, Step, Watch, WatchError},
};
pub use history::{DecodedState, HistoryError, ReadState, Snapshot};
pub use lists::{List, Listed, PageStart};
pub use resources::{FindError, WantedResource};

const SEARCHED_KEYS: usize = 1_000;
const SAME_NAME: usize = 100;
/// Bytes of a manifest in an answer beside its content.
const MANIFEST_OVERHEAD: usize = 128;
const MOST_SUMMARIES: usize = 4;

/// How the names of runtimes are found.
pub trait RuntimeNames: Send + Sync + 'static {
    /// The name of a runtime.
    fn name<'a>(
        &'a self,
        account: &'a AccountId,
        runtime: &'a RuntimeId,
    ) -> BoxFuture<'a, Result<RuntimeName, NameError>>;
}

/// Why a runtime's name is not known.
#[derive(Debug, Clone, thiserror::Error)]
pub enum NameError {
    /// There is no such runtime in the account.
    #[error("the runtime is not known: it may have been removed")]
    Unknown,
    /// Whoever knows does not answer.
    #[error("the runtime's name cannot be had now: {0}")]
    Unavailable(String),
}

/// Calls each runtime by its id: for simulations without names.
#[derive(Debug, Clone, Copy)]
pub struct NamesAreIds;

impl RuntimeNames for NamesAreIds {
    fn name<'a>(
        &'a self,
        _account: &'a AccountId,
        runtime: &'a RuntimeId,
    ) -> BoxFuture<'a, Result<RuntimeName, NameError>> {
        let name = runtime.as_str().parse().map_err(|_| NameError::Unknown);
        futures::future::ready(name).boxed()
    }
}

/// The inventory. Clones are the same one.
#[derive(Clone)]
pub struct Inventory(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    store: Arc<dyn Store>,
    members: Arc<Members>,
    names: Arc<dyn RuntimeNames>,
    stop: CancellationToken,
    metrics: Metrics,
    /// Limits summaries that are made at once.
    summaries: Arc<Semaphore>,
    rows: Arc<Rows>,
    quotas: Arc<QuotaLedger>,
}

impl fmt::Debug for Inventory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Inventory").finish_non_exhaustive()
    }
}

/// Name of one application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApplicationRequest {
    /// Its runtime, by name.
    pub runtime: String,
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// Its cluster; empty where only one has it.
    pub cluster: String,
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub enum ListError {
    /// The token belongs to another caller, or the caller's scope has changed.
    #[error("page_token was made for another account or other rights: begin again without one")]
    OtherScope,
    /// The token is of a list in another order.
    #[error("page_token was made for another sort: begin again without one")]
    OtherSort,
    /// Only the rows in memory could answer it, and there are too many.
    #[error(
        "the account has too many applications for this list: leave out offset, descending, the orders created, cluster and last operation, and filters and counts by other than names and states"
    )]
    TooMany,
    /// What the token is of has been forgotten.
    #[error("page_token is of something that is no longer kept: begin again without one")]
    Forgotten,
    /// The store does not work.
    #[error("the inventory cannot be read now: try again")]
    Store(#[from] StoreError),
}

/// Why an application was not found. One that is out of the caller's scope is as if it were not there.
#[derive(Debug, thiserror::Error)]
pub enum GetError {
    /// There is none of that name.
    #[error("there is no application {name} in namespace {namespace} of runtime {runtime}{hint}", name = wanted.name, namespace = wanted.namespace, runtime = wanted.runtime)]
    Unknown {
        /// What was asked for.
        wanted: ApplicationRequest,
        /// The nearest names, as words for people.
        hint: String,
    },
    /// Several clusters have one of that name.
    #[error("several clusters have this application: name one of {0} in `cluster`")]
    Ambiguous(String),
    /// The store does not work.
    #[error("applications cannot be read now: try again")]
    Store(#[from] StoreError),
}

impl Inventory {
    /// An inventory on a store; it ends its streams when `stop` is cancelled. With others on the same store it agrees on who
    /// reports as long as [`Self::keep_members`] runs.
    pub fn new(
        store: Arc<dyn Store>,
        names: Arc<dyn RuntimeNames>,
        stop: CancellationToken,
    ) -> Self {
        let members = Arc::new(Members::new(store.clone(), Uuid::now_v7()));
        Self(Arc::new(Inner {
            store,
            members,
            names,
            stop,
            metrics: Metrics::unread(),
            summaries: Arc::new(Semaphore::new(MOST_SUMMARIES)),
            rows: Arc::new(Rows::new(MAX_ROWS)),
            quotas: Arc::new(QuotaLedger::new(Quotas::DEFAULT)),
        }))
    }

    /// The same with other quotas of runtimes.
    #[must_use]
    pub fn with_quotas(self, quotas: Quotas) -> Self {
        Self(Arc::new(Inner {
            quotas: Arc::new(QuotaLedger::new(quotas)),
            ..(*self.0).clone()
        }))
    }

    /// The same with figures that are read.
    #[must_use]
    pub fn with_metrics(self, metrics: Metrics) -> Self {
        Self(Arc::new(Inner {
            metrics,
            ..(*self.0).clone()
        }))
    }

    /// The same with another bound of the rows that it holds in memory.
    #[must_use]
    pub fn with_max_rows(self, max_rows: usize) -> Self {
        Self(Arc::new(Inner {
            rows: Arc::new(Rows::new(max_rows)),
            ..(*self.0).clone()
        }))
    }

    /// The same under the id by which the platform knows this replica.
    #[must_use]
    pub fn as_replica(self, replica: Uuid) -> Self {
        let members = Members::new(self.0.store.clone(), replica);
        Self(Arc::new(Inner {
            members: Arc::new(members),
            ..(*self.0).clone()
        }))
    }

    /// Tells who reports here and hears who reports elsewhere, until the streams have ended that `stop` ends.
    pub fn keep_members(&self) -> impl Future<Output = ()> + Send + 'static {
        self.0.members.clone().keep(self.0.stop.clone())
    }

    /// What ends its streams.
    pub fn stop(&self) -> &CancellationToken {
        &self.0.stop
    }

    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.0.store
    }

    pub(crate) fn quotas(&self) -> &Arc<QuotaLedger> {
        &self.0.quotas
    }

    pub(crate) fn rows(&self) -> &Rows {
        &self.0.rows
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    pub(crate) fn members(&self) -> &Arc<Members> {
        &self.0.members
    }

    /// The last sign of life of an application's runtime, in milliseconds since 1970, if the runtime is not heard now.
    pub(crate) fn stale_since(&self, account: &AccountId, record: &Record) -> Option<i64> {
        let silent_since = self.members().silent_since(account, &record.key)?;
        Some(silent_since.max(record.received_at))
    }

    /// Who a runtime is to people.
    pub async fn reporter(
        &self,
        account: AccountId,
        runtime: RuntimeId,
    ) -> Result<Reporter, NameError> {
        let runtime_name = self.0.names.name(&account, &runtime).await?;
        Ok(Reporter {
            account,
            runtime,
            runtime_name,
        })
    }

    /// Serves a reporter's stream.
    pub fn report(
        &self,
        reporter: Reporter,
        read_delta: ReadDelta,
        incoming: BoxStream<'static, Incoming>,
    ) -> impl Stream<Item = Result<Outgoing, SessionError>> + Send + 'static {
        report::serve(self.clone(), reporter, read_delta, incoming)
    }

    /// A page of operations that have ended, and where the next one begins.
    pub async fn deployments(
        &self,
        account: &AccountId,
        sought: &DeploymentFilter,
        from: Option<&DeploymentToken>,
        limit: usize,
    ) -> Result<(Vec<Deployment>, Option<DeploymentToken>), ListError> {
        let stamp = sought.of.visible.stamp(account);
        if from.is_some_and(|from| from.stamp != stamp) {
            return Err(ListError::OtherScope);
        }
        let after = from.map(|from| from.after);
        let reads = self.store().reads();
        let page = reads
            .list_deployments(account, sought, after, limit)
            .await?;
        let page = page.ok_or(ListError::Forgotten)?;
        let next = page.next.map(|after| DeploymentToken { after, stamp });
        Ok((page.items, next))
    }

    /// How many operations ended in each interval of a period, and in the period of the same length before.
    pub async fn count_deployments(
        &self,
        account: &AccountId,
        of: Filter,
        period: Period,
    ) -> Result<(Vec<DeploymentCounts>, DeploymentCounts), StoreError> {
        let sought = DeploymentFilter {
            of,
            ..DeploymentFilter::default()
        };
        let reads = self.store().reads();
        let counts = reads.count_deployments(account, &sought, period).await?;
        let before = reads.count_deployments(account, &sought, period.before());
        let before = before.await?.first().copied();
        Ok((counts, before.unwrap_or_default()))
    }

    /// Waits while too many summaries are being made.
    pub(crate) async fn summary_turn(&self) -> Result<SemaphorePermit<'_>, StoreError> {
        let turn = self.0.summaries.acquire().await;
        turn.map_err(|_| StoreError::Stopped)
    }

    /// One application, whole.
    pub async fn get(
        &self,
        account: &AccountId,
        visible: Visible,
        wanted: ApplicationRequest,
    ) -> Result<Record, GetError> {
        let filter = Filter {
            visible,
            runtime: wanted.runtime.clone(),
            cluster: wanted.cluster.clone(),
            namespace: wanted.namespace.clone(),
            name: wanted.name.clone(),
            ..Filter::default()
        };
        let reads = self.store().reads();
        let found = reads.list_applications(account, &filter, View::Full, None, SAME_NAME);
        let found = found.await?;
        let clusters: BTreeSet<&str> = found
            .items
            .iter()
            .map(|record| &*record.key.cluster)
            .collect();
        if clusters.len() > 1 {
            let clusters: Vec<&str> = clusters.into_iter().collect();
            return Err(GetError::Ambiguous(clusters.join(", ")));
        }
        // Two runtimes may have had the name after each other: the later word counts.
        let newest = found.items.into_iter().max_by_key(|record| record.change);
        match newest {
            Some(newest) => Ok(newest),
            None => Err(self.unknown(account, &filter.visible, wanted).await?),
        }
    }

    async fn unknown(
        &self,
        account: &AccountId,
        visible: &Visible,
        wanted: ApplicationRequest,
    ) -> Result<GetError, StoreError> {
        let reads = self.store().reads();
        let keys = reads
            .application_keys(account, visible, SEARCHED_KEYS)
            .await?;
        let key = Key {
            runtime_name: wanted.runtime.clone(),
            namespace: wanted.namespace.clone(),
            name: wanted.name.clone(),
            cluster: wanted.cluster.clone(),
            runtime: String::new(),
        };
        let near: Vec<String> = nearest(&key, &keys)
            .into_iter()
            .map(|key| format!("{}/{}/{}", key.runtime_name, key.namespace, key.name))
            .collect();
        let hint = if near.is_empty() {
            String::new()
        } else {
            format!("; the nearest are {}", near.join(", "))
        };
        Ok(GetError::Unknown { wanted, hint })
    }

    /// Those of some digests that a caller may read. Who does not see everything gets those alone that an application names which is
    /// visible: `of` says which, and `named` reads its digests, sorted.
    pub async fn readable_manifests(
        &self,
        account: &AccountId,
        visible: Visible,
        mut digests: Vec<Digest>,
        of: Option<ApplicationRequest>,
        named: fn(&Record) -> Vec<Digest>,
    ) -> Result<Vec<Digest>, GetError> {
        if visible.is_everything() {
            return Ok(digests);
        }
        let Some(wanted) = of else {
            return Ok(Vec::new());
        };
        match self.get(account, visible, wanted).await {
            Err(GetError::Unknown { .. }) => digests.clear(),
            found => {
                let named = named(&found?);
                digests.retain(|digest| named.binary_search(digest).is_ok());
            }
        }
        Ok(digests)
    }

    /// The contents of manifests in their order, without unknown ones, and the digests of those that exceed the size of an answer.
    pub async fn manifest_contents(
        &self,
        account: &AccountId,
        digests: Vec<Digest>,
    ) -> Result<(Vec<(Digest, Bytes)>, Vec<Digest>), StoreError> {
        let (mut found, mut omitted, mut size) = (Vec::new(), Vec::new(), 0);
        for digest in digests {
            let Some(content) = self.store().reads().manifest(account, &digest).await? else {
                continue;
            };
            let bytes = content.len() + MANIFEST_OVERHEAD;
            if size + bytes > ANSWER_BYTES && !found.is_empty() {
                omitted.push(digest);
                continue;
            }
            size += bytes;
            found.push((digest, content));
        }
        Ok((found, omitted))
    }

    /// Watches applications.
    pub fn watch(
        &self,
        watch: Watch,
    ) -> impl Stream<Item = Result<Step, WatchError>> + Send + 'static {
        watch::watch(self.clone(), watch)
    }
}
