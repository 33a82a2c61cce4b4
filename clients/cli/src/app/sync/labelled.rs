//! Resources that are chosen by their labels, which Argo CD does not know: they are looked up in what Git has.

use anyhow::Context as _;
use causeway_proto::{inventory::v1 as pb, proxy::v1 as proxy};
use serde_json::Value;

use super::{KeyValue, OrderArgs};
use crate::{
    app::{find, manifests},
    connection::Connection,
    failure::Absent,
};

/// The resources of an application that have one of the labels, at the revision that it is to be synced to.
///
/// # Errors
/// The manifests cannot be had, or none has such a label and nothing else was chosen.
pub(super) async fn find(
    connection: &Connection,
    target: &pb::Application,
    order: &OrderArgs,
) -> anyhow::Result<Vec<proxy::ResourceSelector>> {
    if order.label.is_empty() {
        return Ok(Vec::new());
    }
    let (key, git) = (find::key_of(target), proxy::ManifestSource::Git);
    let manifests = manifests::ask(connection, &key, git, order.revision.as_deref()).await?;
    let found = having(&manifests, &order.label)?;
    let others = order.resource.iter().any(|it| !it.excludes());
    if found.is_empty() && !others {
        return Err(Absent(nothing(&target.name, &order.label)).into());
    }
    Ok(found)
}

fn having(
    manifests: &[proxy::StreamManifestsResponse],
    labels: &[KeyValue],
) -> anyhow::Result<Vec<proxy::ResourceSelector>> {
    let mut found = Vec::new();
    for manifest in manifests.iter().filter(|it| !it.desired.is_empty()) {
        let object: Value = serde_json::from_slice(&manifest.desired)
            .with_context(|| format!("{}/{} is no object", manifest.kind, manifest.name))?;
        let own = &object["metadata"]["labels"];
        if labels.iter().any(|it| own[it.name()] == it.value()) {
            found.push(proxy::ResourceSelector {
                group: manifest.group.clone(),
                kind: manifest.kind.clone(),
                namespace: manifest.namespace.clone(),
                name: manifest.name.clone(),
                exclude: false,
            });
        }
    }
    Ok(found)
}

fn nothing(name: &str, labels: &[KeyValue]) -> String {
    let labels: Vec<_> = labels.iter().map(KeyValue::to_string).collect();
    format!(
        "no resource of {name} has {} in Git; see 'causeway app manifests {name}'",
        labels.join(" or ")
    )
}

#[cfg(test)]
mod tests;
