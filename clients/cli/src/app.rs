//! `causeway app …`: lists, inspects and acts on applications of all runtimes.

mod actions;
mod bulk;
mod delete;
mod deployments;
mod diff;
mod errors;
mod exec;
mod facets;
mod find;
mod list;
mod logs;
mod manifests;
mod operation;
mod print;
mod refresh;
mod resource;
mod rollback;
mod set;
mod sources;
mod sync;
mod terminate;
mod timeline;
mod tree;
mod wait;
mod watch;

pub(crate) use wait::WaitTimeout;

use std::num::NonZeroUsize;

use causeway_proto::inventory::v1 as pb;

use crate::{
    connection::Connection,
    moment::{Moment, moment},
    name::stated,
    output::{self, Format},
    pages::Truncation,
    words::{parse_health, parse_name},
};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum AppCommand {
    /// List applications
    #[command(visible_alias = "ls")]
    List(Box<ListArgs>),
    /// Count applications by runtime, project, health and so on
    Facets(Box<facets::FacetsArgs>),
    /// Show one application, now or at a past time
    Get(GetArgs),
    /// Show the resources of an application as a tree
    Tree(NameArgs),
    /// List applications, then stream their changes
    Watch(Box<WatchArgs>),
    /// Sync applications and wait for the operations
    ///
    /// Exit code 3 if an operation does not succeed.
    Sync(Box<sync::SyncArgs>),
    /// Wait until applications reach the requested state
    ///
    /// Exit code 20 if they do not reach it in time.
    Wait(Box<wait::WaitArgs>),
    /// Refresh applications from Git
    Refresh(Box<refresh::RefreshArgs>),
    /// Roll back an application to a past deployment and wait for the operation
    ///
    /// Exit code 3 if the operation does not succeed.
    Rollback(rollback::RollbackArgs),
    /// Terminate running operations
    TerminateOp(Box<terminate::TerminateArgs>),
    /// Delete applications, with or without their resources
    #[command(visible_alias = "rm")]
    Delete(Box<delete::DeleteArgs>),
    /// Change source parameters of live applications
    ///
    /// Changes the revision, Helm parameters or Kustomize images. Refused for applications that Git manages, unless --force is set.
    Set(Box<set::SetArgs>),
    /// Show the deployment history in the application's status
    History(NameArgs),
    /// Diff cluster and Git, two times, two revisions or two applications
    ///
    /// Exit code 0 without differences, 3 with differences, another one if the diff failed ('argocd app diff' returns 1 for differences).
    Diff(Box<diff::DiffArgs>),
    /// Print logs of the pods of an application
    Logs(Box<logs::LogsArgs>),
    /// Run a command in a container of an application
    ///
    /// Returns the command's exit code. Requires the permission, and a runtime that allows it.
    Exec(Box<exec::ExecArgs>),
    /// Show the manifests of an application
    Manifests(manifests::ManifestsArgs),
    /// List and run Argo CD resource actions
    #[command(subcommand)]
    Actions(actions::ActionsCommand),
    /// Inspect and delete single resources of an application
    #[command(subcommand)]
    Resource(resource::ResourceCommand),
    /// Show past states and deployments of an application, newest first
    Timeline(timeline::TimelineArgs),
    /// List finished deployments, also of deleted applications
    Deployments(Box<deployments::DeploymentsArgs>),
}

/// Which applications.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct FilterArgs {
    /// Filter by runtime
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,
    /// Filter by cluster, by its name in the runtime
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,
    /// Filter by namespace
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Option<String>,
    /// Filter by Argo CD project
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// Filter by health, for example Degraded
    #[arg(long, value_name = "HEALTH", value_parser = parse_health)]
    health: Vec<pb::HealthStatus>,
    /// Filter by sync status, for example OutOfSync
    #[arg(long, value_name = "SYNC", value_parser = parse_sync)]
    sync: Vec<pb::SyncStatus>,
    /// Filter by source kind: Git, Helm or Several
    #[arg(long, value_name = "KIND", value_parser = parse_source)]
    source: Vec<pb::SourceKind>,
    /// Filter by labels, for example 'team=a,tier in (gold,iron),!retired'
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Filter by words in name, namespace or project
    ///
    /// All words must match; '*' and '?' are wildcards.
    #[arg(long, value_name = "WORDS")]
    text: Option<String>,
}

/// What to list.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ListArgs {
    /// The same as --text
    #[arg(value_name = "WORDS", conflicts_with = "text")]
    words: Vec<String>,
    #[command(flatten)]
    filter: FilterArgs,
    /// Sort by runtime, name, namespace, project, sync, health or changed
    ///
    /// 'health' lists degraded applications first, 'changed' the newest.
    #[arg(long, value_name = "ORDER", value_parser = parse_sort, default_value = "runtime")]
    sort: pb::ApplicationSort,
    /// Limit the number of results
    #[arg(long, value_name = "NUMBER", conflicts_with = "watch")]
    limit: Option<NonZeroUsize>,
    /// Stream changes after the list, as 'app watch' does
    #[arg(short, long)]
    watch: bool,
}

/// One application.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct NameArgs {
    /// NAME, NAMESPACE/NAME or RUNTIME/NAMESPACE/NAME
    #[arg(value_name = "NAME", value_parser = stated)]
    name: String,
    /// The runtime, if several have an application of this name
    #[arg(long, value_name = "NAME", value_parser = stated)]
    runtime: Option<String>,
    /// The namespace, if several have an application of this name
    #[arg(short, long, value_name = "NAMESPACE", value_parser = stated)]
    namespace: Option<String>,
}

/// One application, and when.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct GetArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Show the state at this time: RFC 3339 or an age such as 2h
    ///
    /// Name a deleted application as RUNTIME/NAMESPACE/NAME.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    at: Option<Moment>,
    /// Show it again after each change
    #[arg(short, long, conflicts_with = "at")]
    watch: bool,
}

/// What to watch.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct WatchArgs {
    /// Filter by name
    #[arg(value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    filter: FilterArgs,
}

impl AppCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List(args) => list(connection, &args, format).await,
            Self::Facets(args) => facets::run(connection, &args, format).await,
            Self::Get(args) => get(connection, &args, format).await,
            Self::Tree(args) => tree(connection, &args, format).await,
            Self::Watch(args) => {
                let filter = args.filter.to_filter(args.name.as_deref());
                watch::run(connection, filter, format).await
            }
            Self::Sync(args) => sync::run(connection, &args, format).await,
            Self::Wait(args) => wait::run(connection, &args, format).await,
            Self::Refresh(args) => refresh::run(connection, &args, format).await,
            Self::Rollback(args) => rollback::run(connection, &args, format).await,
            Self::TerminateOp(args) => terminate::run(connection, &args, format).await,
            Self::Delete(args) => delete::run(connection, &args, format).await,
            Self::Set(args) => set::run(connection, &args, format).await,
            Self::History(args) => history(connection, &args, format).await,
            Self::Diff(args) => diff::run(connection, &args, format).await,
            Self::Logs(args) => logs::run(connection, &args, format).await,
            Self::Exec(args) => exec::run(connection, &args, format).await,
            Self::Manifests(args) => manifests::run(connection, &args, format).await,
            Self::Actions(command) => command.run(connection, format).await,
            Self::Resource(command) => command.run(connection, format).await,
            Self::Timeline(args) => timeline::run(connection, &args, format).await,
            Self::Deployments(args) => deployments::run(connection, &args, format).await,
        }
    }
}

impl FilterArgs {
    pub(crate) fn to_filter(&self, name: Option<&str>) -> pb::ApplicationFilter {
        pb::ApplicationFilter {
            runtime: self.runtime.clone().unwrap_or_default(),
            cluster: self.cluster.clone().unwrap_or_default(),
            namespace: self.namespace.clone().unwrap_or_default(),
            name: name.unwrap_or_default().to_owned(),
            project: self.project.clone().unwrap_or_default(),
            sync: self.sync.iter().map(|state| (*state).into()).collect(),
            health: self.health.iter().map(|state| (*state).into()).collect(),
            source: self.source.iter().map(|kind| (*kind).into()).collect(),
            label_selector: self.selector.clone().unwrap_or_default(),
            text: self.text.clone().unwrap_or_default(),
        }
    }

    /// The same with words of their own.
    fn to_filter_with(&self, words: &[String]) -> pb::ApplicationFilter {
        let mut filter = self.to_filter(None);
        if !words.is_empty() {
            filter.text = words.join(" ");
        }
        filter
    }
}

async fn list(connection: &Connection, args: &ListArgs, format: Format) -> anyhow::Result<()> {
    let filter = args.filter.to_filter_with(&args.words);
    if args.watch {
        return watch::run(connection, filter, format).await;
    }
    let limit = args.limit.map_or(usize::MAX, NonZeroUsize::get);
    if list::run(connection, filter, args.sort, limit, format).await? == Truncation::Truncated {
        output::note(format!(
            "there are more than {limit}: raise --limit, or narrow the list"
        ));
    }
    Ok(())
}

async fn get(connection: &Connection, args: &GetArgs, format: Format) -> anyhow::Result<()> {
    if args.watch {
        let key = find::key(connection, &args.name).await?;
        return watch::one(connection, key, format).await;
    }
    let application = match &args.at {
        Some(Moment(at)) => find::get_at(connection, &args.name, *at).await?,
        None => find::get_one(connection, &args.name).await?,
    };
    match format {
        Format::Table => print::details(&application).print(),
        Format::Json | Format::Yaml => output::document(&application, format),
    }
}

/// One application as people see it, with its resources.
pub(crate) async fn details(
    connection: &Connection,
    key: pb::GetApplicationRequest,
) -> anyhow::Result<String> {
    let application = find::get(connection, key).await?;
    let details = print::details(&application).text();
    Ok(format!("{details}\n\n{}", tree::text(&application)))
}

/// What differs in an application between the cluster and Git, as the lines of `diff -u`.
pub(crate) async fn differences(
    connection: &Connection,
    key: &pb::GetApplicationRequest,
) -> anyhow::Result<Vec<String>> {
    diff::lines(connection, key).await
}

async fn tree(connection: &Connection, args: &NameArgs, format: Format) -> anyhow::Result<()> {
    let application = find::get_one(connection, args).await?;
    match format {
        Format::Table => tree::print(&application),
        Format::Json | Format::Yaml => output::document(&application, format),
    }
}

async fn history(connection: &Connection, args: &NameArgs, format: Format) -> anyhow::Result<()> {
    print::history(&find::get_one(connection, args).await?, format)
}

fn parse_source(text: &str) -> Result<pb::SourceKind, String> {
    parse_name(&["Git", "Helm", "Several"], text)
}

fn parse_sort(text: &str) -> Result<pb::ApplicationSort, String> {
    let names = [
        "runtime",
        "name",
        "namespace",
        "project",
        "sync",
        "health",
        "changed",
    ];
    parse_name(&names, text)
}

fn parse_sync(text: &str) -> Result<pb::SyncStatus, String> {
    parse_name(&["Unknown", "Synced", "OutOfSync"], text)
}

#[cfg(test)]
mod tests;
