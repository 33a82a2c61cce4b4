//! Connection to the inventory: reconnects without limit, with exponential backoff and full jitter.

use std::time::Duration;

use causeway_client::{Backoff, Jitter, Peer};
use causeway_proto::inventory::v1::{self as pb, report_service_client::ReportServiceClient};
use futures::future::BoxFuture;
use tokio::{
    sync::mpsc,
    time::{Instant, sleep_until, timeout},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use crate::{convert, session::Session};

const FIRST_DELAY: Duration = Duration::from_millis(500);
const MAX_DELAY: Duration = Duration::from_secs(30);
const OPEN_TIMEOUT: Duration = Duration::from_secs(15);
const OUTBOUND_MESSAGES: usize = 64;
const MAX_RESPONSE_BYTES: usize = 16 << 20;

type Opened = Result<Session, Status>;

/// Connection to the inventory and its state.
pub(crate) struct Link {
    peer: Peer,
    state: State,
    backoff: Backoff,
    /// An outage is logged already.
    failing: bool,
}

enum State {
    Waiting(Instant),
    Opening(BoxFuture<'static, Opened>),
    Open(Box<Session>),
}

/// Next event of the connection.
pub(crate) enum LinkEvent {
    /// The backoff has passed: open a stream.
    Due,
    Opened,
    Message(pb::ReportResponse),
    /// The stream ended, or could not be opened.
    Lost,
}

impl Link {
    pub(crate) fn new(peer: Peer, jitter: Jitter) -> Self {
        Self {
            peer,
            state: State::Waiting(Instant::now()),
            backoff: Backoff::new(FIRST_DELAY, MAX_DELAY).with_jitter(jitter),
            failing: false,
        }
    }

    /// Open stream, if there is one.
    pub(crate) fn session(&mut self) -> Option<&mut Session> {
        match &mut self.state {
            State::Open(session) => Some(session),
            State::Waiting(_) | State::Opening(_) => None,
        }
    }

    /// Opens a stream with this hello.
    pub(crate) fn open(&mut self, hello: pb::Hello) {
        self.state = State::Opening(Box::pin(open(self.peer.clone(), hello)));
    }

    /// Resets the backoff, so that the next outage is logged.
    pub(crate) fn mark_healthy(&mut self) {
        if self.failing {
            tracing::info!("the inventory is reached again");
        }
        self.failing = false;
        self.backoff.reset();
    }

    /// Drops the stream and schedules the next one.
    pub(crate) fn close(&mut self) {
        self.state = State::Waiting(Instant::now() + self.backoff.next_delay());
    }

    /// Waits for the next event. Cancel-safe.
    pub(crate) async fn next(&mut self) -> LinkEvent {
        let failed = match &mut self.state {
            State::Waiting(until) => {
                sleep_until(*until).await;
                return LinkEvent::Due;
            }
            State::Opening(opening) => match opening.await {
                Ok(session) => {
                    self.state = State::Open(Box::new(session));
                    return LinkEvent::Opened;
                }
                Err(status) => status,
            },
            State::Open(session) => match session.inbound.message().await {
                Ok(Some(message)) => return LinkEvent::Message(message),
                Ok(None) => Status::unavailable("the inventory ended the stream"),
                Err(status) => status,
            },
        };
        if !self.failing {
            let (code, text) = (failed.code(), failed.message());
            tracing::warn!(
                ?code,
                text,
                "cannot stream to the inventory; reconnecting with backoff"
            );
        }
        self.failing = true;
        self.close();
        LinkEvent::Lost
    }
}

async fn open(peer: Peer, hello: pb::Hello) -> Opened {
    let (outbound, messages) = mpsc::channel(OUTBOUND_MESSAGES);
    let hello = convert::to_request(pb::report_request::Message::Hello(hello));
    let sent = outbound.try_send(hello);
    sent.expect("a new channel has room for the first message");
    let mut client = ReportServiceClient::new(peer).max_decoding_message_size(MAX_RESPONSE_BYTES);
    let opening = client.report(ReceiverStream::new(messages));
    let opened = timeout(OPEN_TIMEOUT, opening).await;
    let late = |_| Status::deadline_exceeded("no answer to the opening of the stream");
    let inbound = opened.map_err(late)??.into_inner();
    Ok(Session::new(outbound, inbound))
}
