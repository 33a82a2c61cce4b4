//! What a sync does to an Application as it is now. Owns the promise that one request starts at most one operation.

use causeway_argocd::application::{
    Application, INITIATED_BY, Info, Operation, OperationState, REQUEST_ID, to_millis,
};
use causeway_proto::ids::{RequestId, UserId};
use serde_json::{Value, json};

/// A sync that a user asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyncOrder {
    /// The request.
    pub request_id: RequestId,
    /// Who asks.
    pub user: UserId,
    /// The revision to sync to; absent for the one that the Application asks for.
    pub revision: Option<String>,
    /// What to do with what left Git.
    pub prune: Prune,
    /// Whether it counts.
    pub mode: Mode,
}

/// What happens to what left Git.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Prune {
    /// It stays.
    Keep,
    /// It is deleted.
    Delete,
}

/// Whether a sync counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mode {
    /// It does.
    Apply,
    /// It only tries.
    DryRun,
}

/// What is to be done for an order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Decision {
    /// Start it.
    Start,
    /// It was started before, at this time if that is known (milliseconds since 1970).
    Repeated(Option<i64>),
    /// Something else runs.
    Busy(Running),
    /// Something else began after this was asked for, so that nobody can tell whether this was done before it.
    Overtaken,
}

/// An operation that is under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Running {
    /// By whom, for people.
    pub by: String,
    /// Since when, RFC 3339; empty where it is not known.
    pub since: String,
}

/// Decides by the live object alone, so that a restart forgets nothing and two replicas agree. `asked_at` is in seconds since 1970.
pub(crate) fn decide(application: &Application, request_id: &RequestId, asked_at: u64) -> Decision {
    let wanted = request_id.to_string();
    let started = |operation: &Operation| operation.info(REQUEST_ID) == Some(&wanted);
    let state = application.status.operation_state.as_ref();
    if let Some(state) = state.filter(|state| started(&state.operation)) {
        return Decision::Repeated(to_millis(state.started_at.as_deref()));
    }
    match (&application.operation, state.filter(|state| runs(state))) {
        (Some(asked), _) if started(asked) => Decision::Repeated(None),
        (Some(asked), state) => Decision::Busy(running(asked, state)),
        (None, Some(state)) => Decision::Busy(running(&state.operation, Some(state))),
        (None, None) if began_after(state, asked_at) => Decision::Overtaken,
        (None, None) => Decision::Start,
    }
}

/// The object remembers one operation only: a request from before it may have been done already.
fn began_after(last: Option<&OperationState>, asked_at: u64) -> bool {
    let began = last.and_then(|last| to_millis(last.started_at.as_deref()));
    let asked_at = i64::try_from(asked_at).unwrap_or(i64::MAX);
    began.is_some_and(|began| began / 1000 > asked_at)
}

/// An operation has no phase for a moment after its start.
fn runs(state: &OperationState) -> bool {
    let begun = state.phase.is_empty() && state.started_at.is_some() && state.finished_at.is_none();
    begun || matches!(state.phase.as_str(), "Running" | "Terminating")
}

fn running(operation: &Operation, state: Option<&OperationState>) -> Running {
    let by = match (&operation.initiated_by, operation.info(INITIATED_BY)) {
        (_, Some(user)) => user.to_owned(),
        (by, None) if by.automated => "Argo CD itself (automated sync)".to_owned(),
        (by, None) if by.username.is_empty() => "somebody".to_owned(),
        (by, None) => by.username.clone(),
    };
    let since = state.and_then(|state| state.started_at.clone());
    Running {
        by: by.chars().take(100).collect(),
        since: since.unwrap_or_default(),
    }
}

impl SyncOrder {
    /// What the operation carries along.
    pub fn infos(&self) -> Vec<Info> {
        let info = |name: &str, value: String| Info {
            name: name.to_owned(),
            value,
        };
        vec![
            info(REQUEST_ID, self.request_id.to_string()),
            info(INITIATED_BY, format!("user:{}", self.user)),
        ]
    }

    /// The patch that starts it, good for exactly the object that was decided by. The Application's own options hold, as
    /// they do when Argo CD's API starts a sync.
    pub fn patch(&self, live: &Value) -> Value {
        let mut sync = json!({ "syncStrategy": { "hook": {} } });
        if let Some(revision) = &self.revision {
            sync["revision"] = json!(revision);
        }
        if self.prune == Prune::Delete {
            sync["prune"] = json!(true);
        }
        if self.mode == Mode::DryRun {
            sync["dryRun"] = json!(true);
        }
        if let Some(options) = live.pointer("/spec/syncPolicy/syncOptions") {
            sync["syncOptions"] = options.clone();
        }
        let mut operation = json!({
            "initiatedBy": { "username": self.user.to_string() },
            "info": self.infos(),
            "sync": sync,
        });
        if let Some(retry) = live.pointer("/spec/syncPolicy/retry") {
            operation["retry"] = retry.clone();
        }
        let version = live.pointer("/metadata/resourceVersion");
        json!({ "metadata": { "resourceVersion": version }, "operation": operation })
    }
}

#[cfg(test)]
mod tests;
