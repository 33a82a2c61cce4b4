//! Client end of the control stream: receives the server's notices, sends hello and drain readiness.

use std::pin::Pin;
use std::sync::Arc;

use causeway_proto::tunnel::v1 as pb;
use futures::{Stream, StreamExt, stream};
use pb::control_service_server::{ControlService, ControlServiceServer};
use pb::open_request::Notice;
use pb::open_response::Message;
use tokio::sync::watch;
use tonic::{Request, Response, Status, Streaming};

const MESSAGE_BYTES: usize = 16 * 1024;

/// Last notice of the server on a session. Later variants outrank earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ServerNotice {
    None,
    Hello,
    Drain,
    Superseded,
}

/// Both directions of a session's control stream. Clones share them.
#[derive(Clone)]
pub(crate) struct ControlStream {
    notice: Arc<watch::Sender<ServerNotice>>,
    leaving: Arc<watch::Sender<bool>>,
}

impl ControlStream {
    pub(crate) fn new() -> Self {
        Self {
            notice: Arc::new(watch::Sender::new(ServerNotice::None)),
            leaving: Arc::new(watch::Sender::new(false)),
        }
    }

    /// Waits for a notice of at least this rank; never resolves if the session ends before.
    pub(crate) async fn wait_for_notice(&self, at_least: ServerNotice) -> ServerNotice {
        let mut notices = self.notice.subscribe();
        let notice = notices.wait_for(|notice| *notice >= at_least).await;
        match notice.map(|notice| *notice) {
            Ok(notice) => notice,
            Err(_closed) => std::future::pending().await,
        }
    }

    /// Ends the session once its calls have ended.
    pub(crate) fn leave(&self) {
        self.leaving.send_replace(true);
    }

    /// Resolves when the session is to end.
    pub(crate) async fn leaving(&self) {
        let mut leaving = self.leaving.subscribe();
        // The sender lives as long as this stream, so the wait cannot fail.
        let _ = leaving.wait_for(|leaving| *leaving).await;
    }

    fn on_notice(&self, notice: &Notice) {
        let notice = match notice {
            Notice::Hello(_) => ServerNotice::Hello,
            Notice::Drain(_) => ServerNotice::Drain,
            Notice::Superseded(_) => ServerNotice::Superseded,
        };
        self.notice.send_if_modified(|current| {
            let outranks = notice > *current;
            *current = notice.max(*current);
            outranks
        });
    }
}

/// Serves the control stream of one session.
pub(crate) struct Handler {
    pub(crate) control: ControlStream,
    pub(crate) routes: Vec<String>,
}

impl Handler {
    pub(crate) fn into_service(self) -> ControlServiceServer<Self> {
        ControlServiceServer::new(self).max_decoding_message_size(MESSAGE_BYTES)
    }
}

#[tonic::async_trait]
impl ControlService for Handler {
    type OpenStream = Pin<Box<dyn Stream<Item = Result<pb::OpenResponse, Status>> + Send>>;

    async fn open(
        &self,
        request: Request<Streaming<pb::OpenRequest>>,
    ) -> Result<Response<Self::OpenStream>, Status> {
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let hello = Message::Hello(pb::ClientHello {
            version,
            routes: self.routes.clone(),
        });
        let ready = stream::once(listen(self.control.clone(), request.into_inner()));
        let messages = stream::once(async { Some(hello) }).chain(ready);
        let messages = messages.filter_map(async |message| message);
        let responses = messages.map(|message| {
            Ok(pb::OpenResponse {
                message: Some(message),
            })
        });
        Ok(Response::new(Box::pin(responses)))
    }
}

/// Reads notices until the server ends the stream, or until this end leaves, which it then announces.
async fn listen(
    control: ControlStream,
    mut notices: Streaming<pb::OpenRequest>,
) -> Option<Message> {
    loop {
        tokio::select! {
            () = control.leaving() => return Some(Message::DrainReady(pb::DrainReady {})),
            request = notices.message() => match request {
                Ok(Some(request)) => {
                    if let Some(notice) = request.notice {
                        control.on_notice(&notice);
                    }
                }
                Ok(None) | Err(_) => return None,
            },
        }
    }
}
