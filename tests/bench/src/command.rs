//! What can be measured.

use clap::Parser;

use crate::{
    assertion, audit, bounds, bulk, changes, cli, cluster, commits, fleet, flood, history, idle,
    logs, policy, programs, redaction, reports, scope, transcode, trial, tunnel,
};

#[derive(Parser)]
#[command(about = "Measures Causeway and prints Markdown tables")]
pub(crate) enum Command {
    /// Unary calls, stalled readers and idle sessions of the tunnel, beside direct HTTP/2 over TLS
    Tunnel(tunnel::Args),
    /// What tracing one call in ten costs the tunnel
    Tracing(tunnel::traced::Args),
    /// `causeway up`: start, memory, and the way of a change from the cluster to the platform
    Trial(trial::Args),
    /// The real clusters of tests: start, memory, pods
    Cluster,
    /// The way of a commit on a real Kubernetes and a real Argo CD, from the push to the platform, whose part is whose
    Commits(commits::Args),
    /// Changes of files in a Git repository by the commit engine, beside plain git for each
    Changes(changes::Args),
    /// `make cluster`: warm, or from nothing
    Programs(programs::Args),
    /// Pages and the verification of an audit of a million entries, and a change with its intent and outcome on disk
    Audit(audit::Args),
    /// Verifying an assertion, the first time and again
    Assertion,
    /// Pages of a list of many applications, for those who see all of them and for those who see some
    Scope(scope::Args),
    /// Histories of applications: keeping them, their room on the disk, and reading a state of a time
    History(history::Args),
    /// Logs of a pod through the tunnel beside straight from the cluster, and beside readers that take nothing
    Logs(logs::Args),
    /// One command that syncs many applications, beside the same requests straight to Argo CD
    Bulk(bulk::Args),
    /// Dozens of runtimes, each with its own identity, tunnel and report streams, against one platform
    Fleet(fleet::Args),
    /// One user's flood of calls beside ten others, and how much longer these wait
    Flood(flood::Args),
    /// Memory and CPU of each part as a process of its own while nobody asks anything of it, and of a platform with 100 runtimes
    Idle(idle::Args),
    /// One runtime's reporter and the inventory: changes, memory, bytes on the wire, what a stall loses
    Reports(reports::Args),
    /// A unary call as JSON through the router, beside gRPC and beside grpc-gateway
    Transcode(transcode::Args),
    /// The command line: its start, and the list of many applications
    Cli(cli::Args),
    /// A decision on a role of 1,000 rules
    Policy,
    /// Redaction of objects made to cost as much as they can, and of an honest one beside them
    Redaction,
    /// What unauthenticated clients can take: memory by large requests, places by silent and idle connections
    Bounds(bounds::Args),
    /// Everything, with its defaults
    All,
    /// The tunnel server of the idle measurement, as a process of its own
    #[command(hide = true)]
    IdleServer,
    /// One step of the measurement of tracing, as a process of its own
    #[command(hide = true)]
    TracedTunnelStep(Box<tunnel::traced::StepArgs>),
    /// The flood of calls, as a process of its own
    #[command(hide = true)]
    FloodCaller(flood::CallerArgs),
    /// The platform of a fleet, as a process of its own
    #[command(hide = true)]
    FleetPlatform(fleet::ServeArgs),
}

impl Command {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Tunnel(args) => tunnel::run(&args),
            Self::Tracing(args) => tunnel::traced::run(&args),
            Self::Trial(args) => trial::run(&args),
            Self::Cluster => cluster::run(),
            Self::Commits(args) => commits::run(&args),
            Self::Changes(args) => changes::run(&args),
            Self::Programs(args) => programs::run(&args),
            Self::Audit(args) => audit::run(&args),
            Self::Assertion => assertion::run(),
            Self::Scope(args) => scope::run(&args),
            Self::History(args) => history::run(&args),
            Self::Logs(args) => logs::run(&args),
            Self::Bulk(args) => bulk::run(&args),
            Self::Fleet(args) => fleet::run(&args),
            Self::Flood(args) => flood::run(&args),
            Self::Idle(args) => idle::run(&args),
            Self::Reports(args) => reports::run(&args),
            Self::Transcode(args) => transcode::run(&args),
            Self::Cli(args) => cli::run(&args),
            Self::Policy => policy::run(),
            Self::Redaction => redaction::run(),
            Self::Bounds(args) => bounds::run(&args),
            Self::All => {
                trial::run(&trial::Args::default())?;
                cluster::run()?;
                programs::run(&programs::Args::default())?;
                commits::run(&commits::Args::default())?;
                changes::run(&changes::Args::default())?;
                assertion::run()?;
                audit::run(&audit::Args::default())?;
                scope::run(&scope::Args::default())?;
                history::run(&history::Args::default())?;
                logs::run(&logs::Args::default())?;
                bulk::run(&bulk::Args::default())?;
                fleet::run(&fleet::Args::default())?;
                flood::run(&flood::Args::default())?;
                idle::run(&idle::Args::default())?;
                reports::run(&reports::Args::default())?;
                cli::run(&cli::Args::default())?;
                policy::run()?;
                redaction::run()?;
                bounds::run(&bounds::Args::default())?;
                transcode::run(&transcode::Args::default())?;
                tunnel::traced::run(&tunnel::traced::Args::default())?;
                tunnel::run(&tunnel::Args::default())
            }
            Self::IdleServer => tunnel::idle::serve(),
            Self::TracedTunnelStep(args) => tunnel::traced::run_step(&args),
            Self::FloodCaller(args) => flood::run_caller(&args),
            Self::FleetPlatform(args) => fleet::serve(&args),
        }
    }
}
