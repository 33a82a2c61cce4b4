//! `causeway app resource …`: one resource of an application, live.

use causeway_proto::inventory::v1 as pb;

use super::{NameArgs, find};
use crate::{
    connection::Connection,
    output::Format,
    resource::{
        kind::{Kind, Reference},
        live::{self, EndArgs, Place},
    },
};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum ResourceCommand {
    /// Show a resource as the cluster holds it, its secrets hidden
    Get(ResourceArgs),
    /// Delete a resource
    Delete(DeleteArgs),
}

/// One resource of an application.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ResourceArgs {
    #[command(flatten)]
    name: NameArgs,
    /// The kind, for example Deployment, deploy or Rollout.argoproj.io
    #[arg(value_name = "KIND")]
    kind: Kind,
    /// The name
    #[arg(value_name = "RESOURCE")]
    resource: String,
    /// The namespace of the resource, where the application has several of the name, or where it is none of those that it lists
    #[arg(long, value_name = "NAMESPACE")]
    resource_namespace: Option<String>,
}

#[derive(clap::Args, Debug, Clone)]
pub(crate) struct DeleteArgs {
    #[command(flatten)]
    resource: ResourceArgs,
    #[command(flatten)]
    end: EndArgs,
}

impl ResourceCommand {
    pub(super) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::Get(args) => {
                let (_, place) = args.place(connection).await?;
                place.print(connection, format).await
            }
            Self::Delete(args) => {
                let (_, place) = args.resource.place(connection).await?;
                place.delete(connection, &args.end, format).await
            }
        }
    }
}

impl ResourceArgs {
    /// The application, and where its resource is.
    pub(super) async fn place(
        &self,
        connection: &Connection,
    ) -> anyhow::Result<(pb::Application, Place)> {
        let application = find::one(connection, &self.name).await?;
        let reference = Reference {
            kind: self.kind.clone(),
            name: self.resource.clone(),
        };
        let namespace = self.resource_namespace.as_deref();
        let place = place(&application, &reference, namespace)?;
        Ok((application, place))
    }
}

/// Where a resource of an application is: as the application lists it, or else in the namespace that it deploys to.
pub(super) fn place(
    application: &pb::Application,
    wanted: &Reference,
    namespace: Option<&str>,
) -> anyhow::Result<Place> {
    let resources = application
        .status
        .iter()
        .flat_map(|status| &status.resources);
    let is_meant = |it: &&pb::Resource| {
        let there = namespace.is_none_or(|namespace| it.namespace == namespace);
        there && it.name == wanted.name && wanted.kind.is(&it.group, &it.kind)
    };
    let mut found = resources.filter(is_meant);
    let runtime = application.runtime.clone();
    if let (Some(one), None) = (found.next(), found.next()) {
        return Ok(Place {
            runtime,
            group: one.group.clone(),
            kind: one.kind.clone(),
            namespace: one.namespace.clone(),
            name: one.name.clone(),
        });
    }
    let spec = application.spec.as_ref();
    let destination = spec.and_then(|spec| spec.destination.as_ref());
    let home = destination.map(|destination| destination.namespace.as_str());
    Ok(Place {
        runtime,
        group: live::group(&wanted.kind)?,
        kind: wanted.kind.kind.clone(),
        namespace: namespace.or(home).unwrap_or_default().to_owned(),
        name: wanted.name.clone(),
    })
}
