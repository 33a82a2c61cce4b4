//! What the platform shows, as one of its users watches it, and when it showed what was changed.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use causeway_client::Peer;
use causeway_proto::inventory::v1::{
    self as pb, Knowledge, application_service_client::ApplicationServiceClient,
    watch_applications_response::Event,
};
use tokio::{sync::Notify, time::Instant};
use tonic::{Code, Status};

use crate::{Change, Changed};

const AGAIN: Duration = Duration::from_millis(200);

/// A runtime's name, and an application's.
type Key = (String, String);

/// See the module text. Whoever shows applications by other means tells it of what they show.
#[derive(Default)]
pub struct Sights {
    seen: Mutex<Seen>,
    news: Notify,
}

/// What was seen so far.
#[derive(Default)]
pub struct Seen {
    /// Each application that is shown.
    shown: HashMap<Key, Shown>,
    /// How many of them are whole.
    whole: usize,
    /// Changes that are not shown yet, the oldest of each application first.
    expected: HashMap<Key, VecDeque<Expected>>,
    outstanding: usize,
    /// Seconds of each change that was shown.
    lags: Vec<f64>,
    /// States and deletions that were shown.
    states: usize,
    /// Changes of applications that were gone again before they were shown.
    overtaken: usize,
    /// How many of them were looked at.
    looked_at: usize,
}

/// A state that is shown.
#[derive(Clone, Copy)]
pub struct Shown {
    pub version: u64,
    /// Whether its manifests are known.
    pub whole: bool,
}

struct Expected {
    change: Change,
    resource_version: u64,
    since: Instant,
}

impl Sights {
    /// Makes a change of this runtime, which is to be shown from now on.
    pub fn expect(&self, runtime: &str, make: impl FnOnce() -> Changed) {
        // nothing is seen while it is made, so that nobody sees it before it is expected
        let mut seen = self.seen();
        let since = Instant::now();
        let changed = make();
        let key = (runtime.to_owned(), changed.name);
        let expected = Expected {
            change: changed.change,
            resource_version: changed.resource_version,
            since,
        };
        seen.expect(key, expected);
    }

    /// Waits until what was seen is so.
    pub async fn until(&self, is_so: impl Fn(&Seen) -> bool) {
        loop {
            let news = self.news.notified();
            if is_so(&self.seen()) {
                return;
            }
            news.await;
        }
    }

    /// This state of an application is shown.
    pub fn shows(&self, runtime: &str, name: &str, shown: Shown) {
        let key = (runtime.to_owned(), name.to_owned());
        self.seen().shows(key, shown);
        self.news.notify_waiters();
    }

    /// An application is shown no more.
    pub fn shows_no_more(&self, runtime: &str, name: &str) {
        let key = (runtime.to_owned(), name.to_owned());
        self.seen().shows_no_more(&key);
        self.news.notify_waiters();
    }

    /// How many applications are shown.
    pub fn told(&self) -> usize {
        self.seen().told()
    }

    /// How many changes are not shown yet.
    pub fn outstanding(&self) -> usize {
        self.seen().outstanding
    }

    /// How many applications are shown with their manifests.
    pub fn whole(&self) -> usize {
        self.seen().whole
    }

    /// How many changes were shown.
    pub(super) fn count(&self) -> usize {
        self.seen().lags.len()
    }

    /// How many states and deletions were shown.
    pub(super) fn states(&self) -> usize {
        self.seen().states
    }

    /// How many changes nobody has to show: their applications were gone again before.
    pub(super) fn overtaken(&self) -> usize {
        self.seen().overtaken
    }

    /// Of the changes that were shown after so many others.
    pub(super) fn since(&self, before: usize) -> Vec<f64> {
        self.seen().lags[before..].to_vec()
    }

    /// Of those that nobody looked at yet.
    pub(super) fn latest(&self) -> Vec<f64> {
        let mut seen = self.seen();
        let latest = seen.lags[seen.looked_at..].to_vec();
        seen.looked_at = seen.lags.len();
        latest
    }

    fn note(&self, event: Event) {
        match event {
            Event::Updated(one) => {
                let desired = one.status.and_then(|status| status.desired);
                let known = |desired: pb::DesiredState| desired.knowledge() == Knowledge::Known;
                let shown = Shown {
                    version: one.resource_version,
                    whole: desired.is_some_and(known),
                };
                self.shows(&one.runtime, &one.name, shown);
            }
            Event::Deleted(one) => self.shows_no_more(&one.runtime, &one.name),
            Event::Bookmark(_) => {}
        }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// The version of an application that is shown; none where it is not.
    pub fn version(&self, runtime: &str, name: &str) -> Option<u64> {
        let key = (runtime.to_owned(), name.to_owned());
        self.shown.get(&key).map(|shown| shown.version)
    }

    /// How many applications are shown.
    pub fn told(&self) -> usize {
        self.shown.len()
    }

    /// How many changes are not shown yet.
    pub fn outstanding(&self) -> usize {
        self.outstanding
    }

    pub fn whole(&self) -> usize {
        self.whole
    }

    fn expect(&mut self, key: Key, expected: Expected) {
        if expected.change == Change::Deletion && !self.shown.contains_key(&key) {
            self.overtaken += 1;
            self.give_up(&key);
            return;
        }
        self.outstanding += 1;
        self.expected.entry(key).or_default().push_back(expected);
    }

    fn shows(&mut self, key: Key, shown: Shown) {
        self.states += 1;
        self.meet(&key, |expected| expected.resource_version <= shown.version);
        let before = self.shown.insert(key, shown);
        self.whole -= usize::from(before.is_some_and(|before| before.whole));
        self.whole += usize::from(shown.whole);
    }

    /// Everything up to its deletion; a creation after that is still to come.
    fn shows_no_more(&mut self, key: &Key) {
        self.states += 1;
        let mut is_over = false;
        self.meet(key, |expected| {
            let before = !is_over;
            is_over |= expected.change == Change::Deletion;
            before
        });
        let before = self.shown.remove(key);
        self.whole -= usize::from(before.is_some_and(|before| before.whole));
        let last = self.expected.get(key).and_then(VecDeque::back);
        if last.is_some_and(|last| last.change == Change::Deletion) {
            self.give_up(key);
        }
    }

    /// An application is gone again before it was shown: it need not be.
    fn give_up(&mut self, key: &Key) {
        let given_up = self.expected.remove(key).map_or(0, |all| all.len());
        self.outstanding -= given_up;
        self.overtaken += given_up;
    }

    fn meet(&mut self, key: &Key, mut is_met: impl FnMut(&Expected) -> bool) {
        let Some(expected) = self.expected.get_mut(key) else {
            return;
        };
        while let Some(first) = expected.pop_front_if(|first| is_met(first)) {
            self.lags.push(first.since.elapsed().as_secs_f64());
            self.outstanding -= 1;
        }
        if expected.is_empty() {
            self.expected.remove(key);
        }
    }
}

/// Watches for ever; what was cut goes on after what was seen last.
pub(super) async fn watch(user: Peer, sights: Arc<Sights>) {
    let mut cursor = String::new();
    loop {
        if let Err(status) = follow(&user, &sights, &mut cursor).await
            && matches!(status.code(), Code::OutOfRange | Code::InvalidArgument)
        {
            cursor.clear();
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn follow(user: &Peer, sights: &Sights, cursor: &mut String) -> Result<(), Status> {
    let request = pb::WatchApplicationsRequest {
        cursor: cursor.clone(),
        ..pb::WatchApplicationsRequest::default()
    };
    let mut client = ApplicationServiceClient::new(user.clone());
    let mut stream = client.watch_applications(request).await?.into_inner();
    while let Some(response) = stream.message().await? {
        if let Some(event) = response.event {
            sights.note(event);
        }
        *cursor = response.cursor;
    }
    Ok(())
}
