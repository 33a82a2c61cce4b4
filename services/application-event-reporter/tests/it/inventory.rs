//! An inventory that keeps the contract and shows what it was told. It can be told to be slow, to refuse and to hang up.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use causeway_client::{Credential, Peer, PeerUrl};
use causeway_proto::inventory::v1::{
    self as pb,
    report_request::Message as Request,
    report_response::Message as Response,
    report_service_server::{ReportService, ReportServiceServer},
};
use futures::{Stream, StreamExt as _};
use prost::{Message as _, bytes::Bytes};
use sha2::{Digest as _, Sha256};
use tokio::{net::TcpListener, sync::watch, task::JoinSet};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Status, Streaming, transport::Server};

const WITHIN: Duration = Duration::from_secs(120);

/// What the inventory knows and has seen. `told` counts reports, `hellos` keeps each stream's first message.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) objects: BTreeMap<String, Object>,
    pub(crate) manifests: HashMap<Bytes, Bytes>,
    pub(crate) hellos: Vec<pb::Hello>,
    pub(crate) reports: Vec<pb::Report>,
    /// Every byte that came, for canaries.
    pub(crate) wire: Vec<u8>,
    waiting: Vec<(u64, u64, Object)>,
    manners: Manners,
    epoch: u64,
}

/// An object by uid.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) report: pb::Report,
    position: (u64, u64, u64),
}

/// How the inventory behaves.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Manners {
    #[default]
    Kind,
    /// Takes reports and answers none.
    Silent,
    /// Refuses every report about this name.
    Refusing(&'static str),
}

#[derive(Clone)]
pub(crate) struct Inventory {
    seen: Arc<Mutex<Seen>>,
    changed: watch::Sender<u64>,
    hang_up: watch::Sender<u64>,
    address: std::net::SocketAddr,
    _serving: Arc<JoinSet<()>>,
}

impl Object {
    pub(crate) fn state(&self) -> Option<&pb::ApplicationState> {
        match self.report.change.as_ref()? {
            pb::report::Change::Application(state) => Some(state),
            pb::report::Change::Deleted(_)
            | pb::report::Change::Resource(_)
            | pb::report::Change::Delta(_) => None,
        }
    }

    pub(crate) fn status(&self) -> &pb::ApplicationStatus {
        self.state().unwrap().status.as_ref().unwrap()
    }
}

impl Seen {
    /// The live objects, as name and resource version.
    pub(crate) fn live(&self) -> BTreeMap<String, u64> {
        let live = self
            .objects
            .values()
            .filter(|object| object.state().is_some());
        live.map(|object| (object.report.name.clone(), object.report.resource_version))
            .collect()
    }

    pub(crate) fn named(&self, name: &str) -> Option<&Object> {
        self.objects
            .values()
            .find(|object| object.report.name == name)
    }

    /// Takes a report; gives the answer to it, if there is one now.
    fn take(&mut self, stream: u64, epoch: u64, report: pb::Report) -> Option<Response> {
        self.reports.push(report.clone());
        let sequence = report.sequence;
        let position = (report.resource_version, epoch, sequence);
        let object = Object { report, position };
        match self.manners {
            Manners::Silent => return None,
            Manners::Refusing(name) if object.report.name == name => {
                return Some(Response::Rejected(pb::Rejected {
                    sequence,
                    reason: "it is refused".to_owned(),
                    ..pb::Rejected::default()
                }));
            }
            Manners::Kind | Manners::Refusing(_) => {}
        }
        if let Some(state) = object.state() {
            let root = root_of(state);
            assert_eq!(
                state.root_digest, root,
                "the root digest is not the state's"
            );
        }
        let missing = self.missing(&object);
        if !missing.is_empty() {
            self.waiting.push((stream, sequence, object));
            return Some(Response::Wanted(pb::Wanted {
                sequence,
                digests: missing,
            }));
        }
        self.commit(object);
        Some(acknowledge(vec![sequence]))
    }

    fn missing(&self, object: &Object) -> Vec<Bytes> {
        let resources = object.state().and_then(|state| state.status.as_ref());
        let resources = resources.map_or(&[][..], |status| &status.resources);
        let digests = resources
            .iter()
            .flat_map(|it| [&it.live_digest, &it.desired_digest]);
        let lacks = |digest: &&Bytes| !digest.is_empty() && !self.manifests.contains_key(*digest);
        let mut missing: Vec<Bytes> = digests.filter(lacks).cloned().collect();
        missing.sort();
        missing.dedup();
        missing
    }

    fn manifest(&mut self, stream: u64, manifest: pb::Manifest) -> Option<Response> {
        let digest = Bytes::from(Sha256::digest(&manifest.content).to_vec());
        assert_eq!(digest, manifest.digest, "a manifest is not what it says");
        self.manifests.insert(digest, manifest.content);
        let waiting = std::mem::take(&mut self.waiting);
        let mut done = Vec::new();
        for (of, sequence, object) in waiting {
            if self.missing(&object).is_empty() {
                if of == stream {
                    done.push(sequence);
                }
                self.commit(object);
            } else {
                self.waiting.push((of, sequence, object));
            }
        }
        (!done.is_empty()).then(|| acknowledge(done))
    }

    fn commit(&mut self, object: Object) {
        let restored = self
            .hellos
            .last()
            .is_some_and(|hello| hello.continuity == i32::from(pb::StoreContinuity::Restored));
        let order = |object: &Object| match restored {
            true => (object.position.1, object.position.2, 0),
            false => object.position,
        };
        let held = self.objects.get(&object.report.uid);
        if held.is_none_or(|held| order(&object) > order(held)) {
            self.objects.insert(object.report.uid.clone(), object);
        }
    }

    fn held(&self) -> Vec<pb::HeldObject> {
        let live = self
            .objects
            .values()
            .filter_map(|object| Some((object, object.state()?)));
        live.map(|(object, state)| pb::HeldObject {
            namespace: object.report.namespace.clone(),
            name: object.report.name.clone(),
            uid: object.report.uid.clone(),
            resource_version: object.report.resource_version,
            root_digest: state.root_digest.clone(),
        })
        .collect()
    }
}

pub(crate) fn root_of(state: &pb::ApplicationState) -> Bytes {
    let bare = pb::ApplicationState {
        root_digest: Bytes::new(),
        ..state.clone()
    };
    Sha256::digest(bare.encode_to_vec()).to_vec().into()
}

fn acknowledge(sequences: Vec<u64>) -> Response {
    Response::Acknowledged(pb::Acknowledged { sequences })
}

impl Inventory {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut inventory = Self::unserved(address);
        let handler = inventory.handler();
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let incoming = TcpListenerStream::new(listener);
            let server = Server::builder().add_service(handler);
            server.serve_with_incoming(incoming).await.unwrap();
        });
        inventory._serving = Arc::new(serving);
        inventory
    }

    /// For a network of one's own.
    pub(crate) fn unserved(address: std::net::SocketAddr) -> Self {
        Self {
            seen: Arc::default(),
            changed: watch::Sender::new(0),
            hang_up: watch::Sender::new(0),
            address,
            _serving: Arc::default(),
        }
    }

    pub(crate) fn handler(&self) -> ReportServiceServer<Handler> {
        let handler = Handler {
            seen: Arc::clone(&self.seen),
            changed: self.changed.clone(),
            hang_up: self.hang_up.clone(),
        };
        ReportServiceServer::new(handler).max_decoding_message_size(8 << 20)
    }

    pub(crate) fn peer(&self) -> Peer {
        let url = format!("http://{}", self.address);
        Peer::new(&PeerUrl::parse(&url, None).unwrap(), Credential::None)
    }

    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn behave(&self, manners: Manners) {
        self.seen().manners = manners;
    }

    /// Ends every stream.
    pub(crate) fn hang_up(&self) {
        self.hang_up.send_modify(|count| *count += 1);
    }

    /// Waits until what was seen has something to give.
    pub(crate) async fn until<T>(&self, what: &str, look: impl Fn(&Seen) -> Option<T>) -> T {
        self.within(WITHIN, what, look).await
    }

    /// The same where time costs nothing.
    pub(crate) async fn until_patiently<T>(
        &self,
        what: &str,
        look: impl Fn(&Seen) -> Option<T>,
    ) -> T {
        self.within(Duration::from_secs(300), what, look).await
    }

    async fn within<T>(&self, most: Duration, what: &str, look: impl Fn(&Seen) -> Option<T>) -> T {
        let mut changed = self.changed.subscribe();
        let found = async {
            loop {
                if let Some(found) = look(&self.seen()) {
                    return found;
                }
                changed.changed().await.unwrap();
            }
        };
        match tokio::time::timeout(most, found).await {
            Ok(found) => found,
            Err(_) => panic!(
                "{what}: not within {most:?}; live: {:?}",
                self.seen().live()
            ),
        }
    }
}

pub(crate) struct Handler {
    seen: Arc<Mutex<Seen>>,
    changed: watch::Sender<u64>,
    hang_up: watch::Sender<u64>,
}

type Answers = std::pin::Pin<Box<dyn Stream<Item = Result<pb::ReportResponse, Status>> + Send>>;

#[tonic::async_trait]
impl ReportService for Handler {
    type ReportStream = Answers;

    async fn report(
        &self,
        request: tonic::Request<Streaming<pb::ReportRequest>>,
    ) -> Result<tonic::Response<Answers>, Status> {
        let (seen, changed) = (Arc::clone(&self.seen), self.changed.clone());
        let mut stream_number = 0;
        let answers = request.into_inner().flat_map(move |message| {
            let answers = match message {
                Ok(message) => {
                    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                    seen.wire.extend(message.encode_to_vec());
                    answer(&mut seen, &mut stream_number, message)
                }
                Err(_) => Vec::new(),
            };
            changed.send_modify(|count| *count += 1);
            futures::stream::iter(answers)
        });
        let mut hung_up = self.hang_up.subscribe();
        hung_up.mark_unchanged();
        let end = Box::pin(async move { drop(hung_up.changed().await) });
        let answers = answers.map(|message| {
            Ok(pb::ReportResponse {
                message: Some(message),
            })
        });
        Ok(tonic::Response::new(Box::pin(answers.take_until(end))))
    }
}

fn answer(seen: &mut Seen, stream: &mut u64, message: pb::ReportRequest) -> Vec<Response> {
    match message.message.unwrap() {
        Request::Hello(hello) => {
            seen.epoch += 1;
            *stream = seen.epoch;
            let members = pb::Members {
                instances: vec![hello.instance.clone()],
                version: 1,
            };
            seen.hellos.push(hello);
            let welcome = pb::Welcome {
                epoch: None,
                window: 64,
                held_follows: true,
                members: Some(members),
                window_bytes: 4 << 20,
                takes_deltas: false,
            };
            let (objects, last) = (seen.held(), true);
            let held = pb::Held { objects, last };
            vec![Response::Welcome(welcome), Response::Held(held)]
        }
        Request::Report(report) => seen.take(*stream, *stream, report).into_iter().collect(),
        Request::Manifest(manifest) => seen.manifest(*stream, manifest).into_iter().collect(),
        Request::Heartbeat(_) => Vec::new(),
    }
}
