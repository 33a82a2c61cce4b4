//! Plan of a sync: its tasks, their order, and when to wait.
//!
//! Tasks run by phase (PreSync, Sync, PostSync), then wave, then kind. A wave begins when all before it are healthy.

use serde_json::Value;

use super::{
    compare::{Comparison, Target},
    health::{self, HealthCode},
    manifest::{ResourceKey, has_sync_option, hook, sync_wave},
    operation::{
        AttemptResult, Phase, ResourceChoice, ResourceResult, ResultCode, SUCCEEDED, SyncOperation,
    },
    status::SyncCode,
};

/// Kinds that others need come first.
const ORDER: [&str; 22] = [
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleBinding",
    "Role",
    "RoleBinding",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicaSet",
    "Deployment",
    "StatefulSet",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SyncPhase {
    PreSync,
    Sync,
    PostSync,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    Apply,
    /// delete what is there, then make it
    Hook,
    Prune,
    SkipPrune,
}

/// One object and the work to do on it.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) phase: SyncPhase,
    pub(crate) wave: i64,
    pub(crate) key: ResourceKey,
    pub(crate) version: String,
    pub(crate) work: Work,
    pub(crate) target: Option<Value>,
    pub(crate) live: Option<Value>,
}

/// Next step of a sync.
#[derive(Debug)]
pub(crate) enum Step<'a> {
    Run(Vec<&'a Task>),
    /// until these are healthy; the text is for the operation's message
    Wait(String),
    /// the same, told at least once, and then this end
    Settle {
        message: String,
        ready: bool,
        ending: AttemptResult,
    },
    End(AttemptResult),
}

impl SyncPhase {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::PreSync => "PreSync",
            Self::Sync => "Sync",
            Self::PostSync => "PostSync",
        }
    }

    fn of_hook(target: &Value) -> Option<Self> {
        match hook(target)?.split(',').next()?.trim() {
            "PreSync" => Some(Self::PreSync),
            "Sync" => Some(Self::Sync),
            "PostSync" => Some(Self::PostSync),
            _ => None,
        }
    }
}

impl Task {
    fn rank(&self) -> (SyncPhase, i64, bool, usize) {
        let pruned = matches!(self.work, Work::Prune | Work::SkipPrune);
        let kind = ORDER
            .iter()
            .position(|kind| *kind == self.key.kind)
            .unwrap_or(ORDER.len());
        (self.phase, self.wave, !pruned, kind)
    }

    pub(crate) fn is_done_by(&self, result: &ResourceResult) -> bool {
        result.group == self.key.group
            && result.kind == self.key.kind
            && result.namespace == self.key.namespace
            && result.name == self.key.name
            && result.sync_phase == self.phase.as_str()
    }

    /// The result to be written for it.
    pub(crate) fn result(&self, status: ResultCode, message: String) -> ResourceResult {
        ResourceResult {
            group: self.key.group.clone(),
            hook_phase: match status {
                ResultCode::Synced => Some(Phase::Running),
                ResultCode::SyncFailed => Some(Phase::Failed),
                ResultCode::Pruned | ResultCode::PruneSkipped => Some(Phase::Succeeded),
            },
            hook_type: (self.work == Work::Hook).then(|| self.phase.as_str().to_owned()),
            images: self
                .target
                .as_ref()
                .map(super::manifest::images)
                .unwrap_or_default(),
            kind: self.key.kind.clone(),
            message,
            name: self.key.name.clone(),
            namespace: self.key.namespace.clone(),
            status,
            sync_phase: self.phase.as_str().to_owned(),
            version: self.version.clone(),
        }
    }
}

/// All tasks of a sync, in their order.
pub(crate) fn tasks(comparison: &Comparison, sync: &SyncOperation) -> Vec<Task> {
    let chosen = |key: &ResourceKey| {
        sync.resources.is_empty() || sync.resources.iter().any(|choice| chooses(choice, key))
    };
    let mut tasks: Vec<Task> = comparison
        .resources
        .iter()
        .filter(|one| chosen(&one.key))
        .filter(|one| one.target.is_some() || one.requires_pruning)
        .filter(|one| !sync.is_of_differences() || one.status != SyncCode::Synced)
        .map(|one| Task {
            phase: SyncPhase::Sync,
            wave: one
                .target
                .as_ref()
                .or(one.live.as_ref())
                .map_or(0, sync_wave),
            key: one.key.clone(),
            version: one.version.clone(),
            work: work(one.target.as_ref(), one.live.as_ref(), sync),
            target: one.target.clone(),
            live: one.live.clone(),
        })
        .collect();
    if sync.resources.is_empty() && !sync.is_without_hooks() {
        tasks.extend(comparison.hooks.iter().filter_map(hook_task));
    }
    tasks.sort_by(|left, right| {
        left.rank()
            .cmp(&right.rank())
            .then_with(|| left.key.cmp(&right.key))
    });
    tasks
}

fn chooses(choice: &ResourceChoice, key: &ResourceKey) -> bool {
    choice.group == key.group
        && choice.kind == key.kind
        && choice.name == key.name
        && (choice.namespace.is_empty() || choice.namespace == key.namespace)
}

fn work(target: Option<&Value>, live: Option<&Value>, sync: &SyncOperation) -> Work {
    let kept = live.is_some_and(|live| has_sync_option(live, "Prune=false"));
    match target {
        Some(_) => Work::Apply,
        None if sync.prune && !kept => Work::Prune,
        None => Work::SkipPrune,
    }
}

fn hook_task(target: &Target) -> Option<Task> {
    Some(Task {
        phase: SyncPhase::of_hook(&target.value)?,
        wave: sync_wave(&target.value),
        key: target.key.clone(),
        version: target.version.clone(),
        work: Work::Hook,
        target: Some(target.value.clone()),
        live: None,
    })
}

/// The next step, given what was done and what is live now.
pub(crate) fn next<'a>(
    tasks: &'a [Task],
    done: &[ResourceResult],
    live: impl Fn(&ResourceKey) -> Option<Value>,
) -> Step<'a> {
    if let Some(failed) = done
        .iter()
        .find(|result| result.status == ResultCode::SyncFailed)
    {
        return settle(tasks, done, &failed.message, &live);
    }
    let is_done = |task: &&Task| done.iter().any(|result| task.is_done_by(result));
    let Some(first) = tasks.iter().find(|task| !is_done(task)) else {
        return ending(tasks, &live);
    };
    let turn = (first.phase, first.wave);
    let before = tasks.iter().filter(|task| (task.phase, task.wave) < turn);
    if let Some(step) = wait(before, &live) {
        return step;
    }
    let now = tasks
        .iter()
        .filter(|task| (task.phase, task.wave) == turn && !is_done(task));
    Step::Run(now.collect())
}

/// A sync that failed in part ends when what it did apply is healthy.
fn settle<'a>(
    tasks: &[Task],
    done: &[ResourceResult],
    reason: &str,
    live: &impl Fn(&ResourceKey) -> Option<Value>,
) -> Step<'a> {
    let failed = |what: &str| AttemptResult {
        phase: Phase::Failed,
        message: format!("{what}, reason: {reason}"),
    };
    let applied = |task: &&Task| {
        let result = done.iter().find(|result| task.is_done_by(result));
        result.is_some_and(|result| result.status == ResultCode::Synced)
    };
    let applied: Vec<&Task> = tasks.iter().filter(applied).collect();
    if applied.is_empty() {
        return Step::End(failed("one or more objects failed to apply"));
    }
    Step::Settle {
        message: waiting(&applied),
        ready: wait(applied.into_iter(), live).is_none(),
        ending: failed("one or more synchronization tasks completed unsuccessfully"),
    }
}

/// After the last task only hooks are waited for: the application's own health tells of the rest.
fn ending<'a>(tasks: &[Task], live: &impl Fn(&ResourceKey) -> Option<Value>) -> Step<'a> {
    let hooks = tasks.iter().filter(|task| task.work == Work::Hook);
    let over = Step::End(AttemptResult {
        phase: Phase::Succeeded,
        message: SUCCEEDED.to_owned(),
    });
    wait(hooks, live).unwrap_or(over)
}

fn wait<'a, 'b>(
    tasks: impl Iterator<Item = &'b Task>,
    live: &impl Fn(&ResourceKey) -> Option<Value>,
) -> Option<Step<'a>> {
    let mut behind = Vec::new();
    for task in tasks.filter(|task| matches!(task.work, Work::Apply | Work::Hook)) {
        match live(&task.key).map(|live| health::assess(&live).unwrap_or_default().code) {
            Some(HealthCode::Healthy | HealthCode::Suspended) => {}
            Some(HealthCode::Degraded) => {
                let message =
                    "one or more synchronization tasks completed unsuccessfully".to_owned();
                return Some(Step::End(AttemptResult {
                    phase: Phase::Failed,
                    message,
                }));
            }
            Some(HealthCode::Progressing | HealthCode::Missing | HealthCode::Unknown) | None => {
                behind.push(task)
            }
        }
    }
    (!behind.is_empty()).then(|| Step::Wait(waiting(&behind)))
}

fn waiting(behind: &[&Task]) -> String {
    let Some(first) = behind.first() else {
        return String::new();
    };
    let what = if first.work == Work::Hook {
        "completion of hook"
    } else {
        "healthy state of"
    };
    let more = if behind.len() > 1 {
        format!(" and {} more resources", behind.len() - 1)
    } else {
        String::new()
    };
    format!("waiting for {what} {}{more}", first.key)
}

#[cfg(test)]
mod tests;
