//! Handles the inventory's responses to reports.

use std::sync::Arc;

use causeway_proto::inventory::v1 as pb;
use tokio::time::Instant;

use super::{Reporter, quota::QUOTA};
use crate::{
    enrichment::Enrichment as _,
    object::ObjectKey,
    object_cache::{Continuity, Remote, Sender},
    operations::{self, Knowledge, OperationId},
    reported_kind::ReportedKind,
    session::{InFlight, ReportContent},
};

impl<R: ReportedKind> Reporter<R> {
    pub(super) fn on_acknowledged(&mut self, sequence: u64) {
        let Some((settled, changed)) = self.settle(sequence) else {
            return;
        };
        self.setup.metrics.acknowledged(changed);
        self.has_room(&settled.key);
        let continued = self.continuity == Continuity::Continued;
        if self.queue.is_idle() {
            self.continuity = Continuity::Continued;
        }
        let Some(entry) = self.cache.get_mut(&settled.key) else {
            return;
        };
        entry.operations.mark_recorded(&settled.operations);
        // The report was sent for its operations only, and the inventory holds a newer state.
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
                    entry.compress();
                }
                let carried = settled.carried(&entry.contents);
                self.set_base(&settled.key, settled.base);
                if carried {
                    self.set_contents(&settled.key, Arc::default());
                }
            }
            ReportContent::Deletion if entry.is_gone() => self.forget(&settled.key),
            ReportContent::Deletion | ReportContent::Operations => {}
        }
        if !self.share.has(&settled.key) {
            // Its turn in the queue releases what is held for it.
            self.queue.put(settled.key);
        }
    }

    pub(super) fn on_rejected(&mut self, rejected: &pb::Rejected) {
        let settled = self.settle(rejected.sequence);
        let (key, reported) = settled.map(|(it, _)| (it.key, it.operations)).unzip();
        let object = key.as_ref().map(ToString::to_string).unwrap_or_default();
        self.setup.metrics.rejected();
        if rejected.field == QUOTA {
            if let Some(key) = key {
                self.set_contents(&key, Arc::default());
                self.wait_for_room(key, &rejected.reason);
            }
            return;
        }
        tracing::error!(
            object,
            field = rejected.field,
            reason = rejected.reason,
            "the inventory rejected a report"
        );
        let (Some(key), Some(reported)) = (key, reported) else {
            return;
        };
        // Its manifests would otherwise hold back the enrichment of other objects.
        self.set_contents(&key, Arc::default());
        if rejected.field.starts_with("operations") {
            self.drop_refused_operations(key, &reported, &rejected.field);
        } else if rejected.field.starts_with("delta") {
            self.resend_whole(key);
        }
    }

    /// Handles a delta whose base the inventory lacks.
    pub(super) fn on_base_wanted(&mut self, sequence: u64) {
        if let Some((settled, _)) = self.settle(sequence) {
            self.resend_whole(settled.key);
        }
    }

    /// Reports the whole object again if it was a delta. A rejected whole state waits for the next change.
    fn resend_whole(&mut self, key: ObjectKey) {
        let known = self
            .cache
            .get(&key)
            .is_some_and(|entry| entry.base.is_some());
        self.set_base(&key, None);
        if known {
            self.queue.put(key);
        }
    }

    /// Drops rejected operations, so that the state and the other operations are still reported.
    fn drop_refused_operations(
        &mut self,
        key: ObjectKey,
        reported: &[(OperationId, Knowledge)],
        field: &str,
    ) {
        if let Some(entry) = self.cache.get_mut(&key) {
            let refused = operations::find_refused(field, reported);
            let lost = entry.operations.drop_refused(refused);
            self.setup.metrics.operations_lost(lost);
            self.queue.put(key);
        }
    }

    /// Ends the flight of a report and returns the time of its change.
    fn settle(&mut self, sequence: u64) -> Option<(InFlight, Option<Instant>)> {
        let settled = self.link.session()?.settle(sequence)?;
        let changed = self.queue.settle(&settled.key);
        Some((settled, changed))
    }

    /// Queues requested manifests. Released ones are fetched again; until then the state goes without them.
    pub(super) fn on_wanted(&mut self, wanted: &pb::Wanted) {
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
        self.request_enrichment(settled.key);
    }

    pub(super) fn on_members(&mut self, members: pb::Members) {
        self.share.members = members.instances;
        self.recheck_room();
        self.recover_operations();
        self.recheck_membership();
    }
}
