//! `causeway up`: the platform and one runtime in one process, on loopback, wired as their own processes would be.

mod folder;
mod plan;
mod ready;
mod target;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;
use causeway_assertion::development_ca::DevelopmentCa;
use causeway_client::{Credential, Peer, PeerUrl, RuntimeIdentity};
use causeway_proto::{
    ids::RequestId,
    platform::v1::{self as pb, runtime_service_client::RuntimeServiceClient},
};
use causeway_shell::{Process, ProcessArgs};
use futures::future::BoxFuture;
use tokio::{net::TcpListener, time::Instant};

use crate::{
    context::{self, Entry, write_entry},
    output,
    serve::Launch,
};
use folder::Folder;
use plan::Addresses;
use target::{Target, TargetArgs};

const CONTEXT: &str = "up";
const RUNTIME: &str = "local";

#[derive(clap::Args, Debug)]
#[command(mut_arg("log", |log| log.default_value("warn")))]
pub(crate) struct UpArgs {
    #[command(flatten)]
    process: ProcessArgs,
    /// The folder for everything that is kept
    #[arg(long, env = "CAUSEWAY_DATA", value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// The address for users: HTTP, JSON and gRPC
    #[arg(
        long,
        env = "CAUSEWAY_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:7400"
    )]
    listen: SocketAddr,
    /// The address for tunnels of runtimes
    #[arg(
        long,
        env = "CAUSEWAY_TUNNEL_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:7401"
    )]
    tunnel_listen: SocketAddr,
    /// The file of contexts to write to, for the other commands
    #[arg(long, env = "CAUSEWAY_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(flatten)]
    target: TargetArgs,
}

impl UpArgs {
    /// Runs until it is asked to stop.
    pub(crate) fn run(self) -> ExitCode {
        let process = self.process.clone();
        causeway_shell::run(&process, move |process| Box::pin(run(self, process)))
    }

    fn data(&self) -> PathBuf {
        self.data.clone().unwrap_or_else(|| {
            let home = std::env::home_dir().unwrap_or_else(|| PathBuf::from("."));
            home.join(".local/share/causeway/up")
        })
    }
}

/// The start was cut short: by a signal, or by a part that failed and has said why.
#[derive(Debug, thiserror::Error)]
#[error("stopped while starting")]
struct Stopped;

async fn run(args: UpArgs, process: Process) -> anyhow::Result<()> {
    match start(args, &process).await {
        Err(error) if error.is::<Stopped>() => Ok(()),
        end => end,
    }
}

async fn start(args: UpArgs, process: &Process) -> anyhow::Result<()> {
    let contexts = context::file(args.config.as_ref());
    let begun = Instant::now();
    let folder = Folder::open(&args.data())?;
    let listeners = Listeners::bind(&args).await?;
    let addresses = listeners.addresses()?;
    output::note(format!("data in {}", folder.root().display()));
    let target = Target::start(&args.target, &folder).await?;
    output::note(target.describe());
    let ca = DevelopmentCa::open_or_create(&folder.tunnel_server())?;
    let plan = plan::Plan {
        addresses: &addresses,
        folder: &folder,
        tunnel_ca: &ca.ca_file(),
    };
    let mut start = Starter { process, begun };
    start.part(plan.platform(), listeners.platform).await?;
    start.part(plan.inventory(), listeners.inventory).await?;
    start
        .part(plan.tunnel_server(), listeners.tunnel_server)
        .await?;
    start.part(plan.platform_router(), listeners.router).await?;
    let platform = format!("http://{}", addresses.router);
    join(&folder, &platform, &plan.tunnel_url()).await?;
    start
        .part(plan.source_server(&target), listeners.source_server)
        .await?;
    start
        .part(plan.app_proxy(&target), listeners.app_proxy)
        .await?;
    start
        .part(plan.runtime_router(), listeners.runtime_router)
        .await?;
    start
        .part(plan.tunnel_client(), listeners.tunnel_client)
        .await?;
    start
        .part(plan.reporter(&target), listeners.reporter)
        .await?;
    start
        .part(plan.resource_reporter(&target), listeners.resource_reporter)
        .await?;
    let entry = Entry {
        address: platform.clone(),
        api_key_file: Some(folder.admin_key()),
        session: None,
        ca_file: None,
    };
    write_entry(&contexts, CONTEXT, entry)?;
    output::note(ready::banner(
        &platform,
        &contexts,
        &folder,
        &target,
        begun.elapsed(),
    ));
    process.shutdown().requested().await;
    target.stop().await;
    Ok(())
}

/// Every listener of the parts, bound before anything starts.
struct Listeners {
    router: TcpListener,
    tunnel: SocketAddr,
    platform: TcpListener,
    inventory: TcpListener,
    tunnel_server: TcpListener,
    source_server: TcpListener,
    app_proxy: TcpListener,
    runtime_router: TcpListener,
    tunnel_client: TcpListener,
    reporter: TcpListener,
    resource_reporter: TcpListener,
}

impl Listeners {
    async fn bind(args: &UpArgs) -> anyhow::Result<Self> {
        // The tunnel server binds its own second listener; a look now tells a taken port before anything has started.
        let tunnel = causeway_shell::bind("--tunnel-listen", args.tunnel_listen).await?;
        let tunnel_address = tunnel.local_addr().context("--tunnel-listen")?;
        drop(tunnel);
        Ok(Self {
            router: causeway_shell::bind("--listen", args.listen).await?,
            tunnel: tunnel_address,
            platform: inner().await?,
            inventory: inner().await?,
            tunnel_server: inner().await?,
            source_server: inner().await?,
            app_proxy: inner().await?,
            runtime_router: inner().await?,
            tunnel_client: inner().await?,
            reporter: inner().await?,
            resource_reporter: inner().await?,
        })
    }

    fn addresses(&self) -> std::io::Result<Addresses> {
        Ok(Addresses {
            router: self.router.local_addr()?,
            tunnel: self.tunnel,
            platform: self.platform.local_addr()?,
            inventory: self.inventory.local_addr()?,
            tunnel_server: self.tunnel_server.local_addr()?,
            source_server: self.source_server.local_addr()?,
            app_proxy: self.app_proxy.local_addr()?,
            runtime_router: self.runtime_router.local_addr()?,
        })
    }
}

async fn inner() -> anyhow::Result<TcpListener> {
    causeway_shell::bind("a part on loopback", SocketAddr::from(([127, 0, 0, 1], 0))).await
}

struct Starter<'a> {
    process: &'a Process,
    begun: Instant,
}

impl Starter<'_> {
    /// Starts a part and waits until it is ready; a part that fails instead ends the process with its reason.
    async fn part(&mut self, flags: Vec<String>, listener: TcpListener) -> anyhow::Result<()> {
        let launch = Launch::from_flags(&flags)?;
        let (name, side) = (launch.name, launch.side);
        let shell = self.process.part(name, side);
        let serving: BoxFuture<'static, _> = launch.serve(listener, shell.clone());
        shell.tasks().spawn_essential("serve", serving);
        tokio::select! {
            () = ready::wait(&shell, side) => {}
            () = self.process.shutdown().requested() => return Err(Stopped.into()),
        }
        output::note(format!(
            "  {:<28} {:<9} ready after {:.1?}",
            name,
            side.as_str(),
            self.begun.elapsed()
        ));
        Ok(())
    }
}

/// Makes the runtime of this folder known to the platform of this folder, once.
async fn join(folder: &Folder, platform: &str, tunnel_url: &str) -> anyhow::Result<()> {
    let runtime = folder.runtime();
    if RuntimeIdentity::open(&runtime)?.is_some() {
        return RuntimeIdentity::update_urls(&runtime, platform, tunnel_url);
    }
    let url = PeerUrl::parse(platform, None)?;
    let token = join_token(&url, &folder.admin_key())
        .await
        .context("cannot make a join token")?;
    let identity =
        RuntimeIdentity::join(&runtime, &url, Peer::new(&url, Credential::None), &token).await;
    identity.context("the runtime cannot join").map(drop)
}

async fn join_token(url: &PeerUrl, admin_key: &Path) -> anyhow::Result<String> {
    let key =
        std::fs::read_to_string(admin_key).with_context(|| admin_key.display().to_string())?;
    let request = pb::CreateJoinTokenRequest {
        runtime: RUNTIME.to_owned(),
        request_id: RequestId::generate().to_string(),
    };
    let mut client = RuntimeServiceClient::new(Peer::new(url, Credential::api_key(key.trim())));
    Ok(client.create_join_token(request).await?.into_inner().token)
}
