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
    /// Objects that the inventory holds, as received so far.
    pub(crate) held: Vec<pb::HeldObject>,
    pub(crate) stage: Stage,
    sequence: u64,
    window: Window,
    in_flight: BTreeMap<u64, InFlight>,
    wanted: VecDeque<Content>,
    /// The inventory accepts deltas and compressed manifests.
    pub(crate) takes_deltas: bool,
}

/// Stage of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The inventory sends what it holds.
    ReceivingHeld,
    /// All held objects are received; differences are not known yet.
    HeldReceived,
    /// Differences are queued: reports may be sent.
    Compared,
}

#[derive(Debug, Clone, Copy)]
struct Window {
    reports: usize,
    bytes: usize,
    used: usize,
}

/// Report that is not acknowledged yet.
#[derive(Debug)]
pub(crate) struct InFlight {
    pub(crate) key: ObjectKey,
    pub(crate) resource_version: u64,
    pub(crate) part: ReportContent,
    pub(crate) operations: Vec<(OperationId, Knowledge)>,
    /// Delta base for the next state once this one is acknowledged.
    pub(crate) base: Option<Base>,
    contents: Arc<[Content]>,
    bytes: usize,
}

/// Part of a report that the inventory stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReportContent {
    /// State, by its root digest, and operations.
    State(Digest),
    /// Deletion and operations.
    Deletion,
    /// Operations only: the assigned reporter knows more of the state.
    Operations,
}

/// Report before it is sent.
pub(crate) struct OutgoingReport {
    pub(crate) change: pb::report::Change,
    pub(crate) part: ReportContent,
    pub(crate) operations: PendingOperations,
    /// Delta base for the next state.
    pub(crate) base: Option<Base>,
    /// Manifests that the inventory may request.
    pub(crate) contents: Arc<[Content]>,
    /// Bytes of manifests held for this report only.
    pub(crate) unpacked: usize,
}

impl InFlight {
    pub(crate) fn carried(&self, contents: &Arc<[Content]>) -> bool {
        Arc::ptr_eq(&self.contents, contents)
    }
}

/// A report whose requested manifests were released.
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

    /// True when a requested manifest or, with one waiting, a report may be sent.
    pub(crate) fn may_send(&self, report_waits: bool) -> bool {
        let room =
            self.in_flight.len() < self.window.reports && self.window.used < self.window.bytes;
        !self.wanted.is_empty() || (report_waits && self.stage == Stage::Compared && room)
    }

    /// Next requested manifest.
    pub(crate) fn next_wanted(&mut self) -> Option<Content> {
        self.wanted.pop_front()
    }

    /// Builds the message of a report and tracks it as in flight.
    pub(crate) fn report(
        &mut self,
        key: &ObjectKey,
        resource_version: u64,
        report: OutgoingReport,
        traceparent: String,
    ) -> pb::ReportRequest {
        self.sequence += 1;
        let request = convert::to_request(pb::report_request::Message::Report(pb::Report {
            sequence: self.sequence,
            namespace: key.namespace.clone(),
            name: key.name.clone(),
            uid: key.uid.clone(),
            resource_version,
            change: Some(report.change),
            traceparent,
            operations: report.operations.records,
            operations_only: report.part == ReportContent::Operations,
        }));
        // The window bounds memory as well, so it counts everything held until the acknowledgement.
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

    /// Ends the flight of a report.
    pub(crate) fn settle(&mut self, sequence: u64) -> Option<InFlight> {
        let settled = self.in_flight.remove(&sequence)?;
        self.window.used = self.window.used.saturating_sub(settled.bytes);
        Some(settled)
    }

    /// Queues requested manifests, unless one of them was released.
    pub(crate) fn want(&mut self, wanted: &pb::Wanted) -> Result<(), Missing> {
        let sequence = wanted.sequence;
        let Some(report) = self.in_flight.get(&sequence) else {
            return Ok(());
        };
        let find = |bytes: &bytes::Bytes| {
            let digest = Digest::from_bytes(bytes)?;
            let mut contents = report.contents.iter();
            contents.find(|content| content.digest == digest).cloned()
        };
        let found: Option<Vec<Content>> = wanted.digests.iter().map(find).collect();
        self.wanted.extend(found.ok_or(Missing { sequence })?);
        Ok(())
    }
}
