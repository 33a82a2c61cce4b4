//! `causeway app …`: applications of all runtimes, seen and acted on.

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

pub(crate) use wait::Late;

use std::num::NonZeroUsize;

use causeway_proto::inventory::v1 as pb;

use crate::{
    connection::Connection,
    moment::{Moment, moment},
    name::stated,
    output::{self, Format},
};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum AppCommand {
    /// List applications
    #[command(visible_alias = "ls")]
    List(Box<ListArgs>),
    /// Count applications by runtime, project, health and so on
    Facets(Box<facets::FacetsArgs>),
    /// Show one application, as it is or as it was at a time
    Get(GetArgs),
    /// Show the resources of an application as a tree
    Tree(NameArgs),
    /// Show applications and then every change of them
    Watch(Box<WatchArgs>),
    /// Sync applications and wait for the end of the operations; exit code 3 where one does not succeed
    Sync(Box<sync::SyncArgs>),
    /// Wait until applications are as wanted; exit code 20 where they do not get so in time
    Wait(Box<wait::WaitArgs>),
    /// Compare applications with Git again
    Refresh(Box<refresh::RefreshArgs>),
    /// Bring back a deployment of an application's history and wait for the operation's end; exit code 3 where it does not succeed
    Rollback(rollback::RollbackArgs),
    /// End the operations that are under way
    TerminateOp(Box<terminate::TerminateArgs>),
    /// Delete applications, with what they deployed or without
    #[command(visible_alias = "rm")]
    Delete(Box<delete::DeleteArgs>),
    /// Change what live applications are rendered with: revision, Helm parameters, Kustomize images; refused where Git owns them, unless by --force
    Set(Box<set::SetArgs>),
    /// Show past deployments of an application, as its object tells them
    History(NameArgs),
    /// Show what differs between the cluster and Git, two times, two revisions or two applications; exit code 0 where nothing does, 3 where something does, another one where that is not known ('argocd app diff' has 1 for that)
    Diff(Box<diff::DiffArgs>),
    /// Show what the pods of an application write
    Logs(Box<logs::LogsArgs>),
    /// Run a command in a container of an application, with its exit code; only for who may, and where the runtime allows it
    Exec(Box<exec::ExecArgs>),
    /// Show the manifests of an application
    Manifests(manifests::ManifestsArgs),
    /// See and run the actions that Argo CD has for resources of an application
    #[command(subcommand)]
    Actions(actions::ActionsCommand),
    /// See and delete single resources of an application
    #[command(subcommand)]
    Resource(resource::ResourceCommand),
    /// Show what an application was, state by state, and its deployments, the newest first
    Timeline(timeline::TimelineArgs),
    /// List deployments that have ended, of applications that are gone, too
    Deployments(Box<deployments::DeploymentsArgs>),
}

/// Which applications.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct FilterArgs {
    /// Only of this runtime
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,
    /// Only of this cluster, as its runtime calls it
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,
    /// Only of this namespace
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Option<String>,
    /// Only of this Argo CD project
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// Only with this health, for example Degraded
    #[arg(long, value_name = "HEALTH", value_parser = parse_health)]
    health: Vec<pb::HealthStatus>,
    /// Only with this sync state, for example OutOfSync
    #[arg(long, value_name = "SYNC", value_parser = parse_sync)]
    sync: Vec<pb::SyncStatus>,
    /// Only from this kind of source: Git, Helm or Several
    #[arg(long, value_name = "KIND", value_parser = parse_source)]
    source: Vec<pb::SourceKind>,
    /// Only with labels that are so, for example 'team=a,tier in (gold,iron),!retired'
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Only with each of these words in its name, namespace or project; '*' and '?' stand for any characters and one
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
    /// The order: runtime, name, namespace, project, sync, health (what is broken first) or changed (the newest first)
    #[arg(long, value_name = "ORDER", value_parser = parse_sort, default_value = "runtime")]
    sort: pb::ApplicationSort,
    /// At most this many
    #[arg(long, value_name = "NUMBER", conflicts_with = "watch")]
    limit: Option<NonZeroUsize>,
    /// Go on with every change, as 'app watch' does
    #[arg(short, long)]
    watch: bool,
}

/// One application.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct NameArgs {
    /// NAME, NAMESPACE/NAME or RUNTIME/NAMESPACE/NAME
    #[arg(value_name = "NAME", value_parser = stated)]
    name: String,
    /// The runtime, where several have such an application
    #[arg(long, value_name = "NAME", value_parser = stated)]
    runtime: Option<String>,
    /// The namespace, where several have such an application
    #[arg(short, long, value_name = "NAMESPACE", value_parser = stated)]
    namespace: Option<String>,
}

/// One application, and when.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct GetArgs {
    #[command(flatten)]
    name: NameArgs,
    /// As it was at this time: RFC 3339, or how long ago, for example 2h. One that is gone by now is named RUNTIME/NAMESPACE/NAME
    #[arg(long, value_name = "TIME", value_parser = moment)]
    at: Option<Moment>,
    /// Show it again whenever it changes
    #[arg(short, long, conflicts_with = "at")]
    watch: bool,
}

/// What to watch.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct WatchArgs {
    /// Only applications of this name
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
    if list::run(connection, filter, args.sort, limit, format).await? == find::Rest::More {
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
        Some(Moment(at)) => find::one_then(connection, &args.name, *at).await?,
        None => find::one(connection, &args.name).await?,
    };
    match format {
        Format::Table => print::details(&application).print(),
        Format::Json | Format::Yaml => print::one(&application, format),
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
    let application = find::one(connection, args).await?;
    match format {
        Format::Table => tree::print(&application),
        Format::Json | Format::Yaml => print::one(&application, format),
    }
}

async fn history(connection: &Connection, args: &NameArgs, format: Format) -> anyhow::Result<()> {
    let application = find::one(connection, args).await?;
    match format {
        Format::Table => print::history(&application),
        Format::Json | Format::Yaml => print::history_documents(&application, format),
    }
}

pub(crate) fn parse_health(text: &str) -> Result<pb::HealthStatus, String> {
    let all = [
        "Unknown",
        "Progressing",
        "Healthy",
        "Suspended",
        "Degraded",
        "Missing",
    ];
    let found = all.iter().position(|name| name.eq_ignore_ascii_case(text));
    found
        .and_then(|index| pb::HealthStatus::try_from(i32::try_from(index).ok()? + 1).ok())
        .ok_or_else(|| format!("one of {}", all.join(", ")))
}

fn parse_source(text: &str) -> Result<pb::SourceKind, String> {
    let all = ["Git", "Helm", "Several"];
    let found = all.iter().position(|name| name.eq_ignore_ascii_case(text));
    found
        .and_then(|index| pb::SourceKind::try_from(i32::try_from(index).ok()? + 1).ok())
        .ok_or_else(|| format!("one of {}", all.join(", ")))
}

fn parse_sort(text: &str) -> Result<pb::ApplicationSort, String> {
    let all = [
        "runtime",
        "name",
        "namespace",
        "project",
        "sync",
        "health",
        "changed",
    ];
    let found = all.iter().position(|name| *name == text);
    found
        .and_then(|index| pb::ApplicationSort::try_from(i32::try_from(index).ok()? + 1).ok())
        .ok_or_else(|| format!("one of {}", all.join(", ")))
}

fn parse_sync(text: &str) -> Result<pb::SyncStatus, String> {
    let all = ["Unknown", "Synced", "OutOfSync"];
    let found = all.iter().position(|name| name.eq_ignore_ascii_case(text));
    found
        .and_then(|index| pb::SyncStatus::try_from(i32::try_from(index).ok()? + 1).ok())
        .ok_or_else(|| format!("one of {}", all.join(", ")))
}

#[cfg(test)]
mod tests;
