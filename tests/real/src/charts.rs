//! The charts as a real API server takes them, by a dry run of every mode.

mod found;
mod keeper;
mod printed;

use std::{collections::BTreeSet, path::Path};

use causeway_charts::{Mode, Release, helm, modes};
use causeway_cluster::Cluster;
use causeway_testkit::{Finished, run, run_with_input};
use serde_json::{Value, json};

use crate::stage::{kubectl, minimal};

/// Kinds of others that modes make objects of.
const KINDS: [(&str, &str, &str, &str); 3] = [
    ("gateway.networking.k8s.io", "v1", "HTTPRoute", "httproutes"),
    (
        "monitoring.coreos.com",
        "v1",
        "ServiceMonitor",
        "servicemonitors",
    ),
    ("cert-manager.io", "v1", "Certificate", "certificates"),
];

fn definition((group, version, kind, plural): (&str, &str, &str, &str)) -> Value {
    let schema = json!({"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}"), "annotations": {
            "api-approved.kubernetes.io": "https://github.com/kubernetes-sigs/gateway-api"}},
        "spec": {
            "group": group, "scope": "Namespaced", "names": {"kind": kind, "plural": plural},
            "versions": [{"name": version, "served": true, "storage": true, "schema": schema}],
        },
    })
}

/// A namespace in which whatever may more than the restricted standard allows is told of.
fn namespace(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": {
        "pod-security.kubernetes.io/enforce": "restricted",
        "pod-security.kubernetes.io/warn": "restricted",
    }}})
}

fn apply<'a>(
    cluster: &Cluster,
    words: &[&str],
    objects: impl IntoIterator<Item = &'a Value>,
) -> Finished {
    let items: Vec<_> = objects.into_iter().collect();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    let words = [&["apply", "--server-side", "-f", "-"], words].concat();
    run_with_input(&mut kubectl(cluster, &words), &list)
}

/// Of the charts themselves, and not of one that they depend on.
fn own(object: &&Value) -> bool {
    let chart = object["metadata"]["labels"]["helm.sh/chart"].as_str();
    chart.is_some_and(|chart| chart.starts_with("causeway-"))
}

/// Makes what a mode takes for granted.
fn prepare(cluster: &Cluster, helm: &Path) -> Vec<(Mode, Release)> {
    let render = |mode: Mode| (mode, mode.chart.render(helm, mode.values));
    let rendered: Vec<_> = modes().into_iter().map(render).collect();
    let objects = rendered.iter().flat_map(|(_, release)| &release.objects);
    let names: BTreeSet<&str> = objects
        .filter_map(|it| it["metadata"]["namespace"].as_str())
        .filter(|it| *it != "kube-system")
        .collect();
    let namespaces: Vec<_> = names.into_iter().map(namespace).collect();
    let definitions = KINDS.map(definition);
    let all = namespaces.iter().chain(&definitions);
    apply(cluster, &[], all).expect_success();
    // A pod is refused whose account is not there yet, and a dry run makes none.
    let defaults = rendered.iter().filter(|(mode, _)| mode.name == "default");
    let objects = defaults.flat_map(|(_, release)| &release.objects);
    let accounts = objects.filter(|it| it["kind"] == "ServiceAccount");
    apply(cluster, &[], accounts).expect_success();
    let mut established = kubectl(
        cluster,
        &[
            "wait",
            "--for=condition=Established",
            "--timeout=-1s",
            "crd",
        ],
    );
    let crds = KINDS.map(|(group, _, _, plural)| format!("{plural}.{group}"));
    run(established.args(crds)).expect_success();
    rendered
}

#[tokio::test(flavor = "multi_thread")]
async fn kubernetes_accepts_every_chart_mode_with_restricted_pods() {
    let Some(cluster) = minimal().await else {
        return;
    };
    let Some(helm) = helm() else { return };
    tokio::task::block_in_place(|| {
        for (mode, release) in prepare(&cluster, &helm) {
            let (own, others): (Vec<_>, Vec<_>) = release.objects.iter().partition(own);
            let taken = apply(&cluster, &["--dry-run=server"], own);
            assert!(taken.status.success(), "{mode:?}: {}", taken.stderr);
            assert!(
                !taken.stderr.contains("Warning"),
                "{mode:?}: {}",
                taken.stderr
            );
            if !others.is_empty() {
                apply(&cluster, &["--dry-run=server"], others).expect_success();
            }
        }
    });
    cluster.stop().await;
}
