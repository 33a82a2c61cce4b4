//! A sync as argocd-server and the Application's `.operation` take it.

use serde::Serialize;

use super::Info;

/// A sync to start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sync {
    /// The revision to sync to; absent for the one that the Application asks for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The revision of some of several sources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub revisions: Vec<String>,
    /// Which sources those are: 1 for the first one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub source_positions: Vec<u32>,
    /// Whether to delete what left Git.
    pub prune: bool,
    /// Whether only to try.
    pub dry_run: bool,
    /// Which resources; empty for all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<SyncResource>,
    /// How it is applied; absent for Argo CD's own way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// Options in place of the Application's own; absent for those.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_options: Option<SyncOptions>,
    /// Whether and how often to try again; absent for what the Application says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_strategy: Option<RetryStrategy>,
    /// What the operation carries along.
    pub infos: Vec<Info>,
}

/// A resource of a partial sync.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SyncResource {
    /// The API group; empty for core.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The name.
    pub name: String,
    /// The namespace; empty for cluster-wide ones.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
}

/// How a sync applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Strategy {
    /// As kubectl does, without hooks.
    Apply(Apply),
    /// With hooks.
    Hook(Apply),
}

/// How each resource is applied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Apply {
    /// Whether what cannot be changed is deleted and made anew.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
}

/// Options as `NAME=VALUE`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SyncOptions {
    /// Each of them.
    pub items: Vec<String>,
}

/// Whether and how often a failed sync is tried again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RetryStrategy {
    /// How often; negative for ever.
    pub limit: i64,
    /// How long to wait between.
    pub backoff: Backoff,
    /// Whether the newest revision is tried.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub refresh: bool,
}

/// How long to wait between attempts, in Go's notation of durations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Backoff {
    /// Before the first one.
    pub duration: String,
    /// By how much it grows.
    pub factor: u32,
    /// The longest.
    pub max_duration: String,
}
