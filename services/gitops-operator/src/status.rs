//! The status of a source: what happened, as conditions.

use causeway_git_source::{
    Object, Refusal, application_project, content::conditions, source_project, text,
};
use jiff::Timestamp;
use serde_json::{Value, json};

/// Argo CD compares a new Application within seconds.
const PATIENCE_SECONDS: i64 = 60;
const LONGEST_MESSAGE: usize = 1_000;

/// What a reconciliation found.
#[derive(Debug, Clone)]
pub(crate) enum Outcome {
    /// The spec or the cluster forbids the source.
    Refused(Refusal),
    /// The spec is accepted; the objects are not all there yet.
    Accepted,
    /// The objects are as planned.
    Applied {
        application: Value,
        children: Vec<Value>,
        escapes: Vec<Refusal>,
    },
    /// The source is being deleted.
    Removing(String),
    /// The cluster did not do what was requested.
    Failed(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Condition {
    kind: &'static str,
    is_true: bool,
    pub(crate) reason: String,
    pub(crate) message: String,
}

/// State of the Application, from best to worst.
#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    Available,
    Progressing,
    Degraded,
}

/// Computes the status to write; equal to the old one if nothing changed.
pub(crate) fn status_after(object: &Object, outcome: &Outcome, now: (Timestamp, &str)) -> Value {
    let (time, shown) = now;
    let mut status = object.status.clone();
    let new = conditions_of(object, outcome, time);
    status["conditions"] = merge(&object.status, &new, shown);
    match outcome {
        Outcome::Accepted | Outcome::Applied { .. } => {
            if let Ok(spec) = &object.spec {
                status["sourceNamespace"] = spec.source_namespace.clone().into();
            }
            status["projects"] = json!({
                "source": source_project(&object.name),
                "applications": application_project(&object.name),
            });
            status["application"] = format!("{}/{}", object.namespace, object.name).into();
        }
        Outcome::Refused(_) | Outcome::Removing(_) | Outcome::Failed(_) => {}
    }
    // A generation is observed once its objects are as planned, or it is refused.
    if matches!(outcome, Outcome::Refused(_) | Outcome::Applied { .. }) {
        status["observedGeneration"] = object.generation.into();
    }
    status
}

/// Whether the source needs no look before the next change.
pub(crate) fn is_available(status: &Value) -> bool {
    let is = |kind: &str, wanted: &str| condition_of(status, kind, "/status") == wanted;
    is("Available", "True") && is("Refused", "False")
}

/// A field of a condition; empty if absent.
pub(crate) fn condition_of<'a>(status: &'a Value, kind: &str, field: &str) -> &'a str {
    let list = status.pointer("/conditions").and_then(Value::as_array);
    let mut list = list.into_iter().flatten();
    list.find(|it| text(it, "/type") == kind)
        .map_or("", |it| text(it, field))
}

fn conditions_of(object: &Object, outcome: &Outcome, now: Timestamp) -> Vec<Condition> {
    let (state, reason, message) = match outcome {
        Outcome::Refused(refusal) => (
            None,
            "Refused".to_owned(),
            format!("the source is refused: {}", refusal.reason()),
        ),
        Outcome::Accepted => (
            Some(State::Progressing),
            "Creating".to_owned(),
            "the projects and the Application are being created".to_owned(),
        ),
        Outcome::Removing(message) => (
            Some(State::Progressing),
            "Deleting".to_owned(),
            message.clone(),
        ),
        Outcome::Failed(message) => (
            Some(State::Degraded),
            "ClusterFailed".to_owned(),
            message.clone(),
        ),
        Outcome::Applied {
            application,
            children,
            ..
        } => {
            let (state, reason, message) = state_of(object, application, children, now);
            (Some(state), reason, message)
        }
    };
    let of = |kind: &'static str, wanted: &State| {
        let is_true = state.as_ref() == Some(wanted);
        condition(kind, is_true, &reason, &message)
    };
    vec![
        of("Available", &State::Available),
        of("Progressing", &State::Progressing),
        of("Degraded", &State::Degraded),
        refused(object, outcome),
    ]
}

fn refused(object: &Object, outcome: &Outcome) -> Condition {
    let found: Vec<&Refusal> = match outcome {
        Outcome::Refused(refusal) => vec![refusal],
        Outcome::Applied { escapes, .. } => escapes.iter().collect(),
        // What was refused before stays so until the next look succeeds.
        Outcome::Accepted | Outcome::Removing(_) | Outcome::Failed(_) => {
            let old = |field| condition_of(&object.status, "Refused", field);
            if old("/status") == "True" {
                return condition("Refused", true, old("/reason"), old("/message"));
            }
            Vec::new()
        }
    };
    match found.first() {
        None => condition("Refused", false, "Accepted", "no escape was found"),
        Some(first) => {
            let messages: Vec<String> = found.iter().map(ToString::to_string).collect();
            condition("Refused", true, first.reason(), &messages.join("\n"))
        }
    }
}

fn condition(kind: &'static str, is_true: bool, reason: &str, message: &str) -> Condition {
    Condition {
        kind,
        is_true,
        reason: reason.to_owned(),
        message: message.chars().take(LONGEST_MESSAGE).collect(),
    }
}

fn state_of(
    object: &Object,
    application: &Value,
    children: &[Value],
    now: Timestamp,
) -> (State, String, String) {
    let (namespace, name) = (&object.namespace, &object.name);
    let told = |state, reason: &str, message: String| (state, reason.to_owned(), message);
    let sync = text(application, "/status/sync/status");
    if sync.is_empty() && is_overdue(application, now) {
        let message = format!(
            "Argo CD has not compared Application {name}; check that its application controller runs and that --argocd-namespace={namespace} is its namespace"
        );
        return told(State::Degraded, "ArgocdNotWatching", message);
    }
    let is_unseen = |it: &&Value| {
        text(it, "/kind") == "Application"
            && text(it, "/status/sync/status").is_empty()
            && is_overdue(it, now)
    };
    if let Some(child) = children.iter().find(is_unseen) {
        let child = text(child, "/metadata/name");
        let of = object.namespace_in_use().unwrap_or_default();
        let message = format!(
            "Argo CD has not compared Application {of}/{child}; add {of} to application.namespaces in the ConfigMap argocd-cmd-params-cm and restart its application controller and server"
        );
        return told(State::Degraded, "NamespaceNotWatched", message);
    }
    if let Some(error) = conditions(application).find(|it| text(it, "/type").ends_with("Error")) {
        let message = text(error, "/message").to_owned();
        return told(State::Degraded, text(error, "/type"), message);
    }
    let health = text(application, "/status/health/status");
    match (sync, health) {
        ("Synced", "" | "Healthy") => told(
            State::Available,
            "Synced",
            format!("Application {name} is synced"),
        ),
        ("Synced", "Degraded") => told(
            State::Degraded,
            "HealthDegraded",
            format!("Application {name} is degraded"),
        ),
        ("", _) => told(
            State::Progressing,
            "WaitingForArgocd",
            format!("Argo CD has not compared Application {name} yet"),
        ),
        (sync, health) => told(
            State::Progressing,
            "Syncing",
            format!("Application {name} is {sync} and {health}"),
        ),
    }
}

fn is_overdue(object: &Value, now: Timestamp) -> bool {
    let created = text(object, "/metadata/creationTimestamp").parse::<Timestamp>();
    created.is_ok_and(|created| now.as_second() - created.as_second() > PATIENCE_SECONDS)
}

/// A transition time stays while its condition does.
fn merge(old: &Value, new: &[Condition], now: &str) -> Value {
    let merged = new.iter().map(|it| {
        let status = if it.is_true { "True" } else { "False" };
        let since = condition_of(old, it.kind, "/lastTransitionTime");
        let stays = condition_of(old, it.kind, "/status") == status && !since.is_empty();
        json!({
            "type": it.kind,
            "status": status,
            "reason": it.reason,
            "message": it.message,
            "lastTransitionTime": if stays { since } else { now },
        })
    });
    merged.collect()
}

#[cfg(test)]
mod tests;
