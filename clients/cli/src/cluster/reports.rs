//! Clusters by what is reported of them.

use std::collections::BTreeMap;

use causeway_proto::{inventory::v1 as pb, platform::v1 as platform};
use tonic::Code;

use crate::{
    connection::Connection,
    runtime::{self, groups},
    status::list_parts,
};

/// A cluster and its reporters.
pub(crate) struct Cluster {
    pub(super) runtime: String,
    pub(super) name: String,
    /// Reporters by kind.
    pub(super) groups: Vec<pb::ReporterGroup>,
    /// Notices of the runtime's parts about it.
    pub(super) notices: Vec<String>,
}

impl Cluster {
    /// Returns the kinds without a reporter.
    pub(super) fn unreported_kinds(&self) -> Vec<&str> {
        let silent = self.groups.iter().filter(|it| it.reporters.is_empty());
        silent.map(|it| it.kind.as_str()).collect()
    }

    pub(super) fn state(&self) -> &'static str {
        match (self.unreported_kinds().len(), self.notices.is_empty()) {
            (0, true) => "Healthy",
            (silent, _) if silent == self.groups.len() => "Lost",
            (_, _) => "Degraded",
        }
    }
}

/// Lists clusters by runtime and name.
pub(super) async fn list_clusters(
    connection: &Connection,
    runtime: Option<&str>,
) -> anyhow::Result<Vec<Cluster>> {
    let runtimes = match runtime {
        Some(runtime) => vec![runtime.to_owned()],
        None => runtime::names(connection).await?,
    };
    let parts = list_parts(connection).await?.parts;
    let mut clusters: BTreeMap<(String, String), Vec<pb::ReporterGroup>> = BTreeMap::new();
    for runtime in runtimes {
        let groups = match groups(connection, &runtime).await {
            Ok(groups) => groups,
            // No reporter was ever connected.
            Err(status) if status.code() == Code::NotFound => Vec::new(),
            Err(status) => return Err(status.into()),
        };
        for group in groups {
            let key = (group.runtime.clone(), group.cluster.clone());
            clusters.entry(key).or_default().push(group);
        }
    }
    let clusters = clusters
        .into_iter()
        .map(|((runtime, name), groups)| Cluster {
            notices: notices(&parts, &runtime, &name),
            runtime,
            name,
            groups,
        });
    Ok(clusters.collect())
}

/// Returns the notices of a runtime's parts that name the cluster.
pub(super) fn notices(parts: &[platform::PartStatus], runtime: &str, cluster: &str) -> Vec<String> {
    let named = format!("cluster {cluster}");
    let is_about = |notice: &&String| {
        let mut places = notice.match_indices(&named);
        places.any(|(at, _)| {
            let next = notice[at + named.len()..].chars().next();
            next.is_none_or(|next| !next.is_alphanumeric() && !matches!(next, '-' | '.' | '_'))
        })
    };
    let parts = parts.iter().filter(|part| part.runtime == runtime);
    let notices = parts.flat_map(|part| part.notices.iter().filter(is_about));
    notices.cloned().collect()
}
