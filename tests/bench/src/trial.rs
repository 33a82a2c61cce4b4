//! `causeway up` as a user has it: how soon it is there, how large it is, and how soon a change in the cluster can be read on
//! the platform.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use anyhow::bail;
use causeway_client::Peer;
use causeway_proto::inventory::v1::{
    self as pb, application_service_client::ApplicationServiceClient,
    watch_applications_response::Event,
};
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, GroupVersionKind, Patch, PatchParams},
};
use serde_json::json;
use tokio::{
    sync::mpsc,
    time::{Instant, MissedTickBehavior, interval, timeout},
};

use crate::{
    figure::{middle, quantile},
    place::beside,
    up::{Up, cluster},
};

const QUIET: Duration = Duration::from_secs(10);

/// Start, size, and the way of a change.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// Rounds; each figure is the median
    #[arg(long, default_value = "5")]
    rounds: usize,
    /// Changes in each round
    #[arg(long, default_value = "500")]
    changes: u32,
    /// Changes in a second
    #[arg(long, default_value = "50")]
    rate: u32,
    /// The program to measure; the one beside this one if not given
    #[arg(long)]
    binary: Option<PathBuf>,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            rounds: 5,
            changes: 500,
            rate: 50,
            binary: None,
        }
    }
}

struct Round {
    ready: f64,
    resident_mib: f64,
    list: f64,
    watch: Vec<f64>,
    platform: Vec<f64>,
}

/// Measures and prints.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let binary = match &args.binary {
        Some(binary) => binary.clone(),
        None => beside("causeway")?,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let mut rounds = Vec::new();
    for _ in 0..args.rounds.max(1) {
        rounds.push(runtime.block_on(round(args, &binary))?);
    }
    let size = fs::metadata(&binary)?.len();
    print(args, &rounds, size);
    Ok(())
}

#[expect(clippy::print_stdout, reason = "the table is the result")]
fn print(args: &Args, rounds: &[Round], size: u64) {
    let of = |pick: &dyn Fn(&Round) -> f64| middle(&rounds.iter().map(pick).collect::<Vec<_>>());
    println!("| figure | goal | median of {} |", rounds.len());
    println!("|---|---|---|");
    println!(
        "| `causeway up`, exec to ready | <= 3 s | {:.2} s |",
        of(&|round| round.ready)
    );
    println!(
        "| resident memory with the demo | <= 200 MiB | {:.0} MiB |",
        of(&|round| round.resident_mib)
    );
    println!(
        "| the binary, stripped | <= 60 MB | {:.1} MB |",
        size as f64 / 1e6
    );
    println!(
        "| `causeway app list`, wall | <= 50 ms | {:.0} ms |",
        of(&|round| round.list * 1e3)
    );
    for (name, at, goal) in [("p50", 0.5, "<= 50 ms"), ("p99", 0.99, "<= 250 ms")] {
        let platform = of(&|round| quantile(&round.platform, at) * 1e3);
        let watch = of(&|round| quantile(&round.watch, at) * 1e3);
        println!(
            "| change at {}/s to queryable on the platform, {name} | {goal} | {platform:.1} ms |",
            args.rate
        );
        println!("| the same change on the cluster's own watch, {name} | - | {watch:.1} ms |");
    }
}

async fn round(args: &Args, binary: &Path) -> anyhow::Result<Round> {
    let begun = Instant::now();
    let up = Up::start(binary, &[]).await?;
    let ready = begun.elapsed().as_secs_f64();
    let cluster = cluster(&up.kubeconfig()).await?;
    up.settle().await?;
    let list = list_wall(binary, &up.contexts())?;
    let (watch, platform) = changes(args, &cluster, &up).await?;
    Ok(Round {
        ready,
        resident_mib: up.resident()?,
        list,
        watch,
        platform,
    })
}

fn list_wall(binary: &Path, contexts: &Path) -> anyhow::Result<f64> {
    let mut walls = Vec::new();
    for _ in 0..5 {
        let begun = Instant::now();
        let mut command = Command::new(binary);
        command.args(["app", "list", "--config"]).arg(contexts);
        let output = command.output()?;
        if !output.status.success() {
            bail!(
                "causeway app list: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        walls.push(begun.elapsed().as_secs_f64());
    }
    Ok(middle(&walls))
}

/// Changes one application at a steady rate, and takes when each change is seen on the cluster's watch and on the platform's.
async fn changes(args: &Args, cluster: &Client, up: &Up) -> anyhow::Result<(Vec<f64>, Vec<f64>)> {
    let kind = GroupVersionKind::gvk("argoproj.io", "v1alpha1", "Application");
    let resource = ApiResource::from_gvk_with_plural(&kind, "applications");
    let applications: Api<DynamicObject> =
        Api::namespaced_with(cluster.clone(), "argocd", &resource);
    for number in 0..args.rate {
        let name = format!("measured-{number}");
        let object = json!({
            "apiVersion": "argoproj.io/v1alpha1", "kind": "Application", "metadata": {"name": name},
            "spec": {"project": "default", "destination": {"namespace": "none"},
                "source": {"repoURL": "http://127.0.0.1:1/none.git", "path": "none", "targetRevision": "main"}},
        });
        applications
            .create(
                &kube::api::PostParams::default(),
                &serde_json::from_value(object)?,
            )
            .await?;
    }
    up.settle().await?;
    let (seen_tx, mut seen) = mpsc::unbounded_channel();
    let mut watchers = tokio::task::JoinSet::new();
    watchers.spawn(watch_platform(up.peer().clone(), seen_tx.clone()));
    watchers.spawn(watch_cluster(applications.clone(), seen_tx));
    let mut sent = std::collections::BTreeMap::new();
    let mut ticks = interval(Duration::from_secs(1) / args.rate);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
    for number in 0..args.changes {
        ticks.tick().await;
        let name = format!("measured-{}", number % args.rate);
        let patch = json!({"metadata": {"labels": {"change": number.to_string()}}});
        sent.insert(number, Instant::now());
        applications
            .patch(&name, &PatchParams::default(), &Patch::Merge(&patch))
            .await?;
    }
    let (mut watch, mut platform) = (Vec::new(), Vec::new());
    while watch.len() + platform.len() < 2 * sent.len() {
        let next = timeout(QUIET, seen.recv()).await;
        let Ok(Some((place, number, at))) = next else {
            break;
        };
        let Some(then) = sent.get(&number) else {
            continue;
        };
        let took = at.duration_since(*then).as_secs_f64();
        match place {
            Place::Cluster => watch.push(took),
            Place::Platform => platform.push(took),
        }
    }
    if platform.len() < sent.len() * 9 / 10 {
        bail!(
            "only {} of {} changes were seen on the platform one by one",
            platform.len(),
            sent.len()
        );
    }
    Ok((watch, platform))
}

#[derive(Clone, Copy)]
enum Place {
    Cluster,
    Platform,
}

type Seen = mpsc::UnboundedSender<(Place, u32, Instant)>;

async fn watch_platform(peer: Peer, seen: Seen) -> anyhow::Result<()> {
    let mut client = ApplicationServiceClient::new(peer);
    let mut stream = client
        .watch_applications(pb::WatchApplicationsRequest::default())
        .await?
        .into_inner();
    let mut last = std::collections::BTreeMap::new();
    while let Some(message) = stream.message().await? {
        let Some(Event::Updated(application)) = message.event else {
            continue;
        };
        let number = application
            .labels
            .get("change")
            .and_then(|text| text.parse().ok());
        let before = last.insert(application.name, number);
        if let Some(number) = number.filter(|number| before.flatten() != Some(*number)) {
            seen.send((Place::Platform, number, Instant::now()))?;
        }
    }
    Ok(())
}

async fn watch_cluster(applications: Api<DynamicObject>, seen: Seen) -> anyhow::Result<()> {
    use futures::TryStreamExt as _;
    let mut last = std::collections::BTreeMap::new();
    let parameters = kube::api::WatchParams::default();
    let mut stream = std::pin::pin!(applications.watch(&parameters, "0").await?);
    while let Some(event) = stream.try_next().await? {
        let kube::api::WatchEvent::Modified(object) = event else {
            continue;
        };
        let labels = object.metadata.labels.unwrap_or_default();
        let number: Option<u32> = labels.get("change").and_then(|text| text.parse().ok());
        let before = last.insert(object.metadata.name, number);
        if let Some(number) = number.filter(|number| before.flatten() != Some(*number)) {
            seen.send((Place::Cluster, number, Instant::now()))?;
        }
    }
    Ok(())
}
