//! Sync operation, in the form of argocd-server and of the Application's `.operation`.

use serde::Serialize;

use super::Info;

/// Sync to start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Sync {
    /// Target revision; absent for the one of the Application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Revisions of some of several sources.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub revisions: Vec<String>,
    /// Positions of these sources, from 1.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub source_positions: Vec<u32>,
    pub prune: bool,
    pub dry_run: bool,
    /// Resources to sync; empty for all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resources: Vec<SyncResource>,
    /// Strategy; absent for Argo CD's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// Options that replace the Application's; absent to keep them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sync_options: Option<SyncOptions>,
    /// Retry policy; absent for the Application's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub retry_strategy: Option<RetryStrategy>,
    pub infos: Vec<Info>,
}

/// Resource of a partial sync.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SyncResource {
    /// Empty for the core group.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub group: String,
    pub kind: String,
    pub name: String,
    /// Empty for cluster-wide resources.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub namespace: String,
}

/// Sync strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Strategy {
    /// Like kubectl apply, without hooks.
    Apply(Apply),
    Hook(Apply),
}

/// Settings of applying a resource.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Apply {
    /// Deletes and recreates resources that cannot be updated.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
}

/// Sync options as `NAME=VALUE`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SyncOptions {
    pub items: Vec<String>,
}

/// Retry policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RetryStrategy {
    /// Maximum number of retries; negative for unlimited.
    pub limit: i64,
    pub backoff: Backoff,
    /// Retries with the latest revision.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub refresh: bool,
}

/// Delays between attempts, as Go durations.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Backoff {
    /// Delay before the first retry.
    pub duration: String,
    pub factor: u32,
    /// Maximum delay.
    pub max_duration: String,
}
