//! `causeway app sync`: starts operations and shows them until they end.

pub(super) mod choice;
mod labelled;
mod order;

use causeway_proto::{inventory::v1 as pb, proxy::v1 as proxy};
use tokio::time::Instant;

use super::{
    bulk::{self, CallText, Confirmation, RequestIdArgs, TargetArgs},
    find, operation, revision,
    wait::TimeoutArgs,
};
use crate::{
    connection::Connection,
    output::{self, Format},
};

use order::{OrderArgs, RetryArgs};

const CALL_TEXT: CallText = CallText {
    one: "the sync is accepted",
    many: "syncs are accepted",
    dry_run: false,
};

const DRY_RUN_TEXT: CallText = CallText {
    one: "the dry run is accepted",
    many: "dry runs are accepted",
    dry_run: true,
};

#[derive(clap::Args, Debug, Clone)]
pub(crate) struct SyncArgs {
    #[command(flatten)]
    targets: TargetArgs,
    #[command(flatten)]
    order: OrderArgs,
    #[command(flatten)]
    retry: RetryArgs,
    /// Do not wait for the operations to finish
    #[arg(long = "async")]
    detach: bool,
    #[command(flatten)]
    timeout: TimeoutArgs,
    #[command(flatten)]
    ids: RequestIdArgs,
}

pub(super) async fn run(
    connection: &Connection,
    args: &SyncArgs,
    format: Format,
) -> anyhow::Result<()> {
    let question = Confirmation::unless_dry_run(args.order.dry_run);
    let targets = bulk::confirm_targets(connection, &args.targets, "Sync", question).await?;
    if let Some(revision) = &args.order.revision {
        revision::check_all(connection, &targets, revision).await?;
    }
    let number = targets.len();
    let requests = args.ids.for_many(args.targets.may_be_many())?;
    let began = Instant::now();
    let accepted = bulk::run_each(targets, &args.targets, async |target| {
        let id = requests.request_id(&find::full_name(target));
        let labelled = labelled::find(connection, target, &args.order).await?;
        let request = args.request(target, labelled, &id);
        let call = async || connection.actions().sync_application(request.clone()).await;
        bulk::send(&requests.retry_command(), call).await
    });
    let accepted = accepted.await?;
    if args.detach {
        let text = if args.order.dry_run {
            DRY_RUN_TEXT
        } else {
            CALL_TEXT
        };
        return bulk::print_responses(text, accepted, began, format);
    }
    if format == Format::Table && number > 1 {
        let seconds = began.elapsed().as_secs_f64();
        output::note(format!("the syncs are asked for after {seconds:.1} s"));
    }
    let accepted = bulk::map_results(accepted, |answer| answer.request_id);
    let ended = operation::follow(connection, accepted, args.timeout, format).await?;
    bulk::print_summary(ended.what, ended.results, began, format)
}

impl SyncArgs {
    fn request(
        &self,
        target: &pb::Application,
        labelled: Vec<proxy::ResourceSelector>,
        id: &str,
    ) -> proxy::SyncApplicationRequest {
        let order = &self.order;
        let named = order.resource.iter().map(Into::into);
        let strategy: proxy::SyncStrategy = order.strategy.into();
        proxy::SyncApplicationRequest {
            runtime: target.runtime.clone(),
            namespace: target.namespace.clone(),
            name: target.name.clone(),
            request_id: id.to_owned(),
            revision: order.revision.clone().unwrap_or_default(),
            prune: order.prune,
            dry_run: order.dry_run,
            resources: named.chain(labelled).collect(),
            strategy: strategy.into(),
            force: order.force,
            sync_options: order.options(),
            retry: self.retry.strategy(),
            source_revisions: order.source_revision.iter().map(Into::into).collect(),
            infos: order.info.iter().map(Into::into).collect(),
        }
    }
}

#[cfg(test)]
mod tests;
