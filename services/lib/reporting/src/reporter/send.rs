//! Decides what to report of the next object in the queue, and sends it.

use std::sync::Arc;

use causeway_proto::inventory::v1 as pb;
use tokio::{sync::mpsc, time::Instant};

use super::Reporter;
use crate::{
    convert, delta_base,
    enrichment::Enrichment as _,
    object::ObjectKey,
    object_cache::{Continuity, Entry, Remote, Sender},
    reported_kind::ReportedKind,
    session::{OutgoingReport, ReportContent, Session},
    trace,
};

/// Outcome of an object's turn in the queue.
enum Decision {
    Send(Box<pb::ReportRequest>),
    /// The inventory holds this state.
    Known,
    /// The inventory holds a newer or more complete state.
    Silent,
    /// Assigned to another reporter.
    Foreign,
}

impl<R: ReportedKind> Reporter<R> {
    pub(super) fn send(&mut self, permit: mpsc::OwnedPermit<pb::ReportRequest>) {
        let Some(session) = self.link.session() else {
            return;
        };
        if let Some(content) = session.next_wanted() {
            let compress = session.takes_deltas;
            drop(permit.send(convert::to_content(&content, compress)));
            return;
        }
        let Some(key) = self.queue.take(Instant::now()) else {
            return;
        };
        match self.decide(&key) {
            Some(Decision::Send(message)) => {
                drop(permit.send(*message));
                self.queue.record_sent(&key, Instant::now());
                self.setup.metrics.sent();
                return;
            }
            Some(Decision::Known) => self.set_contents(&key, Arc::default()),
            Some(Decision::Foreign) if self.cache.get(&key).is_some_and(Entry::is_gone) => {
                self.forget(&key);
            }
            Some(Decision::Foreign) => {
                self.set_contents(&key, Arc::default());
                self.set_base(&key, None);
            }
            Some(Decision::Silent) | None => {}
        }
        self.queue.settle(&key);
    }

    fn decide(&mut self, key: &ObjectKey) -> Option<Decision> {
        let entry = self.cache.get(key)?;
        let object = entry.object();
        let object = object.as_deref();
        if !self.share.has(key) {
            // The assigned reporter may not have seen these operations, or the object before its deletion.
            let knows_more = entry.operations.has_own() || entry.is_ghost();
            if knows_more {
                return self.report_operations_only(key);
            }
            return Some(Decision::Foreign);
        }
        let (version, remote) = (entry.resource_version, entry.remote);
        let operations = convert::to_operations(&self.setup.kind, entry, object);
        let settled = operations.records.is_empty();
        let newer = |remote: &Remote| remote.resource_version > version;
        if settled && self.continuity == Continuity::Continued && remote.as_ref().is_some_and(newer)
        {
            return Some(Decision::Silent);
        }
        let (change, root) = convert::to_change(&self.setup.kind, entry, object)?;
        if settled
            && let Some(remote) = remote.filter(|remote| remote.resource_version == version)
            && let Some(root) = root
        {
            if remote.root == root {
                return Some(Decision::Known);
            }
            if self.is_enriched_remotely(&remote, &entry.enrichment()) {
                return Some(Decision::Silent);
            }
        }
        let own = object.and_then(|it| self.setup.kind.manifest(it));
        let unpacked = own.as_ref().map_or(0, |own| own.bytes.len());
        let contents = own.map_or_else(|| Arc::clone(&entry.contents), |own| [own].into());
        let session = self.link.session()?;
        let known = entry.base.as_ref();
        let delta = root
            .filter(|_| session.takes_deltas)
            .and_then(|root| delta_base::delta(&change, root, known, &contents));
        let (change, base) = match delta {
            Some((delta, base)) => (pb::report::Change::Delta(delta), Some(base)),
            None => (change, None),
        };
        let report = OutgoingReport {
            change,
            part: root.map_or(ReportContent::Deletion, ReportContent::State),
            operations,
            base,
            contents,
            unpacked,
        };
        let operation = trace::of_operation(entry, object);
        Some(build_report(session, key, version, report, operation))
    }

    /// Reports operations that this reporter saw on an object assigned to another one. The state only identifies the
    /// object: it lacks enrichment, so it must not replace the state from the assigned reporter.
    fn report_operations_only(&mut self, key: &ObjectKey) -> Option<Decision> {
        let entry = self.cache.get(key)?;
        let object = entry.object();
        let object = object.as_deref();
        let (change, root) = convert::to_change(&self.setup.kind, entry, object)?;
        let report = OutgoingReport {
            change,
            part: root.map_or(ReportContent::Deletion, |_| ReportContent::Operations),
            operations: convert::to_operations(&self.setup.kind, entry, object),
            base: None,
            contents: Arc::default(),
            unpacked: 0,
        };
        let (version, operation) = (entry.resource_version, trace::of_operation(entry, object));
        let session = self.link.session()?;
        Some(build_report(session, key, version, report, operation))
    }

    /// True when the inventory holds enrichment of an earlier run that this one has not fetched yet.
    fn is_enriched_remotely(&self, remote: &Remote, enrichment: &R::Enrichment) -> bool {
        self.enricher.is_some() && remote.sender == Sender::Earlier && enrichment.is_incomplete()
    }
}

/// `operation` is the traceparent of the operation under way.
fn build_report(
    session: &mut Session,
    key: &ObjectKey,
    version: u64,
    report: OutgoingReport,
    operation: Option<&str>,
) -> Decision {
    let span =
        tracing::info_span!("report", otel.kind = "producer", %key, resource_version = version);
    let message = session.report(key, version, report, trace::joined(&span, operation));
    Decision::Send(Box::new(message))
}
