//! The stream of changes of runtimes.
//!
//! Presence is in memory and expires by time, so the stream compares what holds now with what it sent.

use std::{collections::BTreeMap, time::Duration};

use causeway_proto::{ids::RuntimeName, platform::v1 as pb};
use causeway_shell::Caller;
use futures::{Stream, StreamExt as _, stream};
use pb::watch_runtimes_response::Event;
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::{
    grpc::sees_runtime, platform::now, runtimes::service::RuntimeService, store::StoreError,
};

/// How often runtimes are compared.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Promise of the contract.
const BOOKMARK_EVERY: Duration = Duration::from_secs(15);
const READ_AT_ONCE: u32 = 500;

type Runtimes = BTreeMap<String, pb::Runtime>;
type Events = Vec<pb::WatchRuntimesResponse>;

/// What one stream has sent.
struct Watch {
    service: RuntimeService,
    caller: Caller,
    sent: Runtimes,
    last_bookmark: Option<Instant>,
    look: tokio::time::Interval,
}

/// Sends each visible runtime, a bookmark, then the changes.
pub(super) fn events(
    service: RuntimeService,
    caller: Caller,
) -> impl Stream<Item = Result<pb::WatchRuntimesResponse, StoreError>> + Send {
    let mut look = interval(LOOK_EVERY);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let watch = Watch {
        service,
        caller,
        sent: Runtimes::new(),
        last_bookmark: None,
        look,
    };
    let steps = stream::try_unfold(watch, async |mut watch| {
        let events = watch.step().await?;
        Ok(Some((events, watch)))
    });
    steps.flat_map(|step| match step {
        Ok(events) => stream::iter(events).map(Ok).left_stream(),
        Err(error) => stream::iter([Err(error)]).right_stream(),
    })
}

impl Watch {
    /// Waits for the next comparison, which may have found no change.
    async fn step(&mut self) -> Result<Events, StoreError> {
        self.look.tick().await;
        let present = self.read().await?;
        let mut events = changes(&self.sent, &present);
        self.sent = present;
        let due = |at: Instant| at.elapsed() >= BOOKMARK_EVERY;
        if self.last_bookmark.is_none_or(due) {
            self.last_bookmark = Some(Instant::now());
            events.push(event(Event::Bookmark(pb::RuntimesBookmark {})));
        }
        Ok(events)
    }

    async fn read(&self) -> Result<Runtimes, StoreError> {
        let sees = |name: &RuntimeName| sees_runtime(&self.caller, name.as_str());
        let account = &self.caller.account;
        let (mut behind, mut present) = (None, Runtimes::new());
        loop {
            let found = self
                .service
                .list_runtimes(account, behind, READ_AT_ONCE, sees);
            let found = found.await?;
            let more = found.len() >= READ_AT_ONCE as usize;
            behind = found.last().map(|runtime| runtime.name.clone());
            for runtime in found {
                let runtime: pb::Runtime = self.service.status_of(runtime, now()).into();
                present.insert(runtime.name.clone(), runtime);
            }
            if !more {
                return Ok(present);
            }
        }
    }
}

/// What differs but the time of the last contact, which is always another one.
fn changes(sent: &Runtimes, present: &Runtimes) -> Events {
    let still = |runtime: &pb::Runtime| pb::Runtime {
        last_seen_at: None,
        ..runtime.clone()
    };
    let changed = present.iter().filter(|(name, runtime)| {
        let known = sent.get(*name).map(still);
        known != Some(still(runtime))
    });
    let updated = changed.map(|(_, runtime)| event(Event::Updated(runtime.clone())));
    let gone = sent.keys().filter(|name| !present.contains_key(*name));
    let deleted = gone.map(|name| event(Event::Deleted(name.clone())));
    updated.chain(deleted).collect()
}

fn event(event: Event) -> pb::WatchRuntimesResponse {
    pb::WatchRuntimesResponse { event: Some(event) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runtimes(of: &[(&str, pb::Connection)]) -> Runtimes {
        let one = |(name, connection): &(&str, pb::Connection)| {
            let runtime = pb::Runtime {
                name: (*name).to_owned(),
                connection: (*connection).into(),
                ..Default::default()
            };
            ((*name).to_owned(), runtime)
        };
        of.iter().map(one).collect()
    }

    #[test]
    fn changes_are_new_changed_and_gone_runtimes() {
        let (online, offline) = (pb::Connection::Online, pb::Connection::Offline);
        let before = runtimes(&[("a", online), ("b", online), ("c", online)]);
        let after = runtimes(&[("b", online), ("c", offline), ("d", online)]);
        let told = changes(&before, &after);
        let updated = |name: &str| event(Event::Updated(after[name].clone()));
        let deleted = event(Event::Deleted("a".to_owned()));
        assert_eq!(told, [updated("c"), updated("d"), deleted]);
        assert_eq!(changes(&after, &after), []);
    }

    #[test]
    fn another_time_of_the_last_contact_alone_is_no_change() {
        let before = runtimes(&[("a", pb::Connection::Online)]);
        let mut after = before.clone();
        let seen = causeway_proto::time::millis_to_timestamp(5);
        after.get_mut("a").unwrap().last_seen_at = Some(seen);
        assert_eq!(changes(&before, &after), []);
    }
}
