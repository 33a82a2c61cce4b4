//! Kind-specific fields, named as in the Kubernetes API.

mod rollout;

use std::collections::BTreeMap;

use causeway_reporting::Kind;
use serde::Deserialize;
use serde_json::Value;

use crate::object::{OwnerNode, TypeName};

pub(crate) use rollout::Rollout;

/// Schema that an object is read with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Rollout,
    ReplicaSet,
    AnalysisRun,
    Workflow,
    Event,
    /// Only the fields that every object has.
    Other,
}

/// Fields of one kind.
#[derive(Debug)]
pub(crate) enum Detail {
    Rollout(Box<Rollout>),
    ReplicaSet(ReplicaSet),
    AnalysisRun(AnalysisRun),
    Workflow(Workflow),
    Event(Box<Event>),
    Other(Other),
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ReplicaSet {
    pub(crate) spec: ReplicaSetSpec,
    pub(crate) status: ReplicaSetStatus,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ReplicaSetSpec {
    pub(crate) replicas: Option<i64>,
    pub(crate) template: PodTemplate,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ReplicaSetStatus {
    pub(crate) ready_replicas: i64,
    pub(crate) available_replicas: i64,
    pub(crate) conditions: Vec<Condition>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Condition {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) status: String,
    pub(crate) message: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PodTemplate {
    spec: PodSpec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct PodSpec {
    init_containers: Vec<Container>,
    containers: Vec<Container>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Container {
    image: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct AnalysisRun {
    pub(crate) status: AnalysisStatus,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct AnalysisStatus {
    pub(crate) phase: String,
    pub(crate) message: String,
    pub(crate) started_at: Option<String>,
    pub(crate) metric_results: Vec<MetricResult>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct MetricResult {
    pub(crate) name: String,
    pub(crate) phase: String,
    pub(crate) message: String,
    pub(crate) successful: i64,
    pub(crate) failed: i64,
    pub(crate) inconclusive: i64,
    pub(crate) error: i64,
    pub(crate) measurements: Vec<Measurement>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Measurement {
    pub(crate) value: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Workflow {
    pub(crate) spec: WorkflowSpec,
    pub(crate) status: WorkflowStatus,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct WorkflowSpec {
    pub(crate) workflow_template_ref: TemplateReference,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct TemplateReference {
    pub(crate) name: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct WorkflowStatus {
    pub(crate) phase: String,
    pub(crate) message: String,
    pub(crate) progress: String,
    pub(crate) started_at: Option<String>,
    pub(crate) finished_at: Option<String>,
    pub(crate) nodes: BTreeMap<String, Node>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Node {
    pub(crate) display_name: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) phase: String,
    pub(crate) message: String,
    pub(crate) template_name: String,
    pub(crate) children: Vec<String>,
    pub(crate) started_at: Option<String>,
    pub(crate) finished_at: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Event {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) reason: String,
    pub(crate) message: String,
    pub(crate) count: i64,
    pub(crate) first_timestamp: Option<String>,
    pub(crate) last_timestamp: Option<String>,
    pub(crate) event_time: Option<String>,
    pub(crate) series: EventSeries,
    pub(crate) reporting_component: String,
    pub(crate) source: EventSource,
    pub(crate) involved_object: InvolvedObject,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct EventSeries {
    pub(crate) count: i64,
    pub(crate) last_observed_time: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct EventSource {
    pub(crate) component: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct InvolvedObject {
    pub(crate) api_version: String,
    pub(crate) kind: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) uid: String,
}

/// An object of any other kind.
#[derive(Debug, Default)]
pub(crate) struct Other {
    images: Vec<String>,
}

impl Sort {
    /// Returns the schema of a kind.
    pub(crate) fn of(kind: &Kind) -> Self {
        match (kind.plural.as_str(), kind.group.as_str()) {
            ("rollouts", "argoproj.io") => Self::Rollout,
            ("replicasets", "apps") => Self::ReplicaSet,
            ("analysisruns", "argoproj.io") => Self::AnalysisRun,
            ("workflows", "argoproj.io") => Self::Workflow,
            ("events", "") => Self::Event,
            _ => Self::Other,
        }
    }
}

impl Detail {
    pub(crate) fn read(object: Value, sort: Sort) -> Result<Self, serde_json::Error> {
        Ok(match sort {
            Sort::Rollout => Self::Rollout(serde_json::from_value(object)?),
            Sort::ReplicaSet => Self::ReplicaSet(serde_json::from_value(object)?),
            Sort::AnalysisRun => Self::AnalysisRun(serde_json::from_value(object)?),
            Sort::Workflow => Self::Workflow(serde_json::from_value(object)?),
            Sort::Event => Self::Event(serde_json::from_value(object)?),
            Sort::Other => Self::Other(Other::read(&object)),
        })
    }

    /// Returns the object that an event concerns.
    pub(crate) fn involved_object(&self) -> Option<&InvolvedObject> {
        if let Self::Event(event) = self {
            return Some(&event.involved_object);
        }
        None
    }

    /// Returns the ReplicaSet, if it is one.
    pub(crate) fn replica_set(&self) -> Option<&ReplicaSet> {
        if let Self::ReplicaSet(set) = self {
            return Some(set);
        }
        None
    }

    /// Returns the phase of an AnalysisRun; otherwise empty.
    pub(crate) fn analysis_phase(&self) -> &str {
        if let Self::AnalysisRun(run) = self {
            return &run.status.phase;
        }
        ""
    }

    /// Returns the distinct images of its pods.
    pub(crate) fn images(&self) -> Vec<String> {
        match self {
            Self::Rollout(rollout) => rollout.spec.template.images(),
            Self::ReplicaSet(set) => set.spec.template.images(),
            Self::Other(other) => other.images.clone(),
            Self::AnalysisRun(_) | Self::Workflow(_) | Self::Event(_) => Vec::new(),
        }
    }
}

impl Other {
    /// Reads images from a pod template, if there is one.
    fn read(object: &Value) -> Self {
        let template = object.pointer("/spec/template").cloned();
        let template: Option<PodTemplate> = template.and_then(|it| serde_json::from_value(it).ok());
        Self {
            images: template.unwrap_or_default().images(),
        }
    }
}

impl PodTemplate {
    fn images(&self) -> Vec<String> {
        let containers = self
            .spec
            .init_containers
            .iter()
            .chain(&self.spec.containers);
        let mut images: Vec<String> = containers.map(|it| it.image.clone()).collect();
        images.retain(|image| !image.is_empty());
        images.sort_unstable();
        images.dedup();
        images
    }
}

impl InvolvedObject {
    pub(crate) fn of(&self) -> TypeName {
        TypeName::of(&self.api_version, &self.kind)
    }

    pub(crate) fn owner_node(&self) -> OwnerNode {
        OwnerNode {
            of: self.of(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            uid: self.uid.clone(),
        }
    }
}
