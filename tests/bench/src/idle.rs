//! What each part takes as a process of its own while nobody asks anything of it: a platform with one runtime on a sandbox, and the
//! same platform with many.
//!
//! With what each part has in the charts: the requests of their pods are these figures, rounded up.
//!
//! Resident memory of processes on one machine counts the program as often as there are parts; what is anonymous is each one's own,
//! and the share (PSS) gives each its part of what they have in common, so that the sum is what all of them take.

mod keeper;

use std::{fs, time::Duration};

use anyhow::Context as _;
use causeway_sandbox::{Sandbox, SandboxOptions};
use causeway_testkit::{
    Processes, Reached, Setting,
    fleet::{Clusters, Fleet, FleetOptions, Outlook, PlatformDoor},
};
use tokio::{
    task::block_in_place,
    time::{Instant, sleep},
};

use crate::{fleet::allow_files, reports::cpu};

/// How long the runtimes may take to come.
const PATIENCE: Duration = Duration::from_secs(600);
const POLL: Duration = Duration::from_millis(200);
/// Until what was made at the start is over.
const SETTLE: Duration = Duration::from_secs(10);
/// As the charts start every part.
const ENVIRONMENT: [(&str, &str); 1] = [("MALLOC_ARENA_MAX", "1")];

/// What is looked at.
#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Args {
    /// For so many seconds
    #[arg(long, default_value_t = 30)]
    seconds: u64,
    /// Runtimes beside the first one
    #[arg(long, default_value_t = 99)]
    runtimes: usize,
    /// Applications of each of them
    #[arg(long, default_value_t = 10)]
    applications: usize,
}

impl Default for Args {
    fn default() -> Self {
        Self {
            seconds: 30,
            runtimes: 99,
            applications: 10,
        }
    }
}

/// Of one process, or of several.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    /// MiB
    resident: f64,
    /// MiB
    anonymous: f64,
    /// MiB
    share: f64,
    /// of one core
    cpu: f64,
}

/// Measures and prints.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    allow_files()?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(measure(args))
}

async fn measure(args: &Args) -> anyhow::Result<()> {
    let sandbox = Sandbox::start(SandboxOptions::in_memory()).await?;
    let reached = Reached {
        kubeconfig: sandbox.kubeconfig(),
        argocd_url: sandbox.argocd_url(),
        argocd_token: sandbox.argocd_token().to_owned(),
        argocd_flags: Vec::new(),
    };
    let setting = Setting {
        environment: &ENVIRONMENT,
        ..Setting::default()
    };
    let processes = block_in_place(|| Processes::start(&reached, setting));
    let admin_key = fs::read_to_string(processes.folder.path().join("platform/admin.key"))?;
    let outlook = Outlook::open(&PlatformDoor {
        url: processes.address().to_owned(),
        admin_key: admin_key.trim().to_owned(),
    });
    online(&outlook, 1).await?;
    let keepers = block_in_place(|| keeper::start(&sandbox, &processes))?;
    let parts = processes.parts.iter().map(|it| (it.name, it.child.id()));
    let keepers = keepers.iter().map(|it| (it.name, it.child.id()));
    let all: Vec<_> = parts.chain(keepers).collect();
    idle("one runtime", &all, args).await?;

    let options = FleetOptions {
        runtimes: args.runtimes,
        applications: args.runtimes * args.applications,
        resources: 10,
        seed: 1,
    };
    let fleet = Box::pin(Fleet::join(&outlook, Clusters::start(&options).await)).await;
    fleet.complete(PATIENCE).await;
    let runtimes = args.runtimes + 1;
    online(&outlook, runtimes).await?;
    let platform: Vec<_> = all.into_iter().filter(|it| is_platform(it.0)).collect();
    idle(&format!("{runtimes} runtimes"), &platform, args).await?;
    Box::pin(fleet.stop()).await;
    sandbox.stop().await;
    Ok(())
}

async fn online(outlook: &Outlook, runtimes: usize) -> anyhow::Result<()> {
    let end = Instant::now() + PATIENCE;
    loop {
        let online = outlook.progress().await.online;
        if online == Some(runtimes) {
            return Ok(());
        }
        anyhow::ensure!(
            Instant::now() < end,
            "{online:?} of {runtimes} runtimes are online"
        );
        sleep(POLL).await;
    }
}

#[expect(clippy::print_stdout, reason = "the table is the result")]
async fn idle(what: &str, parts: &[(&str, u32)], args: &Args) -> anyhow::Result<()> {
    sleep(SETTLE).await;
    let time = |(_, process): &(&str, u32)| cpu(&process.to_string());
    let before: Vec<f64> = parts.iter().map(time).collect::<Result<_, _>>()?;
    let begun = Instant::now();
    sleep(Duration::from_secs(args.seconds)).await;
    let seconds = begun.elapsed().as_secs_f64();
    println!("| idle, {what} | resident | anonymous | share | CPU |\n|---|---|---|---|---|");
    let (mut platform, mut runtime) = (Usage::default(), Usage::default());
    for (part, before) in parts.iter().zip(before) {
        let usage = Usage {
            cpu: (time(part)? - before) / seconds,
            ..memory(part.1)?
        };
        row(part.0, usage);
        if is_platform(part.0) {
            platform.add(usage)
        } else {
            runtime.add(usage)
        }
    }
    row(
        "the platform together (<= 200 MiB with 100 runtimes)",
        platform,
    );
    if runtime.resident > 0.0 {
        row("the runtime together (<= 150 MiB, <= 0.05 CPU)", runtime);
    }
    println!();
    Ok(())
}

fn is_platform(part: &str) -> bool {
    part.starts_with("platform/")
}

#[expect(clippy::print_stdout, reason = "the table is the result")]
fn row(name: &str, usage: Usage) {
    let Usage {
        resident,
        anonymous,
        share,
        cpu,
    } = usage;
    println!("| {name} | {resident:.1} MiB | {anonymous:.1} MiB | {share:.1} MiB | {cpu:.4} |");
}

/// All but the CPU.
fn memory(process: u32) -> anyhow::Result<Usage> {
    let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup"))?;
    let mebibytes = |field: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(field));
        let line = line.with_context(|| format!("no {field}"))?.trim();
        let kib: f64 = line.trim_end_matches("kB").trim().parse()?;
        anyhow::Ok(kib / 1024.0)
    };
    Ok(Usage {
        resident: mebibytes("Rss:")?,
        anonymous: mebibytes("Anonymous:")?,
        share: mebibytes("Pss:")?,
        cpu: 0.0,
    })
}

impl Usage {
    fn add(&mut self, other: Self) {
        self.resident += other.resident;
        self.anonymous += other.anonymous;
        self.share += other.share;
        self.cpu += other.cpu;
    }
}
