//! Watches: the events of one kind from a revision on, as lines, with bookmarks and injected faults.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use jiff::Timestamp;
use serde_json::{Value, json};
use tokio::{
    sync::watch::Receiver,
    time::{Instant, Interval, MissedTickBehavior, interval_at, sleep_until},
};

use super::{
    faults::WatchFaults,
    http::Api,
    object::{Stored, set_metadata},
    refusal::Refusal,
    resource::Resource,
    route::{Format, Include, Query},
    selector::Selector,
    store::{Change, Event, ListQuery},
    table,
};

/// Delay of a bookmark after a watch moved on.
const BOOKMARK_SOON: Duration = Duration::from_secs(2);
/// Longest time without a bookmark, as in Kubernetes.
const BOOKMARK_EVERY: Duration = Duration::from_secs(60);
const LONGEST: Duration = Duration::from_secs(3_600);
const MOST_AT_ONCE: usize = 256;

/// One open watch. Each call of [`Self::next`] gives the bytes of one or more whole lines.
pub(crate) struct Watch {
    api: Arc<Api>,
    resource: Arc<Resource>,
    version: String,
    namespace: String,
    selector: Selector,
    format: Format,
    cursor: u64,
    waiting: VecDeque<Bytes>,
    changed: Receiver<u64>,
    fault_changes: Receiver<u64>,
    closings: u64,
    sent: usize,
    header: Header,
    bookmarks: Option<Interval>,
    bookmarked: u64,
    bookmarked_at: Instant,
    /// where it began: no bookmark tells that
    began: u64,
    deadline: Instant,
    ended: bool,
}

/// State of the column definitions of a table.
#[derive(PartialEq, Eq)]
enum Header {
    Due,
    Sent,
}

enum WatchEvent {
    Change,
    Bookmark,
    End,
}

impl Watch {
    /// Reports a forgotten revision as an event, as Kubernetes does.
    ///
    /// # Errors
    /// The kind is not served, or the revision is no number.
    pub(crate) fn open(
        api: &Arc<Api>,
        resource: &Arc<Resource>,
        version: &str,
        namespace: &str,
        query: &Query,
        format: Format,
    ) -> Result<Self, Refusal> {
        let is_gone = api.faults.take_gone(&resource.plural);
        let timeout = query
            .timeout_seconds
            .map_or(LONGEST, Duration::from_secs)
            .min(LONGEST);
        let now = Instant::now();
        let faults = api.faults.of_watch(&resource.plural);
        let store = api.store();
        let collection = store
            .collection(&resource.id)
            .ok_or_else(Refusal::unknown_path)?;
        let mut watch = Self {
            api: Arc::clone(api),
            resource: Arc::clone(resource),
            version: version.to_owned(),
            namespace: namespace.to_owned(),
            selector: query.selector.clone(),
            format,
            cursor: query.revision()?,
            waiting: VecDeque::new(),
            changed: collection.subscribe(),
            fault_changes: api.faults.subscribe(),
            closings: faults.closings,
            sent: 0,
            header: Header::Due,
            bookmarks: query.bookmarks.then(|| bookmark_ticks(now)),
            bookmarked: 0,
            bookmarked_at: now,
            began: 0,
            deadline: now + timeout,
            ended: false,
        };
        let floor = collection.window.floor();
        match watch.cursor {
            _ if is_gone => watch.expire_at(floor),
            0 => watch.begin_with_state(&store)?,
            from if from < floor => watch.expire_at(floor),
            _ => {}
        }
        drop(store);
        (watch.began, watch.bookmarked) = (watch.cursor, watch.cursor);
        Ok(watch)
    }

    fn begin_with_state(&mut self, store: &super::store::Store) -> Result<(), Refusal> {
        let list = ListQuery {
            namespace: &self.namespace,
            selector: &self.selector,
            limit: 0,
            after: None,
            at: None,
        };
        let page = store.list(&self.resource.id, &list)?;
        self.cursor = page.revision;
        for object in page.objects {
            let line = self.line(Change::Added, &object);
            self.waiting.push_back(line);
        }
        Ok(())
    }

    /// The next lines, or nothing when the watch is over.
    pub(crate) async fn next(&mut self) -> Option<Bytes> {
        loop {
            if self.ended {
                return self.waiting.pop_front();
            }
            let faults = self.api.faults.of_watch(&self.resource.plural);
            if faults.closings != self.closings {
                return None;
            }
            if !faults.stalled
                && let Some(lines) = self.ready(&faults)
            {
                return Some(lines);
            }
            match self.wake().await {
                WatchEvent::Change => {}
                WatchEvent::Bookmark if faults.stalled => {}
                WatchEvent::Bookmark => {
                    if let Some(line) = self.due_bookmark() {
                        return Some(line);
                    }
                }
                WatchEvent::End => {
                    self.ended = true;
                    return if faults.stalled {
                        None
                    } else {
                        self.due_bookmark()
                    };
                }
            }
        }
    }

    async fn wake(&mut self) -> WatchEvent {
        let bookmark = async {
            match &mut self.bookmarks {
                Some(ticks) => drop(ticks.tick().await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.api.stop.cancelled() => WatchEvent::End,
            changed = self.changed.changed() => if changed.is_ok() { WatchEvent::Change } else { WatchEvent::End },
            _ = self.fault_changes.changed() => WatchEvent::Change,
            () = bookmark => WatchEvent::Bookmark,
            () = sleep_until(self.deadline) => WatchEvent::End,
        }
    }

    /// Lines that can be sent without waiting.
    fn ready(&mut self, faults: &WatchFaults) -> Option<Bytes> {
        if self.waiting.is_empty() {
            self.fetch(faults);
        }
        if faults.gone_after.is_some_and(|most| self.sent >= most) {
            return Some(self.expire());
        }
        let take = faults
            .gone_after
            .map_or(MOST_AT_ONCE, |most| most - self.sent)
            .min(self.waiting.len());
        self.sent += take;
        match take {
            0 => None,
            1 => self.waiting.pop_front(),
            _ => Some(joined(self.waiting.drain(..take))),
        }
    }

    fn fetch(&mut self, faults: &WatchFaults) {
        self.changed.mark_unchanged();
        let (events, now_at) = {
            let store = self.api.store();
            let events = store
                .collection(&self.resource.id)
                .map(|found| found.window.after(self.cursor, MOST_AT_ONCE));
            (events, store.revision())
        };
        let Some(events) = events else {
            self.ended = true;
            return;
        };
        let Some(events) = events else {
            let line = self.expire();
            self.waiting.push_back(line);
            return;
        };
        self.cursor = match events.last() {
            Some(last) if events.len() == MOST_AT_ONCE => last.revision,
            _ => now_at.max(self.cursor),
        };
        for event in &events {
            if let Some(line) = self.line_of(event) {
                self.waiting
                    .extend(std::iter::repeat_n(line, 1 + faults.copies));
            }
        }
    }

    /// The line of an event for this watch: entering and leaving the selection are additions and deletions.
    fn line_of(&mut self, event: &Event) -> Option<Bytes> {
        if !self.namespace.is_empty() && event.object.key.namespace != self.namespace {
            return None;
        }
        let shown = if self.selector.is_empty() {
            event.change
        } else {
            let was = event
                .previous
                .as_ref()
                .is_some_and(|previous| self.selector.matches(previous));
            let is = event.change != Change::Deleted && self.selector.matches(&event.object);
            match (was, is) {
                (true, true) => Change::Modified,
                (false, true) => Change::Added,
                (true, false) => Change::Deleted,
                (false, false) => return None,
            }
        };
        let is_shared = shown == event.change
            && self.header_is_done()
            && self.version == self.resource.preferred().name;
        match self.format.slot().filter(|_| is_shared) {
            Some(slot) => Some(
                event.lines[slot]
                    .get_or_init(|| self.render(shown, &event.object))
                    .clone(),
            ),
            None => Some(match (shown, &event.previous) {
                // who leaves is shown as it was when it was last selected
                (Change::Deleted, Some(previous)) if event.change != Change::Deleted => {
                    let mut last = previous.value();
                    set_metadata(&mut last, "resourceVersion", event.revision.to_string());
                    self.line(shown, &Stored::new(&last))
                }
                _ => self.line(shown, &event.object),
            }),
        }
    }

    fn header_is_done(&self) -> bool {
        !matches!(self.format, Format::Table(_)) || self.header == Header::Sent
    }

    fn line(&mut self, change: Change, object: &Stored) -> Bytes {
        let line = self.render(change, object);
        self.header = Header::Sent;
        line
    }

    fn render(&self, change: Change, object: &Stored) -> Bytes {
        let kind = match change {
            Change::Added => "ADDED",
            Change::Modified => "MODIFIED",
            Change::Deleted => "DELETED",
        };
        match self.format {
            Format::Json => wrap(
                kind,
                &self.api.render(&self.resource, &self.version, object),
            ),
            Format::Metadata => wrap(kind, &to_bytes(&table::partial(&object.value()))),
            Format::Table(include) => wrap(kind, &to_bytes(&self.table(object, include))),
        }
    }

    fn table(&self, object: &Stored, include: Include) -> Value {
        let Some(version) = self.resource.version(&self.version) else {
            return Value::Null;
        };
        let columns = if self.header == Header::Due {
            table::definitions(version)
        } else {
            Value::Null
        };
        let row = table::row(version, &object.value(), include, Timestamp::now());
        table::table(
            columns,
            vec![row],
            json!({ "resourceVersion": object.revision.to_string() }),
        )
    }

    /// Sends a bookmark soon after the watch moved on, and then at intervals.
    fn due_bookmark(&mut self) -> Option<Bytes> {
        self.bookmarks.as_ref()?;
        let is_long_ago = self.bookmarked_at.elapsed() >= BOOKMARK_EVERY;
        let is_due = self.cursor > self.bookmarked || (is_long_ago && self.cursor > self.began);
        is_due.then(|| {
            (self.bookmarked, self.bookmarked_at) = (self.cursor, Instant::now());
            self.bookmark(self.cursor)
        })
    }

    fn bookmark(&self, revision: u64) -> Bytes {
        let metadata = json!({ "resourceVersion": revision.to_string() });
        let (api_version, kind) = match self.format {
            Format::Json => (
                self.resource.api_version(&self.version),
                self.resource.kind.as_str(),
            ),
            Format::Metadata => ("meta.k8s.io/v1".to_owned(), "PartialObjectMetadata"),
            Format::Table(_) => ("meta.k8s.io/v1".to_owned(), "Table"),
        };
        let mut object = json!({ "kind": kind, "apiVersion": api_version, "metadata": metadata });
        if matches!(self.format, Format::Table(_)) {
            object["columnDefinitions"] = Value::Null;
            object["rows"] = json!([]);
        }
        wrap("BOOKMARK", &to_bytes(&object))
    }

    fn expire_at(&mut self, floor: u64) {
        self.ended = true;
        let refusal = Refusal::expired(self.cursor, floor);
        self.waiting
            .push_back(wrap("ERROR", &to_bytes(&refusal.to_status())));
    }

    fn expire(&mut self) -> Bytes {
        self.ended = true;
        wrap(
            "ERROR",
            &to_bytes(&Refusal::expired(self.cursor, self.cursor + 1).to_status()),
        )
    }
}

fn bookmark_ticks(now: Instant) -> Interval {
    let mut ticks = interval_at(now + BOOKMARK_SOON, BOOKMARK_SOON);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    ticks
}

fn to_bytes(value: &Value) -> Bytes {
    Bytes::from(serde_json::to_vec(value).expect("a JSON value always serialises"))
}

fn wrap(kind: &str, object: &Bytes) -> Bytes {
    let mut line = BytesMut::with_capacity(object.len() + 40);
    line.extend_from_slice(b"{\"type\":\"");
    line.extend_from_slice(kind.as_bytes());
    line.extend_from_slice(b"\",\"object\":");
    line.extend_from_slice(object);
    line.extend_from_slice(b"}\n");
    line.freeze()
}

fn joined(lines: impl Iterator<Item = Bytes>) -> Bytes {
    let mut all = BytesMut::new();
    for line in lines {
        all.extend_from_slice(&line);
    }
    all.freeze()
}

#[cfg(test)]
mod tests;
