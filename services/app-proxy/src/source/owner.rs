//! Who makes an Application from Git, as far as the cluster tells.

use std::fmt;

use causeway_argocd::{
    application::{Application, TRACKING_ID},
    rest::ApplicationName,
};
use serde_json::Value;

/// Tracking label of Argo CD, where it is configured; other tools set it too.
const INSTANCE: &str = "app.kubernetes.io/instance";

/// What would make the object again as it is in Git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owner {
    kind: &'static str,
    name: String,
    /// Where it is an application.
    pub(crate) application: Option<ApplicationName>,
}

/// Who is said to have made an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Claim {
    /// A mark that only Argo CD sets.
    Certain(Owner),
    /// By a mark that others set, too: this application is to be asked whether it is so.
    Ask(ApplicationName),
    /// No application.
    Unowned,
}

impl Owner {
    pub(crate) fn application(name: &ApplicationName) -> Self {
        Self {
            kind: "application",
            name: name.to_string(),
            application: Some(name.clone()),
        }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.kind, self.name)
    }
}

/// A tracking annotation counts only where it is about this very object: a copy of a manifest carries its origin's along.
pub(crate) fn claimed_by(application: &Application, object: &Value) -> Claim {
    let metadata = &application.metadata;
    if let Some(set) = application_set(object) {
        return Claim::Certain(Owner {
            kind: "ApplicationSet",
            name: format!("{}/{set}", metadata.namespace),
            application: None,
        });
    }
    let about = format!(
        ":argoproj.io/Application:{}/{}",
        metadata.namespace, metadata.name
    );
    let tracking = metadata.annotations.get(TRACKING_ID);
    if let Some(parent) = tracking.and_then(|it| it.strip_suffix(&about)) {
        return Claim::Certain(Owner::application(&named(parent, &metadata.namespace)));
    }
    match metadata.labels.get(INSTANCE) {
        Some(parent) => Claim::Ask(named(parent, &metadata.namespace)),
        None => Claim::Unowned,
    }
}

/// True if an application is one of the resources of another one.
pub(crate) fn manages(parent: &Value, child: &ApplicationName) -> bool {
    let resources = parent
        .pointer("/status/resources")
        .and_then(Value::as_array);
    resources.into_iter().flatten().any(|it| {
        it["group"] == "argoproj.io"
            && it["kind"] == "Application"
            && it["namespace"] == *child.namespace
            && it["name"] == *child.name
    })
}

fn application_set(object: &Value) -> Option<&str> {
    let owners = object.pointer("/metadata/ownerReferences")?.as_array()?;
    let set = owners.iter().find(|it| it["kind"] == "ApplicationSet")?;
    set["name"].as_str()
}

/// An application of another namespace is written `namespace_name`.
fn named(text: &str, home: &str) -> ApplicationName {
    let (namespace, name) = text.split_once('_').unwrap_or((home, text));
    ApplicationName {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        project: String::new(),
    }
}
