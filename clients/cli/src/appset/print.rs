//! ApplicationSets as tables.

use comfy_table::Cell;
use serde_json::Value;

use super::Generated;
use crate::{
    output::{Columns, Lines, Text, state_cell},
    resource::{
        fields,
        manifests::{Described, text},
    },
    words,
};

/// Of what a row tells, beside its age.
pub(super) const HEADINGS: [&str; 7] = [
    "NAME",
    "NAMESPACE",
    "RUNTIME",
    "PROJECT",
    "GENERATORS",
    "APPLICATIONS",
    "STATUS",
];

pub(super) fn list(sets: &[Described]) -> Lines {
    let mut lines = Lines::new(&[&HEADINGS[..], &["AGE"]].concat(), &[]);
    for set in sets {
        let mut row = row(set);
        row.push(Text::new(words::age(set.resource.created_at.as_ref())));
        lines.row(row);
    }
    lines
}

pub(super) fn row(set: &Described) -> Vec<Text> {
    let resource = &set.resource;
    vec![
        Text::new(&resource.name),
        Text::new(&resource.namespace),
        Text::new(&resource.runtime),
        Text::new(words::or_dash(&set.text("/spec/template/spec/project"))),
        Text::new(words::or_dash(&generators(set))),
        Text::new(count(set).to_string()),
        Text::state(words::or_dash(&status(set))),
    ]
}

/// All of one: what every kind has, its conditions, and what it generated.
pub(super) fn whole(set: &Described, generated: &[Generated]) -> String {
    let mut columns = fields(&set.resource);
    let mut add = |name: &str, text: String| {
        if !text.is_empty() {
            columns.row(vec![Cell::new(name), Cell::new(text)]);
        }
    };
    add("Project:", set.text("/spec/template/spec/project"));
    add("Generators:", generators(set));
    add("Source:", set.text("/spec/template/spec/source/repoURL"));
    add("Path:", set.text("/spec/template/spec/source/path"));
    add(
        "Revision:",
        set.text("/spec/template/spec/source/targetRevision"),
    );
    add("Strategy:", set.text("/spec/strategy/type"));
    add(
        "When deleted:",
        set.text("/spec/syncPolicy/preserveResourcesOnDeletion"),
    );
    add("Policy:", set.text("/spec/syncPolicy/applicationsSync"));
    let (conditions, applications) = (conditions(set), applications(generated));
    format!(
        "{}\n\n{}\n\n{}",
        columns.text(),
        conditions.text(),
        applications.text()
    )
}

fn conditions(set: &Described) -> Columns {
    let mut columns = Columns::new(&["CONDITION", "STATUS", "REASON", "MESSAGE"]);
    for condition in set.list("/status/conditions") {
        let field = |name: &str| Cell::new(text(condition.get(name)));
        columns.row(["type", "status", "reason", "message"].map(field).into());
    }
    columns
}

fn applications(generated: &[Generated]) -> Columns {
    let headings = [
        "APPLICATION",
        "NAMESPACE",
        "SYNC",
        "HEALTH",
        "REVISION",
        "STEP",
    ];
    let mut columns = Columns::new(&headings);
    for one in generated {
        let known = one.application.as_ref();
        let status = known.and_then(|it| it.status.as_ref());
        let or_not_seen = |text: &str| match known {
            Some(_) => text.to_owned(),
            None => "not seen".to_owned(),
        };
        columns.row(vec![
            Cell::new(&one.name),
            Cell::new(&one.namespace),
            state_cell(&or_not_seen(words::sync(status))),
            state_cell(&or_not_seen(words::health(status))),
            Cell::new(words::revision(status)),
            Cell::new(words::or_dash(&one.step)),
        ]);
    }
    columns
}

/// The kinds of its generators, with those in them.
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
    let told = set.manifest.pointer("/status/resourcesCount");
    let listed = set.list("/status/resources").len();
    let listed = u64::try_from(listed).unwrap_or(u64::MAX);
    told.and_then(Value::as_u64).unwrap_or(listed).max(listed)
}

/// As `argocd appset` says it: whether an error occurred, or else whether all is up to date.
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
