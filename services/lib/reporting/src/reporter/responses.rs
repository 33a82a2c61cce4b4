//! Handles the inventory's responses to reports.

use std::sync::Arc;

use causeway_proto::inventory::v1 as pb;
use tokio::time::Instant;

use super::Reporter;
use crate::{
    enrichment::Enrichment as _,
    object::ObjectKey,
    object_cache::{Continuity, Remote, Sender},
    operations::{self, Knowledge, OperationId},
    reported_kind::ReportedKind,
    session::{InFlight, ReportContent},
};

impl<R: ReportedKind> Reporter<R> {
    pub(super) fn acknowledged(&mut self, sequence: u64) {
        let Some((settled, changed)) = self.settle(sequence) else {
            return;
        };
        self.setup.metrics.acknowledged(changed);
        let continued = self.continuity == Continuity::Continued;
        if self.queue.is_idle() {
            self.continuity = Continuity::Continued;
        }
        let Some(entry) = self.cache.get_mut(&settled.key) else {
            return;
        };
        entry.operations.mark_recorded(&settled.operations);
        // A report that was sent for its operations alone.
        let newer = |remote: &Remote| remote.resource_version > settled.resource_version;
        let older = continued && entry.remote.as_ref().is_some_and(newer);
        match settled.part {
            ReportContent::State(_) if older => {}
            ReportContent::State(root) => {
                entry.remote = Some(Remote {
                    resource_version: settled.resource_version,
                    root,
                    sender: Sender::Own,
                });
                if entry.calm && entry.resource_version == settled.resource_version {
                    entry.pack();
                }
                let carried = settled.carried(&entry.contents);
                self.keep_base(&settled.key, settled.base);
                if carried {
                    self.keep(&settled.key, Arc::default());
                }
            }
            ReportContent::Deletion if entry.is_gone() => self.forget(&settled.key),
            ReportContent::Deletion | ReportContent::Operations => {}
        }
        if !self.share.has(&settled.key) {
            // Nothing more of it is to be kept.
            self.queue.put(settled.key);
        }
    }

    pub(super) fn rejected(&mut self, rejected: &pb::Rejected) {
        let settled = self.settle(rejected.sequence);
        let (key, told) = settled.map(|(it, _)| (it.key, it.operations)).unzip();
        let object = key.as_ref().map(ToString::to_string).unwrap_or_default();
        self.setup.metrics.rejected();
        tracing::error!(
            object,
            field = rejected.field,
            reason = rejected.reason,
            "the inventory refuses a report"
        );
        let (Some(key), Some(told)) = (key, told) else {
            return;
        };
        // What nobody takes must not keep others from being asked about.
        self.keep(&key, Arc::default());
        if rejected.field.starts_with("operations") {
            self.without_operations(key, &told, &rejected.field);
        } else if rejected.field.starts_with("delta") {
            self.without_base(key);
        }
    }

    /// The receiver does not hold what a state was told by.
    pub(super) fn base_wanted(&mut self, sequence: u64) {
        if let Some((settled, _)) = self.settle(sequence) {
            self.without_base(settled.key);
        }
    }

    /// Tells the object anew, whole; where that was what was refused, only when it changes.
    fn without_base(&mut self, key: ObjectKey) {
        let known = self
            .cache
            .get(&key)
            .is_some_and(|entry| entry.base.is_some());
        self.keep_base(&key, None);
        if known {
            self.queue.put(key);
        }
    }

    /// An operation that will never be taken keeps neither a state from being told, nor other operations.
    fn without_operations(
        &mut self,
        key: ObjectKey,
        told: &[(OperationId, Knowledge)],
        field: &str,
    ) {
        if let Some(entry) = self.cache.get_mut(&key) {
            let refused = operations::named(field, told);
            let lost = entry.operations.drop_refused(refused);
            self.setup.metrics.operations_lost(lost);
            self.queue.put(key);
        }
    }

    /// What was answered, and of when the change is that it told.
    fn settle(&mut self, sequence: u64) -> Option<(InFlight, Option<Instant>)> {
        let settled = self.link.session()?.settle(sequence)?;
        let changed = self.queue.settle(&settled.key);
        Some((settled, changed))
    }

    /// Manifests that are not here any more are asked for anew; until then the state goes without them.
    pub(super) fn wanted(&mut self, wanted: &pb::Wanted) {
        let Some(Err(missing)) = self.link.session().map(|session| session.want(wanted)) else {
            return;
        };
        let Some((settled, _)) = self.settle(missing.sequence) else {
            return;
        };
        if let Some(entry) = self.cache.get_mut(&settled.key) {
            entry.enrich(entry.enrichment().without_manifests());
        }
        self.queue.put(settled.key.clone());
        self.ask(settled.key);
    }

    pub(super) fn on_members(&mut self, members: pb::Members) {
        self.share.members = members.instances;
        self.recover_operations();
        self.recheck_membership();
    }
}
