//! Http2Client that come on an HTTP/2 connection. All of them live in the task of their connection:
//! what many of them have to say leaves in one write.

use std::future::{Future, poll_fn};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures::StreamExt;
use futures::stream::FuturesUnordered;
use h2::server::{Builder, Connection, SendResponse};
use h2::{Reason, RecvStream};
use http::{Request, Response};
use http_body::Body;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, Sleep, sleep_until, timeout};

use crate::body_sender::BodySender;
use crate::client::ConnectionError;
use crate::incoming_body::IncomingBody;
use crate::keep_alive::{KeepAlive, MonitoredIo};
use crate::read_turn::ReadTurn;

/// So many calls are passed on, or answered, in one go. A peer works on these while the next are
/// under way here: without steps all calls under way travel as one, and one process works while
/// the others wait.
const BATCH_CALLS: usize = 16;

/// Among the extensions of an answer: it ends then, also when nobody reads it. An answer that is
/// read must end itself in time.
#[derive(Debug, Clone, Copy)]
pub struct ResponseDeadline(pub Instant);

/// Serves `io` until the peer ends the connection, falls silent, or `shutdown` resolves and what was
/// under way has ended. A call whose caller is gone is dropped.
pub async fn serve<T, C, F, B>(
    io: T,
    builder: &Builder,
    keep_alive: KeepAlive,
    call: C,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ConnectionError>
where
    T: AsyncRead + AsyncWrite + Unpin,
    C: Fn(Request<IncomingBody>) -> F,
    F: Future<Output = Response<B>>,
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let io = MonitoredIo::new(io);
    let (last_read, turn) = (io.last_read(), io.turn());
    let mut shutdown = std::pin::pin!(shutdown);
    let handshake = timeout(keep_alive.every + keep_alive.wait, builder.handshake(io));
    let mut connection = tokio::select! {
        connected = handshake => connected.map_err(|_elapsed| ConnectionError::Silent)??,
        () = &mut shutdown => return Ok(()),
    };
    let pings = connection.ping_pong();
    let silence = async move {
        match pings {
            Some(pings) => keep_alive.wait_for_silence(pings, last_read).await,
            None => std::future::pending().await,
        }
    };
    let mut silence = std::pin::pin!(silence);
    let mut serving = Serving {
        connection,
        turn,
        calls: FuturesUnordered::new(),
        call,
    };
    tokio::select! {
        biased;
        ended = poll_fn(|context| serving.poll(context)) => return Ok(ended?),
        () = shutdown => serving.connection.graceful_shutdown(),
        () = &mut silence => return Err(ConnectionError::Silent),
    }
    tokio::select! {
        biased;
        ended = poll_fn(|context| serving.poll(context)) => Ok(ended?),
        () = silence => Err(ConnectionError::Silent),
    }
}

struct Serving<T, C, F, B> {
    connection: Connection<T, Bytes>,
    turn: ReadTurn,
    calls: FuturesUnordered<Call<F, B>>,
    call: C,
}

impl<T, C, F, B> Serving<T, C, F, B>
where
    T: AsyncRead + AsyncWrite + Unpin,
    C: Fn(Request<IncomingBody>) -> F,
    F: Future<Output = Response<B>>,
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<(), h2::Error>> {
        self.turn.begin();
        loop {
            let answered = self.poll_calls(context);
            // This also sends what was answered.
            let started = match self.poll_requests(context) {
                ControlFlow::Continue(started) => started,
                ControlFlow::Break(ended) => return Poll::Ready(ended),
            };
            if started == BATCH_CALLS {
                // Whoever they are passed on by comes before the next.
                self.poll_calls(context);
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            // What was started is polled at once, and what it says is sent with the rest.
            if started == 0 && answered < BATCH_CALLS {
                return Poll::Pending;
            }
        }
    }

    /// Moves calls on until one step of them has ended; gives how many have.
    fn poll_calls(&mut self, context: &mut Context<'_>) -> usize {
        let mut ended = 0;
        while ended < BATCH_CALLS
            && let Poll::Ready(Some(())) = self.calls.poll_next_unpin(context)
        {
            ended += 1;
        }
        ended
    }

    /// Begins what was asked for, one step of it at most: how many, or how the connection has
    /// ended.
    fn poll_requests(
        &mut self,
        context: &mut Context<'_>,
    ) -> ControlFlow<Result<(), h2::Error>, usize> {
        for started in 0..BATCH_CALLS {
            match self.connection.poll_accept(context) {
                Poll::Ready(Some(Ok((request, reply)))) => self.start(request, reply),
                Poll::Ready(Some(Err(error))) => return ControlFlow::Break(Err(error)),
                Poll::Ready(None) => return ControlFlow::Break(Ok(())),
                Poll::Pending => return ControlFlow::Continue(started),
            }
        }
        ControlFlow::Continue(BATCH_CALLS)
    }

    fn start(&mut self, request: Request<RecvStream>, mut reply: SendResponse<Bytes>) {
        let request = request.map(IncomingBody::request);
        match catch_panic(|| (self.call)(request)) {
            Some(answer) => {
                let state = State::Handling(Box::pin(answer));
                self.calls.push(Call { reply, state });
            }
            None => reply.send_reset(Reason::INTERNAL_ERROR),
        }
    }
}

/// The task is that of every call of the connection: a panic ends only the call that it is in.
fn catch_panic<T>(call: impl FnOnce() -> T) -> Option<T> {
    // What the call leaves half done is dropped and never looked at; the hook has told the panic.
    catch_unwind(AssertUnwindSafe(call)).ok()
}

/// One request until its answer is sent.
struct Call<F, B> {
    reply: SendResponse<Bytes>,
    state: State<F, B>,
}

enum State<F, B> {
    /// In a box, since it is moved about and long.
    Handling(Pin<Box<F>>),
    Responding {
        answer: BodySender<B>,
        until: Option<Pin<Box<Sleep>>>,
    },
    Done,
}

impl<F, B> Call<F, B>
where
    F: Future<Output = Response<B>>,
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    /// Ready also when the caller wants no answer any more.
    fn poll_response(&mut self, context: &mut Context<'_>) -> Poll<Result<(), h2::Error>> {
        if let State::Handling(answer) = &mut self.state {
            let Poll::Ready(answer) = answer.as_mut().poll(context) else {
                return self.reply.poll_reset(context).map_ok(|_reason| ());
            };
            let (head, body) = answer.into_parts();
            let ended = body.is_end_stream();
            let until = head.extensions.get().copied();
            let head = Response::from_parts(head, ());
            let stream = self.reply.send_response(head, ended)?;
            if ended {
                return Poll::Ready(Ok(()));
            }
            self.state = State::Responding {
                answer: BodySender::new(body, stream, Reason::INTERNAL_ERROR),
                until: until.map(|ResponseDeadline(until)| Box::pin(sleep_until(until))),
            };
        }
        let State::Responding { answer, until } = &mut self.state else {
            return Poll::Pending;
        };
        if Pin::new(&mut *answer).poll(context).is_ready() {
            return Poll::Ready(Ok(()));
        }
        if let Some(until) = until.as_mut().filter(|_| answer.is_waiting_for_capacity()) {
            ready!(until.as_mut().poll(context));
            self.reply.send_reset(Reason::CANCEL);
            return Poll::Ready(Ok(()));
        }
        Poll::Pending
    }
}

impl<F, B> Future for Call<F, B>
where
    F: Future<Output = Response<B>>,
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let this = self.get_mut();
        match catch_panic(|| this.poll_response(context)) {
            Some(Poll::Pending) => return Poll::Pending,
            Some(Poll::Ready(Ok(()))) => {}
            // What cannot be said in HTTP/2, and what is said to a caller that is gone.
            Some(Poll::Ready(Err(_))) | None => this.reply.send_reset(Reason::INTERNAL_ERROR),
        }
        // Here, since dropping what the call holds may panic too.
        let _dropped = catch_panic(|| this.state = State::Done);
        Poll::Ready(())
    }
}

#[cfg(test)]
mod tests;
