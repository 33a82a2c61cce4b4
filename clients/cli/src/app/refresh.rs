//! `causeway app refresh`.

use causeway_proto::proxy::v1 as proxy;
use tokio::time::Instant;

use super::{
    bulk::{self, CallText, Confirmation, Ids, TargetArgs},
    find,
};
use crate::{connection::Connection, output::Format};

const CALL_TEXT: CallText = CallText {
    message: "causeway.proxy.v1.RefreshApplicationResponse",
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
    ids: Ids,
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
    let kind = match args.hard {
        true => proxy::RefreshKind::Hard,
        false => proxy::RefreshKind::Normal,
    };
    let requests = args.ids.requests(args.targets.may_be_many())?;
    let began = Instant::now();
    let answers = bulk::run_each(targets, &args.targets, async |target| {
        let id = requests.id_of(&find::full_name(target));
        let request = proxy::RefreshApplicationRequest {
            runtime: target.runtime.clone(),
            namespace: target.namespace.clone(),
            name: target.name.clone(),
            request_id: id.clone(),
            kind: kind.into(),
        };
        let call = async || {
            connection
                .actions()
                .refresh_application(request.clone())
                .await
        };
        bulk::send(&requests.again(), call).await
    });
    let answers = answers.await;
    bulk::print_responses(CALL_TEXT, answers, began, format)
}
