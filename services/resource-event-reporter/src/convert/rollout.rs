//! Converts a Rollout with its revisions: ReplicaSets and the AnalysisRuns of each.

use causeway_proto::inventory::v1 as pb;

use super::{count, cut, short, timestamp};
use crate::{detail::Rollout, object::Object, rollout_children::ChildSet};

const MOST_STEPS: usize = 100;
const MOST_REVISIONS: usize = 20;
const MOST_RUNS: usize = 20;
const LONGEST_STEP: usize = 128;

pub(super) fn to_rollout(rollout: &Rollout, children: &ChildSet) -> pb::Rollout {
    let (status, steps) = (&rollout.status, rollout.steps());
    let revisions = to_revisions(rollout, children);
    pb::Rollout {
        strategy: to_strategy(rollout).into(),
        phase: short(&status.phase),
        message: short(&status.message),
        current_step: rollout.current_step().map(index),
        step_count: index(steps.len()),
        steps: steps
            .iter()
            .take(MOST_STEPS)
            .map(|step| cut(&step.text, LONGEST_STEP))
            .collect(),
        actual_weight: actual_weight(rollout, &revisions),
        desired_weight: rollout.desired_weight(),
        pause: to_pause(rollout),
        aborted: status.abort,
        stable_revision: status.stable_revision.clone(),
        current_revision: status.current_revision.clone(),
        revisions,
        desired_replicas: count(rollout.spec.replicas.unwrap_or(1)),
        ready_replicas: count(status.ready_replicas),
        available_replicas: count(status.available_replicas),
        updated_replicas: count(status.updated_replicas),
    }
}

fn to_strategy(rollout: &Rollout) -> pb::RolloutStrategy {
    let strategy = &rollout.spec.strategy;
    match (&strategy.canary, &strategy.blue_green) {
        (Some(_), _) => pb::RolloutStrategy::Canary,
        (None, Some(_)) => pb::RolloutStrategy::BlueGreen,
        (None, None) => pb::RolloutStrategy::Unspecified,
    }
}

fn to_pause(rollout: &Rollout) -> Option<pb::RolloutPause> {
    let by_person = || {
        rollout.spec.paused.then(|| pb::RolloutPause {
            since: None,
            reason: "spec.paused".to_owned(),
        })
    };
    let condition = rollout.status.pause_conditions.first();
    let condition = condition.map(|pause| pb::RolloutPause {
        since: timestamp(pause.start_time.as_deref()),
        reason: short(&pause.reason),
    });
    condition.or_else(by_person)
}

/// Computes the weight from the traffic status, or else from the share of available pods of the new revision.
fn actual_weight(rollout: &Rollout, revisions: &[pb::RolloutRevision]) -> Option<u32> {
    rollout.spec.strategy.canary.as_ref()?;
    if rollout.is_promoted() {
        return Some(100);
    }
    if let Some(weights) = &rollout.status.canary.weights {
        return Some(weights.canary.weight);
    }
    let current = &rollout.status.current_revision;
    let mut revisions = revisions.iter();
    let new = revisions.find(|revision| revision.pod_template_hash == *current)?;
    let all = u64::from(count(rollout.status.available_replicas));
    let share = (u64::from(new.available_replicas) * 100).checked_div(all)?;
    u32::try_from(share.min(100)).ok()
}

fn to_revisions(rollout: &Rollout, children: &ChildSet) -> Vec<pb::RolloutRevision> {
    let mut sets: Vec<&Object> = children.replica_sets.iter().map(AsRef::as_ref).collect();
    sets.sort_by(|one, other| (other.revision, &other.key).cmp(&(one.revision, &one.key)));
    let sets = sets.into_iter().take(MOST_REVISIONS);
    sets.map(|set| to_revision(rollout, set, children))
        .collect()
}

fn to_revision(rollout: &Rollout, set: &Object, children: &ChildSet) -> pb::RolloutRevision {
    let own = set.detail.replica_set();
    let status = own.map(|it| &it.status);
    pb::RolloutRevision {
        number: set.revision,
        replica_set: set.key.name.clone(),
        pod_template_hash: set.pod_hash().to_owned(),
        images: set.detail.images(),
        desired_replicas: own.map_or(0, |it| count(it.spec.replicas.unwrap_or(1))),
        ready_replicas: status.map_or(0, |it| count(it.ready_replicas)),
        available_replicas: status.map_or(0, |it| count(it.available_replicas)),
        roles: to_roles(rollout, set.pod_hash())
            .into_iter()
            .map(i32::from)
            .collect(),
        analysis_runs: to_analyses(set, children),
    }
}

fn to_roles(rollout: &Rollout, hash: &str) -> Vec<pb::RolloutRole> {
    let status = &rollout.status;
    let is = |role: &str| !role.is_empty() && role == hash;
    let strategy = &rollout.spec.strategy;
    let mut roles = Vec::new();
    if strategy.canary.is_some() {
        if is(&status.stable_revision) {
            roles.push(pb::RolloutRole::Stable);
        } else if is(&status.current_revision) {
            roles.push(pb::RolloutRole::Canary);
        }
    } else {
        if is(&status.blue_green.active_selector) {
            roles.push(pb::RolloutRole::Active);
        }
        if is(&status.blue_green.preview_selector) {
            roles.push(pb::RolloutRole::Preview);
        }
    }
    roles
}

/// Converts analysis runs, newest first.
fn to_analyses(set: &Object, children: &ChildSet) -> Vec<pb::RolloutAnalysis> {
    let is_of = |run: &Object| match run.pod_hash() {
        "" => run.revision == set.revision,
        hash => hash == set.pod_hash(),
    };
    let runs = children.analysis_runs.iter().map(AsRef::as_ref);
    let mut runs: Vec<&Object> = runs.filter(|run| is_of(run)).collect();
    runs.sort_by(|one, other| {
        (&other.created_at, &other.key.name).cmp(&(&one.created_at, &one.key.name))
    });
    let runs = runs.into_iter().take(MOST_RUNS);
    runs.map(|run| pb::RolloutAnalysis {
        name: run.key.name.clone(),
        phase: short(run.detail.analysis_phase()),
    })
    .collect()
}

fn index(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
