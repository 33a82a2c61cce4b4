//! Permissions that rendered roles grant to ServiceAccounts, by verb, and those that were never used.

mod exception;

use serde_json::Value;

use crate::audit::Event;

pub(crate) use exception::{Exception, exceptions};

/// One verb on one resource for one ServiceAccount.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Grant {
    /// of the role, as [`Origin::shown`]
    pub(crate) role: String,
    /// `system:serviceaccount:NAMESPACE:NAME`
    pub(crate) account: String,
    /// where it counts; everywhere if there is none
    pub(crate) namespace: Option<String>,
    pub(crate) group: String,
    /// with its subresource: `pods/log`
    pub(crate) resource: String,
    /// of the only object; of all if there is none
    pub(crate) name: Option<String>,
    /// that name, as [`Origin::shown`]
    shown_name: Option<String>,
    pub(crate) verb: String,
}

/// A release, after which its objects are called.
struct Origin<'a> {
    release: &'a str,
    namespace: &'a str,
}

impl Origin<'_> {
    /// The same name for each release of a chart: `*` stands for the release's, and its namespace before that is left out.
    fn shown(&self, name: &str) -> String {
        let own = name.strip_prefix(&format!("{}-", self.namespace));
        own.unwrap_or(name).replace(self.release, "*")
    }
}

/// All that the objects of a release grant.
///
/// # Panics
/// On a binding to a role that the release does not have, and on a wildcard: neither can be proven.
pub(crate) fn grants(release: &str, namespace: &str, objects: &[Value]) -> Vec<Grant> {
    let bindings = objects
        .iter()
        .filter(|object| matches!(text(&object["kind"]), "RoleBinding" | "ClusterRoleBinding"));
    let origin = Origin { release, namespace };
    let all = bindings.flat_map(|binding| of_binding(&origin, objects, binding));
    let mut all: Vec<_> = all.collect();
    all.sort();
    all.dedup();
    all
}

/// Those that no event used, and that no exception names, as lines to read; and the exceptions that were not needed.
pub(crate) fn unproven(
    grants: &[Grant],
    events: &[Event],
    exceptions: &[Exception],
) -> Vec<String> {
    let mut found = Vec::new();
    let used = |shown: &str| {
        let mut same = grants.iter().filter(|grant| grant.shown() == shown);
        same.any(|grant| events.iter().any(|event| event.uses(grant)))
    };
    let mut all: Vec<_> = grants.iter().map(Grant::shown).collect();
    all.sort();
    all.dedup();
    for shown in &all {
        let excused = exceptions.iter().any(|exception| exception.names(shown));
        match (used(shown), excused) {
            (false, false) => found.push(format!("granted and never used: {shown}")),
            (true, true) => found.push(format!("used, and yet an exception: {shown}")),
            (true, false) | (false, true) => {}
        }
    }
    let granted = |exception: &&Exception| !all.iter().any(|shown| exception.names(shown));
    let stale = exceptions.iter().filter(granted);
    found.extend(stale.map(|exception| format!("exception without a grant: {exception}")));
    found
}

impl Grant {
    /// The same for the same chart, whatever the release and its namespace are called: `ROLE: VERB RESOURCE[.GROUP][ NAME]`.
    pub(crate) fn shown(&self) -> String {
        let (resource, below) = match self.resource.split_once('/') {
            Some((resource, below)) => (resource, format!("/{below}")),
            None => (self.resource.as_str(), String::new()),
        };
        let dot = if self.group.is_empty() { "" } else { "." };
        let name = self.shown_name.as_ref().map(|name| format!(" {name}"));
        format!(
            "{}: {} {resource}{dot}{}{below}{}",
            self.role,
            self.verb,
            self.group,
            name.unwrap_or_default()
        )
    }
}

fn of_binding(origin: &Origin<'_>, objects: &[Value], binding: &Value) -> Vec<Grant> {
    let namespace = origin.namespace;
    let of = &binding["roleRef"];
    let within = match text(&binding["kind"]) {
        "RoleBinding" => Some(place(binding, namespace)),
        _ => None,
    };
    let is_role = |object: &&Value| {
        let here = within.as_deref().unwrap_or_default();
        object["kind"] == of["kind"]
            && object["metadata"]["name"] == of["name"]
            && (of["kind"] == "ClusterRole" || place(object, namespace) == here)
    };
    let role = objects.iter().find(is_role);
    let role =
        role.unwrap_or_else(|| panic!("a binding to {of}, which is not in {}", origin.release));
    let subjects = binding["subjects"].as_array().into_iter().flatten();
    let accounts = subjects.filter(|subject| subject["kind"] == "ServiceAccount");
    let accounts = accounts.map(|subject| {
        let namespace = subject["namespace"].as_str().unwrap_or(namespace);
        format!(
            "system:serviceaccount:{namespace}:{}",
            text(&subject["name"])
        )
    });
    accounts
        .flat_map(|account| of_role(origin, role, &account, within.as_deref()))
        .collect()
}

fn of_role(origin: &Origin<'_>, role: &Value, account: &str, within: Option<&str>) -> Vec<Grant> {
    let mut all = Vec::new();
    for rule in role["rules"].as_array().into_iter().flatten() {
        let names = match texts(&rule["resourceNames"]) {
            names if names.is_empty() => vec![None],
            names => names.into_iter().map(Some).collect(),
        };
        for group in texts(&rule["apiGroups"]) {
            for resource in texts(&rule["resources"]) {
                for verb in texts(&rule["verbs"]) {
                    assert!(
                        ![&group, &resource, &verb].contains(&&"*".to_owned()),
                        "{rule}"
                    );
                    all.extend(names.iter().map(|name| Grant {
                        role: origin.shown(text(&role["metadata"]["name"])),
                        account: account.to_owned(),
                        namespace: within.map(str::to_owned),
                        group: group.clone(),
                        resource: resource.clone(),
                        name: name.clone(),
                        shown_name: name.as_deref().map(|name| origin.shown(name)),
                        verb: verb.clone(),
                    }));
                }
            }
        }
    }
    all
}

fn place(object: &Value, otherwise: &str) -> String {
    let own = object["metadata"]["namespace"].as_str();
    own.unwrap_or(otherwise).to_owned()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn texts(value: &Value) -> Vec<String> {
    let values = value.as_array().into_iter().flatten();
    values.map(|value| text(value).to_owned()).collect()
}

#[cfg(test)]
mod tests;
