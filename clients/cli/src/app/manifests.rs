//! `causeway app manifests`: what an application consists of, as it is in the cluster or as Git has it.

use causeway_proto::{inventory::v1 as inventory, proxy::v1 as pb};
use serde_json::Value;

use super::find::{self, NameArgs};
use crate::{
    connection::Connection,
    output::{self, Format},
};

#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ManifestsArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Source of the manifests
    #[arg(long, value_enum, value_name = "SOURCE", default_value = "git")]
    source: Source,
    /// Git revision; by default the target revision
    #[arg(long, value_name = "REVISION")]
    revision: Option<String>,
}

#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// Live manifests from the cluster
    Live,
    /// Desired manifests from Git
    Git,
}

pub(super) async fn run(
    connection: &Connection,
    args: &ManifestsArgs,
    format: Format,
) -> anyhow::Result<()> {
    let key = find::key(connection, &args.name).await?;
    let source = match args.source {
        Source::Live => pb::ManifestSource::Live,
        Source::Git => pb::ManifestSource::Git,
    };
    let manifests = fetch(connection, &key, source, args.revision.as_deref()).await?;
    let objects = manifests.iter().map(|it| match args.source {
        Source::Live => &it.live,
        Source::Git => &it.desired,
    });
    let objects: Vec<Value> = objects
        .filter(|text| !text.is_empty())
        .map(|text| serde_json::from_slice(text))
        .collect::<Result<_, _>>()?;
    match format {
        // A stream of documents, as of kubectl and Argo CD, can be applied.
        Format::Table | Format::Yaml => {
            let mut objects = objects.iter();
            objects.try_for_each(|object| output::stream_value(object, Format::Yaml))
        }
        Format::Json => output::value(&Value::Array(objects), format),
    }
}

/// The manifests of an application, by kind and name.
pub(super) async fn fetch(
    connection: &Connection,
    key: &inventory::GetApplicationRequest,
    source: pb::ManifestSource,
    revision: Option<&str>,
) -> anyhow::Result<Vec<pb::StreamManifestsResponse>> {
    let request = pb::StreamManifestsRequest {
        runtime: key.runtime.clone(),
        namespace: key.namespace.clone(),
        name: key.name.clone(),
        source: source.into(),
        revision: revision.unwrap_or_default().to_owned(),
    };
    let mut client = connection.resource_actions();
    let mut stream = client.stream_manifests(request).await?.into_inner();
    let mut manifests = Vec::new();
    while let Some(manifest) = stream.message().await? {
        manifests.push(manifest);
    }
    manifests.sort_by(|one, other| identity(one).cmp(&identity(other)));
    Ok(manifests)
}

fn identity(manifest: &pb::StreamManifestsResponse) -> [&str; 4] {
    let pb::StreamManifestsResponse {
        group,
        kind,
        namespace,
        name,
        ..
    } = manifest;
    [kind, group, namespace, name]
}
