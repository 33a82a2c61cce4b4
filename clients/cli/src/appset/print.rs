//! ApplicationSets as tables.

use serde_json::Value;

use super::generated::Generated;
use crate::{
    output::{Cell, Columns, Headings, Table},
    resource::{
        ManifestKind, fields,
        manifests::{Described, text},
    },
    words,
};

pub(super) struct ApplicationSets;

impl Columns for ApplicationSets {
    type Item = Described;
    const HEADINGS: Headings = &[
        "NAME",
        "NAMESPACE",
        "RUNTIME",
        "PROJECT",
        "GENERATORS",
        "APPLICATIONS",
        "STATUS",
        "AGE",
    ];
    const WATCHED: usize = 7;
    const NONE: &'static str = "none";

    fn cells(set: &Described) -> Vec<Cell> {
        let resource = &set.resource;
        vec![
            Cell::new(&resource.name),
            Cell::new(&resource.namespace),
            Cell::new(&resource.runtime),
            Cell::new(words::or_dash(&set.text("/spec/template/spec/project"))),
            Cell::new(words::or_dash(&generators(set))),
            Cell::new(count(set)),
            Cell::state(words::or_dash(&status(set))),
            Cell::new(words::age(resource.created_at.as_ref())),
        ]
    }
}

impl ManifestKind for ApplicationSets {
    const RESOURCE: &'static str = "applicationsets.argoproj.io";
}

/// All that is shown of one: what every kind has, its conditions, and what it generated.
pub(super) fn details(set: &Described, generated: &[Generated]) -> String {
    let mut table = fields(&set.resource);
    table.field("Project:", set.text("/spec/template/spec/project"));
    table.field("Generators:", generators(set));
    for (name, pointer) in [
        ("Source:", "/spec/template/spec/source/repoURL"),
        ("Path:", "/spec/template/spec/source/path"),
        ("Revision:", "/spec/template/spec/source/targetRevision"),
        ("Strategy:", "/spec/strategy/type"),
        (
            "When deleted:",
            "/spec/syncPolicy/preserveResourcesOnDeletion",
        ),
        ("Policy:", "/spec/syncPolicy/applicationsSync"),
    ] {
        table.field(name, set.text(pointer));
    }
    let tables = [table, conditions(set), applications(generated)];
    tables.map(Table::text).join("\n\n")
}

fn conditions(set: &Described) -> Table {
    let mut table = Table::new(&["CONDITION", "STATUS", "REASON", "MESSAGE"]);
    for condition in set.list("/status/conditions") {
        let field = |name: &str| Cell::new(text(condition.get(name)));
        table.row(["type", "status", "reason", "message"].map(field));
    }
    table
}

fn applications(generated: &[Generated]) -> Table {
    let mut table = Table::new(&[
        "APPLICATION",
        "NAMESPACE",
        "SYNC",
        "HEALTH",
        "REVISION",
        "STEP",
    ]);
    for one in generated {
        let known = one.application.as_ref();
        let status = known.and_then(|it| it.status.as_ref());
        let or_not_seen = |text: &str| match known {
            Some(_) => text.to_owned(),
            None => "not seen".to_owned(),
        };
        table.row(vec![
            Cell::new(&one.name),
            Cell::new(&one.namespace),
            Cell::state(&or_not_seen(words::sync(status))),
            Cell::state(&or_not_seen(words::health(status))),
            Cell::new(words::revision(status)),
            Cell::new(words::or_dash(&one.step)),
        ]);
    }
    table
}

/// Returns the kinds of its generators.
fn generators(set: &Described) -> String {
    let names = set.list("/spec/generators").iter();
    let names = names.filter_map(|it| {
        let mut names = it.as_object()?.keys();
        names
            .find(|name| *name != "selector")
            .map(|it| words::plain(it))
    });
    names.collect::<Vec<_>>().join(",")
}

fn count(set: &Described) -> u64 {
    let reported = set.manifest.pointer("/status/resourcesCount");
    let listed = set.list("/status/resources").len();
    let listed = u64::try_from(listed).unwrap_or(u64::MAX);
    reported
        .and_then(Value::as_u64)
        .unwrap_or(listed)
        .max(listed)
}

/// Returns the state as `argocd appset` shows it.
fn status(set: &Described) -> String {
    let is = |kind: &str| {
        let conditions = set.list("/status/conditions").iter();
        conditions.clone().any(|it| {
            it.get("type").and_then(Value::as_str) == Some(kind)
                && it.get("status").and_then(Value::as_str) == Some("True")
        })
    };
    let status = match (
        is("ErrorOccurred"),
        is("RolloutProgressing"),
        is("ResourcesUpToDate"),
    ) {
        (true, _, _) => "Error",
        (false, true, _) => "Progressing",
        (false, false, true) => "Healthy",
        (false, false, false) => "",
    };
    status.to_owned()
}
