//! `causeway event list --watch`: polls the newest events, as no stream reports them.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::SystemTime,
};

use causeway_proto::{
    inventory::v1 as pb,
    time::{timestamp_to_millis, to_millis},
};
use prost::Message as _;

use super::list::{Events, ListArgs};
use crate::{
    connection::Connection,
    output::{self, Columns as _, Format, Table},
    watch::poll,
};

/// Maximum delay in milliseconds of an event behind a newer one.
const LATE: i64 = 60_000;
/// Number of events that a poll reads first.
const PAGE: usize = 50;

/// Printed events.
#[derive(Default)]
struct PrintedEvents {
    /// Time and count of each event.
    events: BTreeMap<Vec<u8>, (Option<i64>, u32)>,
    /// Time of the newest event, at most now: clocks of clusters may be ahead.
    newest: i64,
    /// True after the first poll.
    started: bool,
}

/// Prints the events so far, then new ones.
pub(super) async fn run(
    connection: &Connection,
    args: &ListArgs,
    enough: usize,
    format: Format,
) -> anyhow::Result<()> {
    let mut table = Table::for_columns::<Events>();
    let limit = args.limit.map_or(usize::MAX, std::num::NonZeroUsize::get);
    let fetch =
        async |printed: &PrintedEvents| list_newest(connection, args, printed, enough).await;
    poll(PrintedEvents::default(), fetch, |printed, events| {
        let first = !printed.started;
        let mut fresh = printed.take_new(events, to_millis(SystemTime::now()));
        fresh.retain(|it| args.wants(it));
        if first {
            fresh.truncate(limit);
        }
        fresh.reverse();
        print(&fresh, &mut table, format)
    })
    .await
}

fn print(events: &[pb::ReportedEvent], table: &mut Table, format: Format) -> anyhow::Result<()> {
    if format != Format::Table {
        let mut events = events.iter();
        return events.try_for_each(|it| output::stream_document(it, format));
    }
    if events.is_empty() {
        return Ok(());
    }
    for event in events {
        table.row(Events::cells(event));
    }
    output::line(table.page())
}

/// Lists the newest events back to the last printed time; at first `enough` of them.
async fn list_newest(
    connection: &Connection,
    args: &ListArgs,
    printed: &PrintedEvents,
    enough: usize,
) -> anyhow::Result<Vec<pb::ReportedEvent>> {
    let mut request = args.to_request(if printed.started {
        PAGE
    } else {
        enough.max(PAGE)
    });
    let (mut client, mut events) = (connection.resources(), Vec::new());
    loop {
        let page = client.list_events(request.clone()).await?.into_inner();
        events.extend(page.events);
        let now = to_millis(SystemTime::now());
        if printed.has_all_new(&events, enough, now) || page.next_page_token.is_empty() {
            return Ok(events);
        }
        request.page_token = page.next_page_token;
    }
}

impl PrintedEvents {
    /// True if all following events are too old to be new. Events without a time come first and decide nothing.
    fn has_all_new(&self, events: &[pb::ReportedEvent], enough: usize, now: i64) -> bool {
        let (enough, newest) = if self.started {
            (0, self.newest)
        } else {
            // Events that the first poll omits must not appear as new in the next one.
            (enough, newest_of(events, now))
        };
        let last = events.iter().rev().find_map(last_seen);
        events.len() >= enough && last.is_some_and(|it| it < newest - LATE)
    }

    /// Returns the new and repeated events, in their order.
    fn take_new(&mut self, events: Vec<pb::ReportedEvent>, now: i64) -> Vec<pb::ReportedEvent> {
        let since = self.newest - LATE;
        self.newest = self.newest.max(newest_of(&events, now));
        self.started = true;
        let (mut fresh, mut without_time) = (Vec::new(), BTreeSet::new());
        for event in events {
            let (key, seen) = (key(&event), (last_seen(&event), count(&event)));
            if seen.0.is_some_and(|at| at < since) {
                continue;
            }
            if seen.0.is_none() {
                without_time.insert(key.clone());
            }
            // Two events may differ only in count: keep the higher one.
            if self.events.get(&key).is_none_or(|known| *known < seen) {
                self.events.insert(key, seen);
                fresh.push(event);
            }
        }
        let since = self.newest - LATE;
        self.events.retain(|key, (last_seen, _)| match last_seen {
            Some(at) => *at >= since,
            None => without_time.contains(key),
        });
        fresh
    }
}

fn newest_of(events: &[pb::ReportedEvent], now: i64) -> i64 {
    let newest = events.iter().filter_map(last_seen).max();
    newest.unwrap_or(0).min(now)
}

/// Returns the identity of an event: all but time and count.
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

/// Returns the last time in milliseconds since 1970, if reported.
fn last_seen(reported: &pb::ReportedEvent) -> Option<i64> {
    let last_seen = reported.event.as_ref()?.last_seen.as_ref();
    last_seen.map(timestamp_to_millis)
}

#[cfg(test)]
mod tests;
