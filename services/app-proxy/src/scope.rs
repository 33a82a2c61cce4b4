//! Whether a live application is there for a caller: within what the platform lets it touch, and within the runtime's own list.

use causeway_argocd::application::Application;
use causeway_assertion::{ApplicationAttributes, Scope, UnownedObject};
use causeway_proto::ids::{RuntimeName, UserId};

use crate::policy::{Action, Answer, Policy};

/// Who asks, and within which scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asker {
    /// The user.
    pub user: UserId,
    /// What the platform lets the user touch with this call.
    pub scope: Scope,
    /// When the user asked, in seconds since 1970.
    pub asked_at: u64,
}

/// Where applications are, as scopes call it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The name of the runtime.
    pub runtime: RuntimeName,
    /// The name of its cluster.
    pub cluster: String,
}

/// What the asker may do with an application. One out of scope is hidden, whatever the list says.
pub(crate) fn answer(
    asker: &Asker,
    policy: &Policy,
    place: &Place,
    action: Action,
    application: &Application,
) -> Answer {
    let metadata = &application.metadata;
    let object = ApplicationAttributes {
        runtime: place.runtime.as_str(),
        cluster: &place.cluster,
        project: &application.spec.project,
        namespace: &metadata.namespace,
        name: &metadata.name,
        labels: &metadata.labels,
    };
    match asker.scope.contains(&object) {
        true => policy.answer(action, &asker.user, &object),
        false => Answer::Hidden,
    }
}

/// What the asker may do with something that belongs to no application.
pub(crate) fn answer_on(
    asker: &Asker,
    policy: &Policy,
    action: Action,
    ground: &UnownedObject<'_>,
) -> Answer {
    match asker.scope.contains_unowned(ground) {
        true => policy.answer_on(action, &asker.user, ground),
        false => Answer::Hidden,
    }
}

#[cfg(test)]
mod tests;
