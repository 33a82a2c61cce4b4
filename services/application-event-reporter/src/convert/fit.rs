//! Truncates oversized states and marks what was left out, so that the state itself is accepted.

use causeway_proto::inventory::v1 as pb;
use prost::Message as _;

use crate::enrichment::{Enrichment, ResourceName};

/// The largest state that is sent, a little below what the inventory takes.
const LARGEST: usize = (4 << 20) - (128 << 10);
const LONGEST_PROJECT: usize = 253;
const MOST_LABELS: usize = 1_000;
const MOST_RESOURCES: usize = 20_000;
const MOST_ENTRIES: usize = 10_000;
/// Of what is cut to make room.
const FEW: usize = 10;
const MOST_MANIFESTS: usize = 100;

/// What was left out so far.
struct Cut(Vec<pb::Omission>);

/// The manifests that cannot be told, because they are too large or are no objects.
pub(super) fn of_manifests(enrichment: &Enrichment) -> Vec<pb::Omission> {
    let manifests = enrichment.manifests.iter().flat_map(|(name, it)| {
        [
            ("live manifest", name, it.live_omitted),
            ("desired manifest", name, it.desired_omitted),
        ]
    });
    let omitted = manifests.filter(|(_, _, bytes)| *bytes > 0);
    let omission = |(field, name, bytes): (&str, &ResourceName, usize)| pb::Omission {
        resource: Some(pb::ResourceName {
            group: name.group.clone(),
            version: String::new(),
            kind: name.kind.clone(),
            namespace: name.namespace.clone(),
            name: name.name.clone(),
        }),
        ..entry(field, bytes, 0)
    };
    omitted.take(MOST_MANIFESTS).map(omission).collect()
}

/// Leaves out what the inventory does not take.
pub(super) fn fit(state: &mut pb::ApplicationState) {
    let mut cut = Cut(Vec::new());
    cut.labels(state);
    cut.project(state);
    if let Some(status) = &mut state.status {
        cut.list("resources", &mut status.resources, MOST_RESOURCES);
        cut.list("conditions", &mut status.conditions, MOST_ENTRIES);
        cut.list("history", &mut status.history, MOST_ENTRIES);
        cut.list("images", &mut status.images, MOST_ENTRIES);
        let results = status.operation.as_mut().map(|it| &mut it.resources);
        if let Some(results) = results {
            cut.list("operation.resources", results, MOST_ENTRIES);
        }
    }
    while state.encoded_len() > LARGEST {
        let status = state.status.get_or_insert_default();
        if !cut.some(status) {
            break;
        }
    }
    if !cut.0.is_empty() {
        let status = state.status.get_or_insert_default();
        status.omissions.extend(cut.0);
    }
}

impl Cut {
    /// The next thing that can be spared; false where there is nothing any more.
    fn some(&mut self, status: &mut pb::ApplicationStatus) -> bool {
        let results = status.operation.as_mut().map(|it| &mut it.resources);
        if results.is_some_and(|list| self.list("operation.resources", list, 0)) {
            return true;
        }
        let half = status.resources.len() / 2;
        self.list("resources", &mut status.resources, half)
            || self.list("conditions", &mut status.conditions, FEW)
            || self.list("history", &mut status.history, 0)
            || self.list("images", &mut status.images, 0)
            || self.list("external_urls", &mut status.external_urls, 0)
            || self.list("errors", &mut status.errors, FEW)
    }

    fn list<T>(&mut self, field: &str, list: &mut Vec<T>, most: usize) -> bool {
        let total = list.len();
        list.truncate(most);
        self.note(field, total, list.len())
    }

    fn labels(&mut self, state: &mut pb::ApplicationState) {
        let total = state.labels.len();
        while state.labels.len() > MOST_LABELS {
            state.labels.pop_last();
        }
        self.note("labels", total, state.labels.len());
    }

    fn project(&mut self, state: &mut pb::ApplicationState) {
        let Some(spec) = &mut state.spec else { return };
        let total = spec.project.len();
        let end = spec.project.floor_char_boundary(LONGEST_PROJECT);
        spec.project.truncate(end);
        self.note("spec.project", total, spec.project.len());
    }

    /// Whether there is less now than before. What is cut again was more at first.
    fn note(&mut self, field: &str, before: usize, kept: usize) -> bool {
        if kept == before {
            return false;
        }
        match self.0.iter_mut().find(|it| it.field == field) {
            Some(known) => known.kept = kept as u64,
            None => self.0.push(entry(field, before, kept)),
        }
        true
    }
}

fn entry(field: &str, total: usize, kept: usize) -> pb::Omission {
    pb::Omission {
        field: field.to_owned(),
        total: total as u64,
        kept: kept as u64,
        resource: None,
    }
}
