//! Visibility of live applications: the scope that the platform grants and the policy of the runtime.

use causeway_argocd::application::Application;
use causeway_assertion::{ApplicationAttributes, Scope, UnownedObject};
use causeway_proto::ids::{RuntimeName, UserId};

use crate::policy::{Action, Policy, PolicyDecision};

/// Verified user of a call, with the granted scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requester {
    pub user: UserId,
    /// Objects that the platform grants to this call.
    pub scope: Scope,
    /// Time of the request, in seconds since 1970.
    pub asked_at: u64,
}

/// Runtime and cluster of the applications, as scopes name them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScopeTarget {
    pub runtime: RuntimeName,
    pub cluster: String,
}

/// Decides on an action on an application. An application out of scope is hidden, whatever the policy says.
pub(crate) fn answer(
    requester: &Requester,
    policy: &Policy,
    place: &ScopeTarget,
    action: Action,
    application: &Application,
) -> PolicyDecision {
    let metadata = &application.metadata;
    let object = ApplicationAttributes {
        runtime: place.runtime.as_str(),
        cluster: &place.cluster,
        project: &application.spec.project,
        namespace: &metadata.namespace,
        name: &metadata.name,
        labels: &metadata.labels,
    };
    if requester.scope.contains(&object) {
        policy.answer(action, &requester.user, &object)
    } else {
        PolicyDecision::Hidden
    }
}

/// Decides on an action on an object without an application.
pub(crate) fn answer_on(
    requester: &Requester,
    policy: &Policy,
    action: Action,
    ground: &UnownedObject<'_>,
) -> PolicyDecision {
    if requester.scope.contains_unowned(ground) {
        policy.answer_on(action, &requester.user, ground)
    } else {
        PolicyDecision::Hidden
    }
}

#[cfg(test)]
mod tests;
