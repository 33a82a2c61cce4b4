//! The log of a real pod: from the API of its cluster, which asks the kubelet, and by `causeway up` beside it, which asks the API.

use std::path::Path;

use anyhow::{Context as _, ensure};
use causeway_cluster::{Cluster, ClusterError, Image, NodeError, Options, Programs};
use causeway_testkit::wait_until;
use kube::{
    Api, Client,
    api::{ApiResource, DynamicObject, GroupVersionKind, LogParams, PostParams},
    core::Request,
};
use serde_json::json;

use super::{LINE, PATIENCE, POD, megabytes, open, reached, straight, through};
use crate::{figure::middle, place::beside, up::Up};

const IMAGE: &str = "registry.local/loud:1";
const BYTES: u64 = 256 << 20;
/// The last line of what is read.
const END: &str = "that was all";

/// Measures and prints; says what is left out where this machine holds no node.
#[expect(clippy::print_stdout, reason = "the table is the result")]
pub(super) async fn measure(rounds: usize) -> anyhow::Result<()> {
    let options = Options::default();
    if let Err(error) = Programs::find(&options.node_programs()) {
        println!("logs of a real pod are left out: {error}");
        return Ok(());
    }
    let cluster = match Cluster::node(options).await {
        Ok(cluster) => cluster,
        Err(ClusterError::Node(
            error @ (NodeError::NotRoot
            | NodeError::Missing { .. }
            | NodeError::NoControllers { .. }),
        )) => {
            println!("logs of a real pod are left out: {error}");
            return Ok(());
        }
        Err(error) => return Err(error.into()),
    };
    let client = cluster.client();
    start(&cluster, &client).await?;
    let up = Up::start(&beside("causeway")?, &flags(&cluster)).await?;
    let user = up.peer().clone();
    drop(reached(&user, "local").await);
    written(&client).await?;
    let (mut direct, mut tunnel, mut ratio) = (Vec::new(), Vec::new(), Vec::new());
    for _round in 0..rounds {
        let alone = straight(&client, BYTES).await?;
        let ours = through(&mut open(&user, "local").await?, BYTES).await?;
        direct.push(alone);
        tunnel.push(ours);
        ratio.push(ours / alone);
    }
    println!(
        "| the log of a real pod | MB/s | goal |\n|---|---|---|\n\
         | straight from the API of its cluster | {:.0} | |\n\
         | through router, tunnel and app-proxy | {:.0} | 100 or more |\n\
         | of that, the share of direct | {:.2} | 0.60 or more |",
        megabytes(middle(&direct)),
        megabytes(middle(&tunnel)),
        middle(&ratio),
    );
    drop(up);
    cluster.stop().await;
    Ok(())
}

/// A pod that says what is read and is silent then.
async fn start(cluster: &Cluster, client: &Client) -> anyhow::Result<()> {
    let programs = ["/bin/bash", "/usr/bin/yes", "/usr/bin/head", "/bin/sleep"];
    let image = programs.iter().try_fold(Image::new(IMAGE), |image, path| {
        image.program(path, Path::new(path))
    })?;
    cluster.import(image).await?;
    let (line, lines) = ("x".repeat(LINE - 1), 1 + BYTES / LINE as u64);
    let says = format!("yes {line} | head -n {lines}; echo {END}; exec sleep 100000");
    let container = json!({"name": "main", "image": IMAGE, "command": ["bash", "-c", says]});
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": POD},
        "spec": {"containers": [container], "terminationGracePeriodSeconds": 0},
    });
    let kind = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "Pod"));
    let pods: Api<DynamicObject> = Api::namespaced_with(client.clone(), "default", &kind);
    pods.create(&PostParams::default(), &serde_json::from_value(pod)?)
        .await
        .context("the pod is refused")?;
    Ok(())
}

/// Waits until all is in the log of the node.
async fn written(client: &Client) -> anyhow::Result<()> {
    let last = LogParams {
        tail_lines: Some(1),
        ..LogParams::default()
    };
    let said = wait_until("the pod has said all", PATIENCE, async || {
        let request = Request::new("/api/v1/namespaces/default/pods").logs(POD, &last);
        let request = request.map_err(|error| error.to_string())?;
        let said = client.request_text(request).await;
        let said = said.map_err(|error| error.to_string())?;
        (said.trim_end() == END).then(|| said.clone()).ok_or(said)
    })
    .await;
    ensure!(!said.is_empty(), "nothing is said");
    Ok(())
}

fn flags(cluster: &Cluster) -> Vec<String> {
    let argocd = &cluster.argocd()[0];
    let flags = [
        ("--kubeconfig", cluster.kubeconfig().display().to_string()),
        ("--argocd-server", argocd.url.to_string()),
        (
            "--argocd-token-file",
            argocd.admin_token_file.display().to_string(),
        ),
    ];
    flags
        .into_iter()
        .flat_map(|(name, value)| [name.to_owned(), value])
        .collect()
}
