//! `causeway app terminate-op`.

use causeway_proto::proxy::v1 as proxy;
use tokio::time::Instant;

use super::bulk::{self, CallText, Confirmation, RequestIdArgs, TargetArgs};
use crate::{connection::Connection, output::Format};

const CALL_TEXT: CallText = CallText {
    one: "the operation is to end",
    many: "operations are to end",
    dry_run: false,
};

#[derive(clap::Args, Debug, Clone)]
pub(crate) struct TerminateArgs {
    #[command(flatten)]
    targets: TargetArgs,
    /// List the selected applications without terminating anything
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    ids: RequestIdArgs,
}

pub(super) async fn run(
    connection: &Connection,
    args: &TerminateArgs,
    format: Format,
) -> anyhow::Result<()> {
    if args.dry_run {
        let what = "End the operation, where one is under way, of:";
        return bulk::print_plan(connection, &args.targets, what, format).await;
    }
    let what = "End the operation of";
    let targets =
        bulk::confirm_targets(connection, &args.targets, what, Confirmation::IfSelected).await?;
    let began = Instant::now();
    let responses = bulk::call_each(
        targets,
        &args.targets,
        args.ids,
        async |target, request_id| {
            let request = proxy::TerminateOperationRequest {
                runtime: target.runtime.clone(),
                namespace: target.namespace.clone(),
                name: target.name.clone(),
                request_id,
            };
            connection.actions().terminate_operation(request).await
        },
    );
    bulk::print_responses(CALL_TEXT, responses.await?, began, format)
}
