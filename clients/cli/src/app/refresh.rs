//! `causeway app refresh`.

use causeway_proto::{ids::RequestId, proxy::v1 as pb};

use super::{NameArgs, find};
use crate::{
    connection::Connection,
    output::{self, Format},
};

const RESPONSE: &str = "causeway.proxy.v1.RefreshApplicationResponse";

#[derive(clap::Args, Debug, Clone)]
pub(crate) struct RefreshArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Render the manifests again, too
    #[arg(long)]
    hard: bool,
}

pub(super) async fn run(
    connection: &Connection,
    args: &RefreshArgs,
    format: Format,
) -> anyhow::Result<()> {
    let key = find::key(connection, &args.name).await?;
    let kind = if args.hard {
        pb::RefreshKind::Hard
    } else {
        pb::RefreshKind::Normal
    };
    let request = pb::RefreshApplicationRequest {
        runtime: key.runtime,
        namespace: key.namespace,
        name: key.name.clone(),
        request_id: RequestId::generate().to_string(),
        kind: kind.into(),
    };
    let response = connection
        .actions()
        .refresh_application(request)
        .await?
        .into_inner();
    match format {
        Format::Table => output::line(format!("{}: the refresh is asked for", key.name)),
        Format::Json | Format::Yaml => output::document(RESPONSE, &response, format),
    }
}
