//! Enrichment of an Application by Argo CD: resource tree, manifests by digest, and commits.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use causeway_argocd::application::Application;
use causeway_reporting::{Content, Digest, Freshness, Quality};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{compression, source::Source};

/// Data of Argo CD beyond the object, and its completeness.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Enrichment {
    /// Inputs of the enrichment; empty before the first one.
    pub(crate) inputs: Inputs,
    pub(crate) quality: Quality,
    pub(crate) desired: Desired,
    pub(crate) nodes: Vec<Node>,
    #[serde(serialize_with = "to_pairs", deserialize_with = "from_pairs")]
    pub(crate) manifests: BTreeMap<ResourceName, ManifestDigests>,
    pub(crate) commits: BTreeMap<String, Commit>,
    /// Charts of the manifests, by name.
    pub(crate) charts: Vec<Chart>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Desired {
    Known,
    /// Unknown for this reason.
    Unknown(String),
}

/// Value that changes whenever the responses may have changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Inputs(String);

/// Identifies a resource with_timeout an application.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct ResourceName {
    pub group: String,
    pub kind: String,
    pub namespace: String,
    pub name: String,
}

/// Node of the resource tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Node {
    pub resource: ResourceName,
    pub version: String,
    pub uid: String,
    pub parent_uids: Vec<String>,
    /// Health as Argo CD names it; empty if none.
    pub health: String,
    pub health_message: String,
    pub images: Vec<String>,
    /// Milliseconds since 1970.
    pub created_at: Option<i64>,
    /// Names and values of facts.
    pub info: Vec<(String, String)>,
    pub network: Option<Network>,
}

/// Traffic from and to a node.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Network {
    pub targets: Vec<ResourceName>,
    pub ingress: Vec<String>,
    pub external_urls: Vec<String>,
}

/// Digests of the live and the desired manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct ManifestDigests {
    pub live: Option<Digest>,
    pub desired: Option<Digest>,
    /// Size of a live manifest that is omitted; otherwise 0.
    pub live_omitted: usize,
    /// Size of a desired manifest that is omitted; otherwise 0.
    pub desired_omitted: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Commit {
    pub author: String,
    pub message: String,
    /// Milliseconds since 1970.
    pub committed_at: Option<i64>,
    /// URL of a web page; empty if unknown.
    pub url: String,
    /// URL of the author's avatar; empty if unknown.
    pub avatar_url: String,
}

/// Helm chart, from the labels of its manifests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Chart {
    pub name: String,
    pub version: String,
    /// Version of the packaged application; empty if unknown.
    pub app_version: String,
}

/// Manifests as digests and contents.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Manifests {
    pub digests: BTreeMap<ResourceName, ManifestDigests>,
    pub contents: Vec<Content>,
    pub charts: Vec<Chart>,
}

/// Reason of a failed request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Temporary: retried.
    Temporary(String),
    /// Permanent until the configuration changes.
    Permanent(String),
}

/// Responses of source-server, each with its own result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers {
    pub(crate) inputs: Inputs,
    pub(crate) tree: Result<Vec<Node>, Failure>,
    pub(crate) manifests: Result<Manifests, Failure>,
    pub(crate) commits: Result<BTreeMap<String, Commit>, Failure>,
}

impl Default for Desired {
    fn default() -> Self {
        Self::Unknown("not asked for yet".to_owned())
    }
}

impl Inputs {
    /// Computes the inputs, which change only when Argo CD has compared or synced.
    pub(crate) fn of(application: &Application) -> Self {
        let status = &application.status;
        let operation = status
            .operation_state
            .as_ref()
            .map(|state| (&state.phase, &state.finished_at));
        let text = format!(
            "{:?}",
            (
                &application.metadata.uid,
                application.sources(),
                &status.sync,
                &status.health,
                &status.resources,
                &status.reconciled_at,
                operation,
            )
        );
        Self(format!("{:?}", Digest::compute(text.as_bytes())))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl causeway_reporting::Enrichment<Application> for Enrichment {
    type Source = Source;
    type Answers = Answers;

    const SETTLES: bool = true;
    const REVISITS: bool = false;

    fn without_source() -> Self {
        Self {
            quality: Quality::Whole,
            desired: Desired::Unknown("no source-server is configured".to_owned()),
            ..Self::default()
        }
    }

    fn quality(&self) -> Quality {
        self.quality
    }

    fn is_current(&self, application: &Application) -> bool {
        self.inputs == Inputs::of(application)
    }

    async fn fetch(source: Source, application: Arc<Application>, freshness: Freshness) -> Answers {
        Box::pin(source.answers(&application, freshness)).await
    }

    fn merge(&self, answers: Answers) -> (Self, Vec<Content>) {
        let mut renewed = Self {
            inputs: answers.inputs,
            quality: Quality::Whole,
            ..self.clone()
        };
        match answers.tree {
            Ok(nodes) => renewed.nodes = nodes,
            Err(failure) => renewed.lack(&failure),
        }
        match answers.commits {
            Ok(commits) => renewed.commits = commits,
            Err(failure) => renewed.lack(&failure),
        }
        let contents = match answers.manifests {
            Ok(manifests) => {
                renewed.desired = Desired::Known;
                renewed.manifests = manifests.digests;
                renewed.charts = manifests.charts;
                manifests.contents
            }
            Err(failure) => {
                renewed.lack(&failure);
                renewed.desired = Desired::Unknown(failure.reason().to_owned());
                Vec::new()
            }
        };
        (renewed, contents)
    }

    fn without_manifests(&self) -> Self {
        Self {
            manifests: BTreeMap::new(),
            inputs: Inputs::default(),
            quality: Quality::Lacking,
            ..self.clone()
        }
    }

    fn compress(&self) -> Option<Bytes> {
        let is_little = self.nodes.is_empty() && self.manifests.is_empty();
        (!is_little).then(|| compression::pack(self)).flatten()
    }

    fn decompress(packed: &Bytes) -> Option<Self> {
        compression::unpack(packed)
    }
}

impl Enrichment {
    /// Returns true if nothing is missing.
    pub(crate) fn is_whole(&self) -> bool {
        self.quality == Quality::Whole
    }

    fn lack(&mut self, failure: &Failure) {
        if matches!(failure, Failure::Temporary(_)) {
            self.quality = Quality::Lacking;
        }
    }
}

/// JSON keys must be strings.
fn to_pairs<S: Serializer>(
    manifests: &BTreeMap<ResourceName, ManifestDigests>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(manifests)
}

fn from_pairs<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<ResourceName, ManifestDigests>, D::Error> {
    let pairs = Vec::<(ResourceName, ManifestDigests)>::deserialize(deserializer)?;
    Ok(pairs.into_iter().collect())
}

impl Failure {
    fn reason(&self) -> &str {
        match self {
            Self::Temporary(reason) | Self::Permanent(reason) => reason,
        }
    }
}
