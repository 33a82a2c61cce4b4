//! `causeway app sync`: starts operations and shows them until they end.

mod choice;
mod labelled;

use causeway_proto::{inventory::v1 as pb, proxy::v1 as proxy};
use tokio::time::Instant;

use super::{
    bulk::{self, CallText, Confirmation, Ids, TargetArgs},
    find, operation,
    wait::TimeoutArgs,
};
use crate::{
    connection::Connection,
    output::{self, Format},
};

pub(super) use choice::{KeyValue, Resource};
use choice::{SourceRevision, StrategyName};

const CALL_TEXT: CallText = CallText {
    one: "the sync is accepted",
    many: "syncs are accepted",
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
    ids: Ids,
}

/// What a sync does.
#[derive(clap::Args, Debug, Clone)]
struct OrderArgs {
    /// Revision to sync to; by default the target revision
    #[arg(long, value_name = "REVISION")]
    revision: Option<String>,
    /// Revision of one source; sources are numbered from 1
    #[arg(long, value_name = "NUMBER=REVISION", conflicts_with = "revision")]
    source_revision: Vec<SourceRevision>,
    /// Delete resources that are no longer in Git
    #[arg(long)]
    prune: bool,
    /// Show what would change without changing it
    #[arg(long)]
    dry_run: bool,
    /// Sync only these resources: GROUP:KIND:NAME or GROUP:KIND:NAMESPACE/NAME
    ///
    /// GROUP is empty for the core group, '*' is a wildcard, and a leading '!' excludes.
    #[arg(long, value_name = "RESOURCE")]
    resource: Vec<Resource>,
    /// Sync only resources with one of these labels in Git
    ///
    /// The resources of --resource are synced, too.
    #[arg(long, value_name = "KEY=VALUE", conflicts_with = "source_revision")]
    label: Vec<KeyValue>,
    /// Sync strategy: with hooks, or like 'kubectl apply'
    #[arg(long, value_enum, value_name = "STRATEGY", default_value = "hook")]
    strategy: StrategyName,
    /// Delete and recreate resources that cannot be updated
    #[arg(long)]
    force: bool,
    /// Replace resources instead of applying them
    #[arg(long)]
    replace: bool,
    /// Use server-side apply
    #[arg(long)]
    server_side: bool,
    /// Apply only resources that are out of sync
    #[arg(long)]
    apply_out_of_sync_only: bool,
    /// Additional Argo CD sync option, for example CreateNamespace=true
    #[arg(long, value_name = "NAME=VALUE")]
    sync_option: Vec<KeyValue>,
    /// Information to attach to the operation
    #[arg(long, value_name = "NAME=VALUE")]
    info: Vec<KeyValue>,
}

/// Whether a sync that failed is tried again.
#[derive(clap::Args, Debug, Clone)]
struct RetryArgs {
    /// Maximum retries, -1 for unlimited; by default as the application sets
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    retry_limit: Option<i64>,
    /// Delay before the first retry
    #[arg(
        long,
        value_name = "TIME",
        default_value = "5s",
        requires = "retry_limit"
    )]
    retry_backoff_duration: humantime::Duration,
    /// Factor by which each retry delay grows
    #[arg(
        long,
        value_name = "FACTOR",
        default_value = "2",
        requires = "retry_limit"
    )]
    retry_backoff_factor: u32,
    /// Maximum retry delay
    #[arg(
        long,
        value_name = "TIME",
        default_value = "3m",
        requires = "retry_limit"
    )]
    retry_backoff_max_duration: humantime::Duration,
    /// Retry with the newest revision
    #[arg(long, requires = "retry_limit")]
    retry_refresh: bool,
}

pub(super) async fn run(
    connection: &Connection,
    args: &SyncArgs,
    format: Format,
) -> anyhow::Result<()> {
    let what = match args.order.dry_run {
        true => "Try a sync of",
        false => "Sync",
    };
    let targets =
        bulk::confirm_targets(connection, &args.targets, what, Confirmation::IfSelected).await?;
    let number = targets.len();
    let requests = args.ids.requests(args.targets.may_be_many())?;
    let began = Instant::now();
    let accepted = bulk::run_each(targets, &args.targets, async |target| {
        let id = requests.id_of(&find::full_name(target));
        let labelled = labelled::find(connection, target, &args.order).await?;
        let request = args.request(target, labelled, &id);
        let call = async || connection.actions().sync_application(request.clone()).await;
        bulk::send(&requests.again(), call).await
    });
    let accepted = accepted.await;
    if args.detach {
        return bulk::print_responses(CALL_TEXT, accepted, began, format);
    }
    if format == Format::Table && number > 1 {
        let seconds = began.elapsed().as_secs_f64();
        output::note(format!("the syncs are asked for after {seconds:.1} s"));
    }
    let accepted = bulk::map_results(accepted, |answer| answer.request_id);
    let ended = operation::follow(connection, accepted, args.timeout, format).await?;
    bulk::print_summary("succeeded", ended, began, format)
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

impl OrderArgs {
    fn options(&self) -> Vec<String> {
        let flags = [
            (self.replace, "Replace=true"),
            (self.server_side, "ServerSideApply=true"),
            (self.apply_out_of_sync_only, "ApplyOutOfSyncOnly=true"),
        ];
        let flags = flags.into_iter().filter(|(given, _)| *given);
        let flags = flags.map(|(_, option)| option.to_owned());
        flags
            .chain(self.sync_option.iter().map(KeyValue::to_string))
            .collect()
    }
}

impl RetryArgs {
    fn strategy(&self) -> Option<proxy::RetryStrategy> {
        let duration = |time: humantime::Duration| prost_types::Duration::try_from(*time).ok();
        Some(proxy::RetryStrategy {
            limit: self.retry_limit?,
            backoff: duration(self.retry_backoff_duration),
            factor: self.retry_backoff_factor,
            max_backoff: duration(self.retry_backoff_max_duration),
            refresh: self.retry_refresh,
        })
    }
}

#[cfg(test)]
mod tests;
