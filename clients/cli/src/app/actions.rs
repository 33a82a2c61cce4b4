//! `causeway app actions …`: what Argo CD can do with resources of an application.

use anyhow::bail;
use causeway_proto::{ids::RequestId, inventory::v1 as inventory, proxy::v1 as pb};
use comfy_table::Cell;

use super::{NameArgs, find};
use crate::{
    connection::Connection,
    name::stated,
    output::{self, Columns, Format},
    resource::kind::Kind,
};

const LIST: &str = "causeway.proxy.v1.ListResourceActionsResponse";
const RAN: &str = "causeway.proxy.v1.RunResourceActionResponse";

#[derive(clap::Subcommand, Debug)]
pub(crate) enum ActionsCommand {
    /// List the actions of resources
    List(ListArgs),
    /// Run an action of a resource
    Run(RunArgs),
}

/// Which resources.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    name: NameArgs,
    #[command(flatten)]
    which: WhichArgs,
}

#[derive(clap::Args, Debug, Clone)]
struct WhichArgs {
    /// Only of this kind, for example Deployment, deploy or Rollout.argoproj.io
    #[arg(long, value_name = "KIND")]
    kind: Option<Kind>,
    /// Only of this name
    #[arg(long, value_name = "NAME", value_parser = stated)]
    resource_name: Option<String>,
    /// Only in this namespace
    #[arg(long, value_name = "NAMESPACE")]
    resource_namespace: Option<String>,
}

/// Which action.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    name: NameArgs,
    /// The action, for example restart
    #[arg(value_name = "ACTION")]
    action: String,
    #[command(flatten)]
    which: WhichArgs,
    /// Of each resource that matches, where several do
    #[arg(long)]
    all: bool,
    /// What the action takes, for example replicas=3
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parameter)]
    parameters: Vec<(String, String)>,
}

impl ActionsCommand {
    pub(super) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List(args) => list(connection, &args, format).await,
            Self::Run(args) => run(connection, &args, format).await,
        }
    }
}

impl WhichArgs {
    /// Those of an application that are in its cluster.
    fn of<'a>(&self, application: &'a inventory::Application) -> Vec<&'a inventory::Resource> {
        let is = |wanted: &Option<String>, found: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == found)
        };
        let resources = application
            .status
            .iter()
            .flat_map(|status| &status.resources);
        let found = resources.filter(|it| {
            let kind = self
                .kind
                .as_ref()
                .is_none_or(|kind| kind.is(&it.group, &it.kind));
            kind && is(&self.resource_name, &it.name) && is(&self.resource_namespace, &it.namespace)
        });
        found.collect()
    }
}

async fn list(connection: &Connection, args: &ListArgs, format: Format) -> anyhow::Result<()> {
    let application = find::one(connection, &args.name).await?;
    let mut table = Columns::new(&["KIND", "NAMESPACE", "NAME", "ACTION", "CAN BE RUN"]);
    let mut all = pb::ListResourceActionsResponse::default();
    let mut client = connection.resource_actions();
    for resource in args.which.of(&application) {
        let request = pb::ListResourceActionsRequest {
            runtime: application.runtime.clone(),
            group: resource.group.clone(),
            kind: resource.kind.clone(),
            namespace: resource.namespace.clone(),
            name: resource.name.clone(),
        };
        let found = match client.list_resource_actions(request).await {
            Ok(found) => found.into_inner(),
            // It is wanted, and not there yet.
            Err(status) if status.code() == tonic::Code::NotFound => continue,
            Err(status) => return Err(status.into()),
        };
        for action in &found.actions {
            let runs = if action.disabled { "no" } else { "yes" };
            let cells = [
                &resource.kind,
                &resource.namespace,
                &resource.name,
                &action.name,
            ];
            let cells = cells.into_iter().map(Cell::new).chain([Cell::new(runs)]);
            table.row(cells.collect());
        }
        all.actions.extend(found.actions);
    }
    match format {
        Format::Table if all.actions.is_empty() => {
            output::note("none");
            Ok(())
        }
        Format::Table => table.print(),
        Format::Json | Format::Yaml => output::document(LIST, &all, format),
    }
}

async fn run(connection: &Connection, args: &RunArgs, format: Format) -> anyhow::Result<()> {
    let application = find::one(connection, &args.name).await?;
    let resources = args.which.of(&application);
    match resources.as_slice() {
        [] => bail!(
            "no resource of {} matches; see 'causeway app tree'",
            application.name
        ),
        [_] => {}
        several if !args.all => {
            let names: Vec<_> = several
                .iter()
                .map(|it| format!("{}/{}", it.kind, it.name))
                .collect();
            bail!(
                "several match: {}; give --kind and --resource-name, or --all",
                names.join(", ")
            )
        }
        _ => {}
    }
    let mut client = connection.resource_actions();
    for resource in resources {
        let request = pb::RunResourceActionRequest {
            runtime: application.runtime.clone(),
            group: resource.group.clone(),
            kind: resource.kind.clone(),
            namespace: resource.namespace.clone(),
            name: resource.name.clone(),
            request_id: RequestId::generate().to_string(),
            action: args.action.clone(),
            parameters: args.parameters.iter().cloned().collect(),
        };
        let ran = client.run_resource_action(request).await?.into_inner();
        match format {
            Format::Table => output::line(format!(
                "{}/{}: {} was run",
                resource.kind, resource.name, args.action
            ))?,
            Format::Json | Format::Yaml => output::stream_document(RAN, &ran, format)?,
        }
    }
    Ok(())
}

fn parameter(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}
