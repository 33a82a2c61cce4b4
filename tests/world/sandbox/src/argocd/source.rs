//! Sources of manifests: the sandbox's own repositories, and mirrors of others.

use std::{path::PathBuf, sync::Arc};

use moka::future::Cache;
use serde_json::Value;

use super::{
    application::{Directory, Source},
    render::{self, RenderError},
};
use crate::git::{CommitId, GitError, GitServer, Metadata, Mirrors, Repository};

const CACHED_OBJECTS: u64 = 20_000;
const CACHED_ANSWERS: u64 = 20_000;

/// Failure to load manifests.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SourceError {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Render(#[from] RenderError),
    #[error("Helm repositories are not read by the sandbox: use a Git source")]
    Chart,
}

/// Repositories by URL, and what their folders render to.
pub(crate) struct Sources {
    server: Arc<GitServer>,
    mirrors: Mirrors,
    rendered: Cache<RenderKey, Arc<Vec<Value>>>,
    /// Commits of revisions by repository and number of pushes; each lookup costs a child process.
    resolved: Cache<(String, String, u64), CommitId>,
    /// The trees of commits, by the folder.
    trees: Cache<(CommitId, String), String>,
}

/// A folder's tree and the files that count.
type RenderKey = (String, Directory);

impl Sources {
    pub(crate) fn new(server: Arc<GitServer>, mirrors: PathBuf) -> Self {
        let weigh =
            |_: &_, objects: &Arc<Vec<Value>>| u32::try_from(objects.len() + 1).unwrap_or(u32::MAX);
        Self {
            mirrors: Mirrors::new(server.program(), mirrors),
            server,
            rendered: Cache::builder()
                .max_capacity(CACHED_OBJECTS)
                .weigher(weigh)
                .build(),
            resolved: Cache::new(CACHED_ANSWERS),
            trees: Cache::new(CACHED_ANSWERS),
        }
    }

    /// The repository of ours that a URL names.
    pub(crate) fn local_name(&self, url: &str) -> Option<String> {
        self.server.local(url).map(|(name, _)| name)
    }

    async fn open(&self, url: &str) -> Result<Repository, GitError> {
        match self.server.local(url) {
            Some((_, repository)) => Ok(repository),
            None => self.mirrors.open(url).await,
        }
    }

    pub(crate) async fn resolve(
        &self,
        source: &Source,
        revision: &str,
    ) -> Result<CommitId, SourceError> {
        if !source.chart.is_empty() {
            return Err(SourceError::Chart);
        }
        let Some((name, repository)) = self.server.local(&source.repo_url) else {
            let mirror = self.mirrors.open(&source.repo_url).await?;
            return Ok(mirror.resolve(revision).await?);
        };
        // Read before the repository is: a push in between makes the next question another one.
        let pushes = self.server.pushes().borrow().get(&name).copied();
        let question = (name, revision.to_owned(), pushes.unwrap_or(0));
        if let Some(held) = self.resolved.get(&question).await {
            return Ok(held);
        }
        let commit = repository.resolve(revision).await?;
        self.resolved.insert(question, commit.clone()).await;
        Ok(commit)
    }

    async fn tree(
        &self,
        repository: &Repository,
        commit: &CommitId,
        path: &str,
    ) -> Result<String, SourceError> {
        let question = (commit.clone(), path.to_owned());
        if let Some(held) = self.trees.get(&question).await {
            return Ok(held);
        }
        let tree = repository.tree(commit, path).await?;
        self.trees.insert(question, tree.clone()).await;
        Ok(tree)
    }

    /// Renders the source's folder at a commit; an unchanged tree is rendered once.
    pub(crate) async fn objects(
        &self,
        source: &Source,
        commit: &CommitId,
    ) -> Result<Arc<Vec<Value>>, SourceError> {
        if source.is_reference() {
            return Ok(Arc::default());
        }
        let repository = self.open(&source.repo_url).await?;
        let tree = self.tree(&repository, commit, &source.path).await?;
        let key = (tree, source.directory.clone());
        if let Some(held) = self.rendered.get(&key).await {
            return Ok(held);
        }
        let files = repository.files(&key.0, source.directory.listing()).await?;
        let objects = Arc::new(render::render(&files)?);
        self.rendered.insert(key, Arc::clone(&objects)).await;
        Ok(objects)
    }

    pub(crate) async fn metadata(
        &self,
        source: &Source,
        revision: &str,
    ) -> Result<Metadata, SourceError> {
        Ok(self
            .open(&source.repo_url)
            .await?
            .metadata(revision)
            .await?)
    }
}
