//! Options of clusters.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use reqwest::Url;

use crate::Program;

/// A simulated cluster, or a node.
#[derive(Debug, Clone)]
pub struct Options {
    pub argocds: Vec<ArgocdOptions>,
    pub rollouts: Rollouts,
    pub workflows: Workflows,
    /// simulated nodes, with 64 CPUs each
    pub nodes: u32,
    /// for kube-apiserver, such as `--etcd-compaction-interval=2s`; the last one of a name counts
    pub api_server_flags: Vec<String>,
    /// where Git is served
    pub git_listen: SocketAddr,
    /// namespaces whose ServiceAccounts' requests are written into `Cluster::audit_log`, one JSON event a line
    pub audited: Vec<String>,
}

/// One Argo CD.
#[derive(Debug, Clone)]
pub struct ArgocdOptions {
    pub namespace: String,
    /// such as `/argocd`: what the paths of argocd-server begin with
    pub root_path: Option<String>,
    pub scheme: Scheme,
    /// how often Git is asked without being told; the stock value is two minutes
    pub poll: Duration,
    /// `policy.csv`; without it the account `causeway` may do everything, and `reader` may look
    pub policy: Option<String>,
    /// entries of `argocd-cm` beside ours
    pub settings: Vec<(String, String)>,
    pub application_sets: ApplicationSets,
}

/// Protocol of argocd-server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    Http,
    /// with a certificate of the cluster's own authority
    Https,
}

/// Presence of Argo Rollouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rollouts {
    Present,
    Absent,
}

/// Presence of Argo Workflows. KWOK's nodes run no containers, so a workflow's pods never end by themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workflows {
    Present,
    Absent,
}

/// Presence of the ApplicationSet controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApplicationSets {
    Present,
    Absent,
}

/// An Argo CD that runs.
#[derive(Debug, Clone)]
pub struct ArgocdInstance {
    pub namespace: String,
    /// of argocd-server, with its root path
    pub url: Url,
    /// a token of the account `causeway`
    pub admin_token_file: PathBuf,
    /// a token of the account `reader`, which may look and do nothing
    pub reader_token_file: PathBuf,
    /// whom to trust for `url`, where it is HTTPS
    pub ca_file: Option<PathBuf>,
}

impl Options {
    /// Programs of a simulated cluster.
    pub fn programs(&self) -> Vec<Program> {
        let argocd = (!self.argocds.is_empty()).then_some(Program::Argocd);
        let rollouts = (self.rollouts == Rollouts::Present).then_some(Program::Rollouts);
        let workflows = (self.workflows == Workflows::Present).then_some(Program::Workflows);
        let of_argo = argocd.into_iter().chain(rollouts).chain(workflows);
        [Program::Kubernetes].into_iter().chain(of_argo).collect()
    }

    /// Programs of a cluster with a node.
    pub fn node_programs(&self) -> Vec<Program> {
        let mut programs = self.programs();
        programs.extend([Program::Coredns, Program::Pause]);
        programs
    }
}

impl Default for Options {
    /// Two nodes and one Argo CD.
    fn default() -> Self {
        Self {
            argocds: vec![ArgocdOptions::default()],
            rollouts: Rollouts::Absent,
            workflows: Workflows::Absent,
            nodes: 2,
            api_server_flags: Vec::new(),
            git_listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
            audited: Vec::new(),
        }
    }
}

impl Default for ArgocdOptions {
    /// As installed: namespace `argocd`, no root path, HTTP as behind a gateway.
    fn default() -> Self {
        Self {
            namespace: "argocd".to_owned(),
            root_path: None,
            scheme: Scheme::Http,
            poll: Duration::from_secs(120),
            policy: None,
            settings: Vec::new(),
            application_sets: ApplicationSets::Absent,
        }
    }
}
