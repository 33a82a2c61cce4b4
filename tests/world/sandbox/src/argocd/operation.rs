//! A sync operation from request to end: `.operation`, `status.operationState` and `status.history`.
//!
//! Taken up: Running. Then Succeeded, Failed or Error; a retry goes back to Running, a termination ends as Failed.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    application::{Backoff, Retry, is_zero},
    manifest::ResourceKey,
    origin::{Written, revisions},
    status::stamp,
};

pub(crate) const SUCCEEDED: &str = "successfully synced (all tasks run)";
pub(crate) const TRIED: &str = "successfully synced (no more tasks)";
pub(crate) const TERMINATED: &str = "Operation terminated";
const KEPT: usize = 10;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Operation {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) info: Vec<Info>,
    pub(crate) initiated_by: InitiatedBy,
    pub(crate) retry: Retry,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sync: Option<SyncOperation>,
}

/// Free text of an operation, by which its requester recognises it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Info {
    pub(crate) name: String,
    pub(crate) value: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct InitiatedBy {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) automated: bool,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) username: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SyncOperation {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) dry_run: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) prune: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) resources: Vec<ResourceChoice>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) revision: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) revisions: Vec<String>,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) auto_heal_attempts_count: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) source: Option<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) sources: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) sync_options: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sync_strategy: Option<Value>,
}

/// Resource of a partial sync.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ResourceChoice {
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) namespace: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Phase {
    Running,
    Terminating,
    Failed,
    Error,
    Succeeded,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct OperationState {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) finished_at: Option<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) message: String,
    pub(crate) operation: Operation,
    /// absent for a moment, between the asking and the taking up
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) phase: Option<Phase>,
    #[serde(skip_serializing_if = "is_zero")]
    pub(crate) retry_count: i64,
    pub(crate) started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) sync_result: Option<SyncResult>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct SyncResult {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) resources: Vec<ResourceResult>,
    pub(crate) revision: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) revisions: Vec<String>,
    #[serde(flatten)]
    pub(crate) written: Written,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ResultCode {
    #[default]
    Synced,
    SyncFailed,
    Pruned,
    PruneSkipped,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct ResourceResult {
    pub(crate) group: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hook_phase: Option<Phase>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hook_type: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) images: Vec<String>,
    pub(crate) kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) message: String,
    pub(crate) name: String,
    pub(crate) namespace: String,
    pub(crate) status: ResultCode,
    pub(crate) sync_phase: String,
    pub(crate) version: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct History {
    pub(crate) deploy_started_at: String,
    pub(crate) deployed_at: String,
    pub(crate) id: i64,
    pub(crate) initiated_by: InitiatedBy,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) revision: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) revisions: Vec<String>,
    #[serde(flatten)]
    pub(crate) written: Written,
}

impl SyncOperation {
    /// True for the strategy `apply`, which runs no hooks.
    pub(crate) fn is_without_hooks(&self) -> bool {
        let strategy = self.sync_strategy.as_ref();
        strategy.is_some_and(|strategy| !strategy["apply"].is_null())
    }

    /// True when only resources out of sync are applied.
    pub(crate) fn is_of_differences(&self) -> bool {
        let mut options = self.sync_options.iter();
        options.any(|option| option == "ApplyOutOfSyncOnly=true")
    }
}

impl ResourceResult {
    pub(crate) fn key(&self) -> ResourceKey {
        ResourceKey {
            group: self.group.clone(),
            kind: self.kind.clone(),
            namespace: self.namespace.clone(),
            name: self.name.clone(),
        }
    }

    pub(crate) fn is_running_hook(&self) -> bool {
        self.hook_type.is_some() && self.hook_phase == Some(Phase::Running)
    }
}

impl SyncResult {
    /// Marks applied resources as ready.
    pub(crate) fn settle(&mut self) {
        let applied = self.resources.iter_mut();
        for one in applied.filter(|one| one.status == ResultCode::Synced) {
            one.hook_phase = Some(Phase::Succeeded);
        }
    }
}

impl SyncResult {
    /// The sync is over, so its hooks are, too.
    pub(crate) fn end_hooks(&mut self) {
        let hooks = self.resources.iter_mut();
        for hook in hooks.filter(|one| one.is_running_hook()) {
            hook.hook_phase = Some(Phase::Succeeded);
        }
    }
}

/// Result of one attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AttemptResult {
    pub(crate) phase: Phase,
    pub(crate) message: String,
}

impl OperationState {
    pub(crate) fn taken_up(operation: &Operation, now: Timestamp) -> Self {
        Self {
            operation: operation.clone(),
            phase: Some(Phase::Running),
            started_at: stamp(now),
            ..Self::default()
        }
    }

    /// Joins the revisions, for events.
    pub(crate) fn revisions(&self, comma: &str) -> String {
        let result = self.sync_result.as_ref();
        result.map_or_else(String::new, |it| {
            revisions(&it.revision, &it.revisions).join(comma)
        })
    }

    pub(crate) fn is_running(&self) -> bool {
        matches!(self.phase, Some(Phase::Running | Phase::Terminating))
    }

    pub(crate) fn is_over(&self) -> bool {
        matches!(
            self.phase,
            Some(Phase::Succeeded | Phase::Failed | Phase::Error)
        )
    }

    /// After an attempt: over, or waiting for the next one.
    pub(crate) fn ended(&self, ending: &AttemptResult, now: Timestamp) -> Self {
        let finished = Self {
            finished_at: Some(stamp(now)),
            message: ending.message.clone(),
            phase: Some(ending.phase),
            ..self.clone()
        };
        let retry = &self.operation.retry;
        let again = ending.phase != Phase::Succeeded
            && ending.message != TERMINATED
            && (retry.limit < 0 || self.retry_count < retry.limit);
        if !again {
            return finished.with_retry_count(ending);
        }
        let at = now + delay(retry, self.retry_count);
        let number = self.retry_count + 1;
        let clock = at.strftime("%-I:%M%p");
        let message = format!("{}. Retrying attempt #{number} at {clock}.", ending.message);
        Self {
            message,
            phase: Some(Phase::Running),
            retry_count: number,
            ..finished
        }
    }

    fn with_retry_count(mut self, ending: &AttemptResult) -> Self {
        if ending.phase != Phase::Succeeded && self.retry_count > 0 {
            self.message = format!("{} (retried {} times).", ending.message, self.retry_count);
        }
        self
    }

    /// Time of the next attempt, if one is due.
    pub(crate) fn next_attempt(&self) -> Option<Timestamp> {
        let finished: Timestamp = self
            .finished_at
            .as_ref()
            .filter(|_| self.is_running())?
            .parse()
            .ok()?;
        Some(finished + delay(&self.operation.retry, self.retry_count - 1))
    }

    /// The next attempt begins.
    pub(crate) fn retried(&self) -> Self {
        Self {
            finished_at: None,
            message: format!("Retrying operation. Attempt #{}", self.retry_count),
            sync_result: None,
            ..self.clone()
        }
    }
}

/// 5 s, doubled for each attempt made, at most three minutes, unless the policy says otherwise.
fn delay(retry: &Retry, attempts: i64) -> Duration {
    let Backoff {
        duration,
        factor,
        max_duration,
    } = retry.backoff.clone().unwrap_or_default();
    let first = parse_duration(&duration).unwrap_or(Duration::from_secs(5));
    let most = parse_duration(&max_duration).unwrap_or(Duration::from_mins(3));
    let factor = u32::try_from(factor.unwrap_or(2)).unwrap_or(1);
    let power = u32::try_from(attempts).unwrap_or(0).min(16);
    first.saturating_mul(factor.saturating_pow(power)).min(most)
}

/// Seconds as a number, or numbers with units: `5s`, `3m`, `1h30m`.
pub(crate) fn parse_duration(text: &str) -> Option<Duration> {
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let (mut rest, mut total) = (text, Duration::ZERO);
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, after) = rest.split_at(digits);
        let end = after
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        let number: u64 = number.parse().ok()?;
        total += match unit {
            "ms" => Duration::from_millis(number),
            "s" => Duration::from_secs(number),
            "m" => Duration::from_secs(number.saturating_mul(60)),
            "h" => Duration::from_secs(number.saturating_mul(3600)),
            _ => return None,
        };
        rest = after;
    }
    (!text.is_empty()).then_some(total)
}

/// The history with this sync as its newest entry. Partial and dry runs do not make history.
pub(crate) fn deployed(
    history: &[History],
    state: &OperationState,
    limit: Option<usize>,
    now: Timestamp,
) -> Vec<History> {
    let Some(result) = &state.sync_result else {
        return history.to_vec();
    };
    let sync = state.operation.sync.clone().unwrap_or_default();
    if sync.dry_run || !sync.resources.is_empty() {
        return history.to_vec();
    }
    let entry = History {
        deploy_started_at: state.started_at.clone(),
        deployed_at: stamp(now),
        id: history.last().map_or(0, |last| last.id + 1),
        initiated_by: state.operation.initiated_by.clone(),
        revision: result.revision.clone(),
        revisions: result.revisions.clone(),
        written: result.written.clone(),
    };
    let mut history = history.to_vec();
    history.push(entry);
    let surplus = history.len().saturating_sub(limit.unwrap_or(KEPT));
    history.drain(..surplus);
    history
}

#[cfg(test)]
mod tests;
