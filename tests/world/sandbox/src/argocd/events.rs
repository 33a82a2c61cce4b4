//! Kubernetes Events about applications. Failing to write one is logged and stops nothing.

use http::Request;
use jiff::Timestamp;
use k8s_openapi::api::core::v1::Event;
use kube::{
    Client, Resource,
    api::DeleteParams,
    core::{Request as ResourceRequest, params::PostParams},
};
use serde_json::{Value, json};

use super::{
    application::Application,
    manifest::{metadata, text},
    status::stamp,
};

/// Lifetime of an event.
const KEPT: jiff::SignedDuration = jiff::SignedDuration::from_hours(1);

/// Component that reports an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reporter<'a> {
    Controller,
    /// the REST API, for this user
    Server(&'a str),
}

/// Kind of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EventKind {
    SyncStatus { before: String, after: String },
    HealthStatus { before: String, after: String },
    OperationStarted(String),
    OperationSucceeded(String),
    OperationFailed(String),
}

impl EventKind {
    fn reason(&self) -> &'static str {
        match self {
            Self::SyncStatus { .. } | Self::HealthStatus { .. } => "ResourceUpdated",
            Self::OperationStarted(_) => "OperationStarted",
            Self::OperationSucceeded(_) | Self::OperationFailed(_) => "OperationCompleted",
        }
    }

    fn severity(&self) -> &'static str {
        if matches!(self, Self::OperationFailed(_)) {
            "Warning"
        } else {
            "Normal"
        }
    }

    fn message(&self) -> String {
        match self {
            Self::SyncStatus { before, after } => {
                format!("Updated sync status: {before} -> {after}")
            }
            Self::HealthStatus { before, after } => {
                format!("Updated health status: {before} -> {after}")
            }
            Self::OperationStarted(message)
            | Self::OperationSucceeded(message)
            | Self::OperationFailed(message) => message.clone(),
        }
    }
}

/// Events of a change of an application's status.
pub(crate) fn changes(before: &Value, after: &Value) -> Vec<EventKind> {
    let change = |pointer: &str| {
        let words = (text(before, pointer), text(after, pointer));
        (words.0 != words.1).then(|| (words.0.to_owned(), words.1.to_owned()))
    };
    let sync =
        change("/sync/status").map(|(before, after)| EventKind::SyncStatus { before, after });
    let health =
        change("/health/status").map(|(before, after)| EventKind::HealthStatus { before, after });
    sync.into_iter().chain(health).collect()
}

pub(crate) async fn report(
    client: &Client,
    application: &Application,
    reporter: Reporter<'_>,
    event: &EventKind,
) {
    let event = event_object(application, reporter, event, Timestamp::now());
    let body = serde_json::to_vec(&event).expect("a JSON value always serialises");
    let path = Event::url_path(&(), Some(&application.key.namespace));
    let written = match ResourceRequest::new(path).create(&PostParams::default(), body) {
        Ok(request) => send(client, request).await,
        Err(error) => Err(error.to_string()),
    };
    if let Err(error) = written {
        tracing::debug!(%error, application = %application.key, "an event could not be written");
    }
}

fn event_object(
    application: &Application,
    reporter: Reporter<'_>,
    event: &EventKind,
    now: Timestamp,
) -> Value {
    let key = &application.key;
    let destination = application.destination();
    let mut annotations =
        json!({"dest-server": destination.server, "dest-namespace": destination.namespace});
    let component = match reporter {
        Reporter::Controller => "argocd-application-controller",
        Reporter::Server(user) => {
            annotations["user"] = user.into();
            "argocd-server"
        }
    };
    json!({
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {
            "name": format!("{}.{:x}", key.name, now.as_nanosecond()),
            "namespace": key.namespace,
            "annotations": annotations,
        },
        "involvedObject": {
            "apiVersion": "argoproj.io/v1alpha1",
            "kind": "Application",
            "namespace": key.namespace,
            "name": key.name,
            "uid": metadata(&application.object, "uid"),
            "resourceVersion": metadata(&application.object, "resourceVersion"),
        },
        "reason": event.reason(),
        "message": event.message(),
        "type": event.severity(),
        "source": {"component": component},
        "count": 1,
        "eventTime": null,
        "firstTimestamp": stamp(now),
        "lastTimestamp": stamp(now),
        "reportingComponent": "",
        "reportingInstance": "",
    })
}

/// Removes the events about applications that are an hour old, as an API server does.
pub(crate) async fn sweep(client: &Client, namespace: &str, now: Timestamp) -> Result<(), String> {
    let path = Event::url_path(&(), Some(namespace));
    let list = ResourceRequest::new(path.clone())
        .list(&kube::api::ListParams::default())
        .map_err(|error| error.to_string())?;
    let list = send(client, list).await?;
    for event in super::manifest::items(&list, "/items") {
        let last: Option<Timestamp> = text(event, "/lastTimestamp").parse().ok();
        let ours = text(event, "/involvedObject/kind") == "Application";
        if ours && last.is_some_and(|last| now.duration_since(last) > KEPT) {
            let delete = ResourceRequest::new(path.clone())
                .delete(metadata(event, "name"), &DeleteParams::default())
                .map_err(|error| error.to_string())?;
            send(client, delete).await?;
        }
    }
    Ok(())
}

async fn send(client: &Client, request: Request<Vec<u8>>) -> Result<Value, String> {
    let sent = client.request::<Value>(request).await;
    sent.map_err(|error| error.to_string())
}
