//! Rollouts as tables, and one as a tree of its revisions.

use causeway_proto::inventory::v1::{self as pb, live_resource::Detail};
use comfy_table::Cell;

use crate::{
    output::{Columns, state_cell},
    resource::{application, fields},
    words,
};

pub(super) fn list(resources: &[pb::LiveResource]) -> Columns {
    let headings = [
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
    let mut columns = Columns::new(&headings);
    for resource in resources {
        let rollout = of(resource);
        columns.row(vec![
            Cell::new(&resource.name),
            Cell::new(&resource.namespace),
            Cell::new(&resource.runtime),
            Cell::new(application(resource)),
            Cell::new(strategy(&rollout)),
            state_cell(words::or_dash(&words::plain(&rollout.phase))),
            Cell::new(words::or_dash(&step(&rollout))),
            Cell::new(words::or_dash(&weight(&rollout))),
            Cell::new(format!(
                "{}/{}",
                rollout.ready_replicas, rollout.desired_replicas
            )),
            Cell::new(words::age(resource.created_at.as_ref())),
        ]);
    }
    columns
}

/// All of one: what every kind has, where it stands, and its revisions under it.
pub(super) fn whole(resource: &pb::LiveResource) -> String {
    let rollout = of(resource);
    let mut columns = fields(resource);
    let mut add = |name: &str, text: String| {
        if !text.is_empty() {
            columns.row(vec![Cell::new(name), Cell::new(text)]);
        }
    };
    add("Message:", words::plain(&rollout.message));
    add("Strategy:", strategy(&rollout).to_owned());
    add("Step:", step(&rollout));
    add("Steps:", steps(&rollout));
    add("Weight:", weight(&rollout));
    add("Paused:", paused(&rollout));
    if rollout.aborted {
        add("Aborted:", "the stable revision serves again".to_owned());
    }
    add(
        "Pods:",
        format!(
            "{} wanted, {} updated, {} ready, {} available",
            rollout.desired_replicas,
            rollout.updated_replicas,
            rollout.ready_replicas,
            rollout.available_replicas
        ),
    );
    let tree = tree(&resource.name, &rollout);
    format!("{}\n\n{}", columns.text(), tree.text())
}

/// Its phase, and why it is in it.
pub(super) fn phase(resource: &pb::LiveResource) -> (String, String) {
    let rollout = of(resource);
    (words::plain(&rollout.phase), words::plain(&rollout.message))
}

fn of(resource: &pb::LiveResource) -> pb::Rollout {
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
        match rollout.current_step == Some(index) {
            true => format!("[{step}]"),
            false => step,
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
fn tree(name: &str, rollout: &pb::Rollout) -> Columns {
    let mut columns = Columns::new(&["REVISION", "SERVES AS", "STATUS", "READY", "IMAGES"]);
    columns.row(vec![
        Cell::new(format!("Rollout/{name}")),
        Cell::new(""),
        state_cell(&words::plain(&rollout.phase)),
        Cell::new(format!(
            "{}/{}",
            rollout.ready_replicas, rollout.desired_replicas
        )),
    ]);
    let last = rollout.revisions.len().saturating_sub(1);
    for (revision, index) in rollout.revisions.iter().zip(0..) {
        let (branch, stem) = branch(index == last);
        columns.row(vec![
            Cell::new(format!("{branch}revision {}", revision.number)),
            Cell::new(words::or_dash(&roles(revision))),
            Cell::new(words::plain(&revision.replica_set)),
            Cell::new(format!(
                "{}/{}",
                revision.ready_replicas, revision.desired_replicas
            )),
            Cell::new(images(&revision.images)),
        ]);
        let last = revision.analysis_runs.len().saturating_sub(1);
        for (run, index) in revision.analysis_runs.iter().zip(0..) {
            let (branch, _) = self::branch(index == last);
            columns.row(vec![
                Cell::new(format!(
                    "{stem}{branch}analysis {}",
                    words::plain(&run.name)
                )),
                Cell::new(""),
                state_cell(&words::plain(&run.phase)),
            ]);
        }
    }
    columns
}

fn branch(last: bool) -> (&'static str, &'static str) {
    match last {
        true => ("└─ ", "   "),
        false => ("├─ ", "│  "),
    }
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
