//! A reporter that has no cluster: it makes states up, sends them as fast as they are taken or at a pace, and notes what it is told.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::Bytes;
use causeway_client::{Credential, Peer, RuntimeIdentity};
use causeway_proto::inventory::v1::{
    self as pb, report_request::Message, report_response::Message as Answer,
    report_service_client::ReportServiceClient,
};
use causeway_testkit::{
    history::{Event, History, Moment},
    new_id,
};
use prost::Message as _;
use prost_types::Timestamp;
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use sha2::{Digest as _, Sha256};
use tokio::{
    sync::mpsc,
    task::JoinHandle,
    time::{Instant, interval, sleep},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Streaming;

use super::witness::lock;

const OBJECTS: u64 = 50;
/// So many reports are on their way at most.
const WINDOW: usize = 32;
/// With one of so many states an operation ends.
const OPERATIONS: u64 = 10;
/// How often it is looked whether something is due.
const TICK: Duration = Duration::from_millis(5);
/// Between a stream that ended and the next one.
const PAUSE: Duration = Duration::from_millis(50);

/// How many states it makes up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// As many as are taken.
    Unbounded,
    /// So many in each second, whatever becomes of them.
    EachSecond(u64),
}

/// Sends until it is stopped.
pub(crate) struct Sender {
    pub(crate) acknowledged: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    task: JoinHandle<()>,
}

struct Work {
    reports: ReportServiceClient<Peer>,
    history: Arc<Mutex<History>>,
    pace: Pace,
    begun: Instant,
    chance: SmallRng,
    /// Of the newest state; operations begin that many seconds after `epoch`.
    version: u64,
    epoch: i64,
    /// The newest state of each object that nobody has acknowledged.
    owed: BTreeMap<String, Moment>,
    acknowledged: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
}

/// What is on its way on one stream.
#[derive(Default)]
struct Flight {
    /// Whether all that is held was told.
    compared: bool,
    sequence: u64,
    flying: BTreeMap<u64, Moment>,
}

impl Sender {
    pub(crate) fn start(inventory: Peer, history: Arc<Mutex<History>>, pace: Pace) -> Self {
        let (acknowledged, stop) = (Arc::default(), Arc::default());
        let epoch = std::time::SystemTime::now();
        let epoch = Timestamp::from(epoch).seconds;
        let mut work = Work {
            reports: ReportServiceClient::new(inventory),
            history,
            pace,
            begun: Instant::now(),
            chance: SmallRng::seed_from_u64(rand::random()),
            version: 0,
            epoch,
            owed: BTreeMap::new(),
            acknowledged: Arc::clone(&acknowledged),
            stop: Arc::clone(&stop),
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "a test has no shell, and waits for the task itself"
        )]
        let task = tokio::spawn(async move {
            while !work.stream().await {
                sleep(PAUSE).await;
            }
        });
        Self {
            acknowledged,
            stop,
            task,
        }
    }

    /// Makes up nothing more, and waits until everything is acknowledged.
    pub(crate) async fn finish(self) {
        self.stop.store(true, Ordering::Relaxed);
        self.task.await.unwrap();
    }
}

pub(crate) fn credential(runtime: &RuntimeIdentity) -> Credential {
    let (account, id) = (runtime.account.clone(), runtime.runtime_id.clone());
    Credential::runtime(runtime.key.clone().unwrap(), account, id)
}

impl Work {
    /// One stream, until it is lost; whether all is done.
    async fn stream(&mut self) -> bool {
        let Some((outbound, mut answers)) = self.open().await else {
            return false;
        };
        let (mut flight, mut ticks) = (Flight::default(), interval(TICK));
        loop {
            tokio::select! {
                answer = answers.message() => match answer {
                    Ok(Some(answer)) => self.hear(answer, &mut flight),
                    Ok(None) | Err(_) => return false,
                },
                _ = ticks.tick() => {}
            }
            while flight.compared
                && flight.flying.len() < WINDOW
                && let Some(moment) = self.next(&flight.flying)
            {
                flight.sequence += 1;
                let report = self.report(flight.sequence, &moment);
                flight.flying.insert(flight.sequence, moment);
                if outbound.send(request(report)).await.is_err() {
                    return false;
                }
            }
            if self.stop.load(Ordering::Relaxed) && self.owed.is_empty() {
                return true;
            }
        }
    }

    async fn open(
        &mut self,
    ) -> Option<(
        mpsc::Sender<pb::ReportRequest>,
        Streaming<pb::ReportResponse>,
    )> {
        let (outbound, requests) = mpsc::channel(WINDOW);
        let hello = Message::Hello(pb::Hello {
            instance: new_id(),
            kind: "applications.argoproj.io".to_owned(),
            cluster: "in-cluster".to_owned(),
            ..pb::Hello::default()
        });
        let _ = outbound.try_send(request(hello));
        let opened = self.reports.report(ReceiverStream::new(requests)).await;
        Some((outbound, opened.ok()?.into_inner()))
    }

    fn hear(&mut self, answer: pb::ReportResponse, flight: &mut Flight) {
        match answer.message {
            Some(Answer::Welcome(welcome)) => flight.compared = !welcome.held_follows,
            Some(Answer::Held(held)) => {
                held.objects.iter().for_each(|object| self.compare(object));
                flight.compared |= held.last;
            }
            Some(Answer::Acknowledged(told)) => {
                for sequence in told.sequences {
                    self.acknowledged(flight.flying.remove(&sequence));
                }
            }
            Some(Answer::Rejected(rejected)) => panic!("{rejected:?}"),
            Some(Answer::Wanted(_) | Answer::Members(_) | Answer::BaseWanted(_)) | None => {}
        }
    }

    /// What is held needs not be sent again.
    fn compare(&mut self, held: &pb::HeldObject) {
        let owed = self.owed.get(&held.uid);
        if owed.is_some_and(|owed| state(owed).root_digest == held.root_digest) {
            self.owed.remove(&held.uid);
        }
    }

    /// What is owed since the stream before, and then something new.
    fn next(&mut self, flying: &BTreeMap<u64, Moment>) -> Option<Moment> {
        let is_flying = |uid: &String| flying.values().any(|moment| moment.uid == *uid);
        let owed = self.owed.iter().find(|(uid, _)| !is_flying(uid));
        if let Some((_, moment)) = owed {
            return Some(moment.clone());
        }
        if self.stop.load(Ordering::Relaxed) || !self.is_due() {
            return None;
        }
        let number = self.chance.random_range(0..OBJECTS);
        let uid = format!("made-up-{number}");
        if is_flying(&uid) {
            return None;
        }
        self.version += 1;
        let moment = Moment {
            name: uid.clone(),
            version: self.version,
            content: self.version.to_string(),
            uid: uid.clone(),
        };
        let mut history = lock(&self.history);
        history.note(Event::Applied(moment.clone()));
        if let Some(operation) = self.operation(&moment) {
            let began = operation.started_at.unwrap_or_default().seconds;
            history.note(Event::OperationEnded {
                uid: uid.clone(),
                operation: began.to_string(),
            });
        }
        drop(history);
        self.owed.insert(uid, moment.clone());
        Some(moment)
    }

    fn is_due(&self) -> bool {
        match self.pace {
            Pace::Unbounded => true,
            Pace::EachSecond(states) => {
                u128::from(self.version) * 1_000
                    < self.begun.elapsed().as_millis() * u128::from(states)
            }
        }
    }

    fn acknowledged(&mut self, moment: Option<Moment>) {
        let Some(moment) = moment else { return };
        let uid = moment.uid.clone();
        if self.owed.get(&uid) == Some(&moment) {
            self.owed.remove(&uid);
        }
        self.acknowledged.fetch_add(1, Ordering::Relaxed);
        let moment = Some(moment);
        lock(&self.history).note(Event::Acknowledged { uid, moment });
    }

    /// What ended with a state.
    fn operation(&self, moment: &Moment) -> Option<pb::OperationRecord> {
        moment.version.is_multiple_of(OPERATIONS).then(|| {
            let at = Some(Timestamp {
                seconds: self.epoch + i64::try_from(moment.version).unwrap(),
                nanos: 0,
            });
            pb::OperationRecord {
                started_at: at,
                finished_at: at,
                phase: pb::OperationPhase::Succeeded.into(),
                ..pb::OperationRecord::default()
            }
        })
    }

    fn report(&self, sequence: u64, moment: &Moment) -> Message {
        Message::Report(pb::Report {
            sequence,
            namespace: "argocd".to_owned(),
            name: moment.name.clone(),
            uid: moment.uid.clone(),
            resource_version: moment.version,
            change: Some(pb::report::Change::Application(state(moment))),
            operations: self.operation(moment).into_iter().collect(),
            ..pb::Report::default()
        })
    }
}

fn request(message: Message) -> pb::ReportRequest {
    pb::ReportRequest {
        message: Some(message),
    }
}

fn state(moment: &Moment) -> pb::ApplicationState {
    let mut state = pb::ApplicationState {
        labels: [("step".to_owned(), moment.content.clone())].into(),
        spec: Some(pb::ApplicationSpec {
            project: "default".to_owned(),
            ..pb::ApplicationSpec::default()
        }),
        ..pb::ApplicationState::default()
    };
    state.root_digest = Bytes::from(Sha256::digest(state.encode_to_vec()).to_vec());
    state
}
