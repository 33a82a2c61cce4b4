//! Where manifests come from: this sandbox's own repositories, and mirrors of others.

use std::{path::PathBuf, sync::Arc};

use moka::future::Cache;
use serde_json::Value;

use super::{
    application::{Directory, Helm, Kustomize, Source},
    render::{self, RenderError, SourceType},
    tool::{self, Audience, ToolError},
};
use crate::git::{CommitId, GitError, GitServer, Listing, Metadata, Mirrors, Repository};

const CACHED_OBJECTS: u64 = 20_000;
const CACHED_ANSWERS: u64 = 20_000;

/// Why there are no manifests.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SourceError {
    #[error(transparent)]
    Git(#[from] GitError),
    #[error(transparent)]
    Render(#[from] RenderError),
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error("Helm repositories are not read by the sandbox: use a Git source")]
    Chart,
}

/// Repositories by URL, and what their folders render to.
pub(crate) struct Sources {
    server: Arc<GitServer>,
    mirrors: Mirrors,
    rendered: Cache<RenderKey, Arc<Rendered>>,
    /// What a revision of a repository of ours is, after so many pushes: each look costs a child process.
    resolved: Cache<(String, String, u64), CommitId>,
    /// The trees of commits, by the folder.
    trees: Cache<(CommitId, String), String>,
}

/// What a folder renders to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rendered {
    pub(crate) objects: Vec<Value>,
    pub(crate) source_type: SourceType,
}

/// All that decides what comes out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct RenderKey {
    /// the folder's, and of the whole repository where a tool may look around
    trees: (String, Option<String>),
    path: String,
    directory: Directory,
    helm: Option<Helm>,
    kustomize: Option<Kustomize>,
    audience: Audience,
}

impl Sources {
    pub(crate) fn new(server: Arc<GitServer>, mirrors: PathBuf) -> Self {
        let weigh = |_: &_, rendered: &Arc<Rendered>| {
            u32::try_from(rendered.objects.len() + 1).unwrap_or(u32::MAX)
        };
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

    /// The objects of the source's folder at a commit. What did not change is not rendered again.
    pub(crate) async fn objects(
        &self,
        source: &Source,
        commit: &CommitId,
        audience: &Audience,
    ) -> Result<Arc<Rendered>, SourceError> {
        if source.is_reference() {
            return Ok(Arc::default());
        }
        let repository = self.open(&source.repo_url).await?;
        let tree = self.tree(&repository, commit, &source.path).await?;
        let listing = source.directory.listing();
        let mut wanted = RenderKey {
            trees: (tree, None),
            path: source.path.clone(),
            directory: source.directory.clone(),
            helm: source.helm.clone(),
            kustomize: source.kustomize.clone(),
            audience: Audience::default(),
        };
        if let Some(held) = self.rendered.get(&wanted).await {
            return Ok(held);
        }
        let files = repository.files(&wanted.trees.0, listing).await?;
        let source_type = SourceType::of(&files, source);
        if source_type == SourceType::Directory {
            let objects = render::render(&files, &source.directory)?;
            return Ok(self.keep(wanted, objects, source_type).await);
        }
        wanted.trees.1 = Some(self.tree(&repository, commit, "").await?);
        wanted.audience = audience.clone();
        if let Some(held) = self.rendered.get(&wanted).await {
            return Ok(held);
        }
        let output = build(&repository, &wanted, source_type).await?;
        let objects = render::output(&output)?;
        Ok(self.keep(wanted, objects, source_type).await)
    }

    async fn keep(
        &self,
        wanted: RenderKey,
        objects: Vec<Value>,
        source_type: SourceType,
    ) -> Arc<Rendered> {
        let rendered = Arc::new(Rendered {
            objects,
            source_type,
        });
        self.rendered.insert(wanted, Arc::clone(&rendered)).await;
        rendered
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

/// What the tool says. It sees the whole repository: a folder may build on another.
async fn build(
    repository: &Repository,
    wanted: &RenderKey,
    source_type: SourceType,
) -> Result<Vec<u8>, SourceError> {
    let root = wanted.trees.1.as_deref().unwrap_or(&wanted.trees.0);
    let files = repository.files(root, Listing::AllBelow).await?;
    let output = if source_type == SourceType::Helm {
        let options = wanted.helm.clone().unwrap_or_default();
        tool::helm(&files, &wanted.path, &options, &wanted.audience).await?
    } else {
        let options = wanted.kustomize.clone().unwrap_or_default();
        tool::kustomize(&files, &wanted.path, &options).await?
    };
    Ok(output)
}
