//! Reads and deletes one live resource of a cluster through its runtime.

use causeway_proto::{ids::RequestId, proxy::v1 as pb};

use super::{
    exec::CommandArgs,
    kind::{Kind, Reference},
    location::{ResourceLocation, group, runtime_of},
    logs::LinesArgs,
    namespace,
};
use crate::{
    connection::Connection,
    name::stated,
    output::{self, Format},
    prompt::ConfirmArgs,
    request, words,
};

/// One resource of a runtime's own cluster.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct LocationArgs {
    /// The kind, for example Deployment, deploy or Rollout.argoproj.io
    #[arg(value_name = "KIND")]
    kind: Kind,
    /// NAME, NAMESPACE/NAME or RUNTIME/NAMESPACE/NAME
    #[arg(value_name = "NAME", value_parser = stated)]
    name: String,
    /// The runtime, if there are several
    #[arg(long, value_name = "NAME", value_parser = stated)]
    runtime: Option<String>,
    /// The namespace; omit it for cluster-scoped resources
    #[arg(short, long, value_name = "NAMESPACE", value_parser = stated)]
    namespace: Option<String>,
}

/// Flags of a deletion.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct DeleteOptions {
    /// How dependents are deleted
    #[arg(long, value_enum, value_name = "HOW", default_value = "background")]
    cascade: Cascade,
    /// Delete it without a grace period
    #[arg(long)]
    force: bool,
    /// UID of the object; by default the one that exists now
    #[arg(long, value_name = "UID", value_parser = stated)]
    uid: Option<String>,
    /// Request ID; repeating a request with its ID has no second effect
    ///
    /// Requires --uid, since another object may have the name by then.
    #[arg(long, value_name = "UUID", requires = "uid")]
    request_id: Option<RequestId>,
    #[command(flatten)]
    confirm: ConfirmArgs,
}

#[derive(clap::ValueEnum, Debug, Clone, Copy)]
enum Cascade {
    /// Delete dependents after it
    Background,
    /// Delete dependents before it
    Foreground,
    /// It stays
    Orphan,
}

/// Pods and lines to print.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct LogsArgs {
    /// KIND/NAME, for example deploy/web, or a pod name; by default all pods
    #[arg(value_name = "RESOURCE")]
    resource: Option<Reference>,
    /// The runtime, if there are several
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,
    /// The namespace; by default where the object is, or 'default'
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Option<String>,
    #[command(flatten)]
    lines: LinesArgs,
}

/// Command to run, and where.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ExecArgs {
    /// A pod name, or KIND/NAME for its first running pod
    #[arg(value_name = "RESOURCE")]
    resource: Reference,
    /// The runtime, if there are several
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,
    /// The namespace
    #[arg(short, long, value_name = "NAMESPACE", default_value = "default")]
    namespace: String,
    #[command(flatten)]
    command: CommandArgs,
}

impl LocationArgs {
    pub(crate) async fn location(
        &self,
        connection: &Connection,
    ) -> anyhow::Result<ResourceLocation> {
        let (runtime, namespace) = (self.runtime.as_deref(), self.namespace.as_deref());
        let named = crate::name::FullName::read(&self.name, runtime, namespace)?;
        Ok(ResourceLocation {
            runtime: runtime_of(connection, named.runtime).await?,
            group: group(&self.kind)?,
            kind: self.kind.kind.clone(),
            namespace: named.namespace,
            name: named.name,
        })
    }
}

impl ResourceLocation {
    /// Reads the live object.
    pub(crate) async fn get(
        self,
        connection: &Connection,
    ) -> anyhow::Result<pb::GetLiveResourceResponse> {
        let request = pb::GetLiveResourceRequest {
            runtime: self.runtime,
            group: self.group,
            kind: self.kind,
            namespace: self.namespace,
            name: self.name,
            uid: String::new(),
        };
        let mut client = connection.resource_actions();
        Ok(client.get_live_resource(request).await?.into_inner())
    }

    /// Prints the live object.
    pub(crate) async fn print(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let found = self.get(connection).await?;
        // Objects have no table: print YAML, as kubectl users expect.
        let format = match format {
            Format::Table | Format::Yaml => Format::Yaml,
            Format::Json => Format::Json,
        };
        super::print::manifest(&found.manifest, format)
    }

    /// Returns KIND.GROUP NAMESPACE/NAME.
    fn full_name(&self) -> String {
        words::object_name([&self.kind, &self.group, &self.namespace, &self.name])
    }

    /// Deletes the one object that has the uid, after a confirmation.
    pub(crate) async fn delete(
        self,
        connection: &Connection,
        uid: String,
        args: &DeleteOptions,
        format: Format,
    ) -> anyhow::Result<()> {
        args.confirm
            .confirm(&format!("Delete {} of {}?", self.full_name(), self.runtime))?;
        let id = args.request_id.unwrap_or_else(RequestId::generate);
        let command = retry_command(&uid, id);
        request::set_retry_command(&command);
        let shown = format!("{} {}", self.kind, self.name);
        let cascade = match args.cascade {
            Cascade::Background => pb::Cascade::Background,
            Cascade::Foreground => pb::Cascade::Foreground,
            Cascade::Orphan => pb::Cascade::Orphan,
        };
        let request = pb::DeleteResourceRequest {
            runtime: self.runtime,
            group: self.group,
            kind: self.kind,
            namespace: self.namespace,
            name: self.name,
            uid,
            request_id: id.to_string(),
            cascade: cascade.into(),
            force: args.force,
        };
        let call = async || {
            let mut client = connection.resource_actions();
            client.delete_resource(request.clone()).await
        };
        let deleted = request::send(&command, call).await?;
        if format != Format::Table {
            return output::document(&deleted, format);
        }
        output::line(match deleted.deletion() {
            pb::Deletion::Gone => format!("{shown}: deleted"),
            pb::Deletion::Pending => {
                format!("{shown}: deleted; it goes when its finalizers and its pods let it")
            }
            pb::Deletion::Absent | pb::Deletion::Unspecified => {
                format!("{shown}: it is not there any more")
            }
        })
    }
}

impl DeleteOptions {
    /// Returns the UID that the user passed.
    pub(crate) fn uid(&self) -> Option<&str> {
        self.uid.as_deref()
    }
}

/// Returns the command that repeats a deletion of this very object.
fn retry_command(uid: &str, id: RequestId) -> String {
    format!("the same command with --uid {uid} --request-id {id}")
}

impl LogsArgs {
    pub(crate) async fn run(&self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let runtime = self.runtime.clone().unwrap_or_default();
        let runtime = runtime_of(connection, runtime).await?;
        let namespace = match (&self.namespace, &self.resource) {
            (Some(namespace), _) => namespace.clone(),
            (None, Some(wanted)) => namespace::find(connection, &runtime, wanted).await?,
            (None, None) => "default".to_owned(),
        };
        let mut request = self.lines.to_request(runtime);
        request.namespace = namespace;
        if let Some(resource) = &self.resource {
            request.group = group(&resource.kind)?;
            request.kind.clone_from(&resource.kind.kind);
            request.name.clone_from(&resource.name);
        }
        self.lines.print(connection, request, format).await
    }
}

impl ExecArgs {
    pub(crate) async fn run(&self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let runtime = self.runtime.clone().unwrap_or_default();
        let location = ResourceLocation {
            runtime: runtime_of(connection, runtime).await?,
            group: group(&self.resource.kind)?,
            kind: self.resource.kind.kind.clone(),
            namespace: self.namespace.clone(),
            name: self.resource.name.clone(),
        };
        let request = self.command.to_request(location);
        self.command.run(connection, request, format).await
    }
}

#[cfg(test)]
mod tests;
