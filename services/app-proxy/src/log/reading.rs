//! The reading itself: one container after the other, or all at once and whatever comes while they are followed.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    pin::Pin,
    sync::Arc,
    time::Duration,
};

use futures::{AsyncBufRead, StreamExt as _};
use serde_json::Value;
use tokio::{
    sync::{Semaphore, mpsc},
    task::{AbortHandle, JoinSet},
    time::{self, Instant, MissedTickBehavior},
};

use super::{
    ContainerName, LineRange, LogError, LogEvent, LogQuery, LogUpdate, MOST_FOLLOWED, kube,
    lines::{Grep, LineBuffer},
    position::{Bounds, Counter, LEADING, LastLines, Line, More, Position},
};
use crate::{
    pods::{Change, Container, Pod, PodState, Readiness},
    subject::OwnershipLookup,
};

/// How long a reader may take nothing.
const STUCK: Duration = Duration::from_secs(600);
/// Interval of the check that the caller may still read the followed pods.
const RECHECK_EVERY: Duration = Duration::from_secs(10);
/// Timeout of the check, for all pods together and for one that changed.
const RECHECK_TIMEOUT: Duration = Duration::from_secs(10);
/// How often in turn it may not be told of a pod that is followed. After that it counts as not there.
const MOST_UNSURE: u32 = 3;
/// Bytes of lines with their places in one message.
const MOST_AT_ONCE: usize = 256 << 10;

/// Reason why reading ended.
#[derive(Debug)]
pub(super) enum ReadEnd {
    /// Whoever read has left.
    Left,
    Failed(LogError),
}

/// One run of a container.
#[derive(Debug, Clone)]
pub(super) struct ContainerRun {
    pub(super) of: Arc<ContainerName>,
    uid: String,
    container: Container,
}

/// Who reads several containers at once, and those that come.
pub(super) struct Follower {
    question: Arc<LogQuery>,
    pieces: EventSender,
    /// The objects of pods that are meant, by uid, as they were told last.
    pods: BTreeMap<String, Value>,
    /// How often in turn it could not be told of a pod whether it is still there for the caller, by uid.
    unsure: BTreeMap<String, u32>,
    /// Which runs are read or were: (uid, container, run).
    begun: BTreeSet<(String, String, u64)>,
    readers: Vec<Reader>,
    reading: JoinSet<Result<(), ReadEnd>>,
    places: Arc<Semaphore>,
    /// True if the one pod that was named is gone.
    gone: bool,
}

/// Who reads one run of a container.
struct Reader {
    of: Arc<ContainerName>,
    /// Of its pod.
    uid: String,
    task: AbortHandle,
}

/// Sends events to the stream.
#[derive(Clone)]
struct EventSender(mpsc::Sender<LogEvent>);

impl ContainerRun {
    pub(super) fn new(pod: &Pod, container: Container) -> Self {
        Self {
            of: Arc::new(ContainerName {
                namespace: pod.namespace.clone(),
                pod: pod.name.clone(),
                container: container.name.clone(),
            }),
            uid: pod.uid.clone(),
            container,
        }
    }

    fn run(&self) -> (String, String, u64) {
        let Container { name, run, .. } = &self.container;
        (self.uid.clone(), name.clone(), *run)
    }

    /// Why it cannot be read now.
    fn hindrance(&self, portion: &LineRange) -> Option<String> {
        match (&self.container.readiness, portion.previous) {
            (_, true) if !self.container.has_previous => {
                Some("it was not started before".to_owned())
            }
            (Readiness::Waiting(reason), false) => Some(format!("it has not started: {reason}")),
            (Readiness::Waiting(_), true) | (Readiness::Readable, _) => None,
        }
    }
}

impl EventSender {
    async fn put(&self, of: &Arc<ContainerName>, said: LogUpdate) -> Result<(), ReadEnd> {
        let of = Arc::clone(of);
        let sent = self.0.send_timeout(LogEvent { of, said }, STUCK).await;
        sent.map_err(|error| match error {
            mpsc::error::SendTimeoutError::Closed(_) => ReadEnd::Left,
            mpsc::error::SendTimeoutError::Timeout(_) => {
                ReadEnd::Failed(LogError::Stuck(STUCK.as_secs() / 60))
            }
        })
    }
}

impl LogQuery {
    /// One container after the other.
    pub(super) async fn read_through(
        &self,
        pods: &[Value],
        pieces: &mpsc::Sender<LogEvent>,
    ) -> Result<(), ReadEnd> {
        let pieces = EventSender(pieces.clone());
        let sources: Vec<ContainerRun> = pods.iter().flat_map(|pod| self.sources(pod)).collect();
        let begin = LogUpdate::Begin {
            containers: sources.len(),
            joined: false,
        };
        for source in &sources {
            pieces.put(&source.of, begin.clone()).await?;
            let portion = self.order.portion;
            self.read(source, &portion, &pieces).await?;
        }
        Ok(())
    }

    async fn read(
        &self,
        source: &ContainerRun,
        portion: &LineRange,
        pieces: &EventSender,
    ) -> Result<(), ReadEnd> {
        let end = match source.hindrance(portion) {
            Some(hindrance) => hindrance,
            None => self.copy(source, portion, pieces).await?,
        };
        pieces.put(&source.of, LogUpdate::End(end)).await
    }

    /// Gives why it was not read to its end.
    async fn copy(
        &self,
        source: &ContainerRun,
        portion: &LineRange,
        pieces: &EventSender,
    ) -> Result<String, ReadEnd> {
        if portion.is_placed() {
            return self.copy_placed(source, portion, pieces).await;
        }
        let mut opened = match self.open(source, portion).await {
            Ok(opened) => opened,
            Err(said) => return Ok(said),
        };
        let grep: Option<Grep> = self.order.grep.clone();
        let mut lines = LineBuffer::new(grep);
        loop {
            match lines.next(&mut opened).await {
                Ok(Some(text)) => pieces.put(&source.of, LogUpdate::Lines(text)).await?,
                Ok(None) => return Ok(String::new()),
                Err(error) => return Ok(broken_off(&error)),
            }
        }
    }

    /// The same, where the places of lines decide which ones are read. The last lines are read to their end first, then followed.
    async fn copy_placed(
        &self,
        source: &ContainerRun,
        portion: &LineRange,
        pieces: &EventSender,
    ) -> Result<String, ReadEnd> {
        let name = (source.of.pod.clone(), source.of.container.clone());
        let mut bounds = Bounds {
            after: self.order.resume_after.get(&name).copied(),
            until: portion.until,
        };
        let Some(tail) = portion.tail else {
            let read = self.read_placed(source, (*portion, bounds), None, pieces);
            return Ok(read.await?.1);
        };
        let mut last = LastLines::new(usize::try_from(tail).unwrap_or(0));
        let backlog = LineRange {
            follow: false,
            // What is before another bound is not known by its number.
            tail: (bounds == Bounds::default()).then_some(tail + LEADING),
            ..*portion
        };
        let read = self.read_placed(source, (backlog, bounds), Some(&mut last), pieces);
        let (reached, end) = read.await?;
        self.put_lines(source, portion, last.into_lines(), pieces)
            .await?;
        if !portion.follow || !end.is_empty() {
            return Ok(end);
        }
        bounds.after = reached.or(bounds.after);
        let rest = LineRange {
            tail: None,
            ..*portion
        };
        let read = self.read_placed(source, (rest, bounds), None, pieces);
        Ok(read.await?.1)
    }

    /// Passes lines in range on, or holds the last ones. Returns the place of the last line, and why it was not read to its end.
    async fn read_placed(
        &self,
        source: &ContainerRun,
        (mut portion, bounds): (LineRange, Bounds),
        mut last: Option<&mut LastLines>,
        pieces: &EventSender,
    ) -> Result<(Option<Position>, String), ReadEnd> {
        if let Some(after) = bounds.after {
            // Whole seconds, so that lines of that time are counted from their first.
            let resumed = after.time.as_second() * 1_000;
            portion.since = Some(portion.since.map_or(resumed, |since| since.max(resumed)));
        }
        let mut opened = match self.open(source, &portion).await {
            Ok(opened) => opened,
            Err(said) => return Ok((None, said)),
        };
        let (mut buffer, mut counter) = (LineBuffer::new(None), Counter::default());
        loop {
            let text = match buffer.next(&mut opened).await {
                Ok(Some(text)) => text,
                Ok(None) => return Ok((counter.last(), String::new())),
                Err(error) => return Ok((counter.last(), broken_off(&error))),
            };
            let mut lines = counter.read(&text);
            let more = bounds.apply(&mut lines);
            if let Some(grep) = &self.order.grep {
                lines.retain(|line| grep.wants(line.text.as_bytes()));
            }
            match &mut last {
                Some(last) => last.extend(lines),
                None => self.put_lines(source, &portion, lines, pieces).await?,
            }
            if more == More::Never {
                return Ok((counter.last(), String::new()));
            }
        }
    }

    async fn put_lines(
        &self,
        source: &ContainerRun,
        portion: &LineRange,
        lines: Vec<Line>,
        pieces: &EventSender,
    ) -> Result<(), ReadEnd> {
        for some in in_pieces(lines) {
            let update = if portion.positions {
                LogUpdate::Positioned(some)
            } else {
                let mut text = String::new();
                let each = some.iter();
                each.for_each(|line| line.push_to(&mut text, portion.timestamps));
                LogUpdate::Lines(text)
            };
            pieces.put(&source.of, update).await?;
        }
        Ok(())
    }

    async fn open(
        &self,
        source: &ContainerRun,
        portion: &LineRange,
    ) -> Result<Pin<Box<dyn AsyncBufRead + Send>>, String> {
        let redactor = &self.logs.subjects.setup.redactor;
        let client = self.logs.subjects.resources.client();
        let opened = kube::read(client, source, portion).await;
        opened.map_err(|said| redactor.message(&said))
    }
}

fn broken_off(error: &io::Error) -> String {
    format!("the cluster's answer broke off: {error}")
}

/// Lines in the size of messages.
fn in_pieces(lines: Vec<Line>) -> Vec<Vec<Line>> {
    let (mut all, mut bytes) = (Vec::<Vec<Line>>::new(), MOST_AT_ONCE);
    for line in lines {
        bytes += line.size();
        match all.last_mut().filter(|_| bytes <= MOST_AT_ONCE) {
            Some(piece) => piece.push(line),
            None => {
                bytes = line.size();
                all.push(vec![line]);
            }
        }
    }
    all
}

impl Follower {
    pub(super) fn new(question: LogQuery, pieces: mpsc::Sender<LogEvent>) -> Self {
        Self {
            question: Arc::new(question),
            pieces: EventSender(pieces),
            pods: BTreeMap::new(),
            unsure: BTreeMap::new(),
            begun: BTreeSet::new(),
            readers: Vec::new(),
            reading: JoinSet::new(),
            places: Arc::new(Semaphore::new(MOST_FOLLOWED)),
            gone: false,
        }
    }

    pub(super) async fn run(mut self, pods: Vec<Value>) -> Result<(), ReadEnd> {
        let question = Arc::clone(&self.question);
        let sources: Vec<ContainerRun> =
            pods.iter().flat_map(|pod| question.sources(pod)).collect();
        let count = sources.len();
        for source in sources {
            self.begin(source, Some(count));
        }
        for object in pods {
            self.pods.insert(Pod::read(&object).uid, object);
        }
        let mut changes = question.sought.watch();
        let mut walk = question.sought.walk();
        let mut anew = time::interval_at(Instant::now() + RECHECK_EVERY, RECHECK_EVERY);
        anew.set_missed_tick_behavior(MissedTickBehavior::Delay);
        while !self.is_over() {
            tokio::select! {
                Some(change) = changes.next() => self.apply(change, &mut walk).await,
                Some(ended) = self.reading.join_next() => {
                    self.readers.retain(|reader| !reader.task.is_finished());
                    // One that was ended here, or that panicked, has nothing to say.
                    ended.unwrap_or(Ok(()))?;
                }
                _ = anew.tick() => {
                    walk = question.sought.walk();
                    self.recheck_pods(&mut walk).await?;
                }
            }
        }
        Ok(())
    }

    async fn apply(&mut self, change: Change, walk: &mut OwnershipLookup) {
        let object = match change {
            Change::There(object) => object,
            Change::Gone(uid) => {
                self.gone |= self.question.sought.names(&uid);
                self.pods.remove(&uid);
                self.unsure.remove(&uid);
                self.begun.retain(|(of, _, _)| *of != uid);
                return;
            }
        };
        // A check that fails now is repeated at the pod's next change or at the next interval.
        let by = Instant::now() + RECHECK_TIMEOUT;
        let standing = self.question.sought.standing(walk, &object, by).await;
        if matches!(standing, PodState::There) {
            self.join(&object);
        }
        self.pods.insert(Pod::read(&object).uid, object);
    }

    fn join(&mut self, pod: &Value) {
        for source in self.question.sources(pod) {
            self.begin(source, None);
        }
    }

    /// Begins a container. One that existed at the start is announced with their number.
    fn begin(&mut self, source: ContainerRun, first: Option<usize>) {
        let mut portion = self.question.order.portion;
        if source.container.readiness != Readiness::Readable {
            return;
        }
        let known = |(uid, container, _): &(String, String, u64)| {
            (uid, container) == (&source.uid, &source.container.name)
        };
        if first.is_none() && self.begun.iter().any(known) {
            // A run that comes after one that was read is read from its first line.
            (portion.since, portion.tail) = (None, None);
        }
        if !self.begun.insert(source.run()) {
            return;
        }
        let (question, pieces) = (Arc::clone(&self.question), self.pieces.clone());
        let places = Arc::clone(&self.places);
        let (of, uid) = (Arc::clone(&source.of), source.uid.clone());
        let begin = LogUpdate::Begin {
            containers: first.unwrap_or(0),
            joined: first.is_none(),
        };
        let reading = async move {
            let Ok(_place) = places.acquire_owned().await else {
                return Ok(());
            };
            pieces.put(&source.of, begin).await?;
            question.read(&source, &portion, &pieces).await
        };
        let reading = causeway_shell::with_current_trace(reading);
        let task = self.reading.spawn(reading);
        self.readers.push(Reader { of, uid, task });
    }

    /// Ends what is not there for the caller any more, and joins what could not be told of before.
    async fn recheck_pods(&mut self, walk: &mut OwnershipLookup) -> Result<(), ReadEnd> {
        let by = Instant::now() + RECHECK_TIMEOUT;
        if self.question.sought.is_one()
            && let Ok(pods) = self.question.sought.all_by(by).await
        {
            self.gone |= pods.is_empty();
        }
        for (uid, object) in std::mem::take(&mut self.pods) {
            let standing = self.question.sought.standing(walk, &object, by).await;
            match standing {
                PodState::There => {
                    self.unsure.remove(&uid);
                    self.join(&object);
                }
                PodState::Absent => self.end(&uid, "there is no such pod any more").await?,
                PodState::Unsure(error) => {
                    tracing::debug!(%error, "cannot tell whose a pod is");
                    let times = self.unsure.entry(uid.clone()).or_default();
                    *times += 1;
                    if *times == MOST_UNSURE {
                        let why = "the cluster did not tell for a while whether it is still there for you: open its logs again";
                        self.end(&uid, why).await?;
                    }
                }
            }
            self.pods.insert(uid, object);
        }
        Ok(())
    }

    async fn end(&self, uid: &str, why: &str) -> Result<(), ReadEnd> {
        for reader in self.readers.iter().filter(|reader| reader.uid == uid) {
            reader.task.abort();
            let end = LogUpdate::End(why.to_owned());
            self.pieces.put(&reader.of, end).await?;
        }
        Ok(())
    }

    /// One pod that was named and has ended has no more to say.
    fn is_over(&self) -> bool {
        let named = self.question.sought.is_one() && self.reading.is_empty();
        let mut pods = self.pods.values().map(Pod::read);
        named && (self.gone || pods.all(|pod| pod.is_over))
    }
}
