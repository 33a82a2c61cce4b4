//! Client of source-server for enrichment. All results are redacted here.

use std::{collections::BTreeMap, time::Duration};

use causeway_argocd::{
    application::{Application, list_or_single},
    redact::{Redactor, redact_off_thread},
};
use causeway_client::{Peer, is_transient};
use causeway_proto::source::v1::{self as pb, source_service_client::SourceServiceClient};
use causeway_reporting::Freshness;
use moka::future::Cache;
use prost::Message as _;
use tonic::{Code, Status};

use crate::{
    convert,
    enrichment::{Answers, Commit, Failure, Inputs, Manifests, Node},
};

const LARGEST_ANSWER: usize = 128 << 20;
const DEADLINE: Duration = Duration::from_secs(25);
const COMMITS_KEPT: u64 = 20_000;
const HISTORY: usize = 10;

/// Client of the part source-server. Cheap to clone.
#[derive(Clone)]
pub struct Source {
    client: SourceServiceClient<Peer>,
    redactor: Redactor,
    commits: Cache<CommitKey, Commit>,
}

/// Revision and repository of a commit.
type CommitKey = (String, String);

impl Source {
    pub fn new(peer: Peer, redactor: Redactor) -> Self {
        Self {
            client: SourceServiceClient::new(peer).max_decoding_message_size(LARGEST_ANSWER),
            redactor,
            commits: Cache::builder().max_capacity(COMMITS_KEPT).build(),
        }
    }

    /// Sends all requests concurrently; each has its own result.
    pub(crate) async fn answers(&self, application: &Application, freshness: Freshness) -> Answers {
        let inputs = Inputs::of(application);
        let state = match freshness {
            Freshness::Cached => inputs.as_str().to_owned(),
            Freshness::Settled => format!("{}-settled", inputs.as_str()),
        };
        let (tree, manifests, commits) = tokio::join!(
            with_timeout(self.tree(application, &state)),
            with_timeout(self.manifests(application, &state)),
            with_timeout(self.commits(application)),
        );
        Answers {
            inputs,
            tree,
            manifests,
            commits,
        }
    }

    async fn tree(&self, application: &Application, state: &str) -> Result<Vec<Node>, Status> {
        let request = pb::GetResourceTreeRequest {
            application: Some(convert::application_key(application)),
            state_key: state.to_owned(),
        };
        let tree = self.client.clone().get_resource_tree(request).await?;
        let (redactor, tree) = (self.redactor.clone(), tree.into_inner());
        let bytes = tree.encoded_len();
        Ok(redact_off_thread(bytes, move || convert::to_nodes(&redactor, tree)).await)
    }

    async fn manifests(&self, application: &Application, state: &str) -> Result<Manifests, Status> {
        let request = pb::GetManagedResourcesRequest {
            application: Some(convert::application_key(application)),
            state_key: state.to_owned(),
        };
        let managed = self.client.clone().get_managed_resources(request).await?;
        let (redactor, managed) = (self.redactor.clone(), managed.into_inner());
        let bytes = managed.encoded_len();
        Ok(redact_off_thread(bytes, move || convert::to_manifests(&redactor, managed)).await)
    }

    /// Returns the commits of the compared revisions and the latest deployments. A missing commit is not an error: charts and
    /// garbage-collected commits have none.
    async fn commits(&self, application: &Application) -> Result<BTreeMap<String, Commit>, Status> {
        let mut wanted = application
            .revisions()
            .into_iter()
            .enumerate()
            .collect::<Vec<_>>();
        for deployment in application.status.history.iter().rev().take(HISTORY) {
            let revisions = list_or_single(&deployment.revision, &deployment.revisions);
            wanted.extend(revisions.into_iter().enumerate());
        }
        wanted.retain(|(index, revision)| is_commit(revision) && is_git(application, *index));
        let mut commits = BTreeMap::new();
        for (index, revision) in wanted {
            if commits.contains_key(&revision) {
                continue;
            }
            match self.commit(application, index, &revision).await {
                Ok(commit) => {
                    commits.insert(revision, commit);
                }
                Err(status) if is_transient(&status) => return Err(status),
                Err(status) => {
                    tracing::debug!(%status, revision, "a revision has no commit");
                }
            }
        }
        Ok(commits)
    }

    async fn commit(
        &self,
        application: &Application,
        index: usize,
        revision: &str,
    ) -> Result<Commit, Status> {
        let repository = application
            .sources()
            .get(index)
            .map(|source| source.repo_url.clone());
        let repository = repository.unwrap_or_default();
        let key = (repository.clone(), revision.to_owned());
        if let Some(commit) = self.commits.get(&key).await {
            return Ok(commit);
        }
        let request = pb::GetRevisionMetadataRequest {
            application: Some(convert::application_key(application)),
            revision: revision.to_owned(),
            source_index: u32::try_from(index).unwrap_or(0),
            repository_url: repository,
        };
        let commit = self.client.clone().get_revision_metadata(request).await?;
        let commit = convert::to_commit(&self.redactor, commit.get_ref());
        self.commits.insert(key, commit.clone()).await;
        Ok(commit)
    }
}

async fn with_timeout<T>(answer: impl Future<Output = Result<T, Status>>) -> Result<T, Failure> {
    match tokio::time::timeout(DEADLINE, answer).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(status)) => Err(to_failure(&status)),
        Err(_) => {
            let reason = format!("no answer with_timeout {} s", DEADLINE.as_secs());
            Err(Failure::Temporary(reason))
        }
    }
}

/// A missing or rejected token is permanent until an operator acts; it is retried when the application changes. The text comes
/// from source-server, which redacts what it quotes.
fn to_failure(status: &Status) -> Failure {
    let reason: String = status.message().chars().take(300).collect();
    if status.code() == Code::FailedPrecondition {
        return Failure::Permanent(reason);
    }
    Failure::Temporary(reason)
}

fn is_commit(revision: &str) -> bool {
    revision.len() == 40 && revision.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_git(application: &Application, index: usize) -> bool {
    let source = application.sources().get(index);
    source.is_none_or(|source| source.chart.is_empty())
}
