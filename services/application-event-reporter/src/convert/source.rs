//! Converts responses of source-server.

use causeway_argocd::{application::Application, redact::Redactor};
use causeway_proto::{source::v1 as pb, time::timestamp_to_millis};
use causeway_reporting::{Content, Digest};
use serde_json::Value;

use crate::enrichment::{Chart, Commit, ManifestDigests, Manifests, Network, Node, ResourceName};

const CHART: &str = "helm.sh/chart";
const APP_VERSION: &str = "app.kubernetes.io/version";
const MOST_CHARTS: usize = 50;
const MOST_FACTS: usize = 16;

pub(crate) fn application_key(application: &Application) -> pb::ApplicationKey {
    pb::ApplicationKey {
        namespace: application.metadata.namespace.clone(),
        name: application.metadata.name.clone(),
        project: application.spec.project.clone(),
    }
}

/// Converts the tree to sorted nodes, so that equal trees are equal.
pub(crate) fn to_nodes(redactor: &Redactor, tree: pb::GetResourceTreeResponse) -> Vec<Node> {
    let node = |node: pb::ResourceNode| Node {
        health_message: redactor.resource_message(&node.kind, &node.health_message),
        resource: ResourceName {
            group: node.group,
            kind: node.kind,
            namespace: node.namespace,
            name: node.name,
        },
        version: node.version,
        uid: node.uid,
        parent_uids: node.parent_uids,
        health: node.health,
        images: node.images.iter().map(|it| redactor.text(it)).collect(),
        created_at: node.created_at.as_ref().map(timestamp_to_millis),
        info: to_info(redactor, node.info),
        network: node.network.map(|network| to_network(redactor, network)),
    };
    let mut nodes: Vec<Node> = tree.nodes.into_iter().map(node).collect();
    nodes.sort_by(|one, other| (&one.resource, &one.uid).cmp(&(&other.resource, &other.uid)));
    nodes
}

fn to_info(redactor: &Redactor, info: Vec<pb::ResourceNodeInfo>) -> Vec<(String, String)> {
    let facts = info.into_iter().take(MOST_FACTS);
    facts
        .map(|it| (redactor.text(&it.name), redactor.text(&it.value)))
        .collect()
}

fn to_network(redactor: &Redactor, network: pb::ResourceNodeNetwork) -> Network {
    let redacted = |texts: Vec<String>| texts.iter().map(|it| redactor.text(it)).collect();
    let target = |it: pb::ResourceNodeTarget| ResourceName {
        group: it.group,
        kind: it.kind,
        namespace: it.namespace,
        name: it.name,
    };
    let mut targets: Vec<_> = network.targets.into_iter().map(target).collect();
    targets.sort();
    Network {
        targets,
        ingress: redacted(network.ingress),
        external_urls: redacted(network.external_urls),
    }
}

/// Redacts and digests each manifest.
pub(crate) fn to_manifests(
    redactor: &Redactor,
    managed: pb::GetManagedResourcesResponse,
) -> Manifests {
    let mut manifests = Manifests::default();
    for resource in managed.resources {
        let redacted = |text: &str| Content::redacted(redactor, text);
        let (live, desired) = (
            redacted(&resource.live_json),
            redacted(&resource.desired_json),
        );
        if manifests.charts.len() < MOST_CHARTS
            && let Some(chart) = desired.as_ref().and_then(chart_of)
            && !manifests.charts.iter().any(|it| it.name == chart.name)
        {
            manifests.charts.push(chart);
        }
        let mut keep = |content: Option<Content>| -> Option<Digest> {
            let digest = content.as_ref().map(|it| it.digest);
            manifests.contents.extend(content);
            digest
        };
        let (live, desired) = (keep(live), keep(desired));
        let omitted = |told: Option<Digest>, text: &str| told.map_or(text.len(), |_| 0);
        let digests = ManifestDigests {
            live,
            desired,
            live_omitted: omitted(live, &resource.live_json),
            desired_omitted: omitted(desired, &resource.desired_json),
        };
        let name = ResourceName {
            group: resource.group,
            kind: resource.kind,
            namespace: resource.namespace,
            name: resource.name,
        };
        manifests.digests.insert(name, digests);
    }
    manifests
        .charts
        .sort_by(|one, other| one.name.cmp(&other.name));
    manifests
}

/// Reads the chart from `helm.sh/chart`, NAME-VERSION, a label of Helm's default chart. Argo CD's API has no better source.
fn chart_of(manifest: &Content) -> Option<Chart> {
    let manifest = std::str::from_utf8(&manifest.bytes).ok()?;
    if !manifest.contains(CHART) {
        return None;
    }
    let manifest: Value = serde_json::from_str(manifest).ok()?;
    let labels = manifest.get("metadata")?.get("labels")?;
    let label = |name: &str| labels.get(name).and_then(Value::as_str);
    let chart = label(CHART)?;
    let version = |(at, _): &(usize, &str)| {
        let after = chart.as_bytes().get(at + 1);
        after.is_some_and(u8::is_ascii_digit)
    };
    let (at, _) = chart.match_indices('-').find(version)?;
    Some(Chart {
        name: chart[..at].to_owned(),
        // Labels cannot contain a plus sign, so Helm replaces it.
        version: chart[at + 1..].replace('_', "+"),
        app_version: label(APP_VERSION).unwrap_or_default().to_owned(),
    })
}

pub(crate) fn to_commit(redactor: &Redactor, commit: &pb::GetRevisionMetadataResponse) -> Commit {
    Commit {
        author: redactor.message(&commit.author),
        message: redactor.message(&commit.message),
        committed_at: commit.committed_at.as_ref().map(timestamp_to_millis),
        url: commit.url.clone(),
        avatar_url: commit.avatar_url.clone(),
    }
}
