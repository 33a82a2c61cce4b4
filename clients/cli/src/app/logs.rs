//! `causeway app logs`.

use causeway_proto::proxy::v1 as pb;

use super::{
    find::{self, NameArgs},
    resource,
};
use crate::{
    connection::Connection,
    output::Format,
    resource::{kind::Reference, logs::LinesArgs},
};

#[derive(clap::Args, Debug, Clone)]
pub(crate) struct LogsArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Filter by owner or pod: KIND/NAME, for example deploy/web, or a pod name
    #[arg(long, value_name = "RESOURCE")]
    resource: Option<Reference>,
    #[command(flatten)]
    lines: LinesArgs,
}

pub(super) async fn run(
    connection: &Connection,
    args: &LogsArgs,
    format: Format,
) -> anyhow::Result<()> {
    let (key, location) = match &args.resource {
        None => (find::key(connection, &args.name).await?, None),
        Some(reference) => {
            let application = find::get_one(connection, &args.name).await?;
            let location = resource::location(&application, reference)?;
            (find::key_of(&application), Some(location))
        }
    };
    let location = location.unwrap_or_default();
    let request = pb::StreamLogsRequest {
        application_namespace: key.namespace,
        application: key.name,
        group: location.group,
        kind: location.kind,
        namespace: location.namespace,
        name: location.name,
        ..args.lines.to_request(key.runtime)
    };
    args.lines.print(connection, request, format).await
}
