//! A fleet in small: what the platform lists in the end is what the clusters have, and a fleet that does not report is found out.

use std::time::Duration;

use causeway_testkit::{
    Change, Databases, Mix, PlatformParts,
    fleet::{Fleet, FleetOptions, Load, Pace, PlatformDoor},
};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(120);

async fn start(folder: &TempDir, options: &FleetOptions) -> (PlatformParts, Fleet) {
    let platform = PlatformParts::start(folder.path(), Databases::default()).await;
    platform.settle_neighbour().await;
    let door = PlatformDoor {
        url: platform.router.url(),
        admin_key: platform.admin_key(),
    };
    let fleet = Box::pin(Fleet::start(&door, options)).await;
    fleet.complete(PATIENCE).await;
    (platform, fleet)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_platform_lists_is_what_the_clusters_of_a_fleet_have_after_changes_of_all_kinds() {
    let folder = tempfile::tempdir().unwrap();
    let options = FleetOptions {
        runtimes: 3,
        applications: 60,
        resources: 30,
        seed: 1,
    };
    let (platform, fleet) = start(&folder, &options).await;
    let load = Load {
        pace: Pace::PerSecond(50),
        time: Duration::from_secs(4),
        mix: Mix {
            deletions: 150,
            creations: 150,
            ..Mix::usual()
        },
        patience: PATIENCE,
    };
    let churn = fleet.churn(load).await;
    let verdict = fleet.settled(PATIENCE).await;
    assert!(verdict.is_clean(), "{verdict}");
    assert_eq!(churn.lags.len() + churn.overtaken, churn.made, "{churn:?}");
    assert_eq!(fleet.outlook().progress().await.online, Some(3));
    fleet.stop().await;
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reporter_that_is_gone_is_seen_by_what_the_platform_lacks_and_by_what_it_has_too_much() {
    let folder = tempfile::tempdir().unwrap();
    let options = FleetOptions {
        runtimes: 2,
        applications: 8,
        resources: 1,
        seed: 1,
    };
    let (platform, mut fleet) = start(&folder, &options).await;
    let silent = &mut fleet.members_mut()[0];
    silent.parts.reporter.kill();
    let gone = silent.generator.make(Change::Deletion).name;
    let new = silent.generator.make(Change::Commit).name;
    let told = fleet.members()[1].generator.make(Change::Commit);
    fleet
        .outlook()
        .sights()
        .until(|seen| seen.version("fleet-001", &told.name) == Some(told.resource_version))
        .await;
    let verdict = fleet.verdict().await;
    assert_eq!(verdict.lost, [format!("fleet-000/{new}")]);
    assert_eq!(verdict.ghosts, [format!("fleet-000/{gone}")]);
    fleet.members_mut()[0].parts.reporter.start_again().await;
    let verdict = fleet.settled(PATIENCE).await;
    assert!(verdict.is_clean(), "{verdict}");
    fleet.stop().await;
    platform.stop().await;
}
