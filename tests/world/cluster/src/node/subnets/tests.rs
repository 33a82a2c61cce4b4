use super::*;

#[test]
fn a_number_makes_all_addresses() {
    let subnets = Subnets::new(7);
    assert_eq!(subnets.host().to_string(), "10.243.7.1");
    assert_eq!(subnets.node().to_string(), "10.243.7.2");
    assert_eq!(subnets.api().to_string(), "10.96.7.1");
    assert_eq!(subnets.argocd(1).to_string(), "10.96.7.3");
    assert_eq!(subnets.services(), "10.96.7.0/24");
    assert_eq!(subnets.node_name(), "node-7");
}

#[test]
fn the_host_has_a_way_to_pods_and_services_through_the_node() {
    let batch = Subnets::new(7).host_end(4321);
    assert!(
        batch.starts_with("link add causeway7 type veth peer name eth0 netns 4321\n"),
        "{batch}"
    );
    assert!(
        batch.contains("route add 10.244.7.0/24 via 10.243.7.2\n"),
        "{batch}"
    );
    assert!(
        batch.contains("route add 10.96.7.0/24 via 10.243.7.2\n"),
        "{batch}"
    );
}

#[test]
fn a_template_keeps_every_other_brace() {
    let filled = Subnets::new(7).fill("{\"a\": \"{folder}/{number}\"}", "/tmp/f");
    assert_eq!(filled, "{\"a\": \"/tmp/f/7\"}");
}
