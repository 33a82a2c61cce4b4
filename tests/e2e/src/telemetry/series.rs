//! How many series there are, with few applications and with a thousand.

use std::collections::BTreeSet;

use causeway_sandbox::{KubeApi, KubeOptions};
use causeway_testkit::wait_until;
use serde_json::json;

use super::scrape::Scrape;
use crate::program::{SOON, Up, metric};

const FEW: usize = 3;
const APPLICATIONS: usize = 1_000;
/// What so many applications may add.
const MORE: usize = 50;
/// What there may be at all, of all parts: calls by method and code have most of it.
const ALL: usize = 3_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_applications_add_at_most_fifty_series() {
    let kube = KubeApi::start(KubeOptions::in_memory()).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let kubeconfig = folder.path().join("kubeconfig");
    std::fs::write(&kubeconfig, kube.kubeconfig()).unwrap();
    (0..FEW).for_each(|number| add(&kube, number));
    let flags = ["--kubeconfig".to_owned(), kubeconfig.display().to_string()];
    let (up, admin) = tokio::task::block_in_place(|| Up::start_measured(&flags));
    let before = used(&up, &admin, FEW).await;
    (FEW..APPLICATIONS).for_each(|number| add(&kube, number));
    let after = used(&up, &admin, APPLICATIONS).await;
    // Of a method that was not called before the number of calls stands for all of its histogram: there are as many as the contract has.
    let of_histogram =
        |series: &&String| series.starts_with("causeway_rpc_") && !series.contains("_count{");
    let more = after.difference(&before).filter(|it| !of_histogram(it));
    let more: Vec<&String> = more.collect();
    assert!(more.len() <= MORE, "{} more:\n{more:#?}", more.len());
    assert!(after.len() <= ALL, "{} series", after.len());
    let named: Vec<_> = after
        .iter()
        .filter(|series| series.contains("many-"))
        .collect();
    assert!(named.is_empty(), "applications are not named: {named:#?}");
}

/// The series after everybody has used it in the same way, where so many applications are held.
async fn used(up: &Up, admin: &str, applications: usize) -> BTreeSet<String> {
    wait_until("the applications", SOON, async || {
        let held = metric(admin, "causeway_inventory_objects_held")
            .await
            .unwrap_or(0.0);
        if held >= applications as f64 {
            Ok(())
        } else {
            Err(format!("{held} are held"))
        }
    })
    .await;
    tokio::task::block_in_place(|| {
        up.cli(&["app", "list"]).expect_success();
        up.cli(&["app", "get", "many-0"]).expect_success();
        up.cli(&["app", "get", "no-such-application"]);
    });
    Scrape::of(admin).await.series
}

/// An Application as an Argo CD has left it, in one of ten projects, for one of ten clusters.
fn add(kube: &KubeApi, number: usize) {
    let application = json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": format!("many-{number}"), "namespace": "argocd"},
        "spec": {
            "project": format!("project-{}", number % 10),
            "source": {"repoURL": "https://git.example/many", "path": format!("many-{number}")},
            "destination": {
                "name": format!("cluster-{}", number % 10),
                "namespace": format!("many-{number}"),
            },
        },
        "status": {
            "sync": {"status": "Synced", "revision": format!("{number:040x}")},
            "health": {"status": "Healthy"},
        },
    });
    kube.write_raw("applications.argoproj.io", application)
        .unwrap();
}
