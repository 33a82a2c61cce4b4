//! `causeway app refresh`.

use causeway_proto::proxy::v1 as proxy;
use tokio::time::Instant;

use super::bulk::{self, CallText, Confirmation, RequestIdArgs, TargetArgs};
use crate::{connection::Connection, output::Format};

const CALL_TEXT: CallText = CallText {
    one: "the refresh is asked for",
    many: "refreshes are asked for",
};

#[derive(clap::Args, Debug, Clone)]
pub(crate) struct RefreshArgs {
    #[command(flatten)]
    targets: TargetArgs,
    /// Also regenerate the manifests (hard refresh)
    #[arg(long)]
    hard: bool,
    /// List the selected applications without refreshing them
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    ids: RequestIdArgs,
}

pub(super) async fn run(
    connection: &Connection,
    args: &RefreshArgs,
    format: Format,
) -> anyhow::Result<()> {
    if args.dry_run {
        return bulk::print_plan(connection, &args.targets, "Refresh:", format).await;
    }
    let targets = bulk::confirm_targets(
        connection,
        &args.targets,
        "Refresh",
        Confirmation::IfSelected,
    )
    .await?;
    let kind = if args.hard {
        proxy::RefreshKind::Hard
    } else {
        proxy::RefreshKind::Normal
    };
    let began = Instant::now();
    let responses = bulk::call_each(
        targets,
        &args.targets,
        args.ids,
        async |target, request_id| {
            let request = proxy::RefreshApplicationRequest {
                runtime: target.runtime.clone(),
                namespace: target.namespace.clone(),
                name: target.name.clone(),
                request_id,
                kind: kind.into(),
            };
            connection.actions().refresh_application(request).await
        },
    );
    bulk::print_responses(CALL_TEXT, responses.await?, began, format)
}
