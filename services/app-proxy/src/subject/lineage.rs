//! Where an object comes from, as far as it says itself. Pure.

use causeway_argocd::application::{Application, TRACKING_ID};
use serde_json::Value;

use super::ResourceName;

pub(super) const ARGO: &str = "argoproj.io";
pub(super) const APPLICATION: &str = "Application";
/// The label by which older versions of Argo CD tell which Application made an object; charts write it, too.
const INSTANCE: &str = "app.kubernetes.io/instance";
/// The annotations of hooks: Argo CD's own, and those of charts, which it takes for its own.
const HOOKS: [&str; 2] = ["argocd.argoproj.io/hook", "helm.sh/hook"];
/// Of a namespace and a name together, each of which Kubernetes bounds.
const LONGEST: usize = 253 + 1 + 253;

/// What an object says of where it comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lineage {
    /// The Application of its tracking annotation, which names this very object.
    pub(crate) tracked: Option<Claim>,
    /// The Application of its label, which is one only if that Application has it.
    pub(crate) labelled: Option<Claim>,
    /// What owns it.
    pub(crate) owner: Option<Owner>,
    /// True if a sync makes it on its way, which no list of an Application's resources tells for sure.
    pub(crate) is_hook: bool,
}

/// An Application that an object names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    /// Nothing for that of Argo CD itself.
    pub(crate) namespace: Option<String>,
    pub(crate) name: String,
}

/// An object that owns another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) uid: String,
}

impl Lineage {
    /// Of an object with this name, by its metadata.
    pub(crate) fn of(name: &ResourceName, object: &Value) -> Self {
        let annotation = text(object, &["metadata", "annotations", TRACKING_ID]);
        let label = text(object, &["metadata", "labels", INSTANCE]);
        Self {
            tracked: Claim::tracked(annotation, name),
            labelled: Claim::read(label),
            owner: owner(object),
            is_hook: HOOKS
                .iter()
                .any(|hook| !text(object, &["metadata", "annotations", hook]).is_empty()),
        }
    }

    /// True if an Application has the object with this name that names it. Every writer of the object can write the name of
    /// an Application, so that it counts only where the Application knows the object, or could have made it by a hook.
    pub(super) fn is_confirmed(&self, application: &Application, name: &ResourceName) -> bool {
        manages(application, name) || self.is_hook && reaches(application, &name.namespace)
    }
}

impl Claim {
    /// It counts only where it is about this very object: a copy of a manifest carries the text of its origin along.
    fn tracked(annotation: &str, of: &ResourceName) -> Option<Self> {
        let (application, rest) = annotation.split_once(':')?;
        let (kind, object) = rest.split_once(':')?;
        let (namespace, name) = object.split_once('/')?;
        let own_kind = kind.split_once('/') == Some((&*of.group, &*of.kind));
        let own_namespace = of.namespace.is_empty() || namespace == of.namespace;
        let own = own_kind && own_namespace && name == of.name;
        Self::read(application).filter(|_| own)
    }

    /// An Application of another namespace than Argo CD's is written `namespace_name`.
    fn read(text: &str) -> Option<Self> {
        if text.is_empty() || text.len() > LONGEST {
            return None;
        }
        let (namespace, name) = match text.split_once('_') {
            Some((namespace, name)) => (Some(namespace.to_owned()), name),
            None => (None, text),
        };
        let claim = Self {
            namespace,
            name: name.to_owned(),
        };
        let named = claim.namespace.as_deref().is_none_or(is_name) && is_name(&claim.name);
        named.then_some(claim)
    }
}

impl Owner {
    /// What it is called, beside an object that it owns.
    pub(crate) fn name(&self, namespace: &str) -> ResourceName {
        ResourceName {
            group: self.group.clone(),
            kind: self.kind.clone(),
            namespace: namespace.to_owned(),
            name: self.name.clone(),
            uid: Some(self.uid.clone()),
        }
    }

    pub(crate) fn is_application(&self) -> bool {
        (self.group.as_str(), self.kind.as_str()) == (ARGO, APPLICATION)
    }
}

/// True if the Application itself says that it manages an object.
pub(super) fn manages(application: &Application, name: &ResourceName) -> bool {
    let mut resources = application.status.resources.iter();
    resources.any(|it| {
        it.name == name.name
            && it.namespace == name.namespace
            && it.kind == name.kind
            && it.group == name.group
    })
}

/// True if an Application makes objects in a namespace.
fn reaches(application: &Application, namespace: &str) -> bool {
    let mut resources = application.status.resources.iter();
    application.spec.destination.namespace == namespace
        || resources.any(|it| it.namespace == namespace)
}

/// The one that manages it, or the first.
fn owner(object: &Value) -> Option<Owner> {
    let owners = object.pointer("/metadata/ownerReferences")?.as_array()?;
    let manages = |owner: &&Value| owner["controller"].as_bool() == Some(true);
    let owner = owners.iter().find(manages).or_else(|| owners.first())?;
    let field = |name: &str| text(owner, &[name]).to_owned();
    let version = field("apiVersion");
    let group = version.split_once('/').map_or("", |(group, _)| group);
    let owner = Owner {
        group: group.to_owned(),
        kind: field("kind"),
        name: field("name"),
        uid: field("uid"),
    };
    let named = !owner.kind.is_empty() && !owner.uid.is_empty() && is_segment(&owner.name);
    named.then_some(owner)
}

fn text<'a>(object: &'a Value, path: &[&str]) -> &'a str {
    let found = path
        .iter()
        .try_fold(object, |value, field| value.get(field));
    found.and_then(Value::as_str).unwrap_or_default()
}

/// The names become a path of the cluster's API.
fn is_name(text: &str) -> bool {
    let plain = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
    };
    !text.is_empty() && text.bytes().all(plain) && !text.starts_with('.')
}

/// Names of some kinds have other characters, too.
pub(crate) fn is_segment(text: &str) -> bool {
    let odd =
        |character: char| matches!(character, '/' | '%' | '?' | '#') || character.is_control();
    !text.is_empty() && text.len() <= 253 && !matches!(text, "." | "..") && !text.contains(odd)
}
