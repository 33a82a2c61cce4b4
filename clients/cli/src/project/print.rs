//! Projects as tables.

use comfy_table::Cell;
use serde_json::Value;

use super::window;
use crate::{
    output::{Columns, Lines, Text, state_cell},
    resource::{
        fields,
        manifests::{Described, joined, text},
    },
    words,
};

pub(super) const HEADINGS: [&str; 7] = [
    "NAME",
    "NAMESPACE",
    "RUNTIME",
    "DESTINATIONS",
    "SOURCES",
    "WINDOWS",
    "DESCRIPTION",
];

pub(super) fn list(projects: &[Described]) -> Lines {
    let mut lines = Lines::new(&HEADINGS, &[]);
    for project in projects {
        lines.row(row(project));
    }
    lines
}

pub(super) fn row(project: &Described) -> Vec<Text> {
    vec![
        Text::new(&project.resource.name),
        Text::new(&project.resource.namespace),
        Text::new(&project.resource.runtime),
        Text::new(some(project, "/spec/destinations", destination)),
        Text::new(some(project, "/spec/sourceRepos", |it| text(Some(it)))),
        Text::new(summary(project)),
        Text::new(project.text("/spec/description")),
    ]
}

/// All of one: what every kind has, what it allows, its roles and its windows.
pub(super) fn whole(project: &Described) -> String {
    let mut columns = fields(&project.resource);
    let mut add = |name: &str, text: String| {
        if !text.is_empty() {
            columns.row(vec![Cell::new(name), Cell::new(text)]);
        }
    };
    add("Description:", project.text("/spec/description"));
    for it in project.list("/spec/destinations") {
        add("Destination:", destination(it));
    }
    for it in project.list("/spec/sourceRepos") {
        add("Repository:", text(Some(it)));
    }
    for it in project.list("/spec/sourceNamespaces") {
        add("Applications in:", text(Some(it)));
    }
    for (name, pointer) in [
        ("Cluster kind allowed:", "/spec/clusterResourceWhitelist"),
        ("Cluster kind denied:", "/spec/clusterResourceBlacklist"),
        ("Kind allowed:", "/spec/namespaceResourceWhitelist"),
        ("Kind denied:", "/spec/namespaceResourceBlacklist"),
    ] {
        for it in project.list(pointer) {
            let (group, kind) = (text(it.get("group")), text(it.get("kind")));
            add(name, format!("{group}/{kind}"));
        }
    }
    if project
        .manifest
        .pointer("/spec/orphanedResources")
        .is_some()
    {
        add("Orphaned resources:", "watched".to_owned());
    }
    for it in project.list("/spec/signatureKeys") {
        add("Signature key:", text(it.get("keyID")));
    }
    for it in project.list("/spec/roles") {
        let (name, groups) = (text(it.get("name")), joined(it.get("groups")));
        let policies = it
            .get("policies")
            .and_then(Value::as_array)
            .map_or(0, Vec::len);
        let groups = words::or_dash(&groups).to_owned();
        add(
            "Role:",
            format!("{name}: {policies} policies, groups {groups}"),
        );
    }
    let columns = columns.text();
    match project.list("/spec/syncWindows").is_empty() {
        true => format!("{columns}\n\nno sync windows: applications may be synced at any time"),
        false => format!("{columns}\n\n{}", windows(project).text()),
    }
}

pub(super) fn windows(project: &Described) -> Columns {
    let headings = [
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
    ];
    let mut columns = Columns::new(&headings);
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
        columns.row(vec![
            Cell::new(id),
            state_cell(status),
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
    columns
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

/// The only one, or how many there are.
fn some(project: &Described, pointer: &str, word: fn(&Value) -> String) -> String {
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
