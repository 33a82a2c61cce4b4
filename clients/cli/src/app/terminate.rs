//! `causeway app terminate-op`.

use causeway_proto::proxy::v1 as proxy;
use tokio::time::Instant;

use super::{
    bulk::{self, CallText, Confirmation, Ids, TargetArgs},
    find,
};
use crate::{connection::Connection, output::Format};

const CALL_TEXT: CallText = CallText {
    message: "causeway.proxy.v1.TerminateOperationResponse",
    one: "the operation is to end",
    many: "operations are to end",
};

#[derive(clap::Args, Debug, Clone)]
pub(crate) struct TerminateArgs {
    #[command(flatten)]
    targets: TargetArgs,
    /// List the selected applications without terminating anything
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    ids: Ids,
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
    let requests = args.ids.requests(args.targets.may_be_many())?;
    let began = Instant::now();
    let answers = bulk::run_each(targets, &args.targets, async |target| {
        let id = requests.id_of(&find::full_name(target));
        let request = proxy::TerminateOperationRequest {
            runtime: target.runtime.clone(),
            namespace: target.namespace.clone(),
            name: target.name.clone(),
            request_id: id.clone(),
        };
        let call = async || {
            connection
                .actions()
                .terminate_operation(request.clone())
                .await
        };
        bulk::send(&requests.again(), call).await
    });
    let answers = answers.await;
    bulk::print_responses(CALL_TEXT, answers, began, format)
}
