//! What an operation does to an Application as it is now. Owns the promise that one request starts at most one operation.

mod order;
mod rollback;
mod selection;

use causeway_argocd::application::{
    Application, INITIATED_BY, Info, Operation, OperationState, REQUEST_ID, TRACE, to_millis,
};
use causeway_proto::ids::UserId;
use serde_json::{Value, json};

use crate::outcome::{REQUESTS_ANNOTATION, RequestIdentity, RequestRecords, RequestState};

pub(crate) use order::{Mode, Prune, Retry, SourceRevision, Strategy, SyncOrder};
pub(crate) use rollback::RollbackOrder;
pub(crate) use selection::{Choice, Selection};

/// The name of the text of an operation that holds what its request asked for.
pub(crate) const REQUEST_DIGEST: &str = "causeway.io/request-digest";

/// An order that makes no sense for the application as it is. Each text is one line that says what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OrderError {
    #[error(
        "none of its resources is chosen by resources: see them with 'causeway app tree {0}', and write GROUP:KIND:NAME"
    )]
    NothingChosen(String),
    #[error("source_revisions names source {position}, but it has {sources}: leave that one out")]
    NoSource { position: u32, sources: usize },
    #[error(
        "it has several sources, so that one revision does not do: name the revision of each by source_revisions"
    )]
    SeveralSources,
    #[error(
        "Argo CD syncs it by itself and would undo a rollback at once: revert the commit in Git, or take spec.syncPolicy.automated away first"
    )]
    AutoSync,
    #[error("its history has no deployment {id}: {there}; see 'causeway app history {name}'")]
    NoDeployment {
        id: i64,
        there: String,
        name: String,
    },
    #[error(
        "it was not deployed before, so that there is nothing to go back to: name a revision of Git with 'causeway app sync --revision'"
    )]
    NoPrevious,
    #[error("deployment {0} does not say its sources: sync to its revision instead")]
    NoSourceKept(i64),
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
    /// Another operation began after this request: it is unknown whether this one ran before it.
    Overtaken,
    /// The id stands for something else.
    RequestIdReused,
}

/// What is to be done to end an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Termination {
    /// End it.
    End,
    /// It is about to end.
    Ending,
    /// It was asked for, and Argo CD has not begun it.
    NotBegun,
    /// There is none.
    Idle,
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
pub(crate) fn decide(
    application: &Application,
    asked: &RequestIdentity,
    asked_at: u64,
) -> Decision {
    let id = asked.id.to_string();
    let started = |operation: &Operation| operation.info(REQUEST_ID) == Some(&id);
    let state = application.status.operation_state.as_ref();
    let known = state.map(|state| &state.operation);
    let mut operations = known.into_iter().chain(&application.operation);
    if let Some(ours) = operations.find(|operation| started(operation)) {
        return repeated(ours, state, asked);
    }
    match RequestRecords::of(&application.metadata.annotations).standing(asked, asked_at) {
        Err(_) => return Decision::RequestIdReused,
        Ok(RequestState::Done(at)) => return Decision::Repeated(Some(at)),
        Ok(RequestState::Forgotten) => return Decision::Overtaken,
        Ok(RequestState::New) => {}
    }
    match (&application.operation, state.filter(|state| runs(state))) {
        (Some(asked), state) => Decision::Busy(running(asked, state)),
        (None, Some(state)) => Decision::Busy(running(&state.operation, Some(state))),
        (None, None) if began_after(state, asked_at) => Decision::Overtaken,
        (None, None) => Decision::Start,
    }
}

/// An operation without a digest is of a version that knew none.
fn repeated(ours: &Operation, state: Option<&OperationState>, asked: &RequestIdentity) -> Decision {
    if ours
        .info(REQUEST_DIGEST)
        .is_some_and(|digest| digest != asked.digest)
    {
        return Decision::RequestIdReused;
    }
    let state = state.filter(|state| state.operation == *ours);
    Decision::Repeated(state.and_then(|state| to_millis(state.started_at.as_deref())))
}

/// True if there is an operation under way or asked for.
pub(crate) fn is_taken(application: &Application) -> bool {
    let state = application.status.operation_state.as_ref();
    application.operation.is_some() || state.is_some_and(runs)
}

/// What ending the operation of an application means now.
pub(crate) fn termination(application: &Application) -> Termination {
    let state = application.status.operation_state.as_ref();
    match (&application.operation, state.filter(|state| runs(state))) {
        (_, Some(state)) if state.phase == "Terminating" => Termination::Ending,
        (Some(_), Some(state)) if !state.phase.is_empty() => Termination::End,
        (Some(_), _) => Termination::NotBegun,
        // Argo CD removes `operation` when it ends one: without a state there is nothing to terminate.
        (None, Some(_) | None) => Termination::Idle,
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
        (by, None) if by.username.is_empty() => "another client".to_owned(),
        (by, None) => by.username.clone(),
    };
    let since = state.and_then(|state| state.started_at.clone());
    Running {
        by: by.chars().take(100).collect(),
        since: since.unwrap_or_default(),
    }
}

/// What every operation of ours carries along. `trace` is a W3C traceparent.
fn infos(asked: &RequestIdentity, user: &UserId, trace: Option<&str>) -> Vec<Info> {
    let info = |name: &str, value: String| Info {
        name: name.to_owned(),
        value,
    };
    let mut infos = vec![
        info(REQUEST_ID, asked.id.to_string()),
        info(REQUEST_DIGEST, asked.digest.clone()),
        info(INITIATED_BY, format!("user:{user}")),
    ];
    infos.extend(trace.map(|trace| info(TRACE, trace.to_owned())));
    infos
}

/// The patch that starts an operation, good for exactly the object that was decided by. `at` is in milliseconds since 1970.
fn patch(live: &Value, asked: &RequestIdentity, operation: &Value, at: i64) -> Value {
    let annotations = live.pointer("/metadata/annotations").cloned();
    let annotations = annotations.and_then(|them| serde_json::from_value(them).ok());
    let marks = RequestRecords::of(&annotations.unwrap_or_default());
    json!({
        "metadata": {
            "resourceVersion": live.pointer("/metadata/resourceVersion"),
            "annotations": { REQUESTS_ANNOTATION: marks.with(asked, at) },
        },
        "operation": operation,
    })
}

#[cfg(test)]
mod tests;
