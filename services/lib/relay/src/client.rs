//! HTTP/2 client of one connection. The task of a caller drives its own request: there is no queue
//! before the connection. Only a request body that outlasts the response head gets a task.

use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use bytes::Bytes;
use h2::Reason;
use h2::client::{Builder, Connection, ResponseFuture, SendRequest};
use http::{Request, Response};
use http_body::Body;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::body_sender::BodySender;
use crate::incoming_body::IncomingBody;
use crate::keep_alive::{KeepAlive, MonitoredIo};
use crate::read_turn::ReadTurn;

/// Sends requests on one connection. Clones share it. The connection ends when the last clone and
/// the last response are dropped.
#[derive(Clone)]
pub struct Http2Client {
    sender: SendRequest<Bytes>,
    held: ConnectionHold,
}

/// Keeps the upload of a request and its connection alive as long as its response.
pub(crate) struct ResponseGuard {
    _upload: Option<JoinSet<()>>,
    _held: ConnectionHold,
}

/// Reference to an open connection. Carries no values: the receiver sees when the last one is dropped.
type ConnectionHold = mpsc::Sender<Infallible>;

/// A request that was not sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError<B> {
    /// The connection is closed. No byte of the request was sent.
    #[error("the connection is closed")]
    Closed(Box<Request<B>>),
    #[error("the request cannot be sent: {0}")]
    Invalid(#[source] h2::Error),
}

/// Failure of a connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    #[error("the peer has fallen silent")]
    Silent,
    #[error(transparent)]
    Http2(#[from] h2::Error),
}

/// Future that drives a connection until it ends.
pub trait Driver: Future<Output = Result<(), ConnectionError>> + Send {}
impl<F: Future<Output = Result<(), ConnectionError>> + Send> Driver for F {}

impl Http2Client {
    /// Opens a connection. The driver must be polled until it ends. With `keep_alive` it also ends
    /// when the peer stops responding.
    pub async fn open<T>(
        io: T,
        builder: &Builder,
        keep_alive: Option<KeepAlive>,
    ) -> Result<(Self, impl Driver + use<T>), h2::Error>
    where
        T: AsyncRead + AsyncWrite + Send + Unpin,
    {
        let io = MonitoredIo::new(io);
        let (last_read, turn) = (io.last_read(), io.turn());
        let (sender, mut connection) = builder.handshake(io).await?;
        let pings = connection.ping_pong();
        let silence = async move {
            match (keep_alive, pings) {
                (Some(keep_alive), Some(pings)) => {
                    keep_alive.wait_for_silence(pings, last_read).await
                }
                _ => std::future::pending().await,
            }
        };
        let (held, released) = mpsc::channel(1);
        Ok((
            Self { sender, held },
            drive(connection, turn, released, silence),
        ))
    }

    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.held.is_closed()
    }

    /// Sends the request head at once. [`PendingResponse`] sends the body and receives the response head.
    pub fn send<B>(&self, request: Request<B>) -> Result<PendingResponse<B>, SendError<B>>
    where
        B: Body<Data = Bytes> + Send + Unpin + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let mut sender = self.sender.clone();
        // A fresh clone has no pending stream, so `not ready` can only mean closed.
        let ready = sender.poll_ready(&mut Context::from_waker(Waker::noop()));
        if self.is_closed() || !matches!(ready, Poll::Ready(Ok(()))) {
            return Err(SendError::Closed(Box::new(request)));
        }
        let (head, body) = request.into_parts();
        let ended = body.is_end_stream();
        let (response, stream) = sender
            .send_request(Request::from_parts(head, ()), ended)
            .map_err(SendError::Invalid)?;
        Ok(PendingResponse {
            response,
            upload: (!ended).then(|| BodySender::new(body, stream, Reason::CANCEL)),
            held: self.held.clone(),
        })
    }
}

async fn drive<T>(
    connection: Connection<T, Bytes>,
    turn: ReadTurn,
    mut released: mpsc::Receiver<Infallible>,
    silence: impl Future<Output = ()>,
) -> Result<(), ConnectionError>
where
    T: AsyncRead + AsyncWrite + Unpin,
{
    let (mut connection, silence) = (std::pin::pin!(connection), std::pin::pin!(silence));
    let mut ended = poll_fn(|context| {
        turn.begin();
        connection.as_mut().poll(context)
    });
    tokio::select! {
        biased;
        ended = &mut ended => return Ok(ended?),
        _released = released.recv() => {}
        () = silence => return Err(ConnectionError::Silent),
    }
    // Without a handle h2 sends GOAWAY on the next poll and ends.
    Ok(ended.await?)
}

/// Request in flight until its response head arrives. Dropping it cancels the request.
pub struct PendingResponse<B> {
    response: ResponseFuture,
    upload: Option<BodySender<B>>,
    held: ConnectionHold,
}

impl<B> Future for PendingResponse<B>
where
    B: Body<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Output = Result<Response<IncomingBody>, h2::Error>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.get_mut();
        if let Some(upload) = &mut this.upload
            && Pin::new(upload).poll(context).is_ready()
        {
            this.upload = None;
        }
        let response = ready!(Pin::new(&mut this.response).poll(context))?;
        let upload = this.upload.take().map(|rest| JoinSet::from_iter([rest]));
        let rest = ResponseGuard {
            _upload: upload,
            _held: this.held.clone(),
        };
        Poll::Ready(Ok(
            response.map(|frames| IncomingBody::response(frames, rest))
        ))
    }
}

#[cfg(test)]
mod tests;
