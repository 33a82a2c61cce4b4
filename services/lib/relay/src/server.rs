//! HTTP/2 server of one connection. All calls run in the task of their connection, so that the
//! frames of many calls leave in one write.

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

/// Calls that start or finish in one batch. Without batches all calls in flight would travel
/// together, and one process would work while the others wait.
const BATCH_CALLS: usize = 16;

/// Response extension that ends a response which the caller does not read. A response that is read
/// must end by itself.
#[derive(Debug, Clone, Copy)]
pub struct ResponseDeadline(pub Instant);

/// Serves `io` until the peer closes it, stops responding, or `shutdown` resolves and the open
/// calls have ended. Drops a call when its caller cancels it.
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
            // Polling for requests also flushes the frames of the calls that were polled.
            let started = match self.poll_requests(context) {
                ControlFlow::Continue(started) => started,
                ControlFlow::Break(ended) => return Poll::Ready(ended),
            };
            if started == BATCH_CALLS {
                // Their upstream connections run before the next batch is accepted.
                self.poll_calls(context);
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            // New calls are polled at once, so that their frames leave in the same write.
            if started == 0 && answered < BATCH_CALLS {
                return Poll::Pending;
            }
        }
    }

    /// Polls calls until a batch of them has ended. Returns how many ended.
    fn poll_calls(&mut self, context: &mut Context<'_>) -> usize {
        let mut ended = 0;
        while ended < BATCH_CALLS
            && let Poll::Ready(Some(())) = self.calls.poll_next_unpin(context)
        {
            ended += 1;
        }
        ended
    }

    /// Starts at most one batch of requests. Returns how many, or how the connection ended.
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

/// Confines a panic to its call: the task also runs every other call of the connection.
fn catch_panic<T>(call: impl FnOnce() -> T) -> Option<T> {
    // Unwind safe, since a call that panicked is dropped. The panic hook has logged it.
    catch_unwind(AssertUnwindSafe(call)).ok()
}

/// Request until its response is sent.
struct Call<F, B> {
    reply: SendResponse<Bytes>,
    state: State<F, B>,
}

enum State<F, B> {
    /// Boxed, since calls move between states and a handler's future is large.
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
    /// Ready also when the caller has cancelled the call.
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
            // The response is no valid HTTP/2, or its caller is gone.
            Some(Poll::Ready(Err(_))) | None => this.reply.send_reset(Reason::INTERNAL_ERROR),
        }
        // Dropped here, since a destructor of the call may panic too.
        let _dropped = catch_panic(|| this.state = State::Done);
        Poll::Ready(())
    }
}

#[cfg(test)]
mod tests;
