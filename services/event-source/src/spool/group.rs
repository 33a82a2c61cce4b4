//! Records that are written together, and who waits for them.

use std::collections::HashMap;

use super::{NewDelivery, Receipt, Record, Reply, now_ms, record};
use crate::{
    delivery::Delivery,
    index::{Index, Revive},
    route::RouteName,
};

/// Records of a group, and who waits for them.
#[derive(Default)]
pub(super) struct Group {
    pub(super) bytes: Vec<u8>,
    pub(super) records: Vec<PlannedRecord>,
    pub(super) replies: Vec<(Reply, Receipt)>,
    /// New webhooks of the group by route and id.
    pub(super) new: HashMap<(RouteName, String), u64>,
}

pub(super) struct PlannedRecord {
    pub(super) record: Record,
    /// Where its body begins in the group, and its length.
    pub(super) body: Option<(u64, u64)>,
}

impl Group {
    pub(super) fn add(&mut self, record: Record, body: &[u8]) {
        let start = self.bytes.len();
        let at = record::encode(&record, body, &mut self.bytes);
        let body = (!body.is_empty()).then_some(((start + at) as u64, body.len() as u64));
        self.records.push(PlannedRecord { record, body });
    }

    pub(super) fn add_new(&mut self, number: u64, new: NewDelivery, reply: Reply) {
        let delivery = Delivery {
            number,
            route: new.route,
            provider: new.provider,
            id: new.id,
            received_ms: now_ms(),
            event: new.event,
            headers: new.headers,
            body_bytes: new.body.len() as u64,
        };
        self.add(Record::Received(delivery), &new.body);
        let receipt = Receipt {
            number,
            duplicate: false,
        };
        self.replies.push((reply, receipt));
    }

    /// A webhook that was seen has no further effect, except where it had none.
    pub(super) fn add_again(&mut self, index: &Index, number: u64, reply: Reply) {
        self.add(Record::Redelivered { number }, &[]);
        self.revive(index, number, Revive::Dead);
        self.confirm(reply, number);
    }

    pub(super) fn revive(&mut self, index: &Index, number: u64, which: Revive) {
        for (subscriber, progress) in index.revived(number, which, now_ms()) {
            let record = Record::Progress {
                number,
                subscriber,
                progress,
            };
            self.add(record, &[]);
        }
    }

    pub(super) fn confirm(&mut self, reply: Reply, number: u64) {
        let receipt = Receipt {
            number,
            duplicate: true,
        };
        self.replies.push((reply, receipt));
    }
}
