//! The watch of a cluster on a bad day, seen from the platform.

use std::time::Duration;

use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Mesh, wait_until};
use serde_json::json;

use crate::world::{PATIENCE, application, change, create, delete, list, until_told};

const APPLICATIONS: &str = "applications";

/// Creates five, changes all, deletes the second and makes the third anew.
async fn churn(mesh: &Mesh, round: &str) {
    let sandbox = mesh.sandbox();
    let name = |number: usize| format!("{round}-{number}");
    for number in 0..5 {
        create(sandbox, &application(sandbox, &name(number))).await;
    }
    for number in 0..5 {
        let label = json!({"metadata": {"labels": {"round": round}}});
        change(sandbox, &name(number), &label).await;
    }
    delete(sandbox, &name(1)).await;
    delete(sandbox, &name(2)).await;
    create(sandbox, &application(sandbox, &name(2))).await;
}

async fn survives(fault: impl FnOnce(&Mesh)) {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    churn(&mesh, "before").await;
    fault(&mesh);
    churn(&mesh, "during").await;
    mesh.sandbox().kube().faults().clear("*");
    churn(&mesh, "after").await;
    let told = until_told(&mesh).await;
    assert_eq!(told.len(), 12);
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn expired_watches_lose_nothing() {
    survives(|mesh| {
        let faults = mesh.sandbox().kube().faults();
        faults.gone_410(APPLICATIONS, 3);
        faults.close_watches(APPLICATIONS);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn watches_that_end_between_events_lose_nothing() {
    survives(|mesh| {
        let faults = mesh.sandbox().kube().faults();
        faults.gone_410_after(APPLICATIONS, 3);
        faults.duplicate_events(APPLICATIONS, 2);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn throttling_cluster_is_reported_eventually() {
    survives(|mesh| {
        let faults = mesh.sandbox().kube().faults();
        faults.throttle(APPLICATIONS, 6, Duration::from_secs(1));
        faults.close_watches(APPLICATIONS);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stalled_watch_is_reported_when_it_continues() {
    survives(|mesh| mesh.sandbox().kube().faults().stall_watches(APPLICATIONS)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_application_blocks_no_other() {
    let mesh = Mesh::start(SandboxOptions::in_memory()).await;
    let sandbox = mesh.sandbox();
    let broken = json!({
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "Application",
        "metadata": {"name": "broken", "namespace": "argocd", "labels": {"a": 7}},
        "spec": {"source": [17, "nonsense"], "destination": 3.5, "sources": {"repoURL": false}},
        "status": {"health": ["?"], "resources": "none", "operationState": {"phase": {}}},
    });
    let written = sandbox.kube().write_raw("applications.argoproj.io", broken);
    assert!(written.is_some());
    churn(&mesh, "other").await;
    let names = wait_until("the others are told", PATIENCE, async || {
        let told = list(&mesh, "east")
            .await
            .map_err(|error| error.to_string())?;
        let names: Vec<_> = told.into_iter().map(|it| it.name).collect();
        let mut sound = names.clone();
        sound.retain(|name| name != "broken");
        sound.sort();
        if sound == ["other-0", "other-2", "other-3", "other-4"] {
            Ok(names)
        } else {
            Err(format!("{names:?}"))
        }
    })
    .await;
    assert!(names.len() <= 5, "{names:?}");
    mesh.stop().await;
}
