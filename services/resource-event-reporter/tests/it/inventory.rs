//! An inventory that keeps the contract and shows what it was told.

use std::{
    collections::BTreeMap,
    pin::Pin,
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
use tokio::{net::TcpListener, sync::watch, task::JoinSet};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Status, Streaming, transport::Server};

const WITHIN: Duration = Duration::from_secs(60);

/// Whose stream it is: cluster and kind.
type Source = (String, String);

/// What was told.
#[derive(Default)]
pub(crate) struct Seen {
    /// The last report about each object, by cluster, kind and name.
    pub(crate) objects: BTreeMap<(String, String, String), pb::Report>,
    /// All reports in their order, with their streams.
    pub(crate) reports: Vec<(Source, pb::Report)>,
    pub(crate) hellos: Vec<pb::Hello>,
}

#[derive(Clone)]
pub(crate) struct Inventory {
    seen: Arc<Mutex<Seen>>,
    changed: watch::Sender<u64>,
    address: std::net::SocketAddr,
    _serving: Arc<JoinSet<()>>,
}

impl Seen {
    /// The state of an object of the cluster "in-cluster"; nothing where it is gone or was not told.
    pub(crate) fn state(&self, kind: &str, name: &str) -> Option<&pb::ResourceState> {
        self.state_in("in-cluster", kind, name)
    }

    pub(crate) fn state_in(
        &self,
        cluster: &str,
        kind: &str,
        name: &str,
    ) -> Option<&pb::ResourceState> {
        let key = (cluster.to_owned(), kind.to_owned(), name.to_owned());
        match self.objects.get(&key)?.change.as_ref()? {
            pb::report::Change::Resource(state) => Some(state),
            pb::report::Change::Application(_)
            | pb::report::Change::Delta(_)
            | pb::report::Change::Deleted(_) => None,
        }
    }

    /// Which Application an object is said to belong to, as cluster, namespace and name.
    pub(crate) fn belongs(&self, kind: &str, name: &str) -> Option<(String, String, String)> {
        let application = self.state(kind, name)?.application.clone()?;
        Some((application.cluster, application.namespace, application.name))
    }

    pub(crate) fn rollout(&self, name: &str) -> Option<&pb::Rollout> {
        let detail = self.state("rollouts.argoproj.io", name)?.detail.as_ref()?;
        if let pb::resource_state::Detail::Rollout(rollout) = detail {
            return Some(rollout);
        }
        None
    }

    fn answer(&mut self, stream: &mut Source, message: Request) -> Vec<Response> {
        match message {
            Request::Hello(hello) => {
                *stream = (hello.cluster.clone(), hello.kind.clone());
                self.hellos.push(hello);
                let welcome = pb::Welcome {
                    window: 64,
                    held_follows: true,
                    window_bytes: 4 << 20,
                    ..pb::Welcome::default()
                };
                let (objects, last) = (self.held(stream), true);
                vec![
                    Response::Welcome(welcome),
                    Response::Held(pb::Held { objects, last }),
                ]
            }
            Request::Report(report) => {
                let sequences = vec![report.sequence];
                let key = (stream.0.clone(), stream.1.clone(), report.name.clone());
                self.reports.push((stream.clone(), report.clone()));
                self.objects.insert(key, report);
                vec![Response::Acknowledged(pb::Acknowledged { sequences })]
            }
            Request::Manifest(_) | Request::Heartbeat(_) => Vec::new(),
        }
    }

    fn held(&self, (cluster, kind): &Source) -> Vec<pb::HeldObject> {
        let own = self
            .objects
            .iter()
            .filter(|((of, it, _), _)| (of, it) == (cluster, kind));
        let live = own.filter_map(|((_, _, name), report)| {
            let state = self.state_in(cluster, kind, name)?;
            Some((report, state))
        });
        live.map(|(report, state)| pb::HeldObject {
            namespace: report.namespace.clone(),
            name: report.name.clone(),
            uid: report.uid.clone(),
            resource_version: report.resource_version,
            root_digest: state.root_digest.clone(),
        })
        .collect()
    }
}

impl Inventory {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let mut inventory = Self {
            seen: Arc::default(),
            changed: watch::Sender::new(0),
            address: listener.local_addr().unwrap(),
            _serving: Arc::default(),
        };
        let handler = ReportServiceServer::new(inventory.clone());
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let incoming = TcpListenerStream::new(listener);
            let server = Server::builder().add_service(handler);
            server.serve_with_incoming(incoming).await.unwrap();
        });
        inventory._serving = Arc::new(serving);
        inventory
    }

    pub(crate) fn peer(&self) -> Peer {
        let url = format!("http://{}", self.address);
        Peer::new(&PeerUrl::parse(&url, None).unwrap(), Credential::None)
    }

    pub(crate) fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until what was told has something to give.
    pub(crate) async fn until<T>(&self, what: &str, look: impl Fn(&Seen) -> Option<T>) -> T {
        let mut changed = self.changed.subscribe();
        let found = async {
            loop {
                if let Some(found) = look(&self.seen()) {
                    return found;
                }
                changed.changed().await.unwrap();
            }
        };
        match tokio::time::timeout(WITHIN, found).await {
            Ok(found) => found,
            Err(_) => panic!(
                "{what}: not within {WITHIN:?}; told: {:?}",
                self.seen().objects
            ),
        }
    }
}

#[tonic::async_trait]
impl ReportService for Inventory {
    type ReportStream = Pin<Box<dyn Stream<Item = Result<pb::ReportResponse, Status>> + Send>>;

    async fn report(
        &self,
        request: tonic::Request<Streaming<pb::ReportRequest>>,
    ) -> Result<tonic::Response<Self::ReportStream>, Status> {
        let (inventory, mut stream) = (self.clone(), Source::default());
        let answers = request.into_inner().flat_map(move |message| {
            let message = message.ok().and_then(|message| message.message);
            let answers = message.map(|message| inventory.seen().answer(&mut stream, message));
            inventory.changed.send_modify(|count| *count += 1);
            futures::stream::iter(answers.unwrap_or_default())
        });
        let answers = answers.map(|message| {
            Ok(pb::ReportResponse {
                message: Some(message),
            })
        });
        Ok(tonic::Response::new(Box::pin(answers)))
    }
}
