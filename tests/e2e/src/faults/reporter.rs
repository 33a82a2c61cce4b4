//! The reporter is killed as `kill -9` does, wherever it is; and it goes on while the platform is away.

use std::{process::Command, sync::atomic::Ordering, time::Duration};

use causeway_client::RuntimeIdentity;
use causeway_sandbox::SandboxOptions;
use causeway_testkit::{
    Child, Mesh, binary,
    history::{Event, Promise},
    reserved_address, wait_until,
};
use kube::api::{DeleteParams, PostParams};
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};

use super::{
    churn::{Churn, application, applications},
    relay::{Fault, Relay},
    witness::{MOST_QUEUED, Witness, has_all, lock},
};
use crate::program::metric;

pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
const KILLS: u64 = 50;
/// A reporter lives for so many changes at most, some of them not long enough to say hello.
const LIFE: u64 = 60;
/// What changes in an hour of a cluster in which every fourth second something does.
const HOUR: u64 = 900;

/// A reporter in a process of its own, and where its figures are.
struct Reporter {
    child: Child,
    admin: String,
}

impl Reporter {
    fn start(mesh: &Mesh) -> Self {
        let admin = reserved_address().to_string();
        let mut command = Command::new(binary());
        command.args(["serve", "application-event-reporter"]);
        command.args(["--admin-listen", &admin]);
        command.args(&mesh.runtime.reporter_flags);
        let child = Child::start(&mut command);
        Self { child, admin }
    }

    /// How many keys wait; nothing where it cannot say yet.
    async fn queued(&self) -> Option<u64> {
        // One that has just begun does not listen yet.
        tokio::net::TcpStream::connect(&self.admin).await.ok()?;
        let waiting = metric(&self.admin, "causeway_reporter_queue_waiting").await?;
        Some(waiting as u64)
    }

    /// How many KiB of memory it has.
    fn memory(&self) -> u64 {
        let file = format!("/proc/{}/status", self.child.id());
        let text = std::fs::read_to_string(file).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let words = line.unwrap().trim();
        words.trim_end_matches(" kB").parse().unwrap()
    }
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_03_a_reporter_that_is_killed_at_fifty_moments_loses_nothing() {
    let seed = rand::random();
    let mut chance = SmallRng::seed_from_u64(seed);
    let mut mesh = Mesh::start(SandboxOptions::in_memory()).await;
    mesh.runtime.reporter.stop().await;
    let witness = Witness::start(&mesh);
    let history = witness.history();
    let churn = Churn::start(mesh.sandbox(), seed, witness.history()).await;
    let mut reporter = Reporter::start(&mesh);
    for _ in 0..KILLS {
        until_changed(&churn, chance.random_range(1..LIFE)).await;
        if let Some(keys) = reporter.queued().await {
            lock(&history).note(Event::Queued(keys));
        }
        reporter.child.kill();
        reporter = Reporter::start(&mesh);
    }
    churn.stop().await;
    let history = witness
        .settle(|history| has_all(history, mesh.sandbox()))
        .await;
    let broken = history.judge(MOST_QUEUED);
    let first: Vec<String> = broken.iter().take(20).map(ToString::to_string).collect();
    assert!(
        broken.is_empty(),
        "seed {seed}, {} broken promises of {} events, first {first:#?}\n{}",
        broken.len(),
        history.events().len(),
        reporter.child.lines().join("\n")
    );
    drop(reporter);
    mesh.stop().await;
}

/// The same check of a reporter that is not told what is held, and so does not sweep out what went while it was dead.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_03_a_reporter_that_does_not_sweep_is_noticed() {
    let mut mesh = Mesh::start(SandboxOptions::in_memory()).await;
    mesh.runtime.reporter.stop().await;
    let witness = Witness::start(&mesh);
    let relay = Relay::start(&mesh.router.url(), Fault::HoldsNothing).await;
    let folder = runtime_folder(&mesh);
    let tunnel = &mesh.runtime.identity.tunnel_url;
    RuntimeIdentity::update_urls(folder.as_ref(), &relay.url, tunnel).unwrap();
    let api = applications(mesh.sandbox());
    let create = async |name: &str| {
        let object = application(mesh.sandbox(), name, 1);
        api.create(&PostParams::default(), &object).await.unwrap();
    };
    create("goes").await;
    let mut reporter = Reporter::start(&mesh);
    witness.until_shown("goes").await;
    reporter.child.kill();
    let gone = api.delete("goes", &DeleteParams::default()).await;
    gone.unwrap();
    reporter = Reporter::start(&mesh);
    // What it has to say of others is said before.
    create("comes").await;
    witness.until_shown("comes").await;
    reporter.child.kill();
    let broken = witness.at_rest().await.judge(MOST_QUEUED);
    let ghost = |what: &str| what.starts_with("a ghost") && what.contains("\"goes\"");
    let found = |it: &&_| -> bool {
        let it: &causeway_testkit::history::Violation = it;
        it.promise == Promise::FinalState && ghost(&it.what)
    };
    assert!(broken.iter().any(|it| found(&it)), "{broken:#?}");
    mesh.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn r_05_a_platform_that_is_away_for_an_hour_of_changes_costs_no_state_and_no_memory() {
    let seed = rand::random();
    let mut mesh = Mesh::start(SandboxOptions::in_memory()).await;
    mesh.runtime.reporter.stop().await;
    let witness = Witness::start(&mesh);
    let history = witness.history();
    let churn = Churn::start(mesh.sandbox(), seed, witness.history()).await;
    let reporter = Reporter::start(&mesh);
    until_changed(&churn, 10 * LIFE).await;
    witness.until_shown("steady-0").await;
    mesh.inventory.stop().await;
    let before = reporter.memory();
    until_changed(&churn, HOUR).await;
    let keys = reporter.queued().await.unwrap();
    lock(&history).note(Event::Queued(keys));
    let after = reporter.memory();
    assert!(5 * after <= 6 * before, "{after} KiB after {before} KiB");
    churn.stop().await;
    mesh.inventory.start_again().await;
    let history = witness
        .settle(|history| has_all(history, mesh.sandbox()))
        .await;
    let broken = history.judge(MOST_QUEUED);
    let first: Vec<String> = broken.iter().take(5).map(ToString::to_string).collect();
    assert!(broken.is_empty(), "seed {seed}: {first:#?}");
    drop(reporter);
    mesh.stop().await;
}

fn runtime_folder(mesh: &Mesh) -> &str {
    let flags = &mesh.runtime.reporter_flags;
    let own = flags.iter().position(|flag| flag == "--runtime-folder");
    &flags[own.unwrap() + 1]
}
