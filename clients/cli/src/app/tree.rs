//! The resources of an application, each under its owner.

use std::collections::BTreeMap;

use causeway_proto::inventory::v1 as pb;

use crate::{
    output::{Cell, Table, Tree},
    words,
};

pub(super) fn print(application: &pb::Application) -> anyhow::Result<()> {
    table(application).print()
}

/// The tree, as it is printed.
pub(super) fn text(application: &pb::Application) -> String {
    table(application).text()
}

fn table(application: &pb::Application) -> Table {
    let mut table = Table::new(&[
        "RESOURCE",
        "NAMESPACE",
        "SYNC",
        "HEALTH",
        "READY",
        "RESTARTS",
        "AGE",
        "MESSAGE",
    ]);
    let status = application.status.as_ref();
    let health = status.and_then(|status| status.health.as_ref());
    table.row([
        Cell::new(format!("Application/{}", application.name)),
        Cell::new(&application.namespace),
        Cell::state(&words::reported_sync(application)),
        Cell::state(&words::reported_health(application)),
        Cell::new(""),
        Cell::new(""),
        Cell::new(words::age(application.created_at.as_ref())),
        Cell::new(health.map_or("", |health| &health.message)),
    ]);
    for (prefix, resource) in tree_lines(status.map_or(&[], |status| &status.resources)) {
        table.row(row(&prefix, resource));
    }
    table
}

fn row(prefix: &str, resource: &pb::Resource) -> Vec<Cell> {
    let health = resource.health.as_ref();
    let sync = if resource.requires_pruning {
        "to be pruned"
    } else {
        words::sync_status(resource.sync())
    };
    vec![
        Cell::new(format!("{prefix}{}/{}", resource.kind, resource.name)),
        Cell::new(&resource.namespace),
        Cell::state(sync),
        Cell::state(health.map_or("", |health| words::health_status(health.status()))),
        Cell::new(fact(resource, "Containers")),
        Cell::new(fact(resource, "Restart Count")),
        Cell::new(words::age(resource.created_at.as_ref())),
        Cell::new(words::plain(health.map_or("", |health| &health.message))),
    ]
}

/// A fact that Argo CD shows of a resource; empty if there is none.
fn fact(resource: &pb::Resource, name: &str) -> String {
    let fact = resource.info.iter().find(|fact| fact.name == name);
    fact.map_or_else(String::new, |fact| words::plain(&fact.value))
}

/// Draws each resource once below its owner; one whose owner is absent stands at the root.
fn tree_lines(resources: &[pb::Resource]) -> Vec<(String, &pb::Resource)> {
    let known: BTreeMap<&str, usize> = resources
        .iter()
        .enumerate()
        .filter(|(_, resource)| !resource.uid.is_empty())
        .map(|(index, resource)| (resource.uid.as_str(), index))
        .collect();
    let mut children: BTreeMap<Option<usize>, Vec<usize>> = BTreeMap::new();
    for (index, resource) in resources.iter().enumerate() {
        let parent = resource
            .parent_uids
            .iter()
            .find_map(|uid| known.get(uid.as_str()).copied());
        children
            .entry(parent.filter(|parent| *parent != index))
            .or_default()
            .push(index);
    }
    let below = |parent: Option<usize>| {
        let mut indices = children.get(&parent).cloned().unwrap_or_default();
        indices.sort_by_key(|index| {
            let resource = &resources[*index];
            (&resource.kind, &resource.namespace, &resource.name)
        });
        indices
    };
    let mut tree = Tree::new(resources, |index| below(Some(index)));
    tree.draw(below(None), "");
    tree.into_lines()
}

#[cfg(test)]
mod tests;
