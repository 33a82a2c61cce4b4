//! Open stream to the inventory: reports in flight, flow-control window and requested manifests. Unacknowledged reports
//! return to the queue when the stream ends.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::Arc,
};

use causeway_proto::inventory::v1 as pb;
use prost::Message as _;
use tokio::sync::mpsc;
use tonic::Streaming;

use crate::{
    convert,
    delta_base::Base,
    manifest::{Content, Digest},
    object::ObjectKey,
    operations::{Knowledge, OperationId, PendingOperations},
};

/// An open stream.
pub(crate) struct Session {
    pub(crate) outbound: mpsc::Sender<pb::ReportRequest>,
    pub(crate) inbound: Streaming<pb::ReportResponse>,
    /// What the inventory holds, as far as it has told.
    pub(crate) held: Vec<pb::HeldObject>,
    pub(crate) stage: Stage,
    sequence: u64,
    window: Window,
    in_flight: BTreeMap<u64, InFlight>,
    wanted: VecDeque<Content>,
    /// Whether states may go as deltas, and manifests packed.
    pub(crate) takes_deltas: bool,
}

/// How far a stream has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The inventory tells what it holds.
    ReceivingHeld,
    /// It has told; what differs is not known yet.
    HeldReceived,
    /// What differs is queued: reports may go.
    Compared,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    reports: usize,
    bytes: usize,
    used: usize,
}

/// A report that was sent.
#[derive(Debug)]
pub(crate) struct InFlight {
    pub(crate) key: ObjectKey,
    pub(crate) resource_version: u64,
    pub(crate) part: ReportContent,
    pub(crate) operations: Vec<(OperationId, Knowledge)>,
    /// What a next state may be told by once this is acknowledged.
    pub(crate) base: Option<Base>,
    contents: Arc<[Content]>,
    bytes: usize,
}

/// What of a report the receiver is to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReportContent {
    /// The state, by its root digest, and the operations.
    State(Digest),
    /// That the object is gone, and the operations.
    Deletion,
    /// The operations: whose the object is knows more of its state than this reporter, and tells that.
    Operations,
}

/// What a report says.
pub(crate) struct OutgoingReport {
    pub(crate) change: pb::report::Change,
    pub(crate) part: ReportContent,
    pub(crate) operations: PendingOperations,
    /// What a next state may be told by.
    pub(crate) base: Option<Base>,
    /// Manifests that may be wanted for it.
    pub(crate) contents: Arc<[Content]>,
    /// How many bytes of them are held for this report alone.
    pub(crate) unpacked: usize,
}

impl InFlight {
    /// Whether the report went out with these manifests.
    pub(crate) fn carried(&self, contents: &Arc<[Content]>) -> bool {
        Arc::ptr_eq(&self.contents, contents)
    }
}

/// Digests that were wanted and are not here any more.
pub(crate) struct Missing {
    pub(crate) sequence: u64,
}

impl Session {
    pub(crate) fn new(
        outbound: mpsc::Sender<pb::ReportRequest>,
        inbound: Streaming<pb::ReportResponse>,
    ) -> Self {
        Self {
            outbound,
            inbound,
            held: Vec::new(),
            stage: Stage::ReceivingHeld,
            sequence: 0,
            window: Window {
                reports: 1,
                bytes: 1 << 20,
                used: 0,
            },
            in_flight: BTreeMap::new(),
            wanted: VecDeque::new(),
            takes_deltas: false,
        }
    }

    pub(crate) fn welcome(&mut self, welcome: &pb::Welcome) {
        self.window.reports = usize::try_from(welcome.window).unwrap_or(usize::MAX).max(1);
        let bytes = usize::try_from(welcome.window_bytes).unwrap_or(usize::MAX);
        if bytes > 0 {
            self.window.bytes = bytes;
        }
        self.takes_deltas = welcome.takes_deltas;
        if !welcome.held_follows {
            self.stage = Stage::HeldReceived;
        }
    }

    /// Whether a wanted manifest or, where one waits, a report may be sent.
    pub(crate) fn may_send(&self, report_waits: bool) -> bool {
        let room =
            self.in_flight.len() < self.window.reports && self.window.used < self.window.bytes;
        !self.wanted.is_empty() || (report_waits && self.stage == Stage::Compared && room)
    }

    /// The next manifest that was wanted.
    pub(crate) fn next_wanted(&mut self) -> Option<Content> {
        self.wanted.pop_front()
    }

    /// The message of a report, which is in flight from now on.
    pub(crate) fn report(
        &mut self,
        key: &ObjectKey,
        resource_version: u64,
        report: OutgoingReport,
        traceparent: String,
    ) -> pb::ReportRequest {
        self.sequence += 1;
        let request = convert::to_report(
            self.sequence,
            key,
            resource_version,
            (report.change, report.part),
            report.operations.records,
            traceparent,
        );
        // All of it is held until it is answered.
        let base = report.base.as_ref().map_or(0, Base::len);
        let bytes = request.encoded_len() + base + report.unpacked;
        self.window.used += bytes;
        let in_flight = InFlight {
            key: key.clone(),
            resource_version,
            part: report.part,
            operations: report.operations.ids,
            base: report.base,
            contents: report.contents,
            bytes,
        };
        self.in_flight.insert(self.sequence, in_flight);
        request
    }

    /// A report is answered for good.
    pub(crate) fn settle(&mut self, sequence: u64) -> Option<InFlight> {
        let settled = self.in_flight.remove(&sequence)?;
        self.window.used = self.window.used.saturating_sub(settled.bytes);
        Some(settled)
    }

    /// Queues the manifests that a report lacks, unless one of them is not here any more.
    pub(crate) fn want(&mut self, wanted: &pb::Wanted) -> Result<(), Missing> {
        let sequence = wanted.sequence;
        let Some(report) = self.in_flight.get(&sequence) else {
            return Ok(());
        };
        let find = |bytes: &bytes::Bytes| {
            let digest = Digest::read(bytes)?;
            let mut contents = report.contents.iter();
            contents.find(|content| content.digest == digest).cloned()
        };
        let found: Option<Vec<Content>> = wanted.digests.iter().map(find).collect();
        self.wanted.extend(found.ok_or(Missing { sequence })?);
        Ok(())
    }
}
