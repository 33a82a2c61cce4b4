//! Where manifests come from: this sandbox's own repositories, and mirrors of others.

use std::{path::PathBuf, sync::Arc};

use moka::future::Cache;
use serde_json::Value;

use super::{
    application::{Directory, Source},
    render::{RenderError, render},
};
use crate::git::{CommitId, GitError, GitServer, Metadata, Mirrors, Repository};

const CACHED_OBJECTS: u64 = 20_000;

/// Why there are no manifests.
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
    rendered: Cache<(String, Directory), Arc<Vec<Value>>>,
}

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
        Ok(self.open(&source.repo_url).await?.resolve(revision).await?)
    }

    /// The objects of the source's folder at a commit. A folder that did not change is not read again.
    pub(crate) async fn objects(
        &self,
        source: &Source,
        commit: &CommitId,
    ) -> Result<Arc<Vec<Value>>, SourceError> {
        let repository = self.open(&source.repo_url).await?;
        let tree = repository.tree(commit, &source.path).await?;
        let wanted = (tree, source.directory.clone());
        if let Some(objects) = self.rendered.get(&wanted).await {
            return Ok(objects);
        }
        let files = repository
            .files(&wanted.0, source.directory.listing())
            .await?;
        let objects = Arc::new(render(&files, &source.directory)?);
        self.rendered.insert(wanted, Arc::clone(&objects)).await;
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
