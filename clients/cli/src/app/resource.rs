//! `causeway app resource …`: one resource of an application, live.

use anyhow::bail;
use causeway_proto::{inventory::v1 as pb, proxy::v1 as proxy};

use super::find::{self, NameArgs};
use crate::{
    connection::Connection,
    failure::Absent,
    output::Format,
    resource::{
        kind::{Kind, Reference},
        live::DeleteOptions,
        location::{self, ResourceLocation},
    },
    words,
};

/// Names of Argo CD for the cluster that it runs in.
const OWN_SERVER: &str = "https://kubernetes.default.svc";
const OWN_NAME: &str = "in-cluster";

#[derive(clap::Subcommand, Debug)]
pub(crate) enum ResourceCommand {
    /// Show a live resource with secrets redacted
    Get(ResourceArgs),
    /// Delete a resource
    Delete(DeleteArgs),
}

/// A resource of an application.
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
    /// The namespace, if several resources have the name
    #[arg(long, value_name = "NAMESPACE")]
    resource_namespace: Option<String>,
}

#[derive(clap::Args, Debug, Clone)]
pub(crate) struct DeleteArgs {
    #[command(flatten)]
    resource: ResourceArgs,
    #[command(flatten)]
    end: DeleteOptions,
}

impl ResourceCommand {
    pub(super) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::Get(args) => {
                let application = find::get_one(connection, &args.name).await?;
                let location = location_of(&application, args.find(&application)?);
                location.print(connection, format).await
            }
            Self::Delete(args) => args.run(connection, format).await,
        }
    }
}

impl ResourceArgs {
    fn find<'a>(&self, application: &'a pb::Application) -> anyhow::Result<&'a pb::Resource> {
        check_cluster(application)?;
        let wanted = Reference {
            kind: self.kind.clone(),
            name: self.resource.clone(),
        };
        listed(application, &wanted, self.resource_namespace.as_deref())
    }
}

impl DeleteArgs {
    async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let application = find::get_one(connection, &self.resource.name).await?;
        let resource = self.resource.find(&application)?;
        let location = location_of(&application, resource);
        let uid = match self.end.uid().unwrap_or(&resource.uid) {
            "" => owned(&application, location.clone().get(connection).await?)?,
            uid => uid.to_owned(),
        };
        location.delete(connection, uid, &self.end, format).await
    }
}

/// The uid of a live object that belongs to the application: what the application lists may not be known to be there.
fn owned(
    application: &pb::Application,
    live: proxy::GetLiveResourceResponse,
) -> anyhow::Result<String> {
    let owner = (&*live.application_namespace, &*live.application);
    if owner != (&*application.namespace, &*application.name) {
        bail!(
            "the object that is there does not belong to {}: nothing was deleted",
            application.name
        );
    }
    Ok(live.uid)
}

/// Locates the owner of pods: as the application lists it, or else in the namespace that it deploys to. The request names
/// the application, and its runtime shows nothing else.
pub(super) fn location(
    application: &pb::Application,
    wanted: &Reference,
) -> anyhow::Result<ResourceLocation> {
    if let [one] = matching(application, wanted, None).as_slice() {
        return Ok(location_of(application, one));
    }
    let home = destination(application).map(|it| it.namespace.clone());
    Ok(ResourceLocation {
        runtime: application.runtime.clone(),
        group: location::group(&wanted.kind)?,
        kind: wanted.kind.kind.clone(),
        namespace: home.unwrap_or_default(),
        name: wanted.name.clone(),
    })
}

fn location_of(application: &pb::Application, resource: &pb::Resource) -> ResourceLocation {
    ResourceLocation {
        runtime: application.runtime.clone(),
        group: resource.group.clone(),
        kind: resource.kind.clone(),
        namespace: resource.namespace.clone(),
        name: resource.name.clone(),
    }
}

/// Returns the one matching resource of the application.
fn listed<'a>(
    application: &'a pb::Application,
    wanted: &Reference,
    namespace: Option<&str>,
) -> anyhow::Result<&'a pb::Resource> {
    let found = matching(application, wanted, namespace);
    let (kind, name, of) = (&wanted.kind.kind, &wanted.name, &application.name);
    match found.as_slice() {
        [one] => Ok(one),
        [] => {
            let text = format!("{of} lists no {kind} {name}; see 'causeway app tree {of}'");
            Err(Absent(text).into())
        }
        several => bail!(
            "{of} lists several: {}; give --resource-namespace, or the kind as KIND.GROUP",
            names(several)
        ),
    }
}

fn matching<'a>(
    application: &'a pb::Application,
    wanted: &Reference,
    namespace: Option<&str>,
) -> Vec<&'a pb::Resource> {
    let is_match = |it: &&pb::Resource| {
        let there = namespace.is_none_or(|namespace| it.namespace == namespace);
        there && it.name == wanted.name && wanted.kind.is(&it.group, &it.kind)
    };
    let status = application.status.iter();
    let resources = status.flat_map(|status| &status.resources);
    resources.filter(is_match).collect()
}

/// Fails for an application whose cluster no request for a single resource can name.
pub(super) fn check_cluster(application: &pb::Application) -> anyhow::Result<()> {
    let (server, name) = destination(application).map_or(("", ""), |it| (&it.server, &it.name));
    if server.trim_end_matches('/') == OWN_SERVER || (server.is_empty() && name == OWN_NAME) {
        return Ok(());
    }
    let cluster = match (server, name) {
        ("", "") => "a cluster that it does not name",
        ("", name) => name,
        (server, _) => server,
    };
    bail!(
        "{} deploys to {cluster}: single resources are reached in the own cluster of its runtime alone, so use kubectl there",
        application.name
    )
}

fn destination(application: &pb::Application) -> Option<&pb::Destination> {
    application.spec.as_ref()?.destination.as_ref()
}

/// Returns KIND.GROUP NAMESPACE/NAME of each resource.
pub(super) fn names(resources: &[&pb::Resource]) -> String {
    let names: Vec<_> = resources.iter().map(|it| full_name(it)).collect();
    names.join(", ")
}

/// KIND.GROUP NAMESPACE/NAME.
pub(super) fn full_name(resource: &pb::Resource) -> String {
    let pb::Resource {
        kind,
        group,
        namespace,
        name,
        ..
    } = resource;
    words::object_name([kind, group, namespace, name])
}

#[cfg(test)]
mod tests;
