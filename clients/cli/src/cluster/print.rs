//! Clusters as tables.

use causeway_proto::{inventory::v1 as pb, time::timestamp_to_millis};
use prost_types::Timestamp;

use super::reports::Cluster;
use crate::{
    output::{Cell, Columns, Headings, Table},
    words,
};

pub(super) struct Clusters;

impl Columns for Clusters {
    type Item = Cluster;
    const HEADINGS: Headings = &[
        "NAME",
        "RUNTIME",
        "STATE",
        "KINDS",
        "SILENT",
        "OBJECTS",
        "LAST SEEN",
    ];

    fn cells(cluster: &Cluster) -> Vec<Cell> {
        let objects: u64 = cluster.groups.iter().map(|it| it.objects).sum();
        let last_seen = cluster.groups.iter().filter_map(last_seen);
        let last_seen = last_seen.max_by_key(timestamp_to_millis);
        vec![
            Cell::new(&cluster.name),
            Cell::new(&cluster.runtime),
            Cell::state(cluster.state()),
            Cell::new(cluster.groups.len()),
            Cell::new(cluster.unreported_kinds().len()),
            Cell::new(objects),
            Cell::new(words::ago(last_seen.as_ref())),
        ]
    }
}

/// All that is shown of one cluster.
pub(super) fn details(cluster: &Cluster) -> String {
    let mut kinds = Table::new(&["KIND", "REPORTERS", "OBJECTS", "VERSION", "LAST SEEN"]);
    for group in &cluster.groups {
        let versions = group.reporters.iter().map(|it| it.version.as_str());
        let mut versions: Vec<_> = versions.collect();
        versions.dedup();
        kinds.row(vec![
            Cell::new(&group.kind),
            match group.reporters.len() {
                0 => Cell::state("Lost"),
                number => Cell::new(number),
            },
            Cell::new(group.objects),
            Cell::new(versions.join(", ")),
            Cell::new(words::ago(last_seen(group).as_ref())),
        ]);
    }
    format!("{}\n\n{}", summary(cluster), kinds.text())
}

/// Returns the state in one line, and a line for each notice.
pub(super) fn summary(cluster: &Cluster) -> String {
    let place = format!("{} of {}", cluster.name, cluster.runtime);
    let mut lines = vec![format!("{place}: {}", cluster.state())];
    let silent = cluster.unreported_kinds();
    if !silent.is_empty() {
        lines.push(format!("  no reporter for {}", silent.join(", ")));
    }
    let notices = cluster.notices.iter();
    lines.extend(notices.map(|it| format!("  {}", words::plain(it))));
    lines.join("\n")
}

fn last_seen(group: &pb::ReporterGroup) -> Option<Timestamp> {
    let last_seen = group.reporters.iter().filter_map(|it| it.last_heard_at);
    last_seen.max_by_key(timestamp_to_millis)
}
