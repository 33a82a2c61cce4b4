//! How many pods a part has, and what holds of several.

use serde_json::{Value, json};

use crate::{
    Chart,
    stage::{Rendered, list, mode, rendered, text},
};

/// As many as its values say; of who keeps keys there is one, which may be away for half a day.
fn pods_of(rendered: &Rendered, part: &str) -> u64 {
    if part == "key-keeper" {
        return 1;
    }
    let values: Value = serde_saphyr::from_str(rendered.mode.values).unwrap_or_default();
    let usual = 1 + u64::from(values["highAvailability"] == true);
    values[part]["replicas"].as_u64().unwrap_or(usual)
}

#[test]
fn replicas_are_spread_and_have_a_disruption_budget() {
    for rendered in rendered() {
        for kind in ["Deployment", "StatefulSet"] {
            for workload in rendered.of_kind(kind) {
                let name = text(workload, "/metadata/name");
                let part = text(workload, "/metadata/labels/app.kubernetes.io~1component");
                let pods = pods_of(rendered, part);
                let place = format!("{}: {name}", rendered.name());
                assert_eq!(workload["spec"]["replicas"], pods, "{place}");
                let spread = list(workload, "/spec/template/spec/topologySpreadConstraints");
                assert_eq!(spread.len(), if pods > 1 { 2 } else { 0 }, "{place}");
                for over in spread {
                    let selector = &over["labelSelector"];
                    assert_eq!(*selector, workload["spec"]["selector"], "{place}");
                }
                let budget = rendered.find("PodDisruptionBudget", name);
                assert_eq!(budget.is_some(), pods > 1, "{place}");
                if let Some(budget) = budget {
                    let spec = &budget["spec"];
                    assert_eq!(spec["selector"], workload["spec"]["selector"], "{place}");
                    assert_eq!(spec["maxUnavailable"], 1, "{place}");
                }
                let own = workload["spec"]["volumeClaimTemplates"].is_null();
                assert!(own && (pods == 1 || kind == "Deployment"), "{place}");
            }
        }
    }
}

/// The parts that may be more than two pods are all but the tunnel server, of which a runtime knows two.
#[test]
fn every_part_has_a_mode_with_more_than_two_pods() {
    for chart in Chart::ALL {
        let Some(rendered) = mode(chart, "more-than-two-pods") else {
            return;
        };
        let few: Vec<_> = ["Deployment", "StatefulSet"]
            .into_iter()
            .flat_map(|kind| rendered.of_kind(kind))
            .filter(|it| it["spec"]["replicas"].as_u64() <= Some(2))
            .map(|it| text(it, "/metadata/labels/app.kubernetes.io~1component"))
            .collect();
        let expected = match chart {
            Chart::Platform => "tunnel-server",
            Chart::Runtime => "key-keeper",
        };
        assert_eq!(few, [expected]);
    }
}

#[test]
fn a_database_file_has_one_process_that_ends_before_the_next_begins() {
    for (name, kind) in [
        ("default", "StatefulSet"),
        ("high-availability", "Deployment"),
    ] {
        let Some(rendered) = mode(Chart::Platform, name) else {
            return;
        };
        for part in ["platform", "inventory"] {
            assert!(
                rendered.find(kind, &format!("causeway-{part}")).is_some(),
                "{name}: {part}"
            );
        }
    }
    let shared = mode(Chart::Platform, "high-availability").unwrap();
    let inventory = shared.find("Deployment", "causeway-inventory").unwrap();
    assert_eq!(inventory["spec"]["strategy"], json!({"type": "Recreate"}));
}
