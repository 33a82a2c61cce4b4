//! Projects as tables.

use serde_json::Value;

use super::window;
use crate::{
    output::{Cell, Columns, Headings, Table},
    resource::{
        ManifestKind, fields,
        manifests::{Described, joined, text},
    },
    words,
};

pub(super) struct Projects;

impl Columns for Projects {
    type Item = Described;
    const HEADINGS: Headings = &[
        "NAME",
        "NAMESPACE",
        "RUNTIME",
        "DESTINATIONS",
        "SOURCES",
        "WINDOWS",
        "DESCRIPTION",
    ];
    const NONE: &'static str = "none";

    fn cells(project: &Described) -> Vec<Cell> {
        vec![
            Cell::new(&project.resource.name),
            Cell::new(&project.resource.namespace),
            Cell::new(&project.resource.runtime),
            Cell::new(one_or_count(project, "/spec/destinations", destination)),
            Cell::new(one_or_count(project, "/spec/sourceRepos", |it| {
                text(Some(it))
            })),
            Cell::new(summary(project)),
            Cell::new(project.text("/spec/description")),
        ]
    }
}

impl ManifestKind for Projects {
    const RESOURCE: &'static str = "appprojects.argoproj.io";
}

/// All of one: what every kind has, what it allows, its roles and its windows.
pub(super) fn details(project: &Described) -> String {
    let mut table = fields(&project.resource);
    table.field("Description:", project.text("/spec/description"));
    for it in project.list("/spec/destinations") {
        table.field("Destination:", destination(it));
    }
    for it in project.list("/spec/sourceRepos") {
        table.field("Repository:", text(Some(it)));
    }
    for it in project.list("/spec/sourceNamespaces") {
        table.field("Applications in:", text(Some(it)));
    }
    for (name, pointer) in [
        ("Cluster kind allowed:", "/spec/clusterResourceWhitelist"),
        ("Cluster kind denied:", "/spec/clusterResourceBlacklist"),
        ("Kind allowed:", "/spec/namespaceResourceWhitelist"),
        ("Kind denied:", "/spec/namespaceResourceBlacklist"),
    ] {
        for it in project.list(pointer) {
            let (group, kind) = (text(it.get("group")), text(it.get("kind")));
            table.field(name, format!("{group}/{kind}"));
        }
    }
    if project
        .manifest
        .pointer("/spec/orphanedResources")
        .is_some()
    {
        table.field("Orphaned resources:", "watched".to_owned());
    }
    for it in project.list("/spec/signatureKeys") {
        table.field("Signature key:", text(it.get("keyID")));
    }
    for it in project.list("/spec/roles") {
        let (name, groups) = (text(it.get("name")), joined(it.get("groups")));
        let policies = it
            .get("policies")
            .and_then(Value::as_array)
            .map_or(0, Vec::len);
        let groups = words::or_dash(&groups).to_owned();
        table.field(
            "Role:",
            format!("{name}: {policies} policies, groups {groups}"),
        );
    }
    let fields = table.text();
    if project.list("/spec/syncWindows").is_empty() {
        format!("{fields}\n\nno sync windows: applications may be synced at any time")
    } else {
        format!("{fields}\n\n{}", windows(project).text())
    }
}

pub(super) fn windows(project: &Described) -> Table {
    let mut table = Table::new(&[
        "ID",
        "STATUS",
        "KIND",
        "SCHEDULE",
        "DURATION",
        "APPLICATIONS",
        "NAMESPACES",
        "CLUSTERS",
        "MANUAL SYNC",
        "TIME ZONE",
        "SELECTED BY",
    ]);
    let now = jiff::Timestamp::now();
    for (window, id) in project.list("/spec/syncWindows").iter().zip(0..) {
        let field = |name: &str| Cell::new(words::or_dash(&text(window.get(name))));
        let list = |name: &str| Cell::new(words::or_dash(&joined(window.get(name))));
        let is = |name: &str| window.get(name).and_then(Value::as_bool) == Some(true);
        let status = match window::is_active(window, now) {
            Some(true) => "Active",
            Some(false) => "Inactive",
            None => "Unreadable",
        };
        table.row(vec![
            Cell::new(id),
            Cell::state(status),
            field("kind"),
            field("schedule"),
            field("duration"),
            list("applications"),
            list("namespaces"),
            list("clusters"),
            Cell::new(if is("manualSync") {
                "allowed"
            } else {
                "as others"
            }),
            field("timeZone"),
            Cell::new(if is("andOperator") { "all" } else { "any" }),
        ]);
    }
    table
}

/// "2, 1 active".
fn summary(project: &Described) -> String {
    let windows = project.list("/spec/syncWindows");
    let now = jiff::Timestamp::now();
    let active = windows
        .iter()
        .filter(|it| window::is_active(it, now) == Some(true));
    match (windows.len(), active.count()) {
        (0, _) => "-".to_owned(),
        (all, 0) => all.to_string(),
        (all, active) => format!("{all}, {active} active"),
    }
}

/// Returns the only item, or the number of items.
fn one_or_count(project: &Described, pointer: &str, word: fn(&Value) -> String) -> String {
    match project.list(pointer) {
        [] => "-".to_owned(),
        [one] => word(one),
        several => format!("{} of them", several.len()),
    }
}

fn destination(it: &Value) -> String {
    let cluster = [it.get("server"), it.get("name")].map(text);
    let cluster = cluster.into_iter().find(|text| !text.is_empty());
    let namespace = text(it.get("namespace"));
    format!("{},{namespace}", cluster.unwrap_or_else(|| "*".to_owned()))
}
