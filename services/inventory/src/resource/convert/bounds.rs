//! How long the texts and lists of a state may be. Owns the promise that what is kept can be shown: enums that are known, times
//! that exist.

use causeway_proto::{
    inventory::v1::{self as pb, resource_state::Detail},
    time::millis_to_timestamp,
};
use prost_types::Timestamp;

use crate::{
    convert::{LONGEST_NAME, short},
    report::FieldError,
};

const LONGEST_MESSAGE: usize = 8 << 10;
const LONGEST_TEXT: usize = 4 << 10;
const MOST_ENTRIES: usize = 1_000;
const MOST_OWNERS: usize = 32;
const MOST_REVISIONS: usize = 100;
const MOST_RUNS: usize = 100;
const MOST_NODES: usize = 500;
/// The first moments of the years 1 and 10000.
const SECONDS: std::ops::Range<i64> = -62_135_596_800..253_402_300_800;

/// Path of a field in a state.
struct FieldPath<'a>(&'a str);

/// True if JSON can tell a time.
pub(crate) fn is_time(time: &Timestamp) -> bool {
    SECONDS.contains(&time.seconds) && (0..1_000_000_000).contains(&time.nanos)
}

impl FieldPath<'_> {
    fn field(&self, field: &str) -> String {
        format!("{}.{field}", self.0)
    }

    fn texts(&self, texts: &[(&str, &str)]) -> Result<(), FieldError> {
        self.within(LONGEST_TEXT, texts)
    }

    /// Texts that stand in indexes.
    fn names(&self, texts: &[(&str, &str)]) -> Result<(), FieldError> {
        self.within(LONGEST_NAME, texts)
    }

    fn within(&self, longest: usize, texts: &[(&str, &str)]) -> Result<(), FieldError> {
        texts.iter().try_for_each(|(field, text)| {
            if text.len() <= longest {
                return Ok(());
            }
            short(&self.field(field), text, longest)
        })
    }

    fn message(&self, text: &str) -> Result<(), FieldError> {
        if text.len() <= LONGEST_MESSAGE {
            return Ok(());
        }
        short(&self.field("message"), text, LONGEST_MESSAGE)
    }

    fn count(&self, field: &str, count: usize, most: usize) -> Result<(), FieldError> {
        if count <= most {
            return Ok(());
        }
        let problem = format!("has {count} entries: at most {most} are kept");
        Err(FieldError::new(self.field(field), problem))
    }

    fn all(&self, field: &str, texts: &[String]) -> Result<(), FieldError> {
        self.count(field, texts.len(), MOST_ENTRIES)?;
        texts.iter().enumerate().try_for_each(|(index, text)| {
            if text.len() <= LONGEST_TEXT {
                Ok(())
            } else {
                short(
                    &self.field(&format!("{field}[{index}]")),
                    text,
                    LONGEST_TEXT,
                )
            }
        })
    }

    fn time(&self, field: &str, time: Option<&Timestamp>) -> Result<(), FieldError> {
        if time.is_none_or(is_time) {
            Ok(())
        } else {
            Err(FieldError::new(self.field(field), "is no time"))
        }
    }

    fn known(&self, field: &str, known: bool, code: i32) -> Result<(), FieldError> {
        if known {
            Ok(())
        } else {
            Err(crate::convert::unknown_state(&self.field(field), code))
        }
    }

    /// Checks each of some parts under its own name.
    fn each<T>(
        &self,
        field: &str,
        parts: &[T],
        most: usize,
        check: impl Fn(&FieldPath<'_>, &T) -> Result<(), FieldError>,
    ) -> Result<(), FieldError> {
        self.count(field, parts.len(), most)?;
        parts.iter().enumerate().try_for_each(|(index, part)| {
            let name = self.field(&format!("{field}[{index}]"));
            check(&FieldPath(&name), part)
        })
    }
}

/// Checks all of a state.
pub(crate) fn check(state: &pb::ResourceState) -> Result<(), FieldError> {
    let at = FieldPath("resource");
    if state.kind.is_empty() {
        return Err(FieldError::new("resource.kind", "must be set"));
    }
    at.names(&[
        ("group", &state.group),
        ("version", &state.version),
        ("kind", &state.kind),
    ])?;
    at.count("labels", state.labels.len(), MOST_ENTRIES)?;
    for (label, value) in &state.labels {
        at.texts(&[("labels", label), ("labels", value)])?;
    }
    let times = [
        ("created_at_ms", state.created_at_ms),
        ("deletion_requested_at_ms", state.deletion_requested_at_ms),
    ];
    for (field, millis) in times {
        at.time(field, Some(&millis_to_timestamp(millis)))?;
    }
    at.each("owners", &state.owners, MOST_OWNERS, owner)?;
    at.all("images", &state.images)?;
    if let Some(health) = &state.health {
        let at = FieldPath("resource.health");
        at.message(&health.message)?;
        at.time("since", health.since.as_ref())?;
    }
    if let Some(application) = &state.application {
        self::application(application)?;
    }
    match &state.detail {
        Some(Detail::Rollout(it)) => rollout(&FieldPath("resource.rollout"), it),
        Some(Detail::AnalysisRun(it)) => analysis_run(&FieldPath("resource.analysis_run"), it),
        Some(Detail::Workflow(it)) => workflow(&FieldPath("resource.workflow"), it),
        Some(Detail::Event(it)) => event(&FieldPath("resource.event"), it),
        Some(Detail::ReplicaSet(_)) | None => Ok(()),
    }
}

fn owner(at: &FieldPath<'_>, it: &pb::ResourceOwner) -> Result<(), FieldError> {
    at.texts(&[
        ("group", &it.group),
        ("kind", &it.kind),
        ("name", &it.name),
        ("uid", &it.uid),
    ])
}

fn application(it: &pb::ApplicationReference) -> Result<(), FieldError> {
    let at = FieldPath("resource.application");
    if it.namespace.is_empty() || it.name.is_empty() {
        let problem = "must have a namespace and a name, or be left out";
        return Err(FieldError::new(at.0, problem));
    }
    at.names(&[
        ("cluster", &it.cluster),
        ("namespace", &it.namespace),
        ("name", &it.name),
    ])
}

fn rollout(at: &FieldPath<'_>, it: &pb::Rollout) -> Result<(), FieldError> {
    let known = pb::RolloutStrategy::try_from(it.strategy).is_ok();
    at.known("strategy", known, it.strategy)?;
    at.texts(&[
        ("phase", &it.phase),
        ("stable_revision", &it.stable_revision),
        ("current_revision", &it.current_revision),
    ])?;
    at.message(&it.message)?;
    at.all("steps", &it.steps)?;
    if let Some(pause) = &it.pause {
        at.texts(&[("pause.reason", &pause.reason)])?;
        at.time("pause.since", pause.since.as_ref())?;
    }
    at.each("revisions", &it.revisions, MOST_REVISIONS, revision)
}

fn revision(at: &FieldPath<'_>, it: &pb::RolloutRevision) -> Result<(), FieldError> {
    at.texts(&[
        ("replica_set", &it.replica_set),
        ("pod_template_hash", &it.pod_template_hash),
    ])?;
    at.all("images", &it.images)?;
    at.each("roles", &it.roles, MOST_OWNERS, |at, code| {
        let known = pb::RolloutRole::try_from(*code).is_ok();
        if known {
            Ok(())
        } else {
            Err(crate::convert::unknown_state(at.0, *code))
        }
    })?;
    at.each("analysis_runs", &it.analysis_runs, MOST_RUNS, |at, run| {
        at.texts(&[("name", &run.name), ("phase", &run.phase)])
    })
}

fn analysis_run(at: &FieldPath<'_>, it: &pb::AnalysisRun) -> Result<(), FieldError> {
    at.texts(&[("phase", &it.phase)])?;
    at.message(&it.message)?;
    at.time("started_at", it.started_at.as_ref())?;
    at.each("metrics", &it.metrics, MOST_ENTRIES, |at, metric| {
        at.message(&metric.message)?;
        at.texts(&[
            ("name", &metric.name),
            ("phase", &metric.phase),
            ("last_value", &metric.last_value),
        ])
    })
}

fn workflow(at: &FieldPath<'_>, it: &pb::Workflow) -> Result<(), FieldError> {
    at.texts(&[
        ("phase", &it.phase),
        ("progress", &it.progress),
        ("template_reference", &it.template_reference),
    ])?;
    at.message(&it.message)?;
    at.time("started_at", it.started_at.as_ref())?;
    at.time("finished_at", it.finished_at.as_ref())?;
    at.each("nodes", &it.nodes, MOST_NODES, node)
}

fn node(at: &FieldPath<'_>, it: &pb::WorkflowNode) -> Result<(), FieldError> {
    at.texts(&[
        ("id", &it.id),
        ("name", &it.name),
        ("type", &it.r#type),
        ("phase", &it.phase),
        ("template", &it.template),
    ])?;
    at.message(&it.message)?;
    at.count("children", it.children.len(), MOST_NODES)?;
    at.all("children", &it.children)?;
    at.time("started_at", it.started_at.as_ref())?;
    at.time("finished_at", it.finished_at.as_ref())
}

fn event(at: &FieldPath<'_>, it: &pb::KubernetesEvent) -> Result<(), FieldError> {
    at.texts(&[
        ("type", &it.r#type),
        ("reason", &it.reason),
        ("reporting_component", &it.reporting_component),
    ])?;
    at.message(&it.message)?;
    at.time("first_seen", it.first_seen.as_ref())?;
    at.time("last_seen", it.last_seen.as_ref())?;
    let Some(regarding) = &it.regarding else {
        return Ok(());
    };
    let at = FieldPath("resource.event.regarding");
    at.names(&[
        ("group", &regarding.group),
        ("kind", &regarding.kind),
        ("namespace", &regarding.namespace),
        ("name", &regarding.name),
        ("uid", &regarding.uid),
    ])
}
