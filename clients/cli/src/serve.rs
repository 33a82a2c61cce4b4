//! `causeway serve PART`: one part as its own process.

use std::{net::SocketAddr, process::ExitCode};

use causeway_assertion::Side;
use causeway_shell::{ProcessArgs, Shell};
use clap::Parser;
use futures::future::BoxFuture;
use tokio::net::TcpListener;

/// The parts, each with its flags
#[derive(clap::Subcommand, Debug)]
pub(crate) enum PartCommand {
    /// Accounts, keys, permissions, runtimes and audit
    Platform(PartArgs<causeway_platform::Args>),
    /// What runtimes reported
    Inventory(PartArgs<causeway_inventory::Args>),
    /// Holds the tunnels of runtimes and sends calls into them
    TunnelServer(PartArgs<causeway_tunnel_server::Args>),
    /// HTTP and gRPC in front of the parts of one side
    RequestRouter(PartArgs<causeway_request_router::Args>),
    /// Dials out of the runtime and serves what comes back
    TunnelClient(PartArgs<causeway_tunnel_client::Args>),
    /// Acts for users inside the runtime
    AppProxy(PartArgs<causeway_app_proxy::Args>),
    /// Manifests, trees and commits from Argo CD
    SourceServer(PartArgs<causeway_source_server::Args>),
    /// Receives webhooks of Git providers and refreshes the Applications concerned
    EventSource(PartArgs<causeway_event_source::Args>),
    /// Reports Argo CD Applications to the platform
    ApplicationEventReporter(PartArgs<causeway_application_event_reporter::Args>),
    /// Reports Rollouts, Workflows, other kinds and Kubernetes events to the platform
    ResourceEventReporter(PartArgs<causeway_resource_event_reporter::Args>),
    /// Keeps the projects and Applications of restricted Git sources
    GitopsOperator(PartArgs<causeway_gitops_operator::Args>),
}

/// What every part takes, and what this one takes.
#[derive(clap::Args, Debug)]
pub(crate) struct PartArgs<A: clap::Args> {
    #[command(flatten)]
    process: ProcessArgs,
    /// The address to serve gRPC on
    #[arg(
        long,
        env = "CAUSEWAY_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:0"
    )]
    listen: SocketAddr,
    #[command(flatten)]
    part: A,
}

/// A part that can be started.
pub(crate) struct Launch {
    pub(crate) name: &'static str,
    pub(crate) side: Side,
    pub(crate) listen: SocketAddr,
    start: Start,
}

type Start = Box<dyn FnOnce(TcpListener, Shell) -> BoxFuture<'static, anyhow::Result<()>> + Send>;

#[derive(Parser)]
#[command(no_binary_name = true)]
struct Flags {
    #[command(subcommand)]
    part: PartCommand,
}

impl PartCommand {
    /// Runs the part until it is asked to stop.
    pub(crate) fn run(self) -> ExitCode {
        let (process, launch) = self.into_launch();
        causeway_shell::run(&process, move |process| {
            Box::pin(async move {
                let listener = causeway_shell::bind("--listen", launch.listen).await?;
                tracing::info!(part = launch.name, address = %listener.local_addr()?, "listening");
                let shell = process.part(launch.name, launch.side);
                launch.serve(listener, shell).await
            })
        })
    }

    fn into_launch(self) -> (ProcessArgs, Launch) {
        use Side::{Platform, Runtime};
        match self {
            Self::Platform(args) => args.launch("platform", Platform, causeway_platform::serve),
            Self::Inventory(args) => args.launch("inventory", Platform, causeway_inventory::serve),
            Self::TunnelServer(args) => {
                args.launch("tunnel-server", Platform, causeway_tunnel_server::serve)
            }
            Self::RequestRouter(args) => {
                let side = side(&args.part);
                args.launch("request-router", side, causeway_request_router::serve)
            }
            Self::TunnelClient(args) => args.launch("tunnel-client", Runtime, tunnel_client),
            Self::AppProxy(args) => args.launch("app-proxy", Runtime, causeway_app_proxy::serve),
            Self::SourceServer(args) => {
                args.launch("source-server", Runtime, causeway_source_server::serve)
            }
            Self::EventSource(args) => {
                args.launch("event-source", Runtime, causeway_event_source::serve)
            }
            Self::ApplicationEventReporter(args) => args.launch(
                "application-event-reporter",
                Runtime,
                causeway_application_event_reporter::serve,
            ),
            Self::ResourceEventReporter(args) => args.launch(
                "resource-event-reporter",
                Runtime,
                causeway_resource_event_reporter::serve,
            ),
            Self::GitopsOperator(args) => {
                args.launch("gitops-operator", Runtime, causeway_gitops_operator::serve)
            }
        }
    }
}

/// It serves inside the tunnel only, so it has no use for a listener.
fn tunnel_client(
    args: causeway_tunnel_client::Args,
    _listener: TcpListener,
    shell: Shell,
) -> BoxFuture<'static, anyhow::Result<()>> {
    causeway_tunnel_client::serve(args, shell)
}

fn side(router: &causeway_request_router::Args) -> Side {
    match router.side {
        causeway_request_router::Side::Platform => Side::Platform,
        causeway_request_router::Side::Runtime => Side::Runtime,
    }
}

impl<A: clap::Args + Send + 'static> PartArgs<A> {
    fn launch(
        self,
        name: &'static str,
        side: Side,
        serve: fn(A, TcpListener, Shell) -> BoxFuture<'static, anyhow::Result<()>>,
    ) -> (ProcessArgs, Launch) {
        let part = self.part;
        let start: Start = Box::new(move |listener, shell| serve(part, listener, shell));
        (
            self.process,
            Launch {
                name,
                side,
                listen: self.listen,
                start,
            },
        )
    }
}

impl Launch {
    /// Reads a part's flags as `causeway serve` would.
    pub(crate) fn from_flags(flags: &[String]) -> anyhow::Result<Self> {
        Ok(Flags::try_parse_from(flags)?.part.into_launch().1)
    }

    /// Serves until the shell's shutdown.
    pub(crate) fn serve(
        self,
        listener: TcpListener,
        shell: Shell,
    ) -> BoxFuture<'static, anyhow::Result<()>> {
        (self.start)(listener, shell)
    }
}
