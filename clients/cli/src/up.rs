//! `causeway up`: the platform and one runtime in one process, on loopback, wired as their own processes would be. With `--join` the
//! runtime alone, for a platform that runs elsewhere.

mod folder;
mod join;
mod listen;
mod plan;
mod ready;
mod start;
mod target;

use std::{net::SocketAddr, path::PathBuf, process::ExitCode};

use causeway_assertion::development_ca::DevelopmentCa;
use causeway_shell::{Process, ProcessArgs};
use tokio::time::Instant;

use crate::{
    context::{self, Entry, write_entry},
    output,
};
use folder::Folder;
use join::JoinTarget;
use listen::{PlatformListeners, RuntimeListeners};
use plan::{PlatformPlan, RuntimePlan};
use ready::Banner;
use start::{Starter, Stopped};
use target::{Target, TargetArgs};

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
    /// The context to write, which becomes the current one
    #[arg(
        long,
        value_name = "NAME",
        default_value = "up",
        conflicts_with = "join"
    )]
    context_name: String,
    #[command(flatten)]
    join: JoinTarget,
    #[command(flatten)]
    target: TargetArgs,
}

impl UpArgs {
    /// Runs until it is asked to stop.
    pub(crate) fn run(self) -> ExitCode {
        let process = self.process.clone();
        causeway_shell::run(&process, move |process| Box::pin(run(self, process)))
    }

    /// A runtime alone has a folder of its own, so that it runs beside a platform without a flag.
    fn data(&self) -> PathBuf {
        self.data.clone().unwrap_or_else(|| {
            let home = std::env::home_dir().unwrap_or_else(|| PathBuf::from("."));
            let name = if self.join.url.is_some() {
                "runtime"
            } else {
                "up"
            };
            home.join(".local/share/causeway").join(name)
        })
    }
}

async fn run(args: UpArgs, process: Process) -> anyhow::Result<()> {
    let started = match args.join.url.clone() {
        Some(url) => start_runtime(args, &url, &process).await,
        None => start_all(args, &process).await,
    };
    match started {
        Err(error) if error.is::<Stopped>() => Ok(()),
        end => end,
    }
}

async fn start_all(args: UpArgs, process: &Process) -> anyhow::Result<()> {
    let begun = Instant::now();
    let folder = Folder::open(&args.data())?;
    let listeners = PlatformListeners::bind(args.listen, args.tunnel_listen).await?;
    let runtime_listeners = RuntimeListeners::bind().await?;
    output::note(format!("data in {}", folder.root().display()));
    let target = Target::start(&args.target, &folder).await?;
    output::note(target.describe());
    let ca = DevelopmentCa::open_or_create(&folder.tunnel_server())?;
    let plan = PlatformPlan {
        addresses: listeners.addresses()?,
        folder: &folder,
        tunnel_ca: &ca.ca_file(),
    };
    let runtime = RuntimePlan {
        addresses: runtime_listeners.addresses()?,
        folder: &folder,
    };
    let starter = Starter { process, begun };
    starter.platform(&plan, listeners).await?;
    join::join_local(&folder, &plan.url(), &plan.tunnel_url()).await?;
    starter
        .runtime(&runtime, &target, runtime_listeners)
        .await?;
    let contexts = context::file(args.config.as_ref());
    let entry = Entry {
        address: plan.url(),
        api_key_file: Some(folder.admin_key()),
        session: None,
        ca_file: None,
    };
    write_entry(&contexts, &args.context_name, entry)?;
    let banner = Banner {
        address: &plan.url(),
        web_ui: causeway_web::is_embedded(),
        context: (&args.context_name, &contexts),
        admin_key: &folder.admin_key(),
        trial: target.trial(),
    };
    output::note(banner.text(begun.elapsed()));
    process.shutdown().requested().await;
    target.stop().await;
    Ok(())
}

/// Starts a runtime alone, for the platform at a URL.
async fn start_runtime(args: UpArgs, url: &str, process: &Process) -> anyhow::Result<()> {
    let begun = Instant::now();
    let folder = Folder::open(&args.data())?;
    let listeners = RuntimeListeners::bind().await?;
    output::note(format!("data in {}", folder.root().display()));
    let identity = args.join.join(&folder, url).await?;
    let target = Target::start(&args.target.apart_from_another(), &folder).await?;
    output::note(target.describe());
    let plan = RuntimePlan {
        addresses: listeners.addresses()?,
        folder: &folder,
    };
    let starter = Starter { process, begun };
    starter.runtime(&plan, &target, listeners).await?;
    let trial = target.trial();
    output::note(ready::runtime_text(
        identity.name.as_str(),
        url,
        trial.as_ref(),
        begun.elapsed(),
    ));
    process.shutdown().requested().await;
    target.stop().await;
    Ok(())
}

#[cfg(test)]
mod tests;
