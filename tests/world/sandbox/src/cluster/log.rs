//! Container logs: lines that a test has set, or a line at the start and one every ten seconds, so that
//! there is something to read and to follow.

mod request;

use std::{
    collections::BTreeMap,
    convert::Infallible,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use futures::stream;
use http::StatusCode;
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use jiff::Timestamp;
use serde_json::Value;
use tokio::{sync::watch, time::sleep};

use super::{
    http::{Answer, Api, typed},
    object::ObjectKey,
    refusal::Refusal,
};
use request::Container;
pub(crate) use request::LogRequest;

/// Interval of the lines that a container writes on its own.
const BEAT: Duration = Duration::from_secs(10);
/// Interval at which followers notice that a container has ended.
const SOON: Duration = Duration::from_millis(200);
const MOST_AT_ONCE: usize = 256 << 10;

/// Lines that tests have set, by pod uid and container.
#[derive(Debug)]
pub(crate) struct Logs {
    written: Mutex<BTreeMap<(String, String), Vec<Entry>>>,
    /// Bytes that readers took, by pod uid.
    taken: Mutex<BTreeMap<String, Arc<AtomicU64>>>,
    changed: watch::Sender<()>,
}

/// Lines that were written at once.
#[derive(Debug, Clone)]
struct Entry {
    at: Timestamp,
    lines: Bytes,
    times: u64,
}

/// One open log.
struct Reader {
    api: Arc<Api>,
    key: ObjectKey,
    uid: String,
    container: String,
    question: LogRequest,
    changed: watch::Receiver<()>,
    taken: Arc<AtomicU64>,
    /// The entries that were read.
    read: usize,
    /// Repetitions read so far.
    repeated: u64,
    left: Option<u64>,
}

impl Default for Logs {
    fn default() -> Self {
        Self {
            written: Mutex::default(),
            taken: Mutex::default(),
            changed: watch::channel(()).0,
        }
    }
}

impl Logs {
    /// Has a container write lines, so many times.
    pub(crate) fn write(&self, uid: &str, container: &str, lines: &str, times: u64) {
        let mut lines = lines.to_owned();
        if !lines.ends_with('\n') {
            lines.push('\n');
        }
        let entry = Entry {
            at: Timestamp::now(),
            lines: lines.into(),
            times,
        };
        let key = (uid.to_owned(), container.to_owned());
        self.written().entry(key).or_default().push(entry);
        self.changed.send_replace(());
    }

    /// Bytes that all readers took from a pod.
    pub(crate) fn taken(&self, uid: &str) -> u64 {
        self.counter(uid).load(Ordering::Relaxed)
    }

    fn counter(&self, uid: &str) -> Arc<AtomicU64> {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(taken.entry(uid.to_owned()).or_default())
    }

    /// The entries of a container up to now.
    fn entries(&self, uid: &str, container: &Container) -> Vec<Entry> {
        let key = (uid.to_owned(), container.name.clone());
        match self.written().get(&key) {
            Some(entries) => entries.clone(),
            None => beats(container),
        }
    }

    fn written(&self) -> MutexGuard<'_, BTreeMap<(String, String), Vec<Entry>>> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Default lines of a container; repeated reads return the same lines.
fn beats(container: &Container) -> Vec<Entry> {
    let end = container.ended.unwrap_or_else(Timestamp::now);
    let ran = end.duration_since(container.started).as_secs().max(0);
    let count = ran / i64::try_from(BEAT.as_secs()).unwrap_or(1);
    let beat = |number: i64| {
        let at = number * i64::try_from(BEAT.as_secs()).unwrap_or(1);
        let text = match number {
            0 => format!("the sandbox simulates {}\n", container.image),
            _ => format!("simulated for {at} s\n"),
        };
        Entry {
            at: container.started + jiff::SignedDuration::from_secs(at),
            lines: text.into(),
            times: 1,
        }
    };
    (0..=count).map(beat).collect()
}

impl Api {
    /// Opens the log of a container.
    pub(crate) fn log(
        self: &Arc<Self>,
        key: ObjectKey,
        pod: &Value,
        question: &LogRequest,
    ) -> Result<Answer, Refusal> {
        let container = question.container(pod)?;
        let uid = pod["metadata"]["uid"].as_str().unwrap_or_default();
        let mut reader = Reader {
            api: Arc::clone(self),
            key,
            uid: uid.to_owned(),
            container: container.name.clone(),
            question: question.clone(),
            changed: self.logs.changed.subscribe(),
            taken: self.logs.counter(uid),
            read: 0,
            repeated: 0,
            left: question.limit_bytes,
        };
        reader.read = reader.first(&container);
        let pieces = stream::unfold(reader, |mut reader| async move {
            let piece = reader.next().await?;
            Some((Ok::<_, Infallible>(Frame::data(piece)), reader))
        });
        let body = StreamBody::new(pieces).boxed_unsync();
        Ok(typed(StatusCode::OK, "text/plain", body))
    }
}

impl Reader {
    /// The first entry that is wanted.
    fn first(&self, container: &Container) -> usize {
        let entries = self.api.logs.entries(&self.uid, container);
        let since = self.question.since();
        let since = entries
            .iter()
            .take_while(|it| since.is_some_and(|since| it.at < since));
        let since = since.count();
        let Some(mut tail) = self.question.tail_lines else {
            return since;
        };
        let mut first = entries.len();
        while first > since && tail > 0 {
            first -= 1;
            tail = tail.saturating_sub(lines(&entries[first]));
        }
        first
    }

    async fn next(&mut self) -> Option<Bytes> {
        loop {
            self.changed.mark_unchanged();
            // One that is gone has written what was read of it.
            let container = self.container()?;
            let ended = container.ended.is_some();
            let piece = self.take(&container);
            if !piece.is_empty() {
                let length = piece.len() as u64;
                self.taken.fetch_add(length, Ordering::Relaxed);
                return Some(piece);
            }
            if !self.question.follow || ended || self.left == Some(0) {
                return None;
            }
            tokio::select! {
                _ = self.changed.changed() => {}
                () = sleep(SOON) => {}
                () = self.api.stop.cancelled() => return None,
            }
        }
    }

    fn container(&self) -> Option<Container> {
        let pod = self.api.store().get("pods", &self.key)?.value();
        let same = pod["metadata"]["uid"] == *self.uid;
        let question = LogRequest {
            container: self.container.clone(),
            ..self.question.clone()
        };
        same.then(|| question.container(&pod).ok()).flatten()
    }

    fn take(&mut self, container: &Container) -> Bytes {
        let entries = self.api.logs.entries(&self.uid, container);
        let mut piece = BytesMut::new();
        while let Some(entry) = entries.get(self.read) {
            if piece.len() >= MOST_AT_ONCE {
                break;
            }
            if self.question.timestamps {
                stamp(&mut piece, entry)
            } else {
                piece.extend_from_slice(&entry.lines)
            }
            self.repeated += 1;
            if self.repeated >= entry.times {
                (self.read, self.repeated) = (self.read + 1, 0);
            }
        }
        if let Some(left) = &mut self.left {
            piece.truncate(usize::try_from(*left).unwrap_or(usize::MAX));
            *left -= piece.len() as u64;
        }
        piece.freeze()
    }
}

fn stamp(piece: &mut BytesMut, entry: &Entry) {
    for line in entry.lines.split_inclusive(|byte| *byte == b'\n') {
        piece.extend_from_slice(format!("{:.9} ", entry.at).as_bytes());
        piece.extend_from_slice(line);
    }
}

fn lines(entry: &Entry) -> u64 {
    let lines = entry.lines.iter().filter(|byte| **byte == b'\n').count();
    u64::try_from(lines)
        .unwrap_or(u64::MAX)
        .saturating_mul(entry.times)
}
