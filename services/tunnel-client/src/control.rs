//! The control stream as this end serves it: the server's notices come in, hello and readiness go
//! out.

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

/// What the server has said on a session so far; later outranks earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Told {
    Nothing,
    Hello,
    Drain,
    Superseded,
}

/// What this end has to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Word {
    /// The session is in use.
    Stay,
    /// Another session is open; this one may end.
    Leave,
}

/// Both directions of a session's control stream, for whoever holds the session.
#[derive(Clone)]
pub(crate) struct Talk {
    told: Arc<watch::Sender<Told>>,
    word: Arc<watch::Sender<Word>>,
}

impl Talk {
    pub(crate) fn new() -> Self {
        Self {
            told: Arc::new(watch::Sender::new(Told::Nothing)),
            word: Arc::new(watch::Sender::new(Word::Stay)),
        }
    }

    /// Resolves when the server has said at least this; never, if the session ends before.
    pub(crate) async fn told(&self, at_least: Told) -> Told {
        let mut told = self.told.subscribe();
        let heard = told
            .wait_for(|told| *told >= at_least)
            .await
            .map(|told| *told);
        match heard {
            Ok(told) => told,
            Err(_closed) => std::future::pending().await,
        }
    }

    /// Ends the session once its calls have ended.
    pub(crate) fn leave(&self) {
        self.word.send_replace(Word::Leave);
    }

    /// Resolves when the session is to end.
    pub(crate) async fn leaving(&self) {
        let mut word = self.word.subscribe();
        // The sender lives as long as this talk.
        let _ = word.wait_for(|word| *word == Word::Leave).await;
    }

    fn hear(&self, notice: &Notice) {
        let told = match notice {
            Notice::Hello(_) => Told::Hello,
            Notice::Drain(_) => Told::Drain,
            Notice::Superseded(_) => Told::Superseded,
        };
        self.told.send_if_modified(|current| {
            let news = told > *current;
            *current = told.max(*current);
            news
        });
    }
}

/// Serves the control stream of one session.
pub(crate) struct Handler {
    pub(crate) talk: Talk,
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
        let ready = stream::once(listen(self.talk.clone(), request.into_inner()));
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

/// Hears the server until it ends the stream or this end leaves; says so in the second case.
async fn listen(talk: Talk, mut notices: Streaming<pb::OpenRequest>) -> Option<Message> {
    loop {
        tokio::select! {
            () = talk.leaving() => return Some(Message::DrainReady(pb::DrainReady {})),
            heard = notices.message() => match heard {
                Ok(Some(request)) => {
                    if let Some(notice) = request.notice {
                        talk.hear(&notice);
                    }
                }
                Ok(None) | Err(_) => return None,
            },
        }
    }
}
