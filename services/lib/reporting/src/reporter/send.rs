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

/// What becomes of an object whose turn it is.
enum Decision {
    Send(Box<pb::ReportRequest>),
    /// The receiver has it.
    Known,
    /// Nothing now: the receiver has something newer, or knows more.
    Silent,
    /// Another reporter's.
    Foreign,
}

impl<R: ReportedKind> Reporter<R> {
    pub(super) fn send(&mut self, permit: mpsc::OwnedPermit<pb::ReportRequest>) {
        let Some(session) = self.link.session() else {
            return;
        };
        if let Some(content) = session.next_wanted() {
            let packs = session.takes_deltas;
            drop(permit.send(convert::to_content(&content, packs)));
            return;
        }
        let Some(key) = self.queue.take(Instant::now()) else {
            return;
        };
        match self.decide(&key) {
            Some(Decision::Send(message)) => {
                drop(permit.send(*message));
                self.queue.sent(&key, Instant::now());
                self.setup.metrics.sent();
                return;
            }
            Some(Decision::Known) => self.keep(&key, Arc::default()),
            Some(Decision::Foreign) if self.cache.get(&key).is_some_and(Entry::is_gone) => {
                self.forget(&key);
            }
            Some(Decision::Foreign) => {
                self.keep(&key, Arc::default());
                self.keep_base(&key, None);
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
            // Whose it is now has seen no more than what the object shows, and may never have seen one that is gone.
            let knows_more = entry.operations.has_own() || entry.is_ghost();
            let told = knows_more.then(|| self.report_operations_only(key));
            return told.unwrap_or(Some(Decision::Foreign));
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
            if self.knew_more(&remote, &entry.enrichment()) {
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
        Some(build_report(session, (key, version), report, operation))
    }

    /// What this reporter saw of another one's object. Its state is without what only its owner asks for, and would stand above the
    /// owner's where this stream is the later one: it goes along to say what the operations are of.
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
        Some(build_report(session, (key, version), report, operation))
    }

    /// Whether the receiver has from an earlier run what this one could not ask for yet.
    fn knew_more(&self, remote: &Remote, enrichment: &R::Enrichment) -> bool {
        self.enricher.is_some() && remote.sender == Sender::Earlier && enrichment.lacks()
    }
}

/// `operation` is the trace of what is being done to the object.
fn build_report(
    session: &mut Session,
    (key, version): (&ObjectKey, u64),
    report: OutgoingReport,
    operation: Option<&str>,
) -> Decision {
    let span =
        tracing::info_span!("report", otel.kind = "producer", %key, resource_version = version);
    let message = session.report(key, version, report, trace::joined(&span, operation));
    Decision::Send(Box::new(message))
}
