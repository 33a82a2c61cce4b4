//! Enrichment of an Application by Argo CD: resource tree, manifests by digest, and commits.

use std::{collections::BTreeMap, sync::Arc};

use bytes::Bytes;
use causeway_argocd::application::Application;
use causeway_reporting::{Content, Digest, Freshness, Quality};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{compression, source::Source};

/// What is known beyond the object, and how well.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Enrichment {
    /// What it was made from; empty where it was never asked for.
    pub(crate) inputs: Inputs,
    /// Whether all of it could be had.
    pub(crate) quality: Quality,
    /// Whether desired manifests are known.
    pub(crate) desired: Desired,
    /// The tree.
    pub(crate) nodes: Vec<Node>,
    /// Digests of manifests.
    #[serde(serialize_with = "to_pairs", deserialize_with = "from_pairs")]
    pub(crate) manifests: BTreeMap<ResourceName, ManifestDigests>,
    /// Commits by revision.
    pub(crate) commits: BTreeMap<String, Commit>,
    /// The charts that manifests were rendered from, in the order of their names.
    pub(crate) charts: Vec<Chart>,
}

/// Whether desired manifests are known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Desired {
    /// They are.
    Known,
    /// They are not, for this reason.
    Unknown(String),
}

/// A text that changes whenever the answers may have changed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Inputs(String);

/// Names a resource within an application.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct ResourceName {
    pub group: String,
    pub kind: String,
    pub namespace: String,
    pub name: String,
}

/// A node of the tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Node {
    pub resource: ResourceName,
    pub version: String,
    pub uid: String,
    pub parent_uids: Vec<String>,
    /// In Argo CD's words; empty where it has none.
    pub health: String,
    pub health_message: String,
    pub images: Vec<String>,
    /// Milliseconds since 1970.
    pub created_at: Option<i64>,
}

/// Digests of what is and what should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct ManifestDigests {
    pub live: Option<Digest>,
    pub desired: Option<Digest>,
    /// Bytes of the live manifest where it cannot be told; else 0.
    pub live_omitted: usize,
    /// Bytes of the desired manifest where it cannot be told; else 0.
    pub desired_omitted: usize,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Commit {
    pub author: String,
    pub message: String,
    /// Milliseconds since 1970.
    pub committed_at: Option<i64>,
    /// Where people see it; empty where that is not known.
    pub url: String,
    /// The author's picture; empty where it is not known.
    pub avatar_url: String,
}

/// A Helm chart, as the labels of what was rendered from it say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Chart {
    pub name: String,
    pub version: String,
    /// The version of what it installs; empty where they do not say.
    pub app_version: String,
}

/// Manifests, as digests and as bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Manifests {
    pub digests: BTreeMap<ResourceName, ManifestDigests>,
    pub contents: Vec<Content>,
    pub charts: Vec<Chart>,
}

/// Why something could not be had.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// It may work later.
    Passing(String),
    /// Somebody must change something first.
    Lasting(String),
}

/// What was answered, each part for itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answers {
    /// What was asked about.
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
    /// Of an application: what changes when Argo CD has compared or synced again, and nothing else.
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
        Self(format!("{:?}", Digest::of(text.as_bytes())))
    }

    /// The text.
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

    fn is_of(&self, application: &Application) -> bool {
        self.inputs == Inputs::of(application)
    }

    async fn ask(source: Source, application: Arc<Application>, freshness: Freshness) -> Answers {
        source.answers(&application, freshness).await
    }

    fn renewed(&self, answers: Answers) -> (Self, Vec<Content>) {
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

    fn packed(&self) -> Option<Bytes> {
        let is_little = self.nodes.is_empty() && self.manifests.is_empty();
        (!is_little).then(|| compression::pack(self)).flatten()
    }

    fn unpacked(packed: &Bytes) -> Option<Self> {
        compression::unpack(packed)
    }
}

impl Enrichment {
    /// Whether there was nothing more to be had.
    pub(crate) fn is_whole(&self) -> bool {
        self.quality == Quality::Whole
    }

    fn lack(&mut self, failure: &Failure) {
        if matches!(failure, Failure::Passing(_)) {
            self.quality = Quality::Lacking;
        }
    }
}

/// Keys of JSON are texts alone.
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
            Self::Passing(reason) | Self::Lasting(reason) => reason,
        }
    }
}
