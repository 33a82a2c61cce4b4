//! Resources that are chosen by their labels, which Argo CD does not know: they are looked up in what Git has.

use anyhow::Context as _;
use causeway_proto::{inventory::v1 as pb, proxy::v1 as proxy};
use serde_json::Value;

use super::{
    choice::{KeyValue, Resource},
    order::OrderArgs,
};
use crate::{
    app::{find, manifests},
    connection::Connection,
    failure::Absent,
    output,
};

/// So many are named where some are missing.
const NAMED: usize = 5;

/// The resources of an application that have one of the labels, at the revision that it is to be synced to.
///
/// # Errors
/// The manifests cannot be had, none has such a label and nothing else was chosen, or Argo CD has not yet seen one that has
/// it: a sync chooses among what Argo CD has seen, and would end well without it.
pub(super) async fn find(
    connection: &Connection,
    target: &pb::Application,
    order: &OrderArgs,
) -> anyhow::Result<Vec<proxy::ResourceSelector>> {
    if order.label.is_empty() {
        return Ok(Vec::new());
    }
    let (key, git) = (find::key_of(target), proxy::ManifestSource::Git);
    let manifests = manifests::fetch(connection, &key, git, order.revision.as_deref()).await?;
    let found = select_by_labels(&manifests, &order.label)?;
    if found.is_empty() {
        let others = order.resource.iter().any(|it| !it.excludes());
        return if others {
            Ok(found)
        } else {
            Err(Absent(no_match_message(&target.name, &order.label)).into())
        };
    }
    let status = find::get(connection, key).await?.status;
    let status = status.unwrap_or_default();
    let unseen = unseen(&found, &order.resource, &status.resources);
    if unseen.is_empty() {
        return Ok(found);
    }
    let message = unseen_message(&target.name, &unseen, order.revision.as_deref());
    if left_out(&status) {
        // Omitted resources may match.
        output::note(format!("unless the reporter left it out, {message}"))
    } else {
        return Err(Absent(message).into());
    }
    Ok(found)
}

fn select_by_labels(
    manifests: &[proxy::StreamManifestsResponse],
    labels: &[KeyValue],
) -> anyhow::Result<Vec<proxy::ResourceSelector>> {
    let mut found = Vec::new();
    for manifest in manifests.iter().filter(|it| !it.desired.is_empty()) {
        let object: Value = serde_json::from_slice(&manifest.desired)
            .with_context(|| format!("{}/{} is no object", manifest.kind, manifest.name))?;
        // Skip objects without a name yet: a selector without a name would match all of the kind.
        if manifest.name.is_empty() || is_hook(&object) {
            continue;
        }
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

/// A part of an application is synced without hooks.
fn is_hook(object: &Value) -> bool {
    let annotation = |name: &str| object["metadata"]["annotations"][name].as_str();
    // Argo CD treats all Helm hooks as its own, except this one, which it applies.
    let of_helm = annotation("helm.sh/hook").is_some_and(|it| it != "crd-install");
    annotation("argocd.argoproj.io/hook").is_some() || of_helm
}

/// Those that an order wants and an application has not, as far as Argo CD has seen.
fn unseen(
    found: &[proxy::ResourceSelector],
    choices: &[Resource],
    seen: &[pb::Resource],
) -> Vec<String> {
    let is_left_out = |it: &proxy::ResourceSelector| {
        let resource = pb::Resource {
            group: it.group.clone(),
            kind: it.kind.clone(),
            namespace: it.namespace.clone(),
            name: it.name.clone(),
            ..pb::Resource::default()
        };
        let mut out = choices.iter().filter(|choice| choice.excludes());
        out.any(|choice| choice.matches(&resource))
    };
    let is_unseen = |it: &&proxy::ResourceSelector| {
        let choice = [Resource::from((*it).clone())];
        let known = Resource::select(&choice, seen).next().is_some();
        !known && !is_left_out(it)
    };
    let unseen = found.iter().filter(is_unseen);
    unseen
        .map(|it| Resource::from(it.clone()).to_string())
        .collect()
}

fn unseen_message(name: &str, unseen: &[String], revision: Option<&str>) -> String {
    let rest = unseen.len().saturating_sub(NAMED);
    let mut names = unseen[..unseen.len() - rest].join(", ");
    if rest > 0 {
        names = format!("{names} and {rest} more");
    }
    let advice = match revision {
        Some(revision) => {
            format!("sync all of it with 'causeway app sync {name} --revision {revision}'")
        }
        None => format!("run 'causeway app refresh {name}' and try again"),
    };
    format!(
        "Argo CD does not yet count {names} among the resources of {name}, and a sync by labels takes only from those: {advice}, or leave it out with --resource '!GROUP:KIND:NAME'"
    )
}

/// True if the reporter omitted resources.
fn left_out(status: &pb::ApplicationStatus) -> bool {
    let mut omissions = status.omissions.iter();
    omissions.any(|it| it.field == "resources" && it.resource.is_none())
}

fn no_match_message(name: &str, labels: &[KeyValue]) -> String {
    let labels: Vec<_> = labels.iter().map(KeyValue::to_string).collect();
    format!(
        "no resource of {name} has {} in Git; see 'causeway app manifests {name}'",
        labels.join(" or ")
    )
}

#[cfg(test)]
mod tests;
