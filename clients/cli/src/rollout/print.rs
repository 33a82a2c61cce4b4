//! Rollouts as tables, and one as a tree of its revisions.

use std::fmt::Display;

use causeway_proto::inventory::v1::{self as pb, live_resource::Detail};

use crate::{
    output::{Cell, Columns, Headings, Table, branch},
    resource::{ReportedKind, application, fields},
    words,
};

pub(super) struct Rollouts;

impl Columns for Rollouts {
    type Item = pb::LiveResource;
    const HEADINGS: Headings = &[
        "NAME",
        "NAMESPACE",
        "RUNTIME",
        "APPLICATION",
        "STRATEGY",
        "STATUS",
        "STEP",
        "WEIGHT",
        "READY",
        "AGE",
    ];
    const NONE: &'static str = "none";

    fn cells(resource: &pb::LiveResource) -> Vec<Cell> {
        let rollout = rollout_of(resource);
        vec![
            Cell::new(&resource.name),
            Cell::new(&resource.namespace),
            Cell::new(&resource.runtime),
            Cell::new(application(resource)),
            Cell::new(strategy(&rollout)),
            Cell::state(words::or_dash(&words::plain(&rollout.phase))),
            Cell::new(words::or_dash(&step(&rollout))),
            Cell::new(words::or_dash(&weight(&rollout))),
            Cell::new(ready(rollout.ready_replicas, rollout.desired_replicas)),
            Cell::new(words::age(resource.created_at.as_ref())),
        ]
    }
}

impl ReportedKind for Rollouts {
    const RESOURCE: &'static str = "rollouts.argoproj.io";

    fn details(resource: &pb::LiveResource) -> String {
        let rollout = rollout_of(resource);
        let mut table = fields(resource);
        table.field("Message:", words::plain(&rollout.message));
        table.field("Strategy:", strategy(&rollout));
        table.field("Step:", step(&rollout));
        table.field("Steps:", steps(&rollout));
        table.field("Weight:", weight(&rollout));
        table.field("Paused:", paused(&rollout));
        if rollout.aborted {
            table.field("Aborted:", "the stable revision serves again");
        }
        let pods = format!(
            "{} wanted, {} updated, {} ready, {} available",
            rollout.desired_replicas,
            rollout.updated_replicas,
            rollout.ready_replicas,
            rollout.available_replicas
        );
        table.field("Pods:", pods);
        let tree = tree(&resource.name, &rollout);
        format!("{}\n\n{}", table.text(), tree.text())
    }
}

fn ready(ready: impl Display, desired: impl Display) -> String {
    format!("{ready}/{desired}")
}

/// Its phase, and why it is in it.
pub(super) fn phase(resource: &pb::LiveResource) -> (String, String) {
    let rollout = rollout_of(resource);
    (words::plain(&rollout.phase), words::plain(&rollout.message))
}

fn rollout_of(resource: &pb::LiveResource) -> pb::Rollout {
    match &resource.detail {
        Some(Detail::Rollout(rollout)) => rollout.clone(),
        Some(Detail::ReplicaSet(_) | Detail::AnalysisRun(_) | Detail::Workflow(_)) | None => {
            pb::Rollout::default()
        }
    }
}

fn strategy(rollout: &pb::Rollout) -> &'static str {
    match rollout.strategy() {
        pb::RolloutStrategy::Unspecified => "-",
        pb::RolloutStrategy::Canary => "canary",
        pb::RolloutStrategy::BlueGreen => "blue-green",
    }
}

/// "3/8", or nothing where there are no steps.
fn step(rollout: &pb::Rollout) -> String {
    match rollout.current_step {
        Some(step) if rollout.step_count > 0 => format!("{step}/{}", rollout.step_count),
        _ => String::new(),
    }
}

/// The steps, the one under way between brackets.
fn steps(rollout: &pb::Rollout) -> String {
    let steps = rollout.steps.iter().zip(0..).map(|(step, index)| {
        let step = words::plain(step);
        if rollout.current_step == Some(index) {
            format!("[{step}]")
        } else {
            step
        }
    });
    steps.collect::<Vec<_>>().join(" → ")
}

/// "20 %", and what it is to be where that is another.
fn weight(rollout: &pb::Rollout) -> String {
    match (rollout.actual_weight, rollout.desired_weight) {
        (Some(actual), Some(desired)) if actual != desired => {
            format!("{actual} % of {desired} %")
        }
        (Some(weight), _) | (None, Some(weight)) => format!("{weight} %"),
        (None, None) => String::new(),
    }
}

fn paused(rollout: &pb::Rollout) -> String {
    let Some(pause) = &rollout.pause else {
        return String::new();
    };
    let since = words::ago(pause.since.as_ref());
    match (pause.reason.is_empty(), pause.since.is_some()) {
        (true, _) => since,
        (false, true) => format!("{since}, {}", words::plain(&pause.reason)),
        (false, false) => words::plain(&pause.reason),
    }
}

/// The revisions under the rollout, and under each its analysis runs.
fn tree(name: &str, rollout: &pb::Rollout) -> Table {
    let mut table = Table::new(&["REVISION", "SERVES AS", "STATUS", "READY", "IMAGES"]);
    table.row(vec![
        Cell::new(format!("Rollout/{name}")),
        Cell::new(""),
        Cell::state(&words::plain(&rollout.phase)),
        Cell::new(ready(rollout.ready_replicas, rollout.desired_replicas)),
    ]);
    let last = rollout.revisions.len().saturating_sub(1);
    for (revision, index) in rollout.revisions.iter().zip(0..) {
        let (lead, stem) = branch(index == last);
        table.row(vec![
            Cell::new(format!("{lead}revision {}", revision.number)),
            Cell::new(words::or_dash(&roles(revision))),
            Cell::new(words::plain(&revision.replica_set)),
            Cell::new(ready(revision.ready_replicas, revision.desired_replicas)),
            Cell::new(images(&revision.images)),
        ]);
        let last = revision.analysis_runs.len().saturating_sub(1);
        for (run, index) in revision.analysis_runs.iter().zip(0..) {
            let (lead, _) = branch(index == last);
            table.row(vec![
                Cell::new(format!("{stem}{lead}analysis {}", words::plain(&run.name))),
                Cell::new(""),
                Cell::state(&words::plain(&run.phase)),
            ]);
        }
    }
    table
}

fn roles(revision: &pb::RolloutRevision) -> String {
    let roles = revision.roles().filter_map(|role| match role {
        pb::RolloutRole::Unspecified => None,
        pb::RolloutRole::Stable => Some("stable"),
        pb::RolloutRole::Canary => Some("canary"),
        pb::RolloutRole::Active => Some("active"),
        pb::RolloutRole::Preview => Some("preview"),
    });
    roles.collect::<Vec<_>>().join(", ")
}

fn images(images: &[String]) -> String {
    let images: Vec<String> = images.iter().map(|image| words::plain(image)).collect();
    images.join(", ")
}

#[cfg(test)]
mod tests;
