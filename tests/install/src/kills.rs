//! Pods that are killed in their tracks while commits are pushed and actions are made: what was acknowledged is there at the end.

use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use causeway_testkit::wait_until_blocking;
use tokio::time::Instant;
use uuid::Uuid;

use crate::{
    console::Console,
    demo::Demo,
    pods::{pods, settle},
    stage::{SOON, Stage},
};

/// How long, and how often a pod is killed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Soak {
    pub(crate) most: Duration,
    pub(crate) pause: Duration,
}

impl Soak {
    /// Five minutes if a soak was requested, otherwise half a minute.
    pub(crate) fn wanted() -> Self {
        let asked = std::env::vars_os().any(|(name, _)| name == "CAUSEWAY_SOAK");
        let (most, pause) = if asked { (300, 10) } else { (30, 3) };
        Self {
            most: Duration::from_secs(most),
            pause: Duration::from_secs(pause),
        }
    }
}

/// Kills every part in turn, and pushes and syncs one commit after another; gives what was killed and how many commits there were.
pub(crate) fn endure(
    stage: &Stage,
    namespaces: &[&str],
    (console, demo): (&Console, &Demo<'_>),
    soak: Soak,
) -> (Vec<String>, usize) {
    let over = AtomicBool::new(false);
    let (killed, revisions) = thread::scope(|scope| {
        let killer = scope.spawn(|| kill(stage, namespaces, soak, &over));
        let revisions = act(console, demo, soak.most);
        over.store(true, Ordering::Relaxed);
        (killer.join().unwrap(), revisions)
    });
    for namespace in namespaces {
        settle(stage, namespace);
    }
    nothing_is_lost(console, demo, &revisions);
    (killed, revisions.len())
}

fn kill(stage: &Stage, namespaces: &[&str], soak: Soak, over: &AtomicBool) -> Vec<String> {
    let mut times: BTreeMap<String, u32> = BTreeMap::new();
    let mut next = Instant::now();
    let mut killed = Vec::new();
    while !over.load(Ordering::Relaxed) {
        next += soak.pause;
        let waited = wait_until_blocking("the next kill", soak.pause + SOON, || {
            match (over.load(Ordering::Relaxed), Instant::now() >= next) {
                (true, _) => Ok(false),
                (false, true) => Ok(true),
                (false, false) => Err(String::new()),
            }
        });
        let mut all: Vec<_> = namespaces
            .iter()
            .flat_map(|namespace| pods(stage, namespace))
            .collect();
        // Who was killed least often is next, so each part has its turn.
        all.sort_by_key(|pod| times.get(&pod.name).copied().unwrap_or_default());
        let Some(pod) = all.first().filter(|_| waited) else {
            continue;
        };
        if pod.kill() {
            killed.push(format!("{}/{}", pod.namespace, pod.part));
        }
        *times.entry(pod.name.clone()).or_default() += 1;
    }
    killed
}

/// Pushes and syncs until time is over; gives what was acknowledged.
fn act(console: &Console, demo: &Demo<'_>, most: Duration) -> Vec<String> {
    let begun = Instant::now();
    let mut revisions = Vec::new();
    while begun.elapsed() < most {
        let number = 100 + u32::try_from(revisions.len()).unwrap();
        let revision = demo.push(number);
        // The same request again, as often as it takes: it is to have one effect.
        let id = Uuid::now_v7().to_string();
        let sync = [
            "app",
            "sync",
            demo.name,
            "--revision",
            &revision,
            "--request-id",
            &id,
        ];
        wait_until_blocking("a sync", SOON, || match console.cli(&sync) {
            done if done.status.success() => Ok(()),
            refused => Err(format!("{refused:?}")),
        });
        revisions.push(revision);
    }
    revisions
}

/// Every revision was deployed and reported once, and the last one is live.
fn nothing_is_lost(console: &Console, demo: &Demo<'_>, revisions: &[String]) {
    let last = revisions.last().unwrap();
    demo.wait_for(console, last);
    let words = ["app", "deployments", demo.name, "--limit", "1000"];
    console.until(&words, |told| {
        let told = told.to_string();
        revisions
            .iter()
            .all(|revision| told.contains(revision.as_str()))
    });
    let told = console.json(&words).unwrap();
    for revision in revisions {
        let of =
            |deployment: &&serde_json::Value| deployment.to_string().contains(revision.as_str());
        let all = told["deployments"].as_array();
        let times = all.into_iter().flatten().filter(of).count();
        assert_eq!(times, 1, "{revision} was deployed so often: {told}");
    }
}
