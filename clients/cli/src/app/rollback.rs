//! `causeway app rollback`.

use causeway_proto::proxy::v1 as proxy;
use tokio::time::Instant;

use super::{
    bulk::{self, CallText, RequestIdArgs},
    find::{self, NameArgs},
    operation,
    wait::TimeoutArgs,
};
use crate::{connection::Connection, output::Format};

const CALL_TEXT: CallText = CallText {
    one: "the rollback is accepted",
    many: "rollback is accepted",
    dry_run: false,
};

#[derive(clap::Args, Debug, Clone)]
pub(crate) struct RollbackArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Deployment ID from 'app history'; by default the one before the last
    #[arg(value_name = "ID")]
    id: Option<i64>,
    /// Delete resources that were not in that deployment
    #[arg(long)]
    prune: bool,
    /// Show what would change without changing it
    #[arg(long)]
    dry_run: bool,
    /// Do not wait for the operation to finish
    #[arg(long = "async")]
    detach: bool,
    #[command(flatten)]
    timeout: TimeoutArgs,
    #[command(flatten)]
    ids: RequestIdArgs,
}

pub(super) async fn run(
    connection: &Connection,
    args: &RollbackArgs,
    format: Format,
) -> anyhow::Result<()> {
    let target = find::resolve(connection, &args.name).await?;
    let requests = args.ids.for_one()?;
    let request = proxy::RollbackApplicationRequest {
        runtime: target.runtime.clone(),
        namespace: target.namespace.clone(),
        name: target.name.clone(),
        request_id: requests.request_id(&target.name),
        history_id: args.id,
        prune: args.prune,
        dry_run: args.dry_run,
    };
    let began = Instant::now();
    let call = async || {
        connection
            .actions()
            .rollback_application(request.clone())
            .await
    };
    let accepted = vec![(target, bulk::send(&requests.retry_command(), call).await)];
    if args.detach {
        return bulk::print_responses(CALL_TEXT, accepted, began, format);
    }
    let accepted = bulk::map_results(accepted, |answer| answer.request_id);
    let ended = operation::follow(connection, accepted, args.timeout, format).await?;
    bulk::print_summary(ended.what, ended.results, began, format)
}
