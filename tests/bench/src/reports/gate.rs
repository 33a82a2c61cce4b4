//! A platform that is slow, or says nothing at all: it stands before a real one, holds reports back and counts those that pass.

use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use causeway_proto::inventory::v1::{self as pb, report_request::Message};
use futures::stream;
use http::{Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody, combinators::UnsyncBoxBody};
use hyper::{body::Incoming, client, server, service::service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message as _;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::watch,
    task::JoinSet,
    time::{Instant, sleep_until},
};

const REPORT: &str = "/causeway.inventory.v1.ReportService/Report";
/// Of a message of gRPC: whether it is compressed, and its length.
const FRAME_HEAD: usize = 5;

type Body = UnsyncBoxBody<Bytes, hyper::Error>;

/// What becomes of reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    /// They pass.
    Free,
    /// They stand, and all that comes after them.
    Stalled,
    /// So many pass in a second.
    Paced(u32),
}

/// Its drop ends its connections.
pub(super) struct Gate {
    pub(super) address: SocketAddr,
    flow: watch::Sender<Flow>,
    passed: Arc<AtomicU64>,
    _serving: JoinSet<()>,
}

/// What comes of one stream.
struct Passing {
    body: Incoming,
    received: BytesMut,
    flow: watch::Receiver<Flow>,
    passed: Arc<AtomicU64>,
    next: Instant,
}

impl Gate {
    /// Listens on any port before this address, and lets all pass.
    pub(super) async fn start(upstream: SocketAddr) -> anyhow::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let (flow, told) = watch::channel(Flow::Free);
        let passed = Arc::new(AtomicU64::new(0));
        let mut serving = JoinSet::new();
        let counted = Arc::clone(&passed);
        serving.spawn(async move {
            let mut open = JoinSet::new();
            loop {
                tokio::select! {
                    Some(_) = open.join_next() => {}
                    Ok((socket, _peer)) = listener.accept() => {
                        open.spawn(serve(socket, upstream, told.clone(), Arc::clone(&counted)));
                    }
                }
            }
        });
        Ok(Self {
            address,
            flow,
            passed,
            _serving: serving,
        })
    }

    pub(super) fn set(&self, flow: Flow) {
        self.flow.send_replace(flow);
    }

    /// How many reports have passed.
    pub(super) fn passed(&self) -> u64 {
        self.passed.load(Ordering::Relaxed)
    }
}

/// One connection from the client, and one of its own to the platform.
async fn serve(
    socket: TcpStream,
    upstream: SocketAddr,
    flow: watch::Receiver<Flow>,
    passed: Arc<AtomicU64>,
) -> anyhow::Result<()> {
    let upstream = TcpStream::connect(upstream).await?;
    let upstream = TokioIo::new(upstream);
    let connecting = client::conn::http2::handshake(TokioExecutor::new(), upstream).await;
    let (sender, connection) = connecting?;
    let service = service_fn(move |request: Request<Incoming>| {
        let (flow, passed) = (flow.clone(), Arc::clone(&passed));
        let mut sender = sender.clone();
        async move {
            let held = request.uri().path() == REPORT;
            let request = request.map(|body| {
                if held {
                    hold(body, flow, passed)
                } else {
                    body.boxed_unsync()
                }
            });
            let answer: Result<Response<Incoming>, _> = sender.send_request(request).await;
            answer
        }
    });
    let builder = server::conn::http2::Builder::new(TokioExecutor::new());
    let serving = builder.serve_connection(TokioIo::new(socket), service);
    tokio::select! {
        ended = connection => Ok(ended?),
        ended = serving => Ok(ended?),
    }
}

fn hold(body: Incoming, flow: watch::Receiver<Flow>, passed: Arc<AtomicU64>) -> Body {
    let passing = Passing {
        body,
        received: BytesMut::new(),
        flow,
        passed,
        next: Instant::now(),
    };
    let frames = stream::try_unfold(passing, |mut passing| async {
        let message = passing.next().await?;
        Ok(message.map(|message| (Frame::data(message), passing)))
    });
    StreamBody::new(frames).boxed_unsync()
}

impl Passing {
    /// The next message, when it may pass; nothing when the client has said all.
    async fn next(&mut self) -> Result<Option<Bytes>, hyper::Error> {
        loop {
            if let Some(message) = self.whole() {
                self.wait(&message).await;
                return Ok(Some(message));
            }
            match self.body.frame().await {
                Some(frame) => {
                    if let Ok(data) = frame?.into_data() {
                        self.received.extend_from_slice(&data);
                    }
                }
                None => return Ok(None),
            }
        }
    }

    fn whole(&mut self) -> Option<Bytes> {
        let length = self.received.get(1..FRAME_HEAD)?;
        let length = u32::from_be_bytes(length.try_into().ok()?);
        let whole = FRAME_HEAD + usize::try_from(length).ok()?;
        (self.received.len() >= whole).then(|| self.received.split_to(whole).freeze())
    }

    async fn wait(&mut self, message: &Bytes) {
        let moving = self.flow.wait_for(|flow| *flow != Flow::Stalled).await;
        let flow = moving.map_or(Flow::Free, |flow| *flow);
        let said = pb::ReportRequest::decode(message.slice(FRAME_HEAD..));
        let is_report = said.is_ok_and(|said| matches!(said.message, Some(Message::Report(_))));
        if !is_report {
            return;
        }
        if let Flow::Paced(rate) = flow {
            sleep_until(self.next).await;
            self.next = self.next.max(Instant::now() - Duration::from_millis(50))
                + Duration::from_secs(1) / rate;
        }
        self.passed.fetch_add(1, Ordering::Relaxed);
    }
}
