//! A report at its place in the order, by the kind of its stream.

use std::sync::Arc;

use causeway_proto::ids::RuntimeName;

use super::{Fault, FieldError, Rejection, Report, ReportedState};
use crate::{
    application::{Change, HeldState, Scope, State, Uid},
    event::Event,
    kind::{ObjectKind, ResourceKind},
    order::{Continuity, Position},
    resource::{ApplicationName, Resource},
    store::Write,
};

/// What a report does to the store. Clones are the same one.
#[derive(Debug, Clone)]
pub(super) enum OrderedChange {
    Application(Arc<Change>),
    Resource(Arc<Change<Resource>>),
    Event(Arc<Change<Event>>),
}

impl OrderedChange {
    /// Puts a report in its place. Fails where it is of another kind than its stream.
    pub(super) fn new(
        report: Report,
        scope: &Arc<Scope>,
        runtime_name: &RuntimeName,
        epoch: u64,
        continuity: Continuity,
    ) -> Result<Self, Rejection> {
        let sequence = report.sequence;
        let wrong = |error| Rejection {
            sequence,
            fault: Fault::Field,
            error,
        };
        let is_resource = matches!(scope.kind, ObjectKind::Resource(_));
        if report.object.namespace.is_empty() && !is_resource {
            return Err(wrong(FieldError::new("namespace", "must be set")));
        }
        let whole = Change {
            scope: scope.clone(),
            runtime_name: runtime_name.clone(),
            object: report.object,
            uid: report.uid,
            position: Position {
                resource_version: report.resource_version,
                epoch,
                sequence,
            },
            continuity,
            state: report.state,
            operations: report.operations,
        };
        match &scope.kind {
            ObjectKind::Application => {
                with_state(whole, to_application_state).map(Self::Application)
            }
            ObjectKind::Resource(kind) => {
                with_state(whole, |stated| to_resource(stated, kind, scope)).map(Self::Resource)
            }
            ObjectKind::Event => {
                with_state(whole, |stated| to_event(stated, scope)).map(Self::Event)
            }
        }
        .map_err(wrong)
    }

    pub(super) fn sequence(&self) -> u64 {
        match self {
            Self::Application(change) => change.position.sequence,
            Self::Resource(change) => change.position.sequence,
            Self::Event(change) => change.position.sequence,
        }
    }

    pub(super) fn uid(&self) -> &Uid {
        match self {
            Self::Application(change) => &change.uid,
            Self::Resource(change) => &change.uid,
            Self::Event(change) => &change.uid,
        }
    }

    /// The state of an Application that is there.
    pub(super) fn application_state(&self) -> Option<&State> {
        match self {
            Self::Application(change) => change.state.as_ref(),
            Self::Resource(_) | Self::Event(_) => None,
        }
    }

    /// What is to be written, of an object that had a state before.
    pub(super) fn into_write(self, base: Option<HeldState>) -> Write {
        match (self, base) {
            (Self::Application(change), base) => {
                // A deletion has no patch.
                let base = base.filter(|_| change.state.is_some());
                Write::Report(change, base)
            }
            (Self::Resource(change), _) => Write::Resource(change),
            (Self::Event(change), _) => Write::Event(change),
        }
    }

    /// About how many bytes it holds.
    pub(super) fn size(&self) -> usize {
        match self {
            Self::Application(change) => change.size(),
            Self::Resource(change) => change.size(),
            Self::Event(change) => change.size(),
        }
    }
}

/// The same change with its state as one of its kind.
fn with_state<S>(
    change: Change<ReportedState>,
    state: impl FnOnce(ReportedState) -> Result<S, FieldError>,
) -> Result<Arc<Change<S>>, FieldError> {
    Ok(Arc::new(Change {
        scope: change.scope,
        runtime_name: change.runtime_name,
        object: change.object,
        uid: change.uid,
        position: change.position,
        continuity: change.continuity,
        state: change.state.map(state).transpose()?,
        operations: change.operations,
    }))
}

fn to_application_state(stated: ReportedState) -> Result<State, FieldError> {
    match stated {
        ReportedState::Application(state) => Ok(*state),
        ReportedState::Resource(_) | ReportedState::Event(_) | ReportedState::Delta(_) => {
            Err(other_kind(&ObjectKind::Application))
        }
    }
}

fn to_resource(
    stated: ReportedState,
    kind: &ResourceKind,
    scope: &Scope,
) -> Result<Resource, FieldError> {
    let ReportedState::Resource(mut resource) = stated else {
        return Err(other_kind(&scope.kind));
    };
    if *resource.group != *kind.group() {
        let problem = format!(
            "is \"{}\", but this stream reports {}: open one for each kind",
            resource.group, scope.kind
        );
        return Err(FieldError::new("resource.group", problem));
    }
    set_default_cluster(resource.application.as_mut(), scope);
    Ok(*resource)
}

fn to_event(stated: ReportedState, scope: &Scope) -> Result<Event, FieldError> {
    let ReportedState::Event(mut event) = stated else {
        return Err(other_kind(&scope.kind));
    };
    set_default_cluster(event.application.as_mut(), scope);
    Ok(*event)
}

/// Where no cluster is named it is that of the stream.
fn set_default_cluster(application: Option<&mut ApplicationName>, scope: &Scope) {
    if let Some(application) = application
        && application.cluster.is_empty()
    {
        application.cluster = scope.cluster.as_str().into();
    }
}

fn other_kind(kind: &ObjectKind) -> FieldError {
    let problem = format!("is of another kind than this stream, which reports {kind}");
    FieldError::new("change", problem)
}
