//! `causeway app actions …`: what Argo CD can do with resources of an application.

use anyhow::bail;
use causeway_proto::{inventory::v1 as inventory, proxy::v1 as pb};

use super::{
    find::{self, NameArgs},
    resource,
};
use crate::{
    connection::Connection,
    failure::{self, Absent},
    name::stated,
    output::{self, Cell, Format, Table},
    pages,
    request::{self, RequestIdArgs},
    resource::kind::Kind,
    words,
};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum ActionsCommand {
    /// List available resource actions
    List(ListArgs),
    /// Run a resource action
    Run(RunArgs),
}

/// Flags that select resources.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    name: NameArgs,
    #[command(flatten)]
    which: ResourceFilterArgs,
}

#[derive(clap::Args, Debug, Clone)]
struct ResourceFilterArgs {
    /// Filter by kind, for example deploy or Rollout.argoproj.io
    #[arg(long, value_name = "KIND")]
    kind: Option<Kind>,
    /// Filter by name
    #[arg(long, value_name = "NAME", value_parser = stated)]
    resource_name: Option<String>,
    /// Filter by namespace
    #[arg(long, value_name = "NAMESPACE")]
    resource_namespace: Option<String>,
}

/// Action to run.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    name: NameArgs,
    /// The action, for example restart
    #[arg(value_name = "ACTION")]
    action: String,
    #[command(flatten)]
    which: ResourceFilterArgs,
    /// Run the action on all matching resources
    #[arg(long, requires = "kind")]
    all: bool,
    /// Parameter of the action, for example replicas=3
    #[arg(long = "param", value_name = "NAME=VALUE", value_parser = parameter)]
    parameters: Vec<(String, String)>,
    #[command(flatten)]
    ids: RequestIdArgs,
}

impl ActionsCommand {
    pub(super) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List(args) => list(connection, &args, format).await,
            Self::Run(args) => run(connection, &args, format).await,
        }
    }
}

impl ResourceFilterArgs {
    /// Those that an application lists.
    ///
    /// # Errors
    /// They are in a cluster that no request can name.
    fn select<'a>(
        &self,
        application: &'a inventory::Application,
    ) -> anyhow::Result<Vec<&'a inventory::Resource>> {
        resource::check_cluster(application)?;
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
        Ok(found.collect())
    }
}

impl RunArgs {
    /// Those that the action is for.
    fn selected<'a>(
        &self,
        application: &'a inventory::Application,
    ) -> anyhow::Result<Vec<&'a inventory::Resource>> {
        let found = self.which.select(application)?;
        let name = &application.name;
        match found.as_slice() {
            [] => {
                let text = format!("no resource of {name} matches; see 'causeway app tree {name}'");
                return Err(Absent(text).into());
            }
            [_, _, ..] if !self.all => bail!(
                "several match: {}; give --kind, --resource-name and --resource-namespace, or --kind and --all",
                resource::names(&found)
            ),
            _ => {}
        }
        Ok(found)
    }

    fn request(
        &self,
        application: &inventory::Application,
        resource: &inventory::Resource,
        id: String,
    ) -> pb::RunResourceActionRequest {
        pb::RunResourceActionRequest {
            runtime: application.runtime.clone(),
            group: resource.group.clone(),
            kind: resource.kind.clone(),
            namespace: resource.namespace.clone(),
            name: resource.name.clone(),
            request_id: id,
            action: self.action.clone(),
            parameters: self.parameters.iter().cloned().collect(),
        }
    }
}

async fn list(connection: &Connection, args: &ListArgs, format: Format) -> anyhow::Result<()> {
    let application = find::get_one(connection, &args.name).await?;
    let mut all = pb::ListResourceActionsResponse::default();
    let mut owners = Vec::new();
    let mut client = connection.resource_actions();
    for resource in args.which.select(&application)? {
        let found = pages::read_all(async |page_token| {
            let request = pb::ListResourceActionsRequest {
                runtime: application.runtime.clone(),
                group: resource.group.clone(),
                kind: resource.kind.clone(),
                namespace: resource.namespace.clone(),
                name: resource.name.clone(),
                page_token,
                ..Default::default()
            };
            client.list_resource_actions(request).await
        });
        let found = match found.await {
            Ok(found) => found.actions,
            // The resource is desired, but not created yet.
            Err(status) if status.code() == tonic::Code::NotFound => continue,
            Err(status) => return Err(status.into()),
        };
        owners.extend(found.iter().map(|_| resource));
        all.actions.extend(found);
    }
    let (all, owners) = output::arranged_with(all, owners)?;
    match format {
        Format::Table if all.actions.is_empty() => {
            output::note("none");
            Ok(())
        }
        Format::Table => table(&all.actions, &owners).print(),
        Format::Json | Format::Yaml => output::document(&all, format),
    }
}

/// Actions, each with the resource that has it.
fn table(actions: &[pb::ResourceAction], owners: &[&inventory::Resource]) -> Table {
    let mut table = Table::new(&["KIND", "NAMESPACE", "NAME", "ACTION", "AVAILABLE"]);
    for (action, resource) in actions.iter().zip(owners) {
        table.row([
            Cell::new(&resource.kind),
            Cell::new(&resource.namespace),
            Cell::new(&resource.name),
            Cell::new(&action.name),
            Cell::new(words::yes_or_no(!action.disabled)),
        ]);
    }
    table
}

async fn run(connection: &Connection, args: &RunArgs, format: Format) -> anyhow::Result<()> {
    let application = find::get_one(connection, &args.name).await?;
    let resources = args.selected(&application)?;
    let requests = args.ids.for_many(args.all)?;
    let (mut failed, mut documents) = (Vec::new(), Vec::new());
    for resource in &resources {
        let id = requests.request_id(&key(&application.runtime, resource));
        let request = args.request(&application, resource, id);
        let call = async || {
            let mut client = connection.resource_actions();
            client.run_resource_action(request.clone()).await
        };
        match request::send(&requests.retry_command(), call).await {
            Ok(_) if format == Format::Table => {
                let (kind, name) = (&resource.kind, &resource.name);
                output::line(format!("{kind}/{name}: {} was run", args.action))?;
            }
            Ok(ran) => {
                let name = (&*application.runtime, &*resource.namespace, &*resource.name);
                documents.push(output::named(&ran, name)?);
            }
            Err(error) => failed.push((resource::full_name(resource), error)),
        }
    }
    if !documents.is_empty() {
        output::results(documents, format)?;
    }
    if !failed.is_empty() && resources.len() > 1 {
        let command = requests.retry_command();
        output::note(format!("{command} does not run it again where it was run"));
    }
    check_failures(failed, resources.len())
}

/// Returns the key of the request about a resource.
fn key(runtime: &str, resource: &inventory::Resource) -> String {
    format!("{runtime}/{}", resource::full_name(resource))
}

/// The error of the only one itself; of several, each is named and none is more than the others.
fn check_failures(mut failed: Vec<(String, anyhow::Error)>, all: usize) -> anyhow::Result<()> {
    match (failed.len(), all) {
        (0, _) => return Ok(()),
        (1, 1) => return Err(failed.swap_remove(0).1),
        _ => {}
    }
    for (name, error) in &failed {
        let line = failure::line(error, "the address of this context");
        output::note(format!("{name}: {line}"));
    }
    bail!(
        "{} of {all} failed; what failed is named above",
        failed.len()
    )
}

fn parameter(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    Ok((name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests;
