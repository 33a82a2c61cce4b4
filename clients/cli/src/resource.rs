//! `causeway resource …`: lists and inspects Kubernetes objects other than applications.

pub(crate) mod changes;
pub(crate) mod completion;
pub(crate) mod exec;
pub(crate) mod find;
pub(crate) mod kind;
pub(crate) mod live;
pub(crate) mod location;
pub(crate) mod logs;
pub(crate) mod manifests;
mod namespace;
mod print;
pub(crate) mod watch;

use causeway_proto::inventory::v1 as pb;

pub(crate) use self::{
    find::NameArgs,
    location::{RuntimeArg, runtime_of},
    print::{application, fields},
};
use self::{manifests::Described, print::Resources};
use crate::{
    connection::Connection,
    output::{self, Columns, Format},
    words::parse_health,
};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum ResourceCommand {
    /// List resources
    #[command(visible_alias = "ls")]
    List(Box<ListedArgs>),
    /// Show one resource
    Get(GetArgs),
    /// List resources, then stream their changes
    Watch(Box<ListArgs>),
    /// Show a live resource of any kind with secrets redacted
    ///
    /// Also shows resources that are not reported.
    Live(live::LocationArgs),
    /// Delete a resource of any kind
    Delete(DeleteArgs),
    /// Print pod logs
    Logs(Box<live::LogsArgs>),
    /// Run a command in a container
    ///
    /// Returns the command's exit code. Requires the permission, and a runtime that allows it.
    Exec(Box<live::ExecArgs>),
}

/// Resource to delete, and how.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct DeleteArgs {
    #[command(flatten)]
    location: live::LocationArgs,
    #[command(flatten)]
    end: live::DeleteOptions,
}

/// Flags that select resources.
#[derive(clap::Args, Debug, Clone, Default)]
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
    /// Filter by application: NAME or NAMESPACE/NAME
    #[arg(short, long, value_name = "APPLICATION")]
    application: Option<String>,
    /// Filter by health, for example Degraded
    #[arg(long, value_name = "HEALTH", value_parser = parse_health)]
    health: Vec<pb::HealthStatus>,
    /// Filter by labels, for example 'team=a,tier in (gold,iron),!retired'
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
}

/// Resources to list.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ListArgs {
    /// Filter by kind, for example Rollout or rollouts.argoproj.io
    #[arg(value_name = "KIND")]
    kind: Option<String>,
    /// Filter by name
    #[arg(value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    filter: FilterArgs,
}

/// Resources to list or watch.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ListedArgs {
    #[command(flatten)]
    list: ListArgs,
    /// Stream changes after the list, as 'resource watch' does
    #[arg(short, long)]
    watch: bool,
}

/// Resources of one kind to list or watch.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ListedOfKindArgs {
    #[command(flatten)]
    filter: FilterArgs,
    /// Stream changes after the list
    #[arg(short, long)]
    watch: bool,
}

/// One resource of one kind.
#[derive(clap::Args, Debug)]
pub(crate) struct GetOfKindArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Show it again after each change
    #[arg(short, long)]
    watch: bool,
}

/// One resource.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct GetArgs {
    /// The kind, for example Rollout or rollouts.argoproj.io
    #[arg(value_name = "KIND")]
    kind: String,
    #[command(flatten)]
    name: NameArgs,
    /// Print only the reported live manifest, with secrets redacted
    #[arg(long)]
    manifest: bool,
    /// Stream its changes
    #[arg(short, long, conflicts_with = "manifest")]
    watch: bool,
}

impl ResourceCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List(args) if args.watch => {
                follow(connection, args.list.to_filter(), format).await
            }
            Self::List(args) => {
                let found = find::list_all(connection, args.list.to_filter()).await?;
                output::list::<Resources>(found, format)
            }
            Self::Get(args) if args.watch => {
                let filter =
                    find::exact_filter(find::resolve(connection, &args.kind, &args.name).await?);
                follow(connection, filter, format).await
            }
            Self::Get(args) => get(connection, &args, format).await,
            Self::Watch(args) => follow(connection, args.to_filter(), format).await,
            Self::Live(args) => {
                args.location(connection)
                    .await?
                    .print(connection, format)
                    .await
            }
            Self::Delete(args) => {
                let place = args.location.location(connection).await?;
                let uid = match args.end.uid() {
                    Some(uid) => uid.to_owned(),
                    None => place.clone().get(connection).await?.uid,
                };
                place.delete(connection, uid, &args.end, format).await
            }
            Self::Logs(args) => args.run(connection, format).await,
            Self::Exec(args) => args.run(connection, format).await,
        }
    }
}

impl FilterArgs {
    pub(crate) fn to_filter(&self, kind: &str, name: &str) -> pb::ResourceFilter {
        let application = self.application.as_deref().unwrap_or_default();
        let (application_namespace, application) =
            application.split_once('/').unwrap_or(("", application));
        pb::ResourceFilter {
            runtime: self.runtime.clone().unwrap_or_default(),
            cluster: self.cluster.clone().unwrap_or_default(),
            namespace: self.namespace.clone().unwrap_or_default(),
            kind: kind.to_owned(),
            name: name.to_owned(),
            application: application.to_owned(),
            application_namespace: application_namespace.to_owned(),
            health: self.health.iter().map(|state| (*state).into()).collect(),
            label_selector: self.selector.clone().unwrap_or_default(),
        }
    }
}

impl ListArgs {
    fn to_filter(&self) -> pb::ResourceFilter {
        let kind = self.kind.as_deref().unwrap_or_default();
        let name = self.name.as_deref().unwrap_or_default();
        self.filter.to_filter(kind, name)
    }
}

/// A kind with commands of its own that show what is reported of its objects.
pub(crate) trait ReportedKind: Columns<Item = pb::LiveResource> {
    /// Plural and API group.
    const RESOURCE: &'static str;

    /// All that is shown of one object.
    fn details(resource: &pb::LiveResource) -> String;
}

/// A kind with commands of its own that show the manifests of its objects.
pub(crate) trait ManifestKind: Columns<Item = Described> {
    /// Plural and API group.
    const RESOURCE: &'static str;
}

impl ListedOfKindArgs {
    /// Prints the objects of a kind, then their changes with --watch.
    pub(crate) async fn run<K: ReportedKind>(
        &self,
        connection: &Connection,
        format: Format,
    ) -> anyhow::Result<()> {
        let filter = self.filter.to_filter(K::RESOURCE, "");
        if self.watch {
            return follow(connection, filter, format).await;
        }
        output::list::<K>(find::list_all(connection, filter).await?, format)
    }

    /// Prints the objects of a kind by their manifests, then their changes with --watch.
    pub(crate) async fn run_described<K: ManifestKind>(
        &self,
        connection: &Connection,
        format: Format,
    ) -> anyhow::Result<()> {
        let filter = self.filter.to_filter(K::RESOURCE, "");
        if self.watch && format == Format::Table {
            return changes::follow::<K>(connection, filter).await;
        }
        if self.watch {
            return follow(connection, filter, format).await;
        }
        let found = output::arranged(find::list_all(connection, filter).await?)?;
        if format != Format::Table {
            return output::document(&found, format);
        }
        output::table::<K>(&manifests::describe(connection, found.resources).await?)
    }
}

impl GetOfKindArgs {
    /// Prints one object, and again after each change with --watch.
    pub(crate) async fn run<K: ReportedKind>(
        &self,
        connection: &Connection,
        format: Format,
    ) -> anyhow::Result<()> {
        if self.watch {
            let found = find::resolve(connection, K::RESOURCE, &self.name).await?;
            return watch::watch_one(connection, found, format, K::details).await;
        }
        let found = find::get_one(connection, K::RESOURCE, &self.name, false).await?;
        let resource = found.resource.unwrap_or_default();
        output::show(&resource, format, |_| output::line(K::details(&resource)))
    }
}

/// Reads the manifest of the named object.
pub(crate) async fn describe_one<K: ManifestKind>(
    connection: &Connection,
    args: &NameArgs,
) -> anyhow::Result<Described> {
    let found = find::get_one(connection, K::RESOURCE, args, true).await?;
    Ok(found.into())
}

async fn follow(
    connection: &Connection,
    filter: pb::ResourceFilter,
    format: Format,
) -> anyhow::Result<()> {
    watch::run(connection, filter, format, print::state_line).await
}

async fn get(connection: &Connection, args: &GetArgs, format: Format) -> anyhow::Result<()> {
    let response = find::get_one(connection, &args.kind, &args.name, args.manifest).await?;
    if args.manifest {
        return print::manifest(&response.manifest, format);
    }
    let resource = response.resource.unwrap_or_default();
    output::show(&resource, format, |_| fields(&resource).print())
}
