//! Search by names over what was reported, best match first. Stores find and rank by names alone; every result passes the caller's
//! scope.

pub(crate) mod convert;
mod grpc;

use causeway_assertion::glob_matches;
use causeway_proto::ids::AccountId;

use crate::{
    application::{Filter, Health, Key, Record, Summary, Text, Visible},
    deployment::{Deployment, DeploymentFilter},
    inventory::Inventory,
    resource::ResourceRecord,
    store::StoreError,
};

/// Operations whose commits are searched, the latest ones.
const MAX_COMMITS: usize = 500;

/// Kind of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SearchKind {
    /// An application.
    Application,
    /// A runtime.
    Runtime,
    /// A cluster.
    Cluster,
    /// Another object.
    Resource,
    /// An image.
    Image,
    /// A commit.
    Commit,
}

/// A search.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SearchQuery {
    /// What the caller may see.
    pub visible: Visible,
    /// Words in lower case, one or more; each must occur.
    pub words: Vec<String>,
    /// Results of each kind.
    pub limit: usize,
}

/// A runtime with one of its clusters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundCluster {
    /// The name of the runtime.
    pub runtime: String,
    /// The cluster.
    pub cluster: String,
    /// Number of applications.
    pub applications: u64,
}

/// An image in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundImage {
    /// The repository.
    pub repository: String,
    /// The tag; may be empty.
    pub tag: String,
    /// Number of uses.
    pub uses: u64,
}

/// A commit and an application that was synced to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundCommit {
    /// The full hash.
    pub sha: String,
    /// The author.
    pub author: String,
    /// The message.
    pub message: String,
    /// The application.
    pub key: Key,
}

/// One result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// An application.
    Application(Key, Summary),
    /// A runtime and the number of its applications.
    Runtime(String, u64),
    /// A cluster.
    Cluster(FoundCluster),
    /// Another object.
    Resource(Box<ResourceRecord>),
    /// An image.
    Image(FoundImage),
    /// A commit.
    Commit(FoundCommit),
}

/// How the commit of an operation is read.
pub type ReadCommit = fn(&Deployment) -> Option<FoundCommit>;

/// Results by kind, and the kinds that have more.
pub type SearchResults = (Vec<Found>, Vec<SearchKind>);

impl SearchKind {
    /// All kinds, in the order of results.
    pub const ALL: [Self; 6] = [
        Self::Application,
        Self::Runtime,
        Self::Cluster,
        Self::Resource,
        Self::Image,
        Self::Commit,
    ];
}

impl SearchQuery {
    /// True if each word occurs in one of these texts.
    #[must_use]
    pub fn matches(&self, texts: &[&str]) -> bool {
        self.words.iter().all(|word| {
            let pattern = format!("*{word}*");
            texts
                .iter()
                .any(|text| glob_matches(&pattern, &text.to_lowercase()))
        })
    }

    /// Rank of a name: exact, then a beginning, then the beginning of a word, then any place.
    #[must_use]
    pub fn rank(&self, name: &str) -> usize {
        let Some(word) = self.words.first() else {
            return 3;
        };
        let name = name.to_lowercase();
        let starts = ["-", ".", "/", "_"].map(|before| format!("*{before}{word}*"));
        if name == *word {
            0
        } else if glob_matches(&format!("{word}*"), &name) {
            1
        } else if starts.iter().any(|it| glob_matches(it, &name)) {
            2
        } else {
            3
        }
    }

    /// The filter of applications with these words.
    #[must_use]
    pub fn filter(&self) -> Filter {
        Filter {
            text: Text::new(&self.words.join(" ")),
            ..Filter::within(self.visible.clone())
        }
    }
}

impl Inventory {
    /// What matches, by kind, best first.
    pub async fn search(
        &self,
        account: &AccountId,
        query: &SearchQuery,
        kinds: &[SearchKind],
        read_commit: ReadCommit,
    ) -> Result<SearchResults, StoreError> {
        let (mut found, mut more) = (Vec::new(), Vec::new());
        for kind in SearchKind::ALL {
            if !kinds.is_empty() && !kinds.contains(&kind) {
                continue;
            }
            let mut results = self.search_kind(account, query, kind, read_commit).await?;
            if results.len() > query.limit {
                more.push(kind);
                results.truncate(query.limit);
            }
            found.extend(results);
        }
        Ok((found, more))
    }

    /// One result more than the limit, if there are as many.
    async fn search_kind(
        &self,
        account: &AccountId,
        query: &SearchQuery,
        kind: SearchKind,
        read_commit: ReadCommit,
    ) -> Result<Vec<Found>, StoreError> {
        let reads = self.store().reads();
        Ok(match kind {
            SearchKind::Application => {
                let found = reads.search_applications(account, query).await?;
                let found = found.into_iter();
                found
                    .map(|(key, summary)| Found::Application(key, summary))
                    .collect()
            }
            SearchKind::Runtime => {
                let clusters = reads.search_clusters(account, query).await?;
                runtimes(query, clusters)
            }
            SearchKind::Cluster => {
                let mut clusters = reads.search_clusters(account, query).await?;
                clusters.retain(|it| query.matches(&[&it.cluster]));
                clusters.sort_by_cached_key(|it| {
                    (
                        query.rank(&it.cluster),
                        it.cluster.clone(),
                        it.runtime.clone(),
                    )
                });
                clusters.into_iter().map(Found::Cluster).collect()
            }
            SearchKind::Resource => {
                let found = reads.search_resources(account, query).await?;
                let found = found.into_iter();
                found.map(|it| Found::Resource(Box::new(it))).collect()
            }
            SearchKind::Image => {
                let found = reads.search_images(account, query).await?;
                found.into_iter().map(Found::Image).collect()
            }
            SearchKind::Commit => self.search_commits(account, query, read_commit).await?,
        })
    }

    /// Commits of the latest operations.
    async fn search_commits(
        &self,
        account: &AccountId,
        query: &SearchQuery,
        read: ReadCommit,
    ) -> Result<Vec<Found>, StoreError> {
        let sought = DeploymentFilter {
            of: Filter::within(query.visible.clone()),
            ..DeploymentFilter::default()
        };
        let reads = self.store().reads();
        let page = reads.list_deployments(account, &sought, None, MAX_COMMITS);
        let page = page.await?.unwrap_or_default();
        let mut commits: Vec<FoundCommit> = Vec::new();
        for commit in page.items.iter().filter_map(read) {
            let is_new = commits.iter().all(|known| known.sha != commit.sha);
            if is_new && query.matches(&[&commit.sha, &commit.author, &commit.message]) {
                commits.push(commit);
            }
            if commits.len() > query.limit {
                break;
            }
        }
        Ok(commits.into_iter().map(Found::Commit).collect())
    }
}

/// The runtimes whose names match.
fn runtimes(query: &SearchQuery, clusters: Vec<FoundCluster>) -> Vec<Found> {
    let mut counts = std::collections::BTreeMap::<String, u64>::new();
    for cluster in clusters {
        if query.matches(&[&cluster.runtime]) {
            *counts.entry(cluster.runtime).or_default() += cluster.applications;
        }
    }
    let mut runtimes: Vec<(String, u64)> = counts.into_iter().collect();
    runtimes.sort_by_cached_key(|(name, _)| (query.rank(name), name.clone()));
    runtimes
        .into_iter()
        .map(|(name, count)| Found::Runtime(name, count))
        .collect()
}

/// What a store in memory finds among records, best first.
#[must_use]
pub fn best<'a>(
    query: &SearchQuery,
    records: impl Iterator<Item = &'a Record>,
) -> Vec<(Key, Summary)> {
    let mut found: Vec<(Key, Summary)> = records
        .map(|record| (record.key.clone(), record.summary.clone()))
        .collect();
    found.sort_by_cached_key(|(key, _)| (query.rank(&key.name), key.name.clone(), key.clone()));
    found.truncate(query.limit + 1);
    found
}

impl Found {
    /// The health, if it has one.
    #[must_use]
    pub fn health(&self) -> Health {
        match self {
            Self::Application(_, summary) => summary.health,
            Self::Resource(record) => record.health,
            Self::Runtime(..) | Self::Cluster(_) | Self::Image(_) | Self::Commit(_) => {
                Health::Unspecified
            }
        }
    }
}

#[cfg(test)]
mod tests;
