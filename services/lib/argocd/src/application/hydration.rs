//! Source hydrator: Argo CD commits rendered manifests to the branch that it syncs from.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::or_default;

/// Status of the source hydrator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HydrationStatus {
    /// Latest operation.
    pub current_operation: Option<Hydration>,
    /// Latest successful operation; only its source is recorded.
    pub last_successful_operation: Option<Hydration>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Hydration {
    #[serde(deserialize_with = "or_default")]
    pub phase: String,
    #[serde(deserialize_with = "or_default")]
    pub message: String,
    #[serde(rename = "drySHA", deserialize_with = "or_default")]
    pub dry_sha: String,
    #[serde(rename = "hydratedSHA", deserialize_with = "or_default")]
    pub hydrated_sha: String,
    pub started_at: Option<String>,
    pub finished_at: Option<String>,
    /// Source and target configuration.
    pub source_hydrator: Value,
}

impl HydrationStatus {
    /// Returns true if the current configuration is hydrated, by the same rule as the argocd CLI.
    pub fn is_done(&self) -> bool {
        let (Some(now), Some(well)) = (&self.current_operation, &self.last_successful_operation)
        else {
            return false;
        };
        now.phase == "Hydrated"
            && now.dry_sha == well.dry_sha
            && now.source_hydrator == well.source_hydrator
    }
}
