use causeway_argocd::rest::Ingress;

use super::*;

fn node(kind: &str, namespace: &str, name: &str, labels: &[(&str, &str)]) -> ResourceNode {
    let owned = labels.iter();
    let labels = owned.map(|(label, value)| ((*label).to_owned(), (*value).to_owned()));
    ResourceNode {
        kind: kind.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        networking_info: NetworkingInfo {
            labels: labels.collect(),
            ..NetworkingInfo::default()
        },
        ..ResourceNode::default()
    }
}

fn targets(node: &ResourceNode, nodes: &[ResourceNode]) -> Vec<String> {
    let network = to_network(node, &Pods::of(nodes)).unwrap_or_default();
    let targets = network.targets.into_iter();
    targets
        .map(|it| format!("{}/{}", it.kind, it.name))
        .collect()
}

#[test]
fn a_service_sends_traffic_to_the_pods_of_its_namespace_with_all_its_labels() {
    let nodes = [
        node("Pod", "x", "one", &[("app", "web"), ("tier", "a")]),
        node("Pod", "x", "two", &[("app", "web")]),
        node("Pod", "y", "three", &[("app", "web"), ("tier", "a")]),
        node("Job", "x", "four", &[("app", "web"), ("tier", "a")]),
    ];
    let mut service = node("Service", "x", "web", &[]);
    let selector = [("app", "web"), ("tier", "a")];
    let selector = selector.map(|(label, value)| (label.to_owned(), value.to_owned()));
    service.networking_info.target_labels = selector.into_iter().collect();
    assert_eq!(targets(&service, &nodes), ["Pod/one"]);
    service.networking_info.target_labels.clear();
    assert_eq!(to_network(&service, &Pods::of(&nodes)), None);
}

#[test]
fn targets_and_addresses_are_bounded() {
    let mut ingress = node("Ingress", "x", "web", &[]);
    let target = TargetRef {
        kind: "Service".to_owned(),
        name: "web".to_owned(),
        ..TargetRef::default()
    };
    let address = |hostname: &str, ip: &str| Ingress {
        hostname: hostname.to_owned(),
        ip: ip.to_owned(),
    };
    let info = &mut ingress.networking_info;
    info.target_refs = vec![target; 100];
    info.ingress = vec![
        address("web.corp", "10.0.0.1"),
        address("", "10.0.0.2"),
        address("", ""),
    ];
    info.external_urls = vec![
        "x".repeat(MAX_ADDRESS_BYTES + 1),
        "https://web.corp".to_owned(),
    ];
    let network = to_network(&ingress, &Pods::of(&[])).unwrap();
    assert_eq!(network.targets.len(), MAX_TARGETS);
    assert_eq!(network.ingress, ["web.corp", "10.0.0.2"]);
    assert_eq!(network.external_urls, ["https://web.corp"]);
}
