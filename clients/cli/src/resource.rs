//! `causeway resource …`: lists and inspects Kubernetes objects other than applications.

pub(crate) mod changes;
pub(crate) mod completion;
pub(crate) mod exec;
pub(crate) mod find;
pub(crate) mod kind;
pub(crate) mod live;
pub(crate) mod logs;
pub(crate) mod manifests;
mod print;
pub(crate) mod watch;

use causeway_proto::inventory::v1 as pb;

use crate::{
    app::parse_health,
    connection::Connection,
    output::{self, Format},
};
pub(crate) use find::NameArgs;
pub(crate) use print::{application, fields};

const RESOURCE: &str = "causeway.inventory.v1.LiveResource";
const LIST: &str = "causeway.inventory.v1.ListResourcesResponse";

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

/// What to delete, and how.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct DeleteArgs {
    #[command(flatten)]
    location: live::LocationArgs,
    #[command(flatten)]
    end: live::DeleteOptions,
}

/// Which resources.
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

/// What to list.
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

/// What to list, and for how long.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ListedArgs {
    #[command(flatten)]
    list: ListArgs,
    /// Stream changes after the list, as 'resource watch' does
    #[arg(short, long)]
    watch: bool,
}

/// What to list of one kind, and for how long.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ListedOfKindArgs {
    #[command(flatten)]
    filter: FilterArgs,
    /// Stream changes after the list
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
                list(found, format, print::list)
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

impl ListedOfKindArgs {
    /// Prints described resources of a kind with a row each, and goes on with each row that becomes another one where that is wanted.
    /// `list` is the table of all of them.
    pub(crate) async fn run_described(
        &self,
        connection: &Connection,
        kind: &str,
        format: Format,
        rows: changes::RowFormat<'_>,
        list: impl FnOnce(&[manifests::Described]) -> output::Lines,
    ) -> anyhow::Result<()> {
        let filter = self.filter.to_filter(kind, "");
        if self.watch && format == Format::Table {
            return changes::follow(connection, filter, rows).await;
        }
        if self.watch {
            return follow(connection, filter, format).await;
        }
        let found = arranged(find::list_all(connection, filter).await?)?;
        if format != Format::Table || found.is_empty() {
            return self::list(found, format, |_| output::Columns::plain());
        }
        list(&manifests::describe(connection, found).await?).print()
    }

    /// Prints what there is of a kind, and goes on with what changes where that is wanted.
    pub(crate) async fn run(
        &self,
        connection: &Connection,
        kind: &str,
        format: Format,
        table: impl FnOnce(&[pb::LiveResource]) -> output::Columns,
    ) -> anyhow::Result<()> {
        let filter = self.filter.to_filter(kind, "");
        match self.watch {
            true => follow(connection, filter, format).await,
            false => list(find::list_all(connection, filter).await?, format, table),
        }
    }
}

async fn follow(
    connection: &Connection,
    filter: pb::ResourceFilter,
    format: Format,
) -> anyhow::Result<()> {
    let view = pb::ResourceView::Basic;
    watch::run(connection, filter, view, format, print::state_line).await
}

/// Those that are wanted, in the order that is wanted.
pub(crate) fn arranged(resources: Vec<pb::LiveResource>) -> anyhow::Result<Vec<pb::LiveResource>> {
    Ok(output::arranged(LIST, response(resources))?.resources)
}

fn response(resources: Vec<pb::LiveResource>) -> pb::ListResourcesResponse {
    pb::ListResourcesResponse {
        resources,
        next_page_token: String::new(),
    }
}

/// Prints resources: as a table that is made of them, or as one document.
pub(crate) fn list(
    resources: Vec<pb::LiveResource>,
    format: Format,
    table: impl FnOnce(&[pb::LiveResource]) -> output::Columns,
) -> anyhow::Result<()> {
    let resources = arranged(resources)?;
    if format != Format::Table {
        return output::document(LIST, &response(resources), format);
    }
    if resources.is_empty() {
        output::note("none");
        return Ok(());
    }
    table(&resources).print()
}

/// Prints one resource as a document.
pub(crate) fn document(resource: &pb::LiveResource, format: Format) -> anyhow::Result<()> {
    output::document(RESOURCE, resource, format)
}

async fn get(connection: &Connection, args: &GetArgs, format: Format) -> anyhow::Result<()> {
    let response = find::get_one(connection, &args.kind, &args.name, args.manifest).await?;
    if args.manifest {
        return print::manifest(&response.manifest, format);
    }
    let resource = response.resource.unwrap_or_default();
    match format {
        Format::Table => fields(&resource).print(),
        Format::Json | Format::Yaml => document(&resource, format),
    }
}
