//! The reporter is killed as `kill -9` does, wherever it is.

use std::{process::Command, sync::atomic::Ordering, time::Duration};

use causeway_sandbox::SandboxOptions;
use causeway_testkit::{Child, Mesh, binary, history::Promise, wait_until};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};

use super::{
    churn::Churn,
    witness::{Witness, has_all},
};

const KILLS: u64 = 50;
/// A reporter lives for so many changes at most, some of them not long enough to say hello.
const LIFE: u64 = 60;
const PATIENCE: Duration = Duration::from_secs(120);

fn start(mesh: &Mesh) -> Child {
    let mut command = Command::new(binary());
    command.args(["serve", "application-event-reporter"]);
    command.args(&mesh.runtime.reporter_flags);
    Child::start(&mut command)
}

async fn until_changed(churn: &Churn, times: u64) {
    let until = churn.changes.load(Ordering::Relaxed) + times;
    wait_until("the cluster changes", PATIENCE, async || {
        match churn.changes.load(Ordering::Relaxed) {
            changes if changes >= until => Ok(()),
            changes => Err(format!("{changes} of {until}")),
        }
    })
    .await;
}

/// Kills it so many times, each time after some more changes; the last one goes on.
async fn kill_often(mesh: &Mesh, churn: &Churn, seed: u64, kills: u64) -> Child {
    let mut chance = SmallRng::seed_from_u64(seed);
    let mut reporter = start(mesh);
    for _ in 0..kills {
        until_changed(churn, chance.random_range(1..LIFE)).await;
        reporter.kill();
        reporter = start(mesh);
    }
    reporter
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_03_a_reporter_that_is_killed_at_fifty_moments_loses_nothing() {
    let seed = rand::random();
    let mut mesh = Mesh::start(SandboxOptions::in_memory()).await;
    mesh.runtime.reporter.stop().await;
    let witness = Witness::start(&mesh);
    let churn = Churn::start(mesh.sandbox(), seed);
    let reporter = kill_often(&mesh, &churn, seed, KILLS).await;
    churn.stop().await;
    let history = witness
        .settle(|history| has_all(history, mesh.sandbox()))
        .await;
    let broken = history.judge(u64::MAX);
    let first: Vec<String> = broken.iter().take(5).map(ToString::to_string).collect();
    assert!(
        broken.is_empty(),
        "seed {seed}, of {} events: {first:#?}\n{}",
        history.events().len(),
        reporter.lines().join("\n")
    );
    drop(reporter);
    mesh.stop().await;
}

/// The same check, where what was missed is told by nobody: the last reporter never says anything.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_03_what_nobody_reports_any_more_is_noticed() {
    let seed = rand::random();
    let mut mesh = Mesh::start(SandboxOptions::in_memory()).await;
    mesh.runtime.reporter.stop().await;
    let witness = Witness::start(&mesh);
    let churn = Churn::start(mesh.sandbox(), seed);
    let mut reporter = kill_often(&mesh, &churn, seed, 2).await;
    reporter.kill();
    until_changed(&churn, LIFE).await;
    churn.stop().await;
    let history = witness.now().await;
    let broken = history.judge(u64::MAX);
    assert!(
        broken.iter().all(|it| it.promise == Promise::FinalState) && !broken.is_empty(),
        "seed {seed}: {broken:#?}"
    );
    mesh.stop().await;
}
