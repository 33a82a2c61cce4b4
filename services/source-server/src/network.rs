//! Traffic between the nodes of a tree, with the pods that a service selects.

use std::collections::BTreeMap;

use causeway_argocd::rest::{NetworkingInfo, ResourceNode, TargetRef};
use causeway_proto::source::v1 as pb;

const MAX_TARGETS: usize = 64;
const MAX_ADDRESSES: usize = 16;
const MAX_ADDRESS_BYTES: usize = 2_048;

/// Pods by namespace.
pub(crate) struct Pods<'a>(BTreeMap<&'a str, Vec<&'a ResourceNode>>);

impl<'a> Pods<'a> {
    pub(crate) fn of(nodes: &'a [ResourceNode]) -> Self {
        let mut pods = BTreeMap::<&str, Vec<&ResourceNode>>::new();
        for node in nodes.iter().filter(|node| node.kind == "Pod") {
            pods.entry(&node.namespace).or_default().push(node);
        }
        Self(pods)
    }

    fn selected<'s>(
        &'s self,
        namespace: &str,
        labels: &'s BTreeMap<String, String>,
    ) -> impl Iterator<Item = pb::ResourceNodeTarget> + 's {
        let pods = self.0.get(namespace).map_or(&[][..], Vec::as_slice);
        let has_all = |pod: &&&ResourceNode| {
            let own = &pod.networking_info.labels;
            let mut wanted = labels.iter();
            !labels.is_empty() && wanted.all(|(label, value)| own.get(label) == Some(value))
        };
        pods.iter()
            .filter(has_all)
            .map(|pod| pb::ResourceNodeTarget {
                group: String::new(),
                kind: pod.kind.clone(),
                namespace: pod.namespace.clone(),
                name: pod.name.clone(),
            })
    }
}

/// The traffic of a node; none if it has none.
pub(crate) fn to_network(node: &ResourceNode, pods: &Pods<'_>) -> Option<pb::ResourceNodeNetwork> {
    let NetworkingInfo {
        target_labels,
        target_refs,
        ingress,
        external_urls,
        ..
    } = &node.networking_info;
    let targets = target_refs.iter().map(to_target);
    let targets = targets.chain(pods.selected(&node.namespace, target_labels));
    let addresses = ingress.iter().map(|it| match &*it.hostname {
        "" => &it.ip,
        _ => &it.hostname,
    });
    let network = pb::ResourceNodeNetwork {
        targets: targets.take(MAX_TARGETS).collect(),
        ingress: bounded(addresses),
        external_urls: bounded(external_urls.iter()),
    };
    (network != pb::ResourceNodeNetwork::default()).then_some(network)
}

fn to_target(target: &TargetRef) -> pb::ResourceNodeTarget {
    pb::ResourceNodeTarget {
        group: target.group.clone(),
        kind: target.kind.clone(),
        namespace: target.namespace.clone(),
        name: target.name.clone(),
    }
}

/// The first texts that are not empty and no longer than an address.
fn bounded<'a>(texts: impl Iterator<Item = &'a String>) -> Vec<String> {
    let usable = texts.filter(|it| (1..=MAX_ADDRESS_BYTES).contains(&it.len()));
    usable.take(MAX_ADDRESSES).cloned().collect()
}

#[cfg(test)]
mod tests;
