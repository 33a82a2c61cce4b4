//! A part on the way of logs that knows no back-pressure: it keeps what nobody takes.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use causeway_client::{Credential, Peer, PeerUrl};
use causeway_proto::proxy::v1::{
    StreamLogsRequest, StreamLogsResponse,
    log_service_client::LogServiceClient,
    log_service_server::{LogService, LogServiceServer},
};
use futures::channel::mpsc::{self, UnboundedReceiver};
use tokio::{net::TcpListener, task::JoinSet};
use tonic::{
    Request, Response, Status,
    transport::{Server, server::TcpIncoming},
};

/// Passes logs on, on loopback, until it is dropped.
pub(super) struct Part {
    address: SocketAddr,
    _serving: JoinSet<()>,
}

struct Handler {
    behind: LogServiceClient<Peer>,
    reading: Arc<Mutex<JoinSet<()>>>,
}

impl Part {
    /// Asks for what it passes on as this one.
    pub(super) async fn start(behind: Peer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let handler = LogServiceServer::new(Handler {
            behind: LogServiceClient::new(behind),
            reading: Arc::default(),
        });
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let server = Server::builder().add_service(handler);
            let incoming = TcpIncoming::from(listener);
            server.serve_with_incoming(incoming).await.unwrap();
        });
        Self {
            address,
            _serving: serving,
        }
    }

    pub(super) fn peer(&self) -> Peer {
        let url = PeerUrl::parse(&format!("http://{}", self.address), None).unwrap();
        Peer::new(&url, Credential::None)
    }
}

#[tonic::async_trait]
impl LogService for Handler {
    type StreamLogsStream = UnboundedReceiver<Result<StreamLogsResponse, Status>>;

    async fn stream_logs(
        &self,
        request: Request<StreamLogsRequest>,
    ) -> Result<Response<Self::StreamLogsStream>, Status> {
        let mut behind = self.behind.clone();
        let mut stream = behind.stream_logs(request.into_inner()).await?.into_inner();
        let (kept, taken) = mpsc::unbounded();
        self.reading.lock().unwrap().spawn(async move {
            while let Some(next) = stream.message().await.transpose() {
                if kept.unbounded_send(next).is_err() {
                    return;
                }
            }
        });
        Ok(Response::new(taken))
    }
}
