//! The flags that say which cluster and which Argo CD `causeway up` works on.

use std::{net::SocketAddr, path::PathBuf};

use causeway_argocd::{ArgocdArgs, ArgocdServer, KubeArgs, TlsCheck};

#[derive(clap::Args, Debug, Clone)]
pub(crate) struct TargetArgs {
    /// Work on the cluster of this kubeconfig instead of the sandbox
    #[arg(
        long,
        env = "CAUSEWAY_KUBECONFIG",
        value_name = "FILE",
        help_heading = "Your own cluster"
    )]
    pub(super) kubeconfig: Option<PathBuf>,
    /// The kubeconfig's context, where not its current one
    #[arg(
        long,
        env = "CAUSEWAY_KUBE_CONTEXT",
        value_name = "NAME",
        requires = "kubeconfig",
        help_heading = "Your own cluster"
    )]
    pub(super) context: Option<String>,
    /// The namespace of Argo CD
    #[arg(
        long,
        env = "CAUSEWAY_ARGOCD_NAMESPACE",
        value_name = "NAMESPACE",
        requires = "kubeconfig",
        help_heading = "Your own cluster"
    )]
    pub(super) argocd_namespace: Option<String>,
    /// Argo CD's API: a URL, or 'auto' to find it
    #[arg(
        long,
        env = "CAUSEWAY_ARGOCD_SERVER",
        value_name = "URL|auto",
        requires = "kubeconfig",
        help_heading = "Your own cluster"
    )]
    pub(super) argocd_server: Option<ArgocdServer>,
    /// A file with a token for Argo CD's API; without it actions go by the Application object and desired state is unknown
    #[arg(
        long,
        env = "CAUSEWAY_ARGOCD_TOKEN_FILE",
        value_name = "FILE",
        requires = "argocd_server",
        help_heading = "Your own cluster"
    )]
    pub(super) argocd_token_file: Option<PathBuf>,
    /// A file with certificates (PEM) to trust for Argo CD's API beside the system's
    #[arg(
        long,
        env = "CAUSEWAY_ARGOCD_CA_FILE",
        value_name = "FILE",
        requires = "argocd_server",
        help_heading = "Your own cluster"
    )]
    pub(super) argocd_ca_file: Option<PathBuf>,
    /// Whether the certificate of Argo CD's API is checked
    #[arg(
        long,
        env = "CAUSEWAY_ARGOCD_TLS_CHECK",
        value_name = "HOW",
        requires = "argocd_server",
        help_heading = "Your own cluster"
    )]
    pub(super) argocd_tls_check: Option<TlsCheck>,
    /// Try it on a real Kubernetes and a real Argo CD instead of the sandbox; needs Go, and builds them first, which takes minutes, once
    #[arg(
        long,
        env = "CAUSEWAY_REAL",
        conflicts_with = "kubeconfig",
        help_heading = "Real cluster"
    )]
    pub(super) real: bool,
    /// The sandbox's Kubernetes API
    #[arg(
        long,
        env = "CAUSEWAY_KUBE_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:7402",
        help_heading = "Sandbox"
    )]
    pub(super) kube_listen: SocketAddr,
    /// The trial's Git server, of the sandbox or beside the real cluster
    #[arg(
        long,
        env = "CAUSEWAY_GIT_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:7403",
        help_heading = "Sandbox"
    )]
    pub(super) git_listen: SocketAddr,
    /// The sandbox's Argo CD API
    #[arg(
        long,
        env = "CAUSEWAY_ARGOCD_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:7404",
        help_heading = "Sandbox"
    )]
    pub(super) argocd_listen: SocketAddr,
}

impl TargetArgs {
    pub(super) fn kube(&self) -> KubeArgs {
        KubeArgs {
            kubeconfig: self.kubeconfig.clone(),
            context: self.context.clone(),
        }
    }

    pub(super) fn argocd(&self) -> ArgocdArgs {
        let defaults = ArgocdArgs::default();
        ArgocdArgs {
            argocd_namespace: self
                .argocd_namespace
                .clone()
                .unwrap_or(defaults.argocd_namespace),
            argocd_server: self.argocd_server.clone(),
            argocd_token_file: self.argocd_token_file.clone(),
            argocd_ca_file: self.argocd_ca_file.clone(),
            argocd_tls_check: self.argocd_tls_check.unwrap_or(defaults.argocd_tls_check),
        }
    }
}
