//! Flags of `causeway app sync` that become its request.

use causeway_proto::proxy::v1 as proxy;

use super::choice::{KeyValue, Resource, SourceRevision, StrategyName};

/// Flags that say what a sync does.
#[derive(clap::Args, Debug, Clone)]
pub(super) struct OrderArgs {
    /// Revision to sync to; by default the target revision
    #[arg(long, value_name = "REVISION")]
    pub(super) revision: Option<String>,
    /// Revision of one source; sources are numbered from 1
    #[arg(long, value_name = "NUMBER=REVISION", conflicts_with = "revision")]
    pub(super) source_revision: Vec<SourceRevision>,
    /// Delete resources that are no longer in Git
    #[arg(long)]
    pub(super) prune: bool,
    /// Show what would change without changing it
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Sync only these resources: GROUP:KIND:NAME or GROUP:KIND:NAMESPACE/NAME
    ///
    /// GROUP is empty for the core group, '*' is a wildcard, and a leading '!' excludes.
    #[arg(long, value_name = "RESOURCE")]
    pub(super) resource: Vec<Resource>,
    /// Sync only resources with one of these labels in Git
    ///
    /// The resources of --resource are synced, too.
    #[arg(long, value_name = "KEY=VALUE", conflicts_with = "source_revision")]
    pub(super) label: Vec<KeyValue>,
    /// Sync strategy: with hooks, or like 'kubectl apply'
    #[arg(long, value_enum, value_name = "STRATEGY", default_value = "hook")]
    pub(super) strategy: StrategyName,
    /// Delete and recreate resources that cannot be updated
    #[arg(long)]
    pub(super) force: bool,
    /// Replace resources instead of applying them
    #[arg(long)]
    pub(super) replace: bool,
    /// Use server-side apply
    #[arg(long)]
    pub(super) server_side: bool,
    /// Apply only resources that are out of sync
    #[arg(long)]
    pub(super) apply_out_of_sync_only: bool,
    /// Additional Argo CD sync option, for example CreateNamespace=true
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) sync_option: Vec<KeyValue>,
    /// Information to attach to the operation
    #[arg(long, value_name = "NAME=VALUE")]
    pub(super) info: Vec<KeyValue>,
}

/// Flags that say how a failed sync is retried.
#[derive(clap::Args, Debug, Clone)]
pub(super) struct RetryArgs {
    /// Maximum retries, -1 for unlimited; by default as the application sets
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(super) retry_limit: Option<i64>,
    /// Delay before the first retry
    #[arg(
        long,
        value_name = "TIME",
        default_value = "5s",
        requires = "retry_limit"
    )]
    pub(super) retry_backoff_duration: humantime::Duration,
    /// Factor by which each retry delay grows
    #[arg(
        long,
        value_name = "FACTOR",
        default_value = "2",
        requires = "retry_limit"
    )]
    pub(super) retry_backoff_factor: u32,
    /// Maximum retry delay
    #[arg(
        long,
        value_name = "TIME",
        default_value = "3m",
        requires = "retry_limit"
    )]
    pub(super) retry_backoff_max_duration: humantime::Duration,
    /// Retry with the newest revision
    #[arg(long, requires = "retry_limit")]
    pub(super) retry_refresh: bool,
}

impl OrderArgs {
    pub(super) fn options(&self) -> Vec<String> {
        let flags = [
            (self.replace, "Replace=true"),
            (self.server_side, "ServerSideApply=true"),
            (self.apply_out_of_sync_only, "ApplyOutOfSyncOnly=true"),
        ];
        let flags = flags.into_iter().filter(|(is_set, _)| *is_set);
        let flags = flags.map(|(_, option)| option.to_owned());
        flags
            .chain(self.sync_option.iter().map(KeyValue::to_string))
            .collect()
    }
}

impl RetryArgs {
    pub(super) fn strategy(&self) -> Option<proxy::RetryStrategy> {
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
