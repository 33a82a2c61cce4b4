//! Truncates oversized states and marks what was left out, so that the state itself is accepted.

use causeway_proto::inventory::v1 as pb;
use prost::Message as _;

use crate::enrichment::{Enrichment, ResourceName};

/// Maximum size of a state, slightly below the limit of the inventory.
const MAX_BYTES: usize = (4 << 20) - (128 << 10);
const MAX_PROJECT_BYTES: usize = 253;
const MAX_LABELS: usize = 1_000;
const MAX_RESOURCES: usize = 20_000;
const MAX_ENTRIES: usize = 10_000;
/// Number of entries that remain in a list that is truncated for size.
const REMAINING_ENTRIES: usize = 10;
const MAX_MANIFESTS: usize = 100;

/// The omissions so far.
struct Omissions(Vec<pb::Omission>);

/// Omissions of manifests that are too large or not objects.
pub(super) fn manifest_omissions(enrichment: &Enrichment) -> Vec<pb::Omission> {
    let manifests = enrichment.manifests.iter().flat_map(|(name, it)| {
        [
            ("live manifest", name, it.live_omitted),
            ("desired manifest", name, it.desired_omitted),
        ]
    });
    let omitted = manifests.filter(|(_, _, bytes)| *bytes > 0);
    let to_omission = |(field, name, bytes): (&str, &ResourceName, usize)| pb::Omission {
        resource: Some(pb::ResourceName {
            group: name.group.clone(),
            version: String::new(),
            kind: name.kind.clone(),
            namespace: name.namespace.clone(),
            name: name.name.clone(),
        }),
        ..omission(field, bytes, 0)
    };
    omitted.take(MAX_MANIFESTS).map(to_omission).collect()
}

/// Truncates the state to the limits of the inventory.
pub(super) fn fit(state: &mut pb::ApplicationState) {
    let mut omissions = Omissions(Vec::new());
    omissions.truncate_labels(state);
    omissions.truncate_project(state);
    if let Some(status) = &mut state.status {
        omissions.truncate("resources", &mut status.resources, MAX_RESOURCES);
        omissions.truncate("conditions", &mut status.conditions, MAX_ENTRIES);
        omissions.truncate("history", &mut status.history, MAX_ENTRIES);
        omissions.truncate("images", &mut status.images, MAX_ENTRIES);
        let results = status.operation.as_mut().map(|it| &mut it.resources);
        if let Some(results) = results {
            omissions.truncate("operation.resources", results, MAX_ENTRIES);
        }
    }
    while state.encoded_len() > MAX_BYTES {
        let status = state.status.get_or_insert_default();
        if !omissions.omit_next(status) {
            break;
        }
    }
    if !omissions.0.is_empty() {
        let status = state.status.get_or_insert_default();
        status.omissions.extend(omissions.0);
    }
}

impl Omissions {
    /// Omits the next expendable field. Returns false if nothing is left to omit.
    fn omit_next(&mut self, status: &mut pb::ApplicationStatus) -> bool {
        let results = status.operation.as_mut().map(|it| &mut it.resources);
        if results.is_some_and(|list| self.truncate("operation.resources", list, 0)) {
            return true;
        }
        let half = status.resources.len() / 2;
        self.truncate("resources", &mut status.resources, half)
            || self.truncate("conditions", &mut status.conditions, REMAINING_ENTRIES)
            || self.truncate("history", &mut status.history, 0)
            || self.truncate("images", &mut status.images, 0)
            || self.truncate("external_urls", &mut status.external_urls, 0)
            || self.truncate("errors", &mut status.errors, REMAINING_ENTRIES)
    }

    fn truncate<T>(&mut self, field: &str, list: &mut Vec<T>, max: usize) -> bool {
        let total = list.len();
        list.truncate(max);
        self.record(field, total, list.len())
    }

    fn truncate_labels(&mut self, state: &mut pb::ApplicationState) {
        let total = state.labels.len();
        while state.labels.len() > MAX_LABELS {
            state.labels.pop_last();
        }
        self.record("labels", total, state.labels.len());
    }

    fn truncate_project(&mut self, state: &mut pb::ApplicationState) {
        let Some(spec) = &mut state.spec else { return };
        let total = spec.project.len();
        let end = spec.project.floor_char_boundary(MAX_PROJECT_BYTES);
        spec.project.truncate(end);
        self.record("spec.project", total, spec.project.len());
    }

    /// Records an omission. Returns true if entries were removed; an earlier record of the same field has the original count.
    fn record(&mut self, field: &str, total: usize, retained: usize) -> bool {
        if retained == total {
            return false;
        }
        match self.0.iter_mut().find(|it| it.field == field) {
            Some(known) => known.kept = retained as u64,
            None => self.0.push(omission(field, total, retained)),
        }
        true
    }
}

fn omission(field: &str, total: usize, retained: usize) -> pb::Omission {
    pb::Omission {
        field: field.to_owned(),
        total: total as u64,
        kept: retained as u64,
        resource: None,
    }
}
