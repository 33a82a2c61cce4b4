//! Clusters for tests, where the programs are built.

use std::{
    io::{self, Write as _},
    process::Command,
    sync::Once,
};

use causeway_cluster::{
    ArgocdOptions, Cluster, ClusterError, NodeError, Options, Program, Programs, Workflows,
};

const NEEDED: [Program; 6] = [
    Program::Kubernetes,
    Program::Argocd,
    Program::Rollouts,
    Program::Coredns,
    Program::Pause,
    Program::Dex,
];

static SAID: Once = Once::new();
static SAID_OF_NODES: Once = Once::new();

/// Whether real clusters can be started here.
pub(crate) fn is_possible() -> bool {
    let integration = std::env::vars_os().any(|(name, _)| name == "CI");
    let Err(error) = Programs::find(&NEEDED) else {
        return true;
    };
    assert!(!integration, "{error}");
    SAID.call_once(|| left_out(&format!("all tests on real clusters: {error}")));
    false
}

fn left_out(what: &str) {
    // Not by the macro, whose output a test that passes does not show.
    let _ = writeln!(io::stderr(), "SKIPPED: {what}");
}

pub(crate) async fn minimal() -> Option<Cluster> {
    if !is_possible() {
        return None;
    }
    Some(Cluster::minimal().await.unwrap())
}

pub(crate) async fn simulated(options: Options) -> Option<Cluster> {
    if !is_possible() {
        return None;
    }
    Some(Cluster::simulated(options).await.unwrap())
}

/// Argo Workflows beside these, where `make test-all` has built it.
pub(crate) async fn with_workflows(argocds: Vec<ArgocdOptions>) -> Option<Cluster> {
    let options = Options {
        argocds,
        workflows: Workflows::Present,
        ..Options::default()
    };
    if let Err(error) = Programs::find(&[Program::Workflows]) {
        left_out(&format!("the test with Argo Workflows: {error}"));
        return None;
    }
    simulated(options).await
}

/// A node, where this machine can hold one.
pub(crate) async fn node(options: Options) -> Option<Cluster> {
    if !is_possible() {
        return None;
    }
    match Cluster::node(options).await {
        Ok(cluster) => Some(cluster),
        Err(ClusterError::Node(
            error @ (NodeError::NotRoot
            | NodeError::Missing { .. }
            | NodeError::NoControllers { .. }),
        )) => {
            SAID_OF_NODES.call_once(|| left_out(&format!("all tests on real nodes: {error}")));
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// The cluster's own kubectl, as its administrator.
pub(crate) fn kubectl(cluster: &Cluster, words: &[&str]) -> Command {
    let programs = Programs::find(&[Program::Kubernetes]).unwrap();
    let mut kubectl = Command::new(programs.path(Program::Kubernetes));
    kubectl
        .arg("kubectl")
        .arg("--kubeconfig")
        .arg(cluster.kubeconfig());
    kubectl.args(words);
    kubectl
}
