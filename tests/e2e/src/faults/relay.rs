//! A way to the inventory that breaks a promise on purpose: reporter and relay, or relay and inventory, are together what a broken
//! build would be.

use std::{collections::VecDeque, pin::Pin};

use causeway_proto::inventory::v1::{
    self as pb,
    report_request::Message,
    report_response::Message as Answer,
    report_service_client::ReportServiceClient,
    report_service_server::{ReportService, ReportServiceServer},
};
use futures::{Stream, StreamExt as _};
use tokio::{net::TcpListener, sync::mpsc, task::JoinSet};
use tokio_stream::wrappers::{ReceiverStream, TcpListenerStream};
use tonic::{
    Request, Response, Status, Streaming,
    metadata::MetadataMap,
    transport::{Channel, Endpoint, Server},
};

const QUEUED: usize = 64;
/// So many reports are acknowledged and not yet told to who commits them.
const BEHIND: usize = 16;

/// What is broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// An inventory that acknowledges before it commits: what it has not committed when a stream ends is lost.
    AcknowledgesFirst,
    /// A reporter that is not told what is held, and so never sweeps out what is gone.
    HoldsNothing,
}

/// It serves until it is dropped.
pub(crate) struct Relay {
    pub(crate) url: String,
    _server: JoinSet<()>,
}

struct Service {
    inventory: ReportServiceClient<Channel>,
    fault: Fault,
}

type Answers = mpsc::Sender<Result<pb::ReportResponse, Status>>;

impl Relay {
    pub(crate) async fn start(inventory: &str, fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let inventory = Endpoint::from_shared(inventory.to_owned()).unwrap();
        let inventory = ReportServiceClient::new(inventory.connect_lazy());
        let service = ReportServiceServer::new(Service { inventory, fault });
        let serving = Server::builder()
            .add_service(service)
            .serve_with_incoming(TcpListenerStream::new(listener));
        let mut server = JoinSet::new();
        server.spawn(async move {
            // It ends with the test.
            let _ = serving.await;
        });
        Self {
            url,
            _server: server,
        }
    }
}

#[tonic::async_trait]
impl ReportService for Service {
    type ReportStream = Pin<Box<dyn Stream<Item = Result<pb::ReportResponse, Status>> + Send>>;

    async fn report(
        &self,
        request: Request<Streaming<pb::ReportRequest>>,
    ) -> Result<Response<Self::ReportStream>, Status> {
        let (caller, _, requests) = request.into_parts();
        let (onward, requests_on) = mpsc::channel(QUEUED);
        let mut forward = Request::new(ReceiverStream::new(requests_on));
        authorize(forward.metadata_mut(), &caller);
        let (back, answers) = mpsc::channel(QUEUED);
        let fault = self.fault;
        let asking = requests_through(fault, requests, onward, back.clone());
        let mut inventory = self.inventory.clone();
        let mut tasks = JoinSet::new();
        tasks.spawn(asking);
        tasks.spawn(async move {
            let answered = match inventory.report(forward).await {
                Ok(opened) => answers_through(fault, opened.into_inner(), &back).await,
                Err(status) => Err(status),
            };
            let status = answered.err();
            let status = status.unwrap_or_else(|| Status::unavailable("the inventory has ended"));
            // Whoever reports may be gone.
            let _ = back.send(Err(status)).await;
        });
        let answers = ReceiverStream::new(answers).map(move |answer| {
            // The tasks end with the answers.
            let _ = &tasks;
            answer
        });
        Ok(Response::new(Box::pin(answers)))
    }
}

fn authorize(forward: &mut MetadataMap, caller: &MetadataMap) {
    if let Some(shown) = caller.get("authorization") {
        forward.insert("authorization", shown.clone());
    }
}

async fn requests_through(
    fault: Fault,
    mut requests: Streaming<pb::ReportRequest>,
    onward: mpsc::Sender<pb::ReportRequest>,
    back: Answers,
) {
    let mut behind = VecDeque::new();
    while let Ok(Some(request)) = requests.message().await {
        let next = match (&request.message, fault) {
            (Some(Message::Report(report)), Fault::AcknowledgesFirst) => {
                let sequences = vec![report.sequence];
                let told = Answer::Acknowledged(pb::Acknowledged { sequences });
                let told = pb::ReportResponse {
                    message: Some(told),
                };
                behind.push_back(request);
                if back.send(Ok(told)).await.is_err() {
                    return;
                }
                (behind.len() > BEHIND)
                    .then(|| behind.pop_front())
                    .flatten()
            }
            _ => Some(request),
        };
        if let Some(next) = next
            && onward.send(next).await.is_err()
        {
            return;
        }
    }
}

async fn answers_through(
    fault: Fault,
    mut answers: Streaming<pb::ReportResponse>,
    back: &Answers,
) -> Result<(), Status> {
    while let Some(mut answer) = answers.message().await? {
        match (&mut answer.message, fault) {
            (Some(Answer::Acknowledged(_)), Fault::AcknowledgesFirst) => continue,
            (Some(Answer::Held(held)), Fault::HoldsNothing) => held.objects.clear(),
            _ => {}
        }
        if back.send(Ok(answer)).await.is_err() {
            return Ok(());
        }
    }
    Ok(())
}
