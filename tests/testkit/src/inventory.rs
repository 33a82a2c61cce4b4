//! An inventory at the end of a wire, as reporters meet it: it keeps the contract and shows what it was told. It can be told
//! to be slow, to refuse and to hang up.

mod seen;

use std::{
    net::SocketAddr,
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use causeway_client::{Credential, Peer, PeerUrl};
use causeway_proto::inventory::v1::{
    self as pb,
    report_service_server::{ReportService, ReportServiceServer},
};
use futures::{Stream, StreamExt as _};
use prost::Message as _;
use tokio::{net::TcpListener, sync::watch, task::JoinSet};
use tokio_stream::wrappers::TcpListenerStream;
use tonic::{Request, Response, Status, Streaming, transport::Server};

pub use self::seen::{Manners, Object, Seen};

const WITHIN: Duration = Duration::from_secs(120);
const PATIENTLY: Duration = Duration::from_secs(300);
const LARGEST: usize = 8 << 20;

/// An inventory that reporters may talk to. Cheap to clone; it is served as long as one of its clones is there.
#[derive(Clone)]
pub struct FakeInventory {
    seen: Arc<Mutex<Seen>>,
    changed: watch::Sender<u64>,
    hang_up: watch::Sender<u64>,
    address: SocketAddr,
    _serving: Arc<JoinSet<()>>,
}

impl FakeInventory {
    /// Served on a free port of loopback.
    ///
    /// # Panics
    /// When it cannot listen.
    pub async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let mut inventory = Self::unserved(listener.local_addr().expect("an address"));
        let handler = inventory.handler();
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let incoming = TcpListenerStream::new(listener);
            let server = Server::builder().add_service(handler);
            server.serve_with_incoming(incoming).await.expect("serving");
        });
        inventory._serving = Arc::new(serving);
        inventory
    }

    /// For a network of one's own, where it is at this address.
    #[must_use]
    pub fn unserved(address: SocketAddr) -> Self {
        Self {
            seen: Arc::default(),
            changed: watch::Sender::new(0),
            hang_up: watch::Sender::new(0),
            address,
            _serving: Arc::default(),
        }
    }

    /// What answers to reporters.
    #[must_use]
    pub fn handler(&self) -> ReportServiceServer<Handler> {
        let handler = Handler {
            seen: Arc::clone(&self.seen),
            changed: self.changed.clone(),
            hang_up: self.hang_up.clone(),
        };
        ReportServiceServer::new(handler).max_decoding_message_size(LARGEST)
    }

    /// The way to it, without a credential.
    ///
    /// # Panics
    /// Never: its address is one.
    #[must_use]
    pub fn peer(&self) -> Peer {
        let url = format!("http://{}", self.address);
        let url = PeerUrl::parse(&url, None).expect("an address");
        Peer::new(&url, Credential::None)
    }

    /// What it was told so far.
    pub fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How it is to behave from now on.
    pub fn behave(&self, manners: Manners) {
        self.seen().behave(manners);
    }

    /// Ends every stream.
    pub fn hang_up(&self) {
        self.hang_up.send_modify(|count| *count += 1);
    }

    /// Waits until what was seen has something to give.
    ///
    /// # Panics
    /// When that takes two minutes.
    pub async fn until<T>(&self, what: &str, look: impl Fn(&Seen) -> Option<T>) -> T {
        self.within(WITHIN, what, look).await
    }

    /// The same where time costs nothing.
    ///
    /// # Panics
    /// When that takes five minutes.
    pub async fn until_patiently<T>(&self, what: &str, look: impl Fn(&Seen) -> Option<T>) -> T {
        self.within(PATIENTLY, what, look).await
    }

    async fn within<T>(&self, most: Duration, what: &str, look: impl Fn(&Seen) -> Option<T>) -> T {
        let mut changed = self.changed.subscribe();
        let found = async {
            loop {
                if let Some(found) = look(&self.seen()) {
                    return found;
                }
                changed.changed().await.expect("it is there");
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

/// Answers to reporters.
pub struct Handler {
    seen: Arc<Mutex<Seen>>,
    changed: watch::Sender<u64>,
    hang_up: watch::Sender<u64>,
}

type Answers = Pin<Box<dyn Stream<Item = Result<pb::ReportResponse, Status>> + Send>>;

#[tonic::async_trait]
impl ReportService for Handler {
    type ReportStream = Answers;

    async fn report(
        &self,
        request: Request<Streaming<pb::ReportRequest>>,
    ) -> Result<Response<Answers>, Status> {
        let (seen, changed) = (Arc::clone(&self.seen), self.changed.clone());
        let mut stream = seen::Stream::default();
        let answers = request.into_inner().flat_map(move |message| {
            let answers = message.map_or_else(
                |_| Vec::new(),
                |message| {
                    let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
                    seen.wire.extend(message.encode_to_vec());
                    seen.answer(&mut stream, message)
                },
            );
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
        Ok(Response::new(Box::pin(answers.take_until(end))))
    }
}
