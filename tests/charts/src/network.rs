//! Who may reach whom.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    Chart,
    stage::{list, mode, rendered, text, texts},
};

const COMPONENT: &str = "/podSelector/matchLabels/app.kubernetes.io~1component";

/// Of which parts the rules of one direction speak at a port.
fn peers<'a>(policy: &'a Value, direction: &str, port: &str) -> BTreeSet<&'a str> {
    let (rules, peers) = match direction {
        "ingress" => ("/spec/ingress", "/from"),
        _ => ("/spec/egress", "/to"),
    };
    let rules = list(policy, rules).iter();
    let at_port = rules.filter(|rule| list(rule, "/ports").iter().any(|it| it["port"] == port));
    let peers = at_port.flat_map(|rule| list(rule, peers));
    peers.map(|peer| text(peer, COMPONENT)).collect()
}

#[test]
fn network_policies_deny_everything_unneeded_in_both_directions() {
    for rendered in rendered() {
        let policies: Vec<_> = rendered.of_kind("NetworkPolicy").collect();
        for (name, pod) in rendered.pods() {
            let labels = &pod["metadata"]["labels"];
            let selects = |policy: &&&Value| {
                let wanted = policy["spec"]["podSelector"]["matchLabels"].as_object();
                wanted.is_some_and(|wanted| wanted.iter().all(|(key, value)| labels[key] == *value))
            };
            let selecting: Vec<_> = policies.iter().filter(selects).collect();
            assert_eq!(selecting.len(), 1, "{}: {name}", rendered.name());
            let types = texts(selecting[0], "/spec/policyTypes");
            assert_eq!(types, ["Ingress", "Egress"], "{}: {name}", rendered.name());
        }
    }
}

/// Everybody whom a part may call lets it, and nobody lets one that does not call.
#[test]
fn both_ends_of_every_connection_are_allowed() {
    for rendered in rendered() {
        let mut calls = [BTreeSet::new(), BTreeSet::new()];
        for policy in rendered.of_kind("NetworkPolicy") {
            let own = text(
                policy,
                "/spec/podSelector/matchLabels/app.kubernetes.io~1component",
            );
            let called = peers(policy, "egress", "grpc");
            calls[0].extend(called.into_iter().map(|other| (own, other)));
            let calling = peers(policy, "ingress", "grpc").into_iter();
            let calling = calling.filter(|it| !it.is_empty());
            calls[1].extend(calling.map(|other| (other, own)));
        }
        // Whoever comes from outside the release is nobody's egress here.
        let open = "request-router";
        calls[0].retain(|(from, to)| !(*from == "tunnel-client" && *to == open));
        calls[1].retain(|(from, to)| !(*from == "tunnel-client" && *to == open));
        assert_eq!(calls[0], calls[1], "{}", rendered.name());
    }
}

#[test]
fn allowed_connections_match_the_map() {
    let Some(runtime) = mode(Chart::Runtime, "webhooks") else {
        return;
    };
    let map = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../services/README.md"
    ));
    let map = map.unwrap();
    for (side, rendered) in [
        ("runtime", runtime),
        ("platform", mode(Chart::Platform, "default").unwrap()),
    ] {
        let mut let_through = BTreeSet::new();
        for policy in rendered.of_kind("NetworkPolicy") {
            let own = text(
                policy,
                "/spec/podSelector/matchLabels/app.kubernetes.io~1component",
            );
            let called = peers(policy, "egress", "grpc").into_iter();
            let_through.extend(called.map(|to| format!("{side}/{own} -> {side}/{to}")));
        }
        let calls = map
            .lines()
            .filter_map(|line| line.trim().strip_prefix("call: "));
        let within = calls.filter(|call| {
            let mut ends = call.split(" -> ");
            ends.all(|end| end.starts_with(side))
        });
        // The README says that every part of the platform announces itself to the part `platform`.
        let mut expected: BTreeSet<String> = within.map(str::to_owned).collect();
        if side == "platform" {
            let announcing = ["inventory", "tunnel-server", "request-router"];
            expected.extend(announcing.map(|it| format!("platform/{it} -> platform/platform")));
        }
        assert_eq!(let_through, expected);
    }
}

#[test]
fn cloud_metadata_services_are_unreachable() {
    for rendered in rendered() {
        for policy in rendered.of_kind("NetworkPolicy") {
            let rules = list(policy, "/spec/egress").iter();
            for peer in rules.flat_map(|rule| list(rule, "/to")) {
                if text(peer, "/ipBlock/cidr") == "0.0.0.0/0" {
                    assert_eq!(texts(peer, "/ipBlock/except"), ["169.254.169.254/32"]);
                }
            }
        }
    }
}
