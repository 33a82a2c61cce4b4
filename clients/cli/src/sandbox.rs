//! `causeway sandbox`: the stand-in for a cluster, Git and Argo CD alone, for a runtime whose parts are processes of their own.

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use causeway_assertion::private_file::write_private;
use causeway_sandbox::{Demo, Rollouts, Sandbox, SandboxOptions};
use causeway_shell::{Process, ProcessArgs};

use crate::output;

const KUBECONFIG: &str = "kubeconfig";
const ARGOCD_TOKEN: &str = "argocd.token";
/// Distance of the ports of a second sandbox.
const APART: u16 = 10;

/// Start the sandbox alone: a Kubernetes API, Git over HTTP and an Argo CD stand-in, for a runtime of parts that run elsewhere
#[derive(clap::Args, Debug)]
#[command(
    mut_arg("log", |log| log.default_value("warn")),
    mut_arg("git_listen", |listen| listen.help("The sandbox's Git server"))
)]
pub(crate) struct SandboxArgs {
    #[command(flatten)]
    process: ProcessArgs,
    /// The folder for everything that is kept
    #[arg(long, env = "CAUSEWAY_DATA", value_name = "FOLDER")]
    data: PathBuf,
    /// The folder to write what opens it to, kubeconfig and argocd.token [default: <data>]
    #[arg(long, env = "CAUSEWAY_SANDBOX_ACCESS", value_name = "FOLDER")]
    access: Option<PathBuf>,
    /// The name by which others reach it, for the kubeconfig and its certificate [default: loopback]
    #[arg(long, env = "CAUSEWAY_SANDBOX_HOST", value_name = "NAME")]
    host: Option<String>,
    #[command(flatten)]
    listen: ListenArgs,
}

/// Where the sandbox's servers listen.
#[derive(clap::Args, Debug, Clone)]
#[command(next_help_heading = "Sandbox")]
pub(crate) struct ListenArgs {
    /// The sandbox's Kubernetes API
    #[arg(
        long,
        env = "CAUSEWAY_KUBE_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:7402"
    )]
    kube_listen: SocketAddr,
    /// The trial's Git server, of the sandbox or beside the real cluster
    #[arg(
        long,
        env = "CAUSEWAY_GIT_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:7403"
    )]
    pub(crate) git_listen: SocketAddr,
    /// The sandbox's Argo CD API
    #[arg(
        long,
        env = "CAUSEWAY_ARGOCD_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:7404"
    )]
    argocd_listen: SocketAddr,
}

impl ListenArgs {
    /// The default ports moved, so that they do not meet those of another sandbox; ports that a flag names stay.
    pub(crate) fn apart_from_another(&self) -> Self {
        let moved = |address: SocketAddr, usual: u16| {
            let is_usual = address == SocketAddr::from(([127, 0, 0, 1], usual));
            let port = if is_usual {
                usual + APART
            } else {
                address.port()
            };
            SocketAddr::new(address.ip(), port)
        };
        Self {
            kube_listen: moved(self.kube_listen, 7402),
            git_listen: moved(self.git_listen, 7403),
            argocd_listen: moved(self.argocd_listen, 7404),
        }
    }
}

impl SandboxArgs {
    /// Runs until it is asked to stop.
    pub(crate) fn run(self) -> ExitCode {
        let process = self.process.clone();
        causeway_shell::run(&process, move |process| Box::pin(run(self, process)))
    }
}

async fn run(args: SandboxArgs, process: Process) -> anyhow::Result<()> {
    let access = args.access.unwrap_or_else(|| args.data.clone());
    let sandbox = start(&args.listen, args.data, args.host).await?;
    let (kubeconfig, token) = (access.join(KUBECONFIG), access.join(ARGOCD_TOKEN));
    // The kubeconfig is written last: it tells that all is there.
    let opened = open(&sandbox, &token, &kubeconfig);
    if opened.is_ok() {
        output::note(format!(
            "sandbox: kubeconfig {}, Argo CD's token {}, Git {}",
            kubeconfig.display(),
            token.display(),
            sandbox.git_url(causeway_sandbox::demo::REPOSITORY),
        ));
        process.shutdown().requested().await;
    }
    sandbox.stop().await;
    opened
}

/// The sandbox with its demo, as a person tries it.
pub(crate) async fn start(
    listen: &ListenArgs,
    data: PathBuf,
    host: Option<String>,
) -> anyhow::Result<Sandbox> {
    let options = SandboxOptions {
        kube_listen: listen.kube_listen,
        git_listen: listen.git_listen,
        argocd_listen: listen.argocd_listen,
        host,
        data: Some(data),
        demo: Demo::Three,
        pod_start: Duration::from_secs(1),
        pod_run: Some(Duration::from_secs(1)),
        rollouts: Rollouts::Simulated,
    };
    Ok(Sandbox::start(options).await?)
}

/// Writes what lets others in.
pub(crate) fn open(sandbox: &Sandbox, token: &Path, kubeconfig: &Path) -> anyhow::Result<()> {
    write_private(token, sandbox.argocd_token().as_bytes())?;
    write_private(kubeconfig, sandbox.kubeconfig().as_bytes())
}
