//! Filters of applications.

use causeway_proto::inventory::v1 as pb;

use crate::words::{parse_health, parse_name};

/// Flags that select applications.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct FilterArgs {
    /// Filter by runtime
    #[arg(long, value_name = "NAME")]
    runtime: Option<String>,
    /// Filter by cluster, by its name in the runtime
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,
    /// Filter by namespace
    #[arg(short, long, value_name = "NAMESPACE")]
    namespace: Option<String>,
    /// Filter by Argo CD project
    #[arg(short, long, value_name = "PROJECT")]
    project: Option<String>,
    /// Filter by health, for example Degraded
    #[arg(long, value_name = "HEALTH", value_parser = parse_health)]
    health: Vec<pb::HealthStatus>,
    /// Filter by sync status, for example OutOfSync
    #[arg(long, value_name = "SYNC", value_parser = parse_sync)]
    sync: Vec<pb::SyncStatus>,
    /// Filter by source kind: Git, Helm or Several
    #[arg(long, value_name = "KIND", value_parser = parse_source)]
    source: Vec<pb::SourceKind>,
    /// Filter by labels, for example 'team=a,tier in (gold,iron),!retired'
    #[arg(short = 'l', long, value_name = "SELECTOR")]
    selector: Option<String>,
    /// Filter by words in name, namespace or project
    ///
    /// All words must match; '*' and '?' are wildcards.
    #[arg(long, value_name = "WORDS")]
    text: Option<String>,
}

impl FilterArgs {
    pub(crate) fn to_filter(&self, name: Option<&str>) -> pb::ApplicationFilter {
        pb::ApplicationFilter {
            runtime: self.runtime.clone().unwrap_or_default(),
            cluster: self.cluster.clone().unwrap_or_default(),
            namespace: self.namespace.clone().unwrap_or_default(),
            name: name.unwrap_or_default().to_owned(),
            project: self.project.clone().unwrap_or_default(),
            sync: self.sync.iter().map(|state| (*state).into()).collect(),
            health: self.health.iter().map(|state| (*state).into()).collect(),
            source: self.source.iter().map(|kind| (*kind).into()).collect(),
            label_selector: self.selector.clone().unwrap_or_default(),
            text: self.text.clone().unwrap_or_default(),
            ..Default::default()
        }
    }

    /// Converts to a filter with these words in place of --text, if any.
    pub(super) fn to_filter_with(&self, words: &[String]) -> pb::ApplicationFilter {
        let mut filter = self.to_filter(None);
        if !words.is_empty() {
            filter.text = words.join(" ");
        }
        filter
    }
}

pub(super) fn parse_source(text: &str) -> Result<pb::SourceKind, String> {
    parse_name(&["Git", "Helm", "Several"], text)
}

pub(super) fn parse_sync(text: &str) -> Result<pb::SyncStatus, String> {
    parse_name(&["Unknown", "Synced", "OutOfSync"], text)
}
