//! Decides whether a comparison starts an automated sync.

use std::time::Duration;

use jiff::Timestamp;

use super::{
    application::{Application, Automated, Retry},
    compare::Comparison,
    operation::{InitiatedBy, Operation, OperationState, Phase, ResourceChoice, SyncOperation},
    origin::revisions,
    status::SyncCode,
};

/// The first healing after a sync comes at once, the next ones after growing pauses, so that a tug-of-war stays slow.
const HEAL_AGAIN: Duration = Duration::from_secs(2);
const HEAL_FACTOR: u32 = 3;
const HEAL_FORGOTTEN: jiff::SignedDuration = jiff::SignedDuration::from_secs(330);
const HEAL_LATEST: Duration = Duration::from_secs(300);
const RETRIES: i64 = 5;

/// Decision about an application that is out of sync.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Automation {
    Nothing,
    /// a `SyncError` condition with this message
    Refuse(String),
    /// look again at this time
    Later(Timestamp),
    Start(Box<Operation>),
}

pub(crate) fn decide(
    application: &Application,
    comparison: &Comparison,
    now: Timestamp,
) -> Automation {
    let Some(policy) = &application.spec.sync_policy.automated else {
        return Automation::Nothing;
    };
    let last = application.status.operation_state.as_ref();
    let busy = application.operation.is_some() || last.is_some_and(OperationState::is_running);
    let off = policy.enabled == Some(false) || application.is_deleting() || busy;
    if off || comparison.sync != SyncCode::OutOfSync || only_prunes(policy, comparison) {
        return Automation::Nothing;
    }
    if let Some(state) = last.filter(|state| is_same_attempt(state, application, comparison)) {
        return after_attempt(application, policy, comparison, state, now);
    }
    let wipes = policy.prune
        && !policy.allow_empty
        && comparison.resources.iter().all(|one| one.requires_pruning);
    if wipes {
        let revision = &comparison.revision;
        return Automation::Refuse(format!(
            "Skipping sync attempt to {revision}: auto-sync will wipe out all resources"
        ));
    }
    Automation::Start(Box::new(operation(application, policy, comparison)))
}

/// Without pruning there is nothing to do about resources that should go.
fn only_prunes(policy: &Automated, comparison: &Comparison) -> bool {
    let mut behind = comparison
        .resources
        .iter()
        .filter(|one| one.status == SyncCode::OutOfSync);
    !policy.prune && behind.all(|one| one.requires_pruning)
}

/// The last operation was made with this revision of this source already.
fn is_same_attempt(
    state: &OperationState,
    application: &Application,
    comparison: &Comparison,
) -> bool {
    let origin = application.origin();
    state.sync_result.as_ref().is_some_and(|result| {
        result.revision == comparison.revision
            && result.revisions == comparison.revisions
            && origin.is_ok_and(|origin| origin.written == result.written)
    })
}

fn after_attempt(
    application: &Application,
    policy: &Automated,
    comparison: &Comparison,
    state: &OperationState,
    now: Timestamp,
) -> Automation {
    if state.phase != Some(Phase::Succeeded) {
        let revisions = revisions(&comparison.revision, &comparison.revisions).join(" ");
        return Automation::Refuse(format!(
            "Failed last sync attempt to [{revisions}]: {}",
            state.message
        ));
    }
    if !policy.self_heal {
        return Automation::Nothing;
    }
    let finished: Option<Timestamp> = state.finished_at.as_ref().and_then(|at| at.parse().ok());
    let sync = state.operation.sync.as_ref();
    let calm = finished.is_some_and(|at| now.duration_since(at) > HEAL_FORGOTTEN);
    let before = sync.filter(|_| !calm);
    let before = before.map_or(0, |sync| sync.auto_heal_attempts_count);
    let due = finished.unwrap_or(now) + pause(before);
    if now < due {
        return Automation::Later(due);
    }
    let mut healing = operation(application, policy, comparison);
    if let Some(sync) = &mut healing.sync {
        sync.auto_heal_attempts_count = before + 1;
        sync.resources = behind(comparison);
    }
    Automation::Start(Box::new(healing))
}

fn pause(attempts: i64) -> Duration {
    let Some(power) = u32::try_from(attempts - 1).ok() else {
        return Duration::ZERO;
    };
    let factor = HEAL_FACTOR.saturating_pow(power.min(16));
    HEAL_AGAIN.saturating_mul(factor).min(HEAL_LATEST)
}

fn behind(comparison: &Comparison) -> Vec<ResourceChoice> {
    let behind = comparison
        .resources
        .iter()
        .filter(|one| one.status == SyncCode::OutOfSync);
    let choose = |key: &super::manifest::ResourceKey| ResourceChoice {
        group: key.group.clone(),
        kind: key.kind.clone(),
        name: key.name.clone(),
        namespace: String::new(),
    };
    behind.map(|one| choose(&one.key)).collect()
}

fn operation(application: &Application, policy: &Automated, comparison: &Comparison) -> Operation {
    let origin = application.origin().unwrap_or_default();
    let sync = SyncOperation {
        prune: policy.prune,
        revision: comparison.revision.clone(),
        revisions: comparison.revisions.clone(),
        source: (!origin.is_several()).then(|| origin.written.source.clone()),
        sources: origin.written.sources,
        sync_options: application.spec.sync_policy.sync_options.clone(),
        ..SyncOperation::default()
    };
    let retry = application.spec.sync_policy.retry.clone();
    Operation {
        info: Vec::new(),
        initiated_by: InitiatedBy {
            automated: true,
            username: String::new(),
        },
        retry: retry.unwrap_or(Retry {
            limit: RETRIES,
            backoff: None,
        }),
        sync: Some(sync),
    }
}

#[cfg(test)]
mod tests;
