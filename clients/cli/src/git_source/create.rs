//! `causeway git-source create`.

use std::str::FromStr;

use causeway_proto::gitops::v1 as pb;

use super::NameArgs;
use crate::{
    connection::Connection,
    output::{self, Format},
    request::{self, RequestIdArgs},
    resource::runtime_of,
};

/// A restricted Git source.
#[derive(clap::Args, Debug)]
pub(crate) struct CreateArgs {
    #[command(flatten)]
    name: NameArgs,
    /// URL of the repository
    #[arg(long, value_name = "URL")]
    repo: String,
    /// Path of the folder with Applications and ApplicationSets
    #[arg(long, value_name = "PATH")]
    path: String,
    /// Branch, tag or commit; HEAD by default
    #[arg(
        long,
        value_name = "REVISION",
        default_value = "",
        hide_default_value = true
    )]
    revision: String,
    /// Include subfolders
    #[arg(long)]
    recurse: bool,
    /// The only namespace of the Applications; Argo CD must watch it
    #[arg(long, value_name = "NAMESPACE")]
    source_namespace: String,
    /// Where the Applications may deploy to, by the cluster's name or URL; may be repeated
    #[arg(
        long = "destination",
        value_name = "CLUSTER/NAMESPACE",
        required = true
    )]
    destinations: Vec<Destination>,
    /// Repository that the Applications may use, the source's own by default; may be repeated
    #[arg(long = "allow-repo", value_name = "URL")]
    allowed_repositories: Vec<String>,
    /// Cluster-wide kind that the Applications may deploy, none by default; may be repeated
    #[arg(long = "allow-cluster-kind", value_name = "GROUP/KIND")]
    allowed_cluster_kinds: Vec<ResourceKind>,
    /// Kind in namespaces that the Applications may deploy, all by default; may be repeated
    #[arg(long = "allow-kind", value_name = "GROUP/KIND")]
    allowed_kinds: Vec<ResourceKind>,
    /// Kind in namespaces that the Applications may not deploy; may be repeated
    #[arg(long = "deny-kind", value_name = "GROUP/KIND")]
    denied_kinds: Vec<ResourceKind>,
    /// Change an existing Git source
    #[arg(long)]
    update: bool,
    /// Print the AppProjects and the Application, and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    ids: RequestIdArgs,
}

/// A cluster, by URL or name, and a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Destination {
    pub(super) cluster: String,
    pub(super) namespace: String,
}

/// A kind with its group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ResourceKind {
    pub(super) group: String,
    pub(super) kind: String,
}

impl FromStr for Destination {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.rsplit_once('/') {
            Some((cluster, namespace))
                if !cluster.is_empty() && !cluster.ends_with('/') && !namespace.is_empty() =>
            {
                Ok(Self {
                    cluster: cluster.to_owned(),
                    namespace: namespace.to_owned(),
                })
            }
            Some(_) | None => {
                Err("write CLUSTER/NAMESPACE, for example in-cluster/shop".to_owned())
            }
        }
    }
}

impl FromStr for ResourceKind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (group, kind) = text.split_once('/').unwrap_or(("", text));
        if kind.is_empty() || kind.contains('/') {
            return Err("write GROUP/KIND, or KIND for the core group".to_owned());
        }
        Ok(Self {
            group: group.to_owned(),
            kind: kind.to_owned(),
        })
    }
}

impl From<Destination> for pb::GitSourceDestination {
    fn from(destination: Destination) -> Self {
        let Destination { cluster, namespace } = destination;
        let is_url = cluster.contains("://");
        let (server, name) = if is_url {
            (cluster, String::new())
        } else {
            (String::new(), cluster)
        };
        Self {
            server,
            name,
            namespace,
        }
    }
}

impl From<ResourceKind> for pb::GitSourceResourceKind {
    fn from(kind: ResourceKind) -> Self {
        Self {
            group: kind.group,
            kind: kind.kind,
        }
    }
}

impl CreateArgs {
    pub(super) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        let runtime = runtime_of(connection, self.name.runtime.runtime).await?;
        let requests = self.ids.for_one()?;
        let name = self.name.name;
        let kinds = |kinds: Vec<ResourceKind>| kinds.into_iter().map(Into::into).collect();
        let request = pb::CreateGitSourceRequest {
            runtime: runtime.clone(),
            name: name.clone(),
            request_id: requests.request_id(&name),
            spec: Some(pb::GitSourceSpec {
                repository: self.repo,
                path: self.path,
                revision: self.revision,
                recurse: self.recurse,
                source_namespace: self.source_namespace,
                destinations: self.destinations.into_iter().map(Into::into).collect(),
                allowed_repositories: self.allowed_repositories,
                allowed_cluster_kinds: kinds(self.allowed_cluster_kinds),
                allowed_kinds: kinds(self.allowed_kinds),
                denied_kinds: kinds(self.denied_kinds),
            }),
            update: self.update,
            dry_run: self.dry_run,
        };
        let call = async || {
            connection
                .git_sources()
                .create_git_source(request.clone())
                .await
        };
        let created = request::send(&requests.retry_command(), call).await?;
        match format {
            Format::Table if self.dry_run => {
                for manifest in &created.manifests {
                    output::line(manifest)?;
                }
                output::line(format!("Git source '{name}' would be written (dry run)"))
            }
            Format::Table => output::line(format!(
                "Git source '{name}' written in runtime {runtime}; 'causeway git-source get {name}' shows its state"
            )),
            Format::Json | Format::Yaml => output::document(&created, format),
        }
    }
}
