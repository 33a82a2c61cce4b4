//! Sources that Argo CD renders, to commit what comes of it to the branch that it syncs from.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::or_default;

/// What became of the source where Argo CD renders it and commits what comes of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct HydrationStatus {
    /// The newest one.
    pub current_operation: Option<Hydration>,
    /// The newest one that ended well; of it only what was hydrated is told.
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
    /// From where to where it goes.
    pub source_hydrator: Value,
}

impl HydrationStatus {
    /// Whether what is there now has been hydrated as it is to be now, as Argo CD's own command line understands it.
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
