//! `causeway-cluster up`: starts a cluster, describes it, and keeps it until a signal.

mod provider;

use std::{io, path::Path, process::ExitStatus, time::Duration};

use causeway_sandbox::{demo, sandbox::StartError};
use clap::ValueEnum;
use tokio::{
    runtime::Runtime,
    signal::unix::{SignalKind, signal},
    time::Instant,
};

use crate::{
    ArgocdInstance, ArgocdOptions, BuildCache, Cluster, ClusterError, Image, Options, Program,
    Programs, ProgramsError,
    command::{self, say},
    companion::Companion,
};

/// Poll interval of Git: a push is seen within seconds, as in the sandbox.
const POLL: Duration = Duration::from_secs(3);
const CHECK: Duration = Duration::from_secs(2);
const DEMO_IMAGES: [&str; 3] = [
    "registry.example.com/guestbook:1.0.0",
    "registry.example.com/podinfo:2.3.0",
    "registry.example.com/redis:7.4.1",
];

/// What to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// An API server and etcd in one process
    Minimal,
    /// With controllers, simulated nodes, Argo CD and Git
    Simulated,
    /// With a real node, Argo CD and Git; needs root and containerd
    Node,
    /// No cluster but a Git provider (Gitea), with an organisation, a repository and a user
    Provider,
}

impl Kind {
    fn programs(self) -> Vec<Program> {
        match self {
            Self::Minimal => vec![Program::Kubernetes],
            Self::Simulated => Options::default().programs(),
            Self::Node => Options::default().node_programs(),
            Self::Provider => vec![Program::Kubernetes, Program::Gitea],
        }
    }
}

/// Reason why a cluster stopped.
#[derive(Debug, thiserror::Error)]
pub(crate) enum UpError {
    #[error(transparent)]
    Programs(#[from] ProgramsError),
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    #[error("the demo cannot be made: {0}")]
    Demo(#[from] StartError),
    #[error("cannot start or wait for a process: {0}")]
    System(#[from] io::Error),
    #[error("the command that ran on the cluster failed: {0}")]
    Companion(ExitStatus),
    #[error("a provider is no cluster for {0} to run on: leave the command out")]
    NoCluster(String),
}

/// Runs until Ctrl-C, SIGTERM, the end of the companion, or the end of a process of the cluster.
pub(crate) fn up(kind: Kind, build: bool, companion: Vec<String>) -> Result<(), UpError> {
    if build {
        command::build(&kind.programs(), &BuildCache::from_environment()?)?;
    }
    let runtime = Runtime::new()?;
    if kind == Kind::Provider {
        return match companion.into_iter().next() {
            None => runtime.block_on(Box::pin(provider::run())),
            Some(program) => Err(UpError::NoCluster(program)),
        };
    }
    runtime.block_on(Box::pin(run(kind, companion)))
}

async fn run(kind: Kind, companion: Vec<String>) -> Result<(), UpError> {
    let begun = Instant::now();
    let (mut interrupt, mut terminate) = (
        signal(SignalKind::interrupt())?,
        signal(SignalKind::terminate())?,
    );
    let cluster = tokio::select! {
        cluster = start(kind) => cluster?,
        _ = interrupt.recv() => return Ok(()),
        _ = terminate.recv() => return Ok(()),
    };
    say(&describe(&cluster, begun.elapsed()));
    let mut companion = Companion::start(companion, &cluster)?;
    let ended = tokio::select! {
        ended = broken(&cluster) => Err(ended.into()),
        ended = companion.ended() => ended,
        _ = interrupt.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
    };
    say("stopping");
    companion.stop().await;
    cluster.stop().await;
    ended
}

async fn start(kind: Kind) -> Result<Cluster, UpError> {
    let argocd = ArgocdOptions {
        poll: POLL,
        ..ArgocdOptions::default()
    };
    let options = Options {
        argocds: vec![argocd],
        ..Options::default()
    };
    let cluster = match kind {
        Kind::Minimal => Cluster::minimal().await?,
        Kind::Simulated => Cluster::simulated(options).await?,
        Kind::Node | Kind::Provider => Cluster::node(options).await?,
    };
    if kind == Kind::Node {
        stand_in(&cluster).await?;
    }
    if let Some(argocd) = cluster.argocd().first() {
        demo::install(&cluster.client(), cluster.git(), &argocd.namespace).await?;
    }
    Ok(cluster)
}

/// The demo's images are nowhere. All but the one of the application that is meant to fail are made of the program that waits.
async fn stand_in(cluster: &Cluster) -> Result<(), ClusterError> {
    let pause = Programs::find(&[Program::Pause])?
        .path(Program::Pause)
        .to_owned();
    for name in DEMO_IMAGES {
        let image = Image::new(name)
            .file("/pause", &pause, 0o755)
            .entrypoint(&["/pause"]);
        cluster.import(image).await?;
    }
    Ok(())
}

/// Waits until a child exits.
async fn broken(cluster: &Cluster) -> ClusterError {
    loop {
        match cluster.check().await {
            Ok(()) => tokio::time::sleep(CHECK).await,
            Err(error) => return error,
        }
    }
}

fn describe(cluster: &Cluster, took: Duration) -> String {
    let mut text = format!(
        "\nThe cluster is ready after {:.1} s.\n\n",
        took.as_secs_f64()
    );
    let mut row = |name: &str, value: &str| text.push_str(&format!("  {name:<14} {value}\n"));
    let kubeconfig = cluster.kubeconfig().display().to_string();
    row("kubeconfig", &kubeconfig);
    row("logs", &cluster.folder().join("log").display().to_string());
    for argocd in cluster.argocd() {
        row("Argo CD", argocd.url.as_str());
        row("its token", &argocd.admin_token_file.display().to_string());
        row("demo Git", &cluster.git().url(demo::REPOSITORY));
    }
    text.push_str("\nTry in a second terminal:\n");
    text.push_str(&format!("  export KUBECONFIG={kubeconfig}\n"));
    text.push_str("  kubectl get namespaces\n");
    if let Some(process) = cluster.node_process() {
        text.push_str(&format!(
            "  nsenter --target {process} --all    # into the node\n"
        ));
    }
    if let Some(argocd) = cluster.argocd().first() {
        text.push_str("  kubectl get applications -A -w\n");
        text.push_str(&trial(cluster.kubeconfig(), argocd));
    }
    text.push_str("\nCtrl-C stops it, and nothing is kept.");
    text
}

/// Formats the command that starts Causeway on the cluster.
fn trial(kubeconfig: &Path, argocd: &ArgocdInstance) -> String {
    format!(
        "  causeway up --data data-real --kubeconfig {} --argocd-server {} --argocd-token-file {}\n",
        kubeconfig.display(),
        argocd.url,
        argocd.admin_token_file.display(),
    )
}
