//! The cluster and the Argo CD that `causeway up` works on: the user's own, or the sandbox.

mod args;

use std::path::PathBuf;

use causeway_argocd::{Argocd, ArgocdArgs, ArgocdServer, Cluster, KubeArgs};
use causeway_sandbox::{Sandbox, demo};

pub(crate) use args::TargetArgs;

use super::{folder::Folder, plan::flag};
use crate::sandbox;

/// What the runtime works on.
pub(super) struct Target {
    kube: KubeArgs,
    argocd: ArgocdArgs,
    allowed: String,
    allowed_git: Vec<String>,
    running: Running,
}

/// What this process runs for it.
enum Running {
    /// Nothing: the cluster is the user's own.
    Nothing,
    Sandbox(Box<Sandbox>),
}

/// What there is to try.
pub(super) struct Trial {
    pub(super) git_url: String,
    pub(super) kubeconfig: PathBuf,
}

impl Target {
    pub(super) async fn start(args: &TargetArgs, folder: &Folder) -> anyhow::Result<Self> {
        if args.kube.kubeconfig.is_some() {
            Self::own(args).await
        } else {
            Self::sandbox(args, folder).await
        }
    }

    /// What is wrong with the cluster or with Argo CD is said before anything starts.
    async fn own(args: &TargetArgs) -> anyhow::Result<Self> {
        let (kube, argocd) = (args.kube.clone(), args.argocd.clone());
        let cluster = Cluster::open(&kube).await?;
        cluster.check().await?;
        let client = Argocd::open(&argocd, &cluster)?;
        if client.is_configured() {
            client.check().await?;
        }
        Ok(Self {
            kube,
            argocd,
            allowed: args.allowed(),
            allowed_git: args.allow_git.clone(),
            running: Running::Nothing,
        })
    }

    async fn sandbox(args: &TargetArgs, folder: &Folder) -> anyhow::Result<Self> {
        let sandbox = sandbox::start(&args.sandbox, folder.sandbox(), None).await?;
        let sandbox = Box::new(sandbox);
        let (kubeconfig, token) = (folder.kubeconfig(), folder.argocd_token());
        sandbox::open(&sandbox, &token, &kubeconfig)?;
        let server: Result<ArgocdServer, _> = sandbox.argocd_url().parse();
        Ok(Self {
            kube: made(kubeconfig),
            argocd: ArgocdArgs {
                argocd_server: Some(server.map_err(anyhow::Error::msg)?),
                argocd_token_file: Some(token),
                ..ArgocdArgs::default()
            },
            allowed: args.allowed(),
            allowed_git: args.allowed_git_of(&sandbox.git_url(demo::REPOSITORY)),
            running: Running::Sandbox(sandbox),
        })
    }

    pub(super) fn describe(&self) -> String {
        match &self.running {
            Running::Nothing => match &self.kube.kubeconfig {
                Some(file) => format!(
                    "cluster of {}; users may {}",
                    file.display(),
                    self.allowed.replace(',', ", ")
                ),
                None => "the user's own cluster".to_owned(),
            },
            Running::Sandbox(_) => {
                "sandbox with a Kubernetes API, Git and an Argo CD stand-in".to_owned()
            }
        }
    }

    /// Whether the cluster was made for the purpose. In others the operator runs where the chart installed it.
    pub(super) fn is_sandbox(&self) -> bool {
        matches!(self.running, Running::Sandbox(_))
    }

    /// What a user can try on a cluster that was made for the purpose.
    pub(super) fn trial(&self) -> Option<Trial> {
        let git_url = match &self.running {
            Running::Nothing => return None,
            Running::Sandbox(sandbox) => sandbox.git_url(demo::REPOSITORY),
        };
        Some(Trial {
            git_url,
            kubeconfig: self.kube.kubeconfig.clone()?,
        })
    }

    pub(super) fn app_proxy_flags(&self, flags: &mut Vec<String>) {
        self.cluster_flags(flags);
        self.argocd_flags(flags);
        flag(flags, "--allow", &self.allowed);
        flag(
            flags,
            "--integration-namespace",
            &self.argocd.argocd_namespace,
        );
        for rule in &self.allowed_git {
            flag(flags, "--allow-git", rule);
        }
        match &self.running {
            Running::Nothing => {}
            // Its Git server speaks plain HTTP on loopback.
            Running::Sandbox(_) => flags.push("--git-loopback".to_owned()),
        }
    }

    pub(super) fn cluster_flags(&self, flags: &mut Vec<String>) {
        if let Some(kubeconfig) = &self.kube.kubeconfig {
            flag(flags, "--kubeconfig", kubeconfig.display());
        }
        if let Some(context) = &self.kube.context {
            flag(flags, "--context", context);
        }
    }

    /// Where Argo CD is.
    pub(super) fn namespace_flag(&self, flags: &mut Vec<String>) {
        flag(flags, "--argocd-namespace", &self.argocd.argocd_namespace);
    }

    pub(super) fn argocd_flags(&self, flags: &mut Vec<String>) {
        self.namespace_flag(flags);
        let args = &self.argocd;
        flag(flags, "--argocd-tls-check", args.argocd_tls_check);
        if let Some(server) = &args.argocd_server {
            flag(flags, "--argocd-server", server);
        }
        if let Some(token) = &args.argocd_token_file {
            flag(flags, "--argocd-token-file", token.display());
        }
        if let Some(authority) = &args.argocd_ca_file {
            flag(flags, "--argocd-ca-file", authority.display());
        }
    }

    pub(super) async fn stop(self) {
        match self.running {
            Running::Nothing => {}
            Running::Sandbox(sandbox) => sandbox.stop().await,
        }
    }
}

fn made(kubeconfig: PathBuf) -> KubeArgs {
    KubeArgs {
        kubeconfig: Some(kubeconfig),
        context: None,
    }
}
