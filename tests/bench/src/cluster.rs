//! The real clusters of tests: how soon each kind is there, how large its processes are, and how soon a pod runs.

use std::{fs, path::Path, time::Duration};

use anyhow::{Context as _, bail};
use causeway_cluster::{Cluster, ClusterError, NodeError, Options, Programs};
use kube::{
    Api,
    api::{ApiResource, DynamicObject, GroupVersionKind, PostParams},
};
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::figure::middle;

const PODS: usize = 10;
const PATIENCE: Duration = Duration::from_secs(60);

/// Measures and prints; says what is left out where the programs are not built or this machine holds no node.
pub(crate) fn run() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(measure())
}

#[expect(clippy::print_stdout, reason = "the table is the result")]
async fn measure() -> anyhow::Result<()> {
    if let Err(error) = Programs::find(&Options::default().node_programs()) {
        println!("real clusters are left out: {error}");
        return Ok(());
    }
    println!("| cluster | start to ready | anonymous memory of its processes, MiB |");
    println!("|---|---|---|");
    let bare = Options {
        argocds: Vec::new(),
        ..Options::default()
    };
    let begun = Instant::now();
    show("minimal", begun, Cluster::minimal().await?).await;
    let begun = Instant::now();
    show(
        "simulated, with an Argo CD",
        begun,
        Cluster::simulated(Options::default()).await?,
    )
    .await;
    let begun = Instant::now();
    let node = match Cluster::node(bare).await {
        Ok(node) => node,
        Err(ClusterError::Node(
            error @ (NodeError::NotRoot
            | NodeError::Missing { .. }
            | NodeError::NoControllers { .. }),
        )) => {
            println!("\na node is left out: {error}");
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    let ready = begun.elapsed();
    let pods = pods(&node).await?;
    show_after("node", ready, node).await;
    println!(
        "\n| pod on the node, created to Ready, median of {PODS} | {:.2} s |",
        middle(&pods)
    );
    println!("|---|---|");
    Ok(())
}

async fn show(name: &str, begun: Instant, cluster: Cluster) {
    show_after(name, begun.elapsed(), cluster).await;
}

#[expect(clippy::print_stdout, reason = "the table is the result")]
async fn show_after(name: &str, ready: Duration, cluster: Cluster) {
    let sizes = cluster
        .processes()
        .await
        .into_iter()
        .map(|(name, group)| (name, anonymous(group)));
    let sizes: Vec<_> = sizes.collect();
    let sum: f64 = sizes.iter().map(|(_, size)| size).sum();
    let each: Vec<_> = sizes
        .iter()
        .map(|(name, size)| format!("{name} {size:.0}"))
        .collect();
    println!(
        "| {name} | {:.1} s | {sum:.0}: {} |",
        ready.as_secs_f64(),
        each.join(", ")
    );
    cluster.stop().await;
}

/// In MiB, of all processes of a group: a child may have another one before it.
fn anonymous(group: u32) -> f64 {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let own = processes.filter(|process| group_of(&process.path()) == Some(group));
    own.filter_map(|process| {
        let status = fs::read_to_string(process.path().join("status")).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("RssAnon:"))?;
        line.trim().strip_suffix(" kB")?.parse::<f64>().ok()
    })
    .sum::<f64>()
        / 1024.0
}

fn group_of(process: &Path) -> Option<u32> {
    let line = fs::read_to_string(process.join("stat")).ok()?;
    // After the name, which may hold anything: state, parent, group.
    let (_, rest) = line.rsplit_once(") ")?;
    rest.split(' ').nth(2)?.parse().ok()
}

/// Seconds from create to Ready, one pod after the other.
async fn pods(node: &Cluster) -> anyhow::Result<Vec<f64>> {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Pod"));
    let api: Api<DynamicObject> = Api::namespaced_with(node.client(), "default", &resource);
    let mut took = Vec::new();
    for number in 0..PODS {
        let name = format!("measured-{number}");
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name},
            "spec": {"containers": [{"name": "pause", "image": "registry.local/pause:1"}]},
        });
        let begun = Instant::now();
        api.create(&PostParams::default(), &serde_json::from_value(pod)?)
            .await?;
        ready(&api, &name, begun).await?;
        took.push(begun.elapsed().as_secs_f64());
    }
    Ok(took)
}

async fn ready(api: &Api<DynamicObject>, name: &str, begun: Instant) -> anyhow::Result<()> {
    loop {
        let pod = api.get(name).await.context("the pod")?;
        let conditions = pod.data["status"]["conditions"].as_array();
        let mut conditions = conditions.into_iter().flatten();
        if conditions.any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
        {
            return Ok(());
        }
        if begun.elapsed() > PATIENCE {
            bail!("{name} does not get ready: {}", pod.data["status"]);
        }
        sleep(Duration::from_millis(10)).await;
    }
}
