//! Several clusters of one runtime.

use crate::stage::{Stage, cluster, create, define, rollout};

#[tokio::test]
async fn clusters_have_separate_streams_and_owners_in_the_home_cluster() {
    let mut stage = Stage::set().await;
    let west = cluster().await;
    define(&west, "Rollout", "rollouts").await;
    create(&stage.kube, rollout("web")).await;
    create(&west, rollout("web")).await;
    stage.report().await;
    stage.report_of(west.client(), "west", "in-cluster").await;
    for (name, home) in [("in-cluster", ""), ("west", "in-cluster")] {
        let state = stage
            .inventory
            .until(name, |seen| {
                seen.state_in(name, "rollouts.argoproj.io", "web").cloned()
            })
            .await;
        let application = state.application.unwrap();
        assert_eq!(
            (application.cluster.as_str(), application.name.as_str()),
            (home, "web-app")
        );
    }
    let seen = stage.inventory.seen();
    let mut hellos: Vec<_> = seen
        .hellos
        .iter()
        .map(|it| (&*it.cluster, &*it.kind))
        .collect();
    hellos.sort_unstable();
    hellos.dedup();
    assert_eq!(hellos.len(), 12, "{hellos:?}");
}
