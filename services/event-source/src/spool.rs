//! The spool: received webhooks on disk. A webhook is answered after the fsync of its record, and its effect may follow a restart.
//!
//! One writer appends in groups, so that many webhooks share an fsync. Segments of 8 MiB are removed from the oldest on, once
//! nothing in them is pending; ids stay known for 7 days.

mod group;
mod record;
mod segment;

use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use anyhow::Context as _;
use bytes::Bytes;
use causeway_assertion::private_file::open_private_folder;
use causeway_shell::FolderLock;
use tokio::{
    sync::{mpsc, oneshot, watch},
    task::spawn_blocking,
    time::{Instant, timeout_at},
};

pub(crate) use self::record::Record;
use self::{
    group::{Group, PlannedRecord},
    record::DamagedRecord,
    segment::Segment,
};
use crate::{
    delivery::{Attempt, Delivery, Progress, Subscriber},
    event::Event,
    index::{Filter, Index, MAX_ENTRIES, Place, Revive},
    route::{Provider, RouteName},
};

const SEGMENT_BYTES: u64 = 8 << 20;
/// Webhooks that arrive in this time share an fsync.
const GROUP: Duration = Duration::from_millis(5);
const GROUP_BYTES: usize = 1 << 20;
const GROUP_RECORDS: usize = 512;
const QUEUE: usize = 1024;
/// Records beside a body take less.
const RECORD_BYTES: u64 = 4 << 10;
const CLEAN_EVERY: Duration = Duration::from_secs(600);

/// A webhook that is to be stored.
#[derive(Debug, Clone)]
pub(crate) struct NewDelivery {
    pub(crate) route: RouteName,
    pub(crate) provider: Provider,
    pub(crate) id: String,
    pub(crate) event: Event,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Bytes,
}

/// A webhook that is on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Receipt {
    pub(crate) number: u64,
    /// True if it was there before.
    pub(crate) duplicate: bool,
}

/// Why a webhook is not on disk.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SpoolError {
    #[error(
        "the spool is full: {0} bytes are in use by webhooks that are pending or not yet 7 days old; raise --spool-bytes, or see why they are pending"
    )]
    Full(u64),
    #[error("the spool cannot be written: {0}")]
    Disk(String),
    #[error("the spool is closing; try again")]
    Closed,
}

/// Handle of the spool. Cheap to clone; the writer ends when all are dropped.
#[derive(Clone)]
pub(crate) struct Spool {
    shared: Arc<Shared>,
    writes: mpsc::Sender<Write>,
}

struct Shared {
    folder: PathBuf,
    index: Mutex<Index>,
    changes: watch::Sender<u64>,
}

type Reply = oneshot::Sender<Result<Receipt, SpoolError>>;

enum Write {
    Receive(Box<NewDelivery>, Reply),
    Progress {
        number: u64,
        subscriber: Subscriber,
        progress: Progress,
    },
    Revive(u64, Revive, Reply),
}

/// The one writer of the spool.
pub(crate) struct Writer {
    shared: Arc<Shared>,
    writes: mpsc::Receiver<Write>,
    /// None after an error: the file must not be written again.
    current: Option<Segment>,
    /// All files with their bytes.
    segments: BTreeMap<u64, u64>,
    max_bytes: u64,
    /// Taken while the writer lives.
    _lock: FolderLock,
}

pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}

impl Spool {
    /// Opens the folder and reads what is there.
    ///
    /// # Errors
    /// The folder cannot be used, or another process uses it.
    pub(crate) fn open(
        folder: &Path,
        max_bytes: u64,
        subscribers: Vec<Subscriber>,
    ) -> anyhow::Result<(Self, Writer)> {
        let named = || format!("--data {}", folder.display());
        open_private_folder(folder).with_context(named)?;
        let lock = FolderLock::try_acquire(&folder.join("lock")).with_context(named)?;
        let lock = lock.with_context(|| format!("{}: another event-source uses it", named()))?;
        let mut index = Index::new(subscribers);
        let segments = load(folder, &mut index).with_context(named)?;
        let (writes_tx, writes) = mpsc::channel(QUEUE);
        let shared = Arc::new(Shared {
            folder: folder.to_owned(),
            index: Mutex::new(index),
            changes: watch::Sender::new(0),
        });
        let writer = Writer {
            shared: Arc::clone(&shared),
            writes,
            current: None,
            segments,
            max_bytes,
            _lock: lock,
        };
        let spool = Self {
            shared,
            writes: writes_tx,
        };
        Ok((spool, writer))
    }

    /// Returns once the webhook is on disk.
    pub(crate) async fn receive(&self, delivery: NewDelivery) -> Result<Receipt, SpoolError> {
        let delivery = Box::new(delivery);
        self.write(|reply| Write::Receive(delivery, reply)).await
    }

    /// Makes a delivery pending at all subscribers again.
    pub(crate) async fn replay(&self, number: u64) -> Result<Receipt, SpoolError> {
        self.write(|reply| Write::Revive(number, Revive::All, reply))
            .await
    }

    async fn write(&self, write: impl FnOnce(Reply) -> Write) -> Result<Receipt, SpoolError> {
        let (reply, answer) = oneshot::channel();
        let sent = self.writes.send(write(reply)).await;
        sent.map_err(|_| SpoolError::Closed)?;
        answer.await.map_err(|_| SpoolError::Closed)?
    }

    /// Records a try. If the record is lost in a crash, the delivery is tried again.
    pub(crate) async fn record(
        &self,
        (number, subscriber): (u64, Subscriber),
        before: &Progress,
        attempt: Attempt,
    ) {
        let is_deferred = matches!(attempt, Attempt::Deferred(_));
        let progress = before.after(attempt, now_ms());
        if is_deferred {
            // Nothing happened that a restart should know.
            let record = Record::Progress {
                number,
                subscriber,
                progress,
            };
            return self.shared.index().apply(record, 0, None);
        }
        let write = Write::Progress {
            number,
            subscriber,
            progress,
        };
        // Closed only when the process ends.
        let _ = self.writes.send(write).await;
    }

    /// Takes due deliveries of a subscriber.
    pub(crate) fn take_ready(
        &self,
        subscriber: Subscriber,
        limit: usize,
    ) -> Vec<(Arc<Delivery>, Progress)> {
        self.shared.index().take_ready(subscriber, now_ms(), limit)
    }

    /// Time until the next delivery of a subscriber is due.
    pub(crate) fn next_due(&self, subscriber: Subscriber) -> Option<Duration> {
        let due = self.shared.index().next_due(subscriber)?;
        Some(Duration::from_millis(due.saturating_sub(now_ms())))
    }

    /// Changes after each group.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }

    /// Reads from the index.
    pub(crate) fn read<T>(&self, read: impl FnOnce(&Index) -> T) -> T {
        read(&self.shared.index())
    }

    /// Reads a page of deliveries.
    pub(crate) fn list(&self, filter: &Filter, limit: usize) -> Vec<crate::index::Entry> {
        let index = self.shared.index();
        index.list(filter, limit).into_iter().cloned().collect()
    }

    /// Reads a body; none if it was removed.
    pub(crate) async fn body(&self, number: u64) -> io::Result<Option<Vec<u8>>> {
        let place = self.read(|index| index.get(number).and_then(|entry| entry.body));
        let Some(place) = place else { return Ok(None) };
        let folder = self.shared.folder.clone();
        let Place {
            segment,
            at,
            length,
        } = place;
        let read = spawn_blocking(move || segment::read_at(&folder, segment, at, length));
        let read = read.await.map_err(io::Error::other)?;
        match read {
            Ok(body) => Ok(Some(body)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Shared {
    fn index(&self) -> MutexGuard<'_, Index> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Reads all files. The end of the last one may be a record that was written in part; damage elsewhere costs the rest of its file.
fn load(folder: &Path, index: &mut Index) -> io::Result<BTreeMap<u64, u64>> {
    let numbers = segment::numbers(folder)?;
    let mut segments = BTreeMap::new();
    for number in &numbers {
        let Some(bytes) = segment::read(folder, *number)? else {
            tracing::error!(
                file = number,
                "skipped a file of the spool that is damaged at its start"
            );
            continue;
        };
        let (read, damage) = load_file(*number, &bytes, index);
        let lost = bytes.len() - read;
        let end = segment::START + read as u64;
        match damage {
            None => {}
            Some(error) if Some(number) == numbers.last() && error != DamagedRecord::Content => {
                tracing::warn!(file = number, lost, %error, "removed an unfinished record at the end of the spool");
                segment::truncate(folder, *number, end)?;
            }
            Some(error) => {
                tracing::error!(file = number, lost, %error, "skipped the rest of a damaged file of the spool");
            }
        }
        segments.insert(*number, end);
    }
    Ok(segments)
}

/// Reads the records of a file; returns how many bytes of it are whole, and what is wrong with the next record.
fn load_file(number: u64, bytes: &[u8], index: &mut Index) -> (usize, Option<DamagedRecord>) {
    let mut at = 0;
    while at < bytes.len() {
        let read = match record::decode(&bytes[at..]) {
            Ok(read) => read,
            Err(error) => return (at, Some(error)),
        };
        let body = (!read.body.is_empty()).then(|| Place {
            segment: number,
            at: segment::START + (at + read.body.start) as u64,
            length: read.body.len() as u64,
        });
        index.apply(read.record, number, body);
        at += read.length;
    }
    (at, None)
}

impl Writer {
    /// Writes until all handles are dropped.
    pub(crate) async fn run(mut self) -> anyhow::Result<()> {
        let mut clean = Instant::now();
        while let Some(first) = self.writes.recv().await {
            let group = self.collect(first).await;
            self.commit(group).await;
            if clean.elapsed() >= CLEAN_EVERY {
                clean = Instant::now();
                self.clean(0).await;
            }
        }
        Ok(())
    }

    async fn collect(&mut self, first: Write) -> Vec<Write> {
        let until = Instant::now() + GROUP;
        let mut bytes = first.size();
        let mut group = vec![first];
        while bytes < GROUP_BYTES && group.len() < GROUP_RECORDS {
            match timeout_at(until, self.writes.recv()).await {
                Ok(Some(write)) => {
                    bytes += write.size();
                    group.push(write);
                }
                Ok(None) | Err(_) => break,
            }
        }
        group
    }

    async fn commit(&mut self, writes: Vec<Write>) {
        let wanted = writes
            .iter()
            .map(|it| it.size() as u64 + RECORD_BYTES)
            .sum();
        let has_room = self.make_room(wanted).await;
        let group = self.plan(writes, has_room);
        if group.bytes.is_empty() {
            return;
        }
        #[cfg(test)]
        let group = tests::kill::answer_early(group).await;
        let stored = self.append(group.bytes.clone()).await;
        let (segment, start) = match &stored {
            Ok(place) => *place,
            Err(error) => {
                tracing::error!(%error, "cannot write the spool; webhooks are refused until it can be written");
                for (reply, _) in group.replies {
                    let _ = reply.send(Err(SpoolError::Disk(error.to_string())));
                }
                self.apply_progress(group.records);
                return;
            }
        };
        let mut index = self.shared.index();
        for PlannedRecord { record, body } in group.records {
            let body = body.map(|(at, length)| Place {
                segment,
                at: start + at,
                length,
            });
            index.apply(record, segment, body);
        }
        if index.len() > MAX_ENTRIES {
            index.bound(MAX_ENTRIES - MAX_ENTRIES / 10);
        }
        drop(index);
        for (reply, receipt) in group.replies {
            // A sender that has left gets no answer; it will send again.
            let _ = reply.send(Ok(receipt));
        }
        self.shared.changes.send_modify(|changes| *changes += 1);
    }

    /// Keeps the progress of deliveries in memory although it is not on disk: after a crash they are tried again.
    fn apply_progress(&self, records: Vec<PlannedRecord>) {
        let mut index = self.shared.index();
        for PlannedRecord { record, .. } in records {
            if let Record::Progress { .. } = &record {
                index.apply(record, 0, None);
            }
        }
        drop(index);
        self.shared.changes.send_modify(|changes| *changes += 1);
    }

    fn plan(&self, writes: Vec<Write>, has_room: bool) -> Group {
        let mut index = self.shared.index();
        let mut group = Group::default();
        for write in writes {
            match write {
                Write::Receive(new, reply) => {
                    let key = (new.route.clone(), new.id.clone());
                    let seen = index.seen(&new.route, &new.id);
                    let seen = seen.or_else(|| group.new.get(&key).copied());
                    match seen {
                        Some(number) => group.add_again(&index, number, reply),
                        None if has_room => {
                            let number = index.allocate();
                            group.new.insert(key, number);
                            group.add_new(number, *new, reply);
                        }
                        None => {
                            let _ = reply.send(Err(SpoolError::Full(self.max_bytes)));
                        }
                    }
                }
                Write::Progress {
                    number,
                    subscriber,
                    progress,
                } => group.add(
                    Record::Progress {
                        number,
                        subscriber,
                        progress,
                    },
                    &[],
                ),
                Write::Revive(number, which, reply) => {
                    group.revive(&index, number, which);
                    group.confirm(reply, number);
                }
            }
        }
        group
    }

    /// Appends to the current file, or to a new one where that is full. Returns the file and where the bytes begin.
    async fn append(&mut self, bytes: Vec<u8>) -> io::Result<(u64, u64)> {
        let folder = self.shared.folder.clone();
        let next = self
            .segments
            .last_key_value()
            .map_or(1, |(last, _)| last + 1);
        let current = self.current.take();
        let written = spawn_blocking(move || {
            let is_full = |it: &Segment| {
                it.length > segment::START && it.length + bytes.len() as u64 > SEGMENT_BYTES
            };
            let mut segment = match current {
                Some(current) if !is_full(&current) => current,
                Some(_) | None => Segment::create(&folder, next)?,
            };
            let start = segment.length;
            segment.append(&bytes)?;
            Ok::<_, io::Error>((segment, start))
        });
        let (segment, start) = written.await.map_err(io::Error::other)??;
        let number = segment.number;
        self.segments.insert(number, segment.length);
        self.current = Some(segment);
        Ok((number, start))
    }

    async fn make_room(&mut self, wanted: u64) -> bool {
        if self.bytes() + wanted <= self.max_bytes {
            return true;
        }
        self.clean(wanted).await;
        self.bytes() + wanted <= self.max_bytes
    }

    fn bytes(&self) -> u64 {
        self.segments.values().sum()
    }

    /// Removes files from the oldest on: those of which nothing is remembered, and more while room is wanted.
    async fn clean(&mut self, wanted: u64) {
        let current = self.current.as_ref().map(|it| it.number);
        let numbers: Vec<_> = self.segments.keys().copied().collect();
        for number in numbers {
            if Some(number) == current {
                return;
            }
            let content = self.shared.index().of_segment(number, now_ms());
            let is_tight = wanted > 0 && self.bytes() + wanted > self.max_bytes;
            if content.is_needed || !(content.remembered.is_empty() || is_tight) {
                return;
            }
            if let Err(error) = self.remove(number, content.remembered, &content.old).await {
                tracing::warn!(%error, "cannot remove an old file of the spool");
                return;
            }
        }
    }

    /// Writes what must stay known to the current file, then removes the old one.
    async fn remove(&mut self, number: u64, remembered: Vec<u64>, old: &[u64]) -> io::Result<()> {
        let mut group = Group::default();
        {
            let mut index = self.shared.index();
            let kept = remembered.into_iter().filter_map(|one| index.kept(one));
            kept.for_each(|record| group.add(record, &[]));
            old.iter().for_each(|one| index.forget(*one));
        }
        if !group.bytes.is_empty() {
            let (segment, _) = self.append(group.bytes).await?;
            let mut index = self.shared.index();
            for planned in group.records {
                index.apply(planned.record, segment, None);
            }
        }
        self.segments.remove(&number);
        segment::remove(&self.shared.folder, number)
    }
}

impl Write {
    fn size(&self) -> usize {
        match self {
            Self::Receive(new, _) => new.body.len(),
            Self::Progress { .. } | Self::Revive(..) => 0,
        }
    }
}

#[cfg(test)]
mod tests;
