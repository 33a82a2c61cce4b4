//! The cluster and the Argo CD that `causeway up` works on: the user's own, or the sandbox.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    time::Duration,
};

use causeway_argocd::{Argocd, ArgocdArgs, ArgocdServer, Cluster, KubeArgs, TlsCheck};
use causeway_sandbox::{Demo, Sandbox, SandboxOptions};
use causeway_shell::certificate::write_private;

use super::{folder::Folder, plan::flag};

#[derive(clap::Args, Debug, Clone)]
pub(crate) struct TargetArgs {
    /// Work on the cluster of this kubeconfig instead of the sandbox
    #[arg(
        long,
        env = "CAUSEWAY_KUBECONFIG",
        value_name = "FILE",
        help_heading = "Your own cluster"
    )]
    kubeconfig: Option<PathBuf>,
    /// The kubeconfig's context, where not its current one
    #[arg(
        long,
        env = "CAUSEWAY_KUBE_CONTEXT",
        value_name = "NAME",
        requires = "kubeconfig",
        help_heading = "Your own cluster"
    )]
    context: Option<String>,
    /// The namespace of Argo CD
    #[arg(
        long,
        env = "CAUSEWAY_ARGOCD_NAMESPACE",
        value_name = "NAMESPACE",
        requires = "kubeconfig",
        help_heading = "Your own cluster"
    )]
    argocd_namespace: Option<String>,
    /// Argo CD's API: a URL, or 'auto' to find it
    #[arg(
        long,
        env = "CAUSEWAY_ARGOCD_SERVER",
        value_name = "URL|auto",
        requires = "kubeconfig",
        help_heading = "Your own cluster"
    )]
    argocd_server: Option<ArgocdServer>,
    /// A file with a token for Argo CD's API; without it actions go by the Application object and desired state is unknown
    #[arg(
        long,
        env = "CAUSEWAY_ARGOCD_TOKEN_FILE",
        value_name = "FILE",
        requires = "argocd_server",
        help_heading = "Your own cluster"
    )]
    argocd_token_file: Option<PathBuf>,
    /// A file with certificates (PEM) to trust for Argo CD's API beside the system's
    #[arg(
        long,
        env = "CAUSEWAY_ARGOCD_CA_FILE",
        value_name = "FILE",
        requires = "argocd_server",
        help_heading = "Your own cluster"
    )]
    argocd_ca_file: Option<PathBuf>,
    /// Whether the certificate of Argo CD's API is checked
    #[arg(
        long,
        env = "CAUSEWAY_ARGOCD_TLS_CHECK",
        value_name = "HOW",
        requires = "argocd_server",
        help_heading = "Your own cluster"
    )]
    argocd_tls_check: Option<TlsCheck>,
    /// The sandbox's Kubernetes API
    #[arg(
        long,
        env = "CAUSEWAY_KUBE_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:7402",
        help_heading = "Sandbox"
    )]
    kube_listen: SocketAddr,
    /// The sandbox's Git server
    #[arg(
        long,
        env = "CAUSEWAY_GIT_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:7403",
        help_heading = "Sandbox"
    )]
    git_listen: SocketAddr,
    /// The sandbox's Argo CD API
    #[arg(
        long,
        env = "CAUSEWAY_ARGOCD_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:7404",
        help_heading = "Sandbox"
    )]
    argocd_listen: SocketAddr,
}

/// What the runtime works on.
pub(super) enum Target {
    /// The user's own cluster.
    Own {
        kubeconfig: PathBuf,
        args: Box<TargetArgs>,
    },
    /// The sandbox, running in this process.
    Sandbox {
        sandbox: Box<Sandbox>,
        kubeconfig: PathBuf,
        token: PathBuf,
    },
}

impl TargetArgs {
    /// What is wrong with the cluster or with Argo CD is said before anything starts.
    async fn check(&self, kubeconfig: &Path) -> anyhow::Result<()> {
        let cluster = KubeArgs {
            kubeconfig: Some(kubeconfig.to_owned()),
            context: self.context.clone(),
        };
        let cluster = Cluster::open(&cluster).await?;
        cluster.check().await?;
        let argocd = Argocd::open(&self.argocd(), &cluster)?;
        if argocd.is_configured() {
            argocd.check().await?;
        }
        Ok(())
    }

    fn argocd(&self) -> ArgocdArgs {
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

impl Target {
    pub(super) async fn start(args: &TargetArgs, folder: &Folder) -> anyhow::Result<Self> {
        if let Some(kubeconfig) = &args.kubeconfig {
            args.check(kubeconfig).await?;
            return Ok(Self::Own {
                kubeconfig: kubeconfig.clone(),
                args: Box::new(args.clone()),
            });
        }
        let options = SandboxOptions {
            kube_listen: args.kube_listen,
            git_listen: args.git_listen,
            argocd_listen: args.argocd_listen,
            data: Some(folder.sandbox()),
            demo: Demo::Three,
            pod_start: Duration::from_secs(1),
        };
        let sandbox = Box::new(Sandbox::start(options).await?);
        let (kubeconfig, token) = (folder.kubeconfig(), folder.argocd_token());
        write_private(&kubeconfig, sandbox.kubeconfig().as_bytes())?;
        write_private(&token, sandbox.argocd_token().as_bytes())?;
        Ok(Self::Sandbox {
            sandbox,
            kubeconfig,
            token,
        })
    }

    pub(super) fn describe(&self) -> String {
        match self {
            Self::Own { kubeconfig, .. } => format!("cluster of {}", kubeconfig.display()),
            Self::Sandbox { .. } => {
                "sandbox with a Kubernetes API, Git and an Argo CD stand-in".to_owned()
            }
        }
    }

    pub(super) fn cluster_flags(&self, flags: &mut Vec<String>) {
        match self {
            Self::Own { kubeconfig, args } => {
                flag(flags, "--kubeconfig", kubeconfig.display());
                if let Some(context) = &args.context {
                    flag(flags, "--context", context);
                }
            }
            Self::Sandbox { kubeconfig, .. } => flag(flags, "--kubeconfig", kubeconfig.display()),
        }
    }

    pub(super) fn argocd_flags(&self, flags: &mut Vec<String>) {
        match self {
            Self::Own { args, .. } => {
                if let Some(namespace) = &args.argocd_namespace {
                    flag(flags, "--argocd-namespace", namespace);
                }
                if let Some(server) = &args.argocd_server {
                    flag(flags, "--argocd-server", server);
                }
                if let Some(token) = &args.argocd_token_file {
                    flag(flags, "--argocd-token-file", token.display());
                }
                if let Some(ca) = &args.argocd_ca_file {
                    flag(flags, "--argocd-ca-file", ca.display());
                }
                if let Some(check) = args.argocd_tls_check {
                    flag(flags, "--argocd-tls-check", check);
                }
            }
            Self::Sandbox { sandbox, token, .. } => {
                flag(flags, "--argocd-server", sandbox.argocd_url());
                flag(flags, "--argocd-token-file", token.display());
            }
        }
    }

    pub(super) async fn stop(self) {
        if let Self::Sandbox { sandbox, .. } = self {
            sandbox.stop().await;
        }
    }
}
