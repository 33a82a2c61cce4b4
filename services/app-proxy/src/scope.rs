//! Whether a live application is within what the platform lets a caller touch.

use causeway_argocd::application::Application;
use causeway_proto::ids::RuntimeName;
use causeway_shell::assertion::{Scope, ScopeRule};

/// Whether any rule of the scope holds for the application.
pub(crate) fn contains(scope: &Scope, runtime: &RuntimeName, application: &Application) -> bool {
    scope
        .rules
        .iter()
        .any(|rule| holds(rule, runtime, application))
}

fn holds(rule: &ScopeRule, runtime: &RuntimeName, application: &Application) -> bool {
    let metadata = &application.metadata;
    let label = |(name, value): (&String, &String)| metadata.labels.get(name) == Some(value);
    selects(&rule.runtimes, runtime.as_str())
        && rule.clusters.is_empty()
        && selects(&rule.projects, &application.spec.project)
        && selects(&rule.namespaces, &metadata.namespace)
        && selects(&rule.names, &metadata.name)
        && rule.labels.iter().all(label)
}

fn selects(selector: &[String], value: &str) -> bool {
    selector.is_empty() || selector.iter().any(|name| name == value)
}

#[cfg(test)]
mod tests;
