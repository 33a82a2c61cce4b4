//! What Argo CD knows, asked once: answers are kept within a bound of bytes, and callers who ask the same at the same time
//! share one question.

use std::{future::Future, sync::Arc, time::Duration};

use causeway_argocd::{
    Argocd, ArgocdError,
    redact::Redactor,
    rest::{ApplicationName, ManagedResource, ResourceNode, RevisionMetadata},
};
use moka::future::Cache;
use tokio::sync::Semaphore;

/// Of those at one time, how many about one application: one that hangs leaves the others their places.
const QUESTIONS_EACH: usize = 4;
/// How long a question may take, its wait for a place included; a little less than callers wait.
const DEADLINE: Duration = Duration::from_secs(22);
/// Number of applications that are known to be asked about, and how long after the last question.
const MOST_ASKED: u64 = 10_000;
const ASKED_FOR: Duration = Duration::from_secs(60);
const STATE_KEPT_FOR: Duration = Duration::from_secs(600);
const REVISION_KEPT_FOR: Duration = Duration::from_secs(24 * 3600);
const NEVER_CLOSED: &str = "the semaphore is never closed";
/// What an entry takes beside its texts.
const ENTRY_BYTES: usize = 256;

/// The bounds of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of manifests and trees that are kept; a quarter of it again for commits.
    pub cache_bytes: u64,
    /// Questions to Argo CD at one time.
    pub questions: usize,
}

/// Names an application and a state of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StateKey {
    /// Which application.
    pub application: ApplicationName,
    /// Changes whenever the answer may have changed.
    pub state: String,
}

/// Names a commit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RevisionKey {
    /// An application that uses it.
    pub application: ApplicationName,
    /// Its full hash.
    pub revision: String,
    /// Which of the application's sources, from 0.
    pub source_index: u32,
}

/// Argo CD behind a cache. Cheap to clone.
#[derive(Clone)]
pub struct Source {
    argocd: Argocd,
    redactor: Redactor,
    questions: Arc<Semaphore>,
    each: Cache<ApplicationName, Arc<Semaphore>>,
    manifests: Cache<StateKey, Arc<[ManagedResource]>>,
    trees: Cache<StateKey, Arc<[ResourceNode]>>,
    revisions: Cache<RevisionKey, Arc<RevisionMetadata>>,
}

impl Limits {
    /// Sixteen questions at a time, and a cache of this size.
    pub fn with_cache(cache_bytes: u64) -> Self {
        Self {
            cache_bytes,
            questions: 16,
        }
    }
}

impl Source {
    /// Keeps answers within `limits`. What Argo CD says when it fails is redacted; what it answers is not.
    pub fn new(argocd: Argocd, limits: Limits, redactor: Redactor) -> Self {
        let half = limits.cache_bytes / 2;
        Self {
            argocd,
            redactor,
            questions: Arc::new(Semaphore::new(limits.questions)),
            each: Cache::builder()
                .max_capacity(MOST_ASKED)
                .time_to_idle(ASKED_FOR)
                .build(),
            manifests: Cache::builder()
                .max_capacity(half)
                .time_to_live(STATE_KEPT_FOR)
                .weigher(|key: &StateKey, all: &Arc<[_]>| {
                    weight(key, all.iter().map(manifest_bytes))
                })
                .build(),
            trees: Cache::builder()
                .max_capacity(half)
                .time_to_live(STATE_KEPT_FOR)
                .weigher(|key: &StateKey, all: &Arc<[_]>| weight(key, all.iter().map(node_bytes)))
                .build(),
            revisions: Cache::builder()
                .max_capacity(limits.cache_bytes / 4)
                .time_to_live(REVISION_KEPT_FOR)
                .weigher(|_, commit: &Arc<RevisionMetadata>| saturate(commit_bytes(commit)))
                .build(),
        }
    }

    /// Live and desired manifests of what an application manages.
    ///
    /// # Errors
    /// Argo CD's own; they are not kept.
    pub async fn managed_resources(
        &self,
        key: &StateKey,
    ) -> Result<Arc<[ManagedResource]>, Arc<ArgocdError>> {
        let question = self.argocd.managed_resources(&key.application);
        let ask = self.ask(&key.application, question);
        let asked = async { ask.await.map(Arc::from) };
        Box::pin(self.manifests.try_get_with_by_ref(key, asked)).await
    }

    /// The tree of an application's resources.
    ///
    /// # Errors
    /// Argo CD's own; they are not kept.
    pub async fn resource_tree(
        &self,
        key: &StateKey,
    ) -> Result<Arc<[ResourceNode]>, Arc<ArgocdError>> {
        let question = self.argocd.resource_tree(&key.application);
        let ask = self.ask(&key.application, question);
        let asked = async { ask.await.map(Arc::from) };
        Box::pin(self.trees.try_get_with_by_ref(key, asked)).await
    }

    /// A commit.
    ///
    /// # Errors
    /// Argo CD's own; they are not kept.
    pub async fn revision(
        &self,
        key: &RevisionKey,
    ) -> Result<Arc<RevisionMetadata>, Arc<ArgocdError>> {
        let (application, revision) = (&key.application, &key.revision);
        let question = self
            .argocd
            .revision_metadata(application, revision, key.source_index);
        let asked = async { self.ask(application, question).await.map(Arc::new) };
        Box::pin(self.revisions.try_get_with_by_ref(key, asked)).await
    }

    async fn ask<T>(
        &self,
        application: &ApplicationName,
        question: impl Future<Output = Result<T, ArgocdError>>,
    ) -> Result<T, ArgocdError> {
        let places = async { Arc::new(Semaphore::new(QUESTIONS_EACH)) };
        let own = self.each.get_with_by_ref(application, places).await;
        let asking = async {
            // One's own place first: who waits for it holds none of the others'.
            let _own = own.acquire().await.expect(NEVER_CLOSED);
            let _turn = self.questions.acquire().await.expect(NEVER_CLOSED);
            question.await
        };
        let late = |_| ArgocdError::Timeout {
            application: application.to_string(),
            seconds: DEADLINE.as_secs(),
        };
        let answered = tokio::time::timeout(DEADLINE, asking).await;
        answered.map_err(late).flatten().map_err(|mut error| {
            error.redact(&self.redactor);
            error
        })
    }
}

fn weight(key: &StateKey, sizes: impl Iterator<Item = usize>) -> u32 {
    saturate(key.state.len() + sizes.sum::<usize>())
}

fn saturate(bytes: usize) -> u32 {
    u32::try_from(bytes + ENTRY_BYTES).unwrap_or(u32::MAX)
}

fn manifest_bytes(resource: &ManagedResource) -> usize {
    ENTRY_BYTES + resource.live_state.len() + resource.target_state.len() + resource.name.len()
}

fn node_bytes(node: &ResourceNode) -> usize {
    let images = node.images.iter().map(String::len).sum::<usize>();
    let message = node
        .health
        .as_ref()
        .map_or(0, |health| health.message.len());
    let facts = node.info.iter().map(|it| it.name.len() + it.value.len());
    let labels = node.networking_info.labels.iter();
    let labels = labels.map(|(label, value)| label.len() + value.len() + ENTRY_BYTES);
    let extra = facts.chain(labels).sum::<usize>();
    ENTRY_BYTES * 2 + node.name.len() + images + message + extra
}

fn commit_bytes(commit: &RevisionMetadata) -> usize {
    commit.message.len() + commit.author.len() + commit.tags.iter().map(String::len).sum::<usize>()
}
