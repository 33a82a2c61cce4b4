//! The cluster and the Argo CD that `causeway up` works on: the user's own, the sandbox, or a real one made for the trial.

mod args;

use std::{fs, path::PathBuf, time::Duration};

use anyhow::Context as _;
use causeway_argocd::{Argocd, ArgocdArgs, ArgocdServer, Cluster, KubeArgs, TlsCheck};
use causeway_cluster::{ArgocdOptions, Display, Options, Program, Programs};
use causeway_sandbox::{Sandbox, demo};
use causeway_shell::certificate::write_private;

pub(crate) use args::TargetArgs;

use super::{folder::Folder, plan::flag};
use crate::{output, sandbox};

/// What the runtime works on.
pub(super) struct Target {
    kube: KubeArgs,
    argocd: ArgocdArgs,
    allowed: String,
    running: Running,
}

/// What this process runs for it.
enum Running {
    /// Nothing: the cluster is the user's own.
    Nothing,
    Sandbox(Box<Sandbox>),
    Cluster(Box<causeway_cluster::Cluster>),
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
        } else if args.real {
            Self::real(args, folder).await
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
            running: Running::Sandbox(sandbox),
        })
    }

    async fn real(args: &TargetArgs, folder: &Folder) -> anyhow::Result<Self> {
        // A push is to be seen within seconds, as in the sandbox.
        let argocd = ArgocdOptions {
            poll: Duration::from_secs(3),
            ..ArgocdOptions::default()
        };
        let options = Options {
            argocds: vec![argocd],
            git_listen: args.sandbox.git_listen,
            ..Options::default()
        };
        build(options.programs()).await?;
        output::note("starting a real Kubernetes and a real Argo CD");
        let cluster = Box::new(causeway_cluster::Cluster::simulated(options).await?);
        let argocd = cluster.argocd().first();
        let argocd = argocd.context("the real cluster has no Argo CD")?.clone();
        demo::install(&cluster.client(), cluster.git(), &argocd.namespace).await?;
        let kubeconfig = folder.kubeconfig();
        write_private(&kubeconfig, &fs::read(cluster.kubeconfig())?)?;
        Ok(Self {
            kube: made(kubeconfig),
            argocd: ArgocdArgs {
                argocd_namespace: argocd.namespace,
                argocd_server: Some(ArgocdServer::Url(argocd.url)),
                argocd_token_file: Some(argocd.admin_token_file),
                argocd_ca_file: argocd.ca_file,
                argocd_tls_check: TlsCheck::Verify,
            },
            allowed: args.allowed(),
            running: Running::Cluster(cluster),
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
            Running::Cluster(cluster) => format!(
                "real Kubernetes and Argo CD with simulated nodes, new at each start; logs in {}",
                cluster.folder().join("log").display()
            ),
        }
    }

    /// What a user can try on a cluster that was made for the purpose.
    pub(super) fn trial(&self) -> Option<Trial> {
        let git_url = match &self.running {
            Running::Nothing => return None,
            Running::Sandbox(sandbox) => sandbox.git_url(demo::REPOSITORY),
            Running::Cluster(cluster) => cluster.git().url(demo::REPOSITORY),
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
            Running::Cluster(cluster) => cluster.stop().await,
        }
    }
}

/// Builds what is not built yet: minutes, once.
async fn build(programs: Vec<Program>) -> anyhow::Result<()> {
    let build = move || {
        let mut display = Display::on_standard_error();
        Programs::build(&programs, |progress| display.show(&progress))
    };
    tokio::task::spawn_blocking(build).await??;
    Ok(())
}

fn made(kubeconfig: PathBuf) -> KubeArgs {
    KubeArgs {
        kubeconfig: Some(kubeconfig),
        context: None,
    }
}
