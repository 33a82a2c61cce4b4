//! A reporter that has no cluster: it makes states up, sends them as fast as they are taken, and notes what it is told.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

use causeway_client::{Credential, Peer, RuntimeIdentity};
use causeway_proto::inventory::v1::{
    self as pb, report_request::Message, report_response::Message as Answer,
    report_service_client::ReportServiceClient,
};
use causeway_testkit::{
    history::{Event, History, Moment, Report},
    new_id,
};
use prost::Message as _;
use rand::{RngExt as _, SeedableRng as _, rngs::SmallRng};
use sha2::{Digest as _, Sha256};
use tokio::{sync::mpsc, task::JoinHandle};
use tokio_stream::wrappers::ReceiverStream;

use super::witness::lock;

const OBJECTS: u64 = 50;
/// So many reports are on their way at most.
const WINDOW: usize = 32;

/// How it deals with the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manners {
    Honest,
    /// Notes acknowledgements of reports that it never sent: what an inventory does that answers before it commits.
    Lying,
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
    manners: Manners,
    chance: SmallRng,
    version: u64,
    /// The newest state of each object.
    truth: BTreeMap<String, Moment>,
    /// Those of them that nobody has acknowledged.
    owed: BTreeMap<String, Moment>,
    acknowledged: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
}

impl Sender {
    pub(crate) fn start(
        inventory: Peer,
        history: Arc<Mutex<History>>,
        (manners, seed): (Manners, u64),
    ) -> Self {
        let (acknowledged, stop) = (Arc::default(), Arc::default());
        let mut work = Work {
            reports: ReportServiceClient::new(inventory),
            history,
            manners,
            chance: SmallRng::seed_from_u64(seed),
            version: 0,
            truth: BTreeMap::new(),
            owed: BTreeMap::new(),
            acknowledged: Arc::clone(&acknowledged),
            stop: Arc::clone(&stop),
        };
        #[expect(
            clippy::disallowed_methods,
            reason = "a test has no shell, and waits for the task itself"
        )]
        let task = tokio::spawn(async move { while !work.stream().await {} });
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
        let (outbound, requests) = mpsc::channel(WINDOW);
        let hello = Message::Hello(pb::Hello {
            instance: new_id(),
            kind: "applications.argoproj.io".to_owned(),
            cluster: "in-cluster".to_owned(),
            ..pb::Hello::default()
        });
        let _ = outbound.try_send(request(hello));
        let opened = self.reports.report(ReceiverStream::new(requests)).await;
        let Ok(opened) = opened else {
            tokio::task::yield_now().await;
            return false;
        };
        let mut answers = opened.into_inner();
        let (mut epoch, mut sequence, mut flying) = (0, 0, BTreeMap::new());
        while let Ok(Some(answer)) = answers.message().await {
            match answer.message {
                Some(Answer::Welcome(welcome)) => {
                    epoch = welcome.epoch.unwrap_or_default().number;
                }
                Some(Answer::Acknowledged(told)) => {
                    for sequence in told.sequences {
                        self.acknowledged(Report { epoch, sequence }, flying.remove(&sequence));
                    }
                }
                Some(Answer::Rejected(rejected)) => panic!("{rejected:?}"),
                Some(
                    Answer::Held(_)
                    | Answer::Wanted(_)
                    | Answer::Members(_)
                    | Answer::BaseWanted(_),
                )
                | None => {}
            }
            while flying.len() < WINDOW
                && let Some(moment) = self.next(&flying)
            {
                sequence += 1;
                let lies = self.manners == Manners::Lying && self.chance.random_range(0..20) == 0;
                let report = report(sequence, &moment);
                flying.insert(sequence, moment);
                if lies {
                    self.acknowledged(Report { epoch, sequence }, flying.remove(&sequence));
                } else if outbound.send(request(report)).await.is_err() {
                    return false;
                }
            }
            if self.stop.load(Ordering::Relaxed) && self.owed.is_empty() {
                return true;
            }
        }
        false
    }

    /// What is owed since the stream before, and then something new.
    fn next(&mut self, flying: &BTreeMap<u64, Moment>) -> Option<Moment> {
        let is_flying = |uid: &String| flying.values().any(|moment| moment.uid == *uid);
        let owed = self.owed.iter().find(|(uid, _)| !is_flying(uid));
        if let Some((_, moment)) = owed {
            return Some(moment.clone());
        }
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        let number = self.chance.random_range(0..OBJECTS);
        let uid = format!("made-up-{number}");
        if is_flying(&uid) {
            return None;
        }
        self.version += 1;
        let moment = Moment {
            name: format!("made-up-{number}"),
            version: self.version,
            content: self.version.to_string(),
            uid: uid.clone(),
        };
        lock(&self.history).note(Event::Applied(moment.clone()));
        self.truth.insert(uid.clone(), moment.clone());
        self.owed.insert(uid, moment.clone());
        Some(moment)
    }

    fn acknowledged(&mut self, report: Report, moment: Option<Moment>) {
        let Some(moment) = moment else { return };
        if self.owed.get(&moment.uid) == Some(&moment) {
            self.owed.remove(&moment.uid);
        }
        self.acknowledged.fetch_add(1, Ordering::Relaxed);
        let uid = moment.uid.clone();
        lock(&self.history).note(Event::Acknowledged {
            report,
            moment: Some(moment),
            uid,
        });
    }
}

fn request(message: Message) -> pb::ReportRequest {
    pb::ReportRequest {
        message: Some(message),
    }
}

fn report(sequence: u64, moment: &Moment) -> Message {
    let mut state = pb::ApplicationState {
        labels: [("step".to_owned(), moment.content.clone())].into(),
        spec: Some(pb::ApplicationSpec {
            project: "default".to_owned(),
            ..pb::ApplicationSpec::default()
        }),
        ..pb::ApplicationState::default()
    };
    state.root_digest = Sha256::digest(state.encode_to_vec()).to_vec().into();
    Message::Report(pb::Report {
        sequence,
        namespace: "argocd".to_owned(),
        name: moment.name.clone(),
        uid: moment.uid.clone(),
        resource_version: moment.version,
        change: Some(pb::report::Change::Application(state)),
        ..pb::Report::default()
    })
}
