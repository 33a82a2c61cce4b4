//! The Application object as Argo CD writes it, read tolerantly: unknown fields are ignored, absent and null ones are empty,
//! and an object that contradicts its own schema is an error of that object alone.

mod hydration;
mod time;

use std::collections::BTreeMap;

use compact_str::CompactString;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

pub use crate::rest::Info;
pub use hydration::{Hydration, HydrationStatus};
pub use time::to_millis;

/// Annotation with the Application that an object belongs to.
pub const TRACKING_ID: &str = "argocd.argoproj.io/tracking-id";
/// Annotation that requests a comparison.
pub const REFRESH: &str = "argocd.argoproj.io/refresh";
/// Name of the operation info with the request ID.
pub const REQUEST_ID: &str = "causeway.io/request-id";
/// Name of the operation info with the trace of the request, as W3C traceparent.
pub const TRACE: &str = "causeway.io/traceparent";
/// Name of the operation info with the user who requested it.
pub const INITIATED_BY: &str = "causeway.io/initiated-by";

/// An Application that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Application {namespace}/{name} cannot be read: {cause}")]
pub struct MalformedApplication {
    /// Empty if unreadable.
    pub namespace: String,
    /// Empty if unreadable.
    pub name: String,
    /// Empty if unreadable.
    pub uid: String,
    /// Empty if unreadable.
    pub resource_version: String,
    /// Cause on one line.
    pub cause: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Application {
    pub metadata: Metadata,
    #[serde(deserialize_with = "or_default")]
    pub spec: Spec,
    #[serde(deserialize_with = "or_default")]
    pub status: Status,
    /// Requested or running operation.
    pub operation: Option<Operation>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Metadata {
    #[serde(deserialize_with = "or_default")]
    pub namespace: String,
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    #[serde(deserialize_with = "or_default")]
    pub uid: String,
    #[serde(deserialize_with = "or_default")]
    pub resource_version: String,
    #[serde(deserialize_with = "or_default")]
    pub labels: BTreeMap<String, String>,
    #[serde(deserialize_with = "or_default")]
    pub annotations: BTreeMap<String, String>,
    pub creation_timestamp: Option<String>,
    pub deletion_timestamp: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Spec {
    #[serde(deserialize_with = "or_default")]
    pub project: String,
    pub source: Option<Source>,
    #[serde(deserialize_with = "or_default")]
    pub sources: Vec<Source>,
    #[serde(deserialize_with = "or_default")]
    pub destination: Destination,
    pub sync_policy: Option<SyncPolicy>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Source {
    #[serde(rename = "repoURL", deserialize_with = "or_default")]
    pub repo_url: String,
    #[serde(deserialize_with = "or_default")]
    pub target_revision: String,
    #[serde(deserialize_with = "or_default")]
    pub path: String,
    #[serde(deserialize_with = "or_default")]
    pub chart: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Destination {
    #[serde(deserialize_with = "or_default")]
    pub server: String,
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    #[serde(deserialize_with = "or_default")]
    pub namespace: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SyncPolicy {
    /// Present if automated sync is configured.
    pub automated: Option<Automated>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Automated {
    /// Absent means true.
    pub enabled: Option<bool>,
    #[serde(deserialize_with = "or_default")]
    pub prune: bool,
    #[serde(deserialize_with = "or_default")]
    pub self_heal: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Status {
    #[serde(deserialize_with = "or_default")]
    pub sync: Sync,
    #[serde(deserialize_with = "or_default")]
    pub health: Health,
    pub operation_state: Option<OperationState>,
    #[serde(deserialize_with = "or_default")]
    pub history: Vec<Deployment>,
    #[serde(deserialize_with = "or_default")]
    pub conditions: Vec<Condition>,
    #[serde(deserialize_with = "or_default")]
    pub resources: Vec<Resource>,
    #[serde(deserialize_with = "or_default")]
    pub summary: Summary,
    pub reconciled_at: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub source_hydrator: HydrationStatus,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sync {
    #[serde(deserialize_with = "or_default")]
    pub status: String,
    #[serde(deserialize_with = "or_default")]
    pub revision: String,
    #[serde(deserialize_with = "or_default")]
    pub revisions: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Health {
    #[serde(deserialize_with = "or_default")]
    pub status: CompactString,
    #[serde(deserialize_with = "or_default")]
    pub message: String,
    pub last_transition_time: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OperationState {
    /// Empty shortly after the start.
    #[serde(deserialize_with = "or_default")]
    pub phase: String,
    #[serde(deserialize_with = "or_default")]
    pub message: String,
    #[serde(deserialize_with = "or_default")]
    pub operation: Operation,
    pub sync_result: Option<SyncResult>,
    pub started_at: Option<String>,
    pub finished_at: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub retry_count: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Operation {
    pub sync: Option<SyncOperation>,
    #[serde(deserialize_with = "or_default")]
    pub initiated_by: InitiatedBy,
    #[serde(deserialize_with = "or_default")]
    pub info: Vec<Info>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SyncOperation {
    #[serde(deserialize_with = "or_default")]
    pub revision: String,
    #[serde(deserialize_with = "or_default")]
    pub revisions: Vec<String>,
    #[serde(
        rename = "dryRun",
        deserialize_with = "or_default",
        skip_serializing_if = "std::ops::Not::not"
    )]
    pub dry_run: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct InitiatedBy {
    #[serde(deserialize_with = "or_default")]
    pub username: String,
    #[serde(deserialize_with = "or_default")]
    pub automated: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SyncResult {
    #[serde(deserialize_with = "or_default")]
    pub revision: String,
    #[serde(deserialize_with = "or_default")]
    pub revisions: Vec<String>,
    #[serde(deserialize_with = "or_default")]
    pub resources: Vec<ResourceResult>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceResult {
    #[serde(deserialize_with = "or_default")]
    pub group: CompactString,
    #[serde(deserialize_with = "or_default")]
    pub version: CompactString,
    #[serde(deserialize_with = "or_default")]
    pub kind: CompactString,
    #[serde(deserialize_with = "or_default")]
    pub namespace: CompactString,
    #[serde(deserialize_with = "or_default")]
    pub name: CompactString,
    #[serde(deserialize_with = "or_default")]
    pub status: CompactString,
    /// Phase of a hook or an applied resource; empty if it was never started.
    #[serde(deserialize_with = "or_default")]
    pub hook_phase: CompactString,
    #[serde(deserialize_with = "or_default")]
    pub message: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Deployment {
    #[serde(deserialize_with = "or_default")]
    pub id: i64,
    #[serde(deserialize_with = "or_default")]
    pub revision: String,
    #[serde(deserialize_with = "or_default")]
    pub revisions: Vec<String>,
    pub source: Option<Source>,
    #[serde(deserialize_with = "or_default")]
    pub sources: Vec<Source>,
    pub deploy_started_at: Option<String>,
    pub deployed_at: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub initiated_by: InitiatedBy,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Condition {
    #[serde(rename = "type", deserialize_with = "or_default")]
    pub kind: String,
    #[serde(deserialize_with = "or_default")]
    pub message: String,
    pub last_transition_time: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Resource {
    #[serde(deserialize_with = "or_default")]
    pub group: CompactString,
    #[serde(deserialize_with = "or_default")]
    pub version: CompactString,
    #[serde(deserialize_with = "or_default")]
    pub kind: CompactString,
    #[serde(deserialize_with = "or_default")]
    pub namespace: CompactString,
    #[serde(deserialize_with = "or_default")]
    pub name: CompactString,
    #[serde(deserialize_with = "or_default")]
    pub status: CompactString,
    pub health: Option<Health>,
    #[serde(deserialize_with = "or_default")]
    pub requires_pruning: bool,
    #[serde(deserialize_with = "or_default")]
    pub hook: bool,
    #[serde(deserialize_with = "or_default")]
    pub sync_wave: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    #[serde(deserialize_with = "or_default")]
    pub images: Vec<String>,
    #[serde(rename = "externalURLs", deserialize_with = "or_default")]
    pub external_urls: Vec<String>,
}

impl Application {
    /// Reads an object.
    ///
    /// # Errors
    /// A field has the wrong type, or the object has no name, uid or numeric resource version.
    pub fn from_value(object: Value) -> Result<Self, MalformedApplication> {
        let context = ErrorContext::of(&object);
        let read = Self::deserialize(object);
        let application = read.map_err(|error| context.clone().into_error(&error.to_string()))?;
        match application.metadata.validate() {
            Some(cause) => Err(context.into_error(cause)),
            None => Ok(application),
        }
    }

    /// Reads an object from its text; none if [`Self::from_value`] must explain the error.
    pub fn from_text(text: &str) -> Option<Self> {
        let application: Self = serde_json::from_str(text).ok()?;
        let whole = application.metadata.validate().is_none();
        whole.then_some(application)
    }

    pub fn resource_version(&self) -> u64 {
        self.metadata.resource_version.parse().unwrap_or(0)
    }

    /// Returns all sources, one or several.
    pub fn sources(&self) -> &[Source] {
        list_or_one(&self.spec.source, &self.spec.sources)
    }

    /// Returns the compared revision of each source.
    pub fn revisions(&self) -> Vec<String> {
        list_or_single(&self.status.sync.revision, &self.status.sync.revisions)
    }
}

impl Metadata {
    fn validate(&self) -> Option<&'static str> {
        if self.name.is_empty() || self.uid.is_empty() {
            return Some("metadata has no name or no uid");
        }
        let number = self.resource_version.parse::<u64>();
        number
            .err()
            .map(|_| "metadata.resourceVersion is not a number")
    }
}

impl Deployment {
    /// Returns its sources.
    pub fn sources(&self) -> &[Source] {
        list_or_one(&self.source, &self.sources)
    }
}

fn list_or_one<'a>(one: &'a Option<Source>, several: &'a [Source]) -> &'a [Source] {
    match several {
        [] => one.as_slice(),
        several => several,
    }
}

impl Operation {
    /// Returns the info of this name.
    pub fn info(&self, name: &str) -> Option<&str> {
        let found = self.info.iter().find(|info| info.name == name)?;
        Some(&found.value)
    }
}

/// Returns the list, or the single value if the list is empty.
pub fn list_or_single(one: &str, list: &[String]) -> Vec<String> {
    match (list.is_empty(), one.is_empty()) {
        (false, _) => list.to_vec(),
        (true, false) => vec![one.to_owned()],
        (true, true) => Vec::new(),
    }
}

/// Deserializes null as the empty value.
pub(crate) fn or_default<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[derive(Clone)]
struct ErrorContext(MalformedApplication);

impl ErrorContext {
    fn of(object: &Value) -> Self {
        let text = |field: &str| {
            let value = object
                .get("metadata")
                .and_then(|metadata| metadata.get(field));
            value.and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        Self(MalformedApplication {
            namespace: text("namespace"),
            name: text("name"),
            uid: text("uid"),
            resource_version: text("resourceVersion"),
            cause: String::new(),
        })
    }

    fn into_error(mut self, cause: &str) -> MalformedApplication {
        self.0.cause = without_quoted_values(cause).chars().take(200).collect();
        self.0
    }
}

/// Removes quoted values from an error: they may be secret.
fn without_quoted_values(cause: &str) -> String {
    match (cause.find('"'), cause.rfind('"')) {
        (Some(first), Some(last)) if first < last => {
            format!("{}\"…\"{}", &cause[..first], &cause[last + 1..])
        }
        _ => cause.to_owned(),
    }
}

#[cfg(test)]
mod tests;
