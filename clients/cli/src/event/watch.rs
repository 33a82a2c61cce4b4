//! `causeway event list --watch`: no stream tells of events, so the newest ones are asked for again and again.

use std::collections::BTreeMap;

use causeway_proto::{inventory::v1 as pb, time::timestamp_to_millis};
use prost::Message as _;

use super::{HEADINGS, ListArgs, row};
use crate::{
    connection::Connection,
    output::{self, Format, Lines},
    watch::poll,
};

const EVENT: &str = "causeway.inventory.v1.ReportedEvent";
/// How much later than another one an event may be told of that happened before it.
const LATE: i64 = 60_000;
/// How many are looked at to see whether there is anything new.
const PAGE: u32 = 50;

/// What has been told.
#[derive(Default)]
struct Told {
    /// When each happened last, with what else changes of it.
    events: BTreeMap<Vec<u8>, (i64, u32)>,
    newest: i64,
}

/// Prints what happened, and what happens from now on.
pub(super) async fn run(
    connection: &Connection,
    args: &ListArgs,
    enough: usize,
    format: Format,
) -> anyhow::Result<()> {
    let mut table = Lines::new(&HEADINGS, &[]);
    let limit = args.limit.map_or(usize::MAX, std::num::NonZeroUsize::get);
    let ask = async |told: &Told| newest(connection, args, told, enough).await;
    poll(Told::default(), ask, |told, events| {
        let first = told.newest == 0;
        let mut fresh = told.fresh(events);
        fresh.retain(|it| args.wants(it));
        if first {
            fresh.truncate(limit);
        }
        fresh.reverse();
        print(&fresh, &mut table, format)
    })
    .await
}

fn print(events: &[pb::ReportedEvent], table: &mut Lines, format: Format) -> anyhow::Result<()> {
    if format != Format::Table {
        let mut events = events.iter();
        return events.try_for_each(|it| output::stream_document(EVENT, it, format));
    }
    if events.is_empty() {
        return Ok(());
    }
    for event in events {
        table.row(row(event));
    }
    output::line(table.page())
}

/// The newest ones, with all that may be told of only now; at first as many as are enough.
async fn newest(
    connection: &Connection,
    args: &ListArgs,
    told: &Told,
    enough: usize,
) -> anyhow::Result<Vec<pb::ReportedEvent>> {
    let first = told.newest == 0;
    let mut request = args.to_request(if first { enough } else { usize::MAX });
    if !first {
        request.page_size = PAGE;
    }
    let (mut client, mut events) = (connection.resources(), Vec::new());
    loop {
        let page = client.list_events(request.clone()).await?.into_inner();
        events.extend(page.events);
        let old = events.last().is_some_and(|it| !told.may_be_new(it));
        let all = first && events.len() >= enough;
        if old || all || page.next_page_token.is_empty() {
            return Ok(events);
        }
        request.page_token = page.next_page_token;
    }
}

impl Told {
    /// Whether it happened so late that it may not have been told of.
    fn may_be_new(&self, event: &pb::ReportedEvent) -> bool {
        last_seen(event) >= self.newest - LATE
    }

    /// Those that were not told of, or happened again since, in their order.
    fn fresh(&mut self, events: Vec<pb::ReportedEvent>) -> Vec<pb::ReportedEvent> {
        let first = self.newest == 0;
        let mut fresh = Vec::new();
        let since = self.newest - LATE;
        for event in events {
            let now = (last_seen(&event), count(&event));
            if !first && now.0 < since {
                continue;
            }
            self.newest = self.newest.max(now.0);
            if self.events.insert(key(&event), now) != Some(now) {
                fresh.push(event);
            }
        }
        let since = self.newest - LATE;
        self.events.retain(|_, (last_seen, _)| *last_seen >= since);
        fresh
    }
}

/// All of an event that stays as it is when it happens again.
fn key(reported: &pb::ReportedEvent) -> Vec<u8> {
    let mut key = reported.clone();
    if let Some(event) = &mut key.event {
        event.last_seen = None;
        event.count = 0;
    }
    key.encode_to_vec()
}

fn count(reported: &pb::ReportedEvent) -> u32 {
    reported.event.as_ref().map_or(0, |event| event.count)
}

/// When it happened last, milliseconds since 1970.
fn last_seen(reported: &pb::ReportedEvent) -> i64 {
    let event = reported.event.as_ref();
    let time = event.and_then(|event| event.last_seen.as_ref());
    time.map_or(0, timestamp_to_millis)
}

#[cfg(test)]
mod tests;
