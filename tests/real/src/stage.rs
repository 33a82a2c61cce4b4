//! Clusters for tests, where the programs are built.

use std::process::Command;

use causeway_cluster::{
    ArgocdOptions, Cluster, ClusterError, NodeError, Options, Program, Programs, Workflows,
};
use causeway_testkit::skip;

const NEEDED: [Program; 6] = [
    Program::Kubernetes,
    Program::Argocd,
    Program::Rollouts,
    Program::Coredns,
    Program::Pause,
    Program::Dex,
];

/// Whether real clusters can be started here. Where not, the test is skipped.
pub(crate) fn is_possible() -> bool {
    let found = Programs::find(&NEEDED);
    if let Err(error) = &found {
        skip(&error.to_string());
    }
    found.is_ok()
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
        skip(&error.to_string());
        return None;
    }
    simulated(options).await
}

/// A node. Where this machine cannot hold one, the test is skipped.
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
            skip(&error.to_string());
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
