//! The body of a forwarded answer: frames as they come, and an end that a gRPC caller understands
//! when the tunnel breaks.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use causeway_websocket::Received;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};
use tracing::Span;

use crate::failure::{ForwardError, trailers};
use crate::link::OpenCall;
use crate::trace;

/// The answer to a call of the internal listener.
pub(crate) enum Answer {
    /// From the runtime.
    Relayed(Relay),
    /// Made here.
    Own(tonic::body::Body),
}

/// A runtime's answer on its way to the caller. Holds the call's place in its session.
pub(crate) struct Relay {
    body: Received,
    _call: OpenCall,
    deadline: Option<Pin<Box<Sleep>>>,
    ending: Ending,
    span: Span,
}

/// What a broken answer becomes.
enum Ending {
    /// Trailers with a status.
    Status,
    /// A reset: the caller does not speak gRPC.
    Reset,
    /// It was said.
    Done,
}

impl Relay {
    pub(crate) fn new(body: Received, call: OpenCall, span: Span) -> Self {
        Self {
            body,
            _call: call,
            deadline: None,
            ending: Ending::Reset,
            span,
        }
    }

    pub(crate) fn ending_in_status(mut self) -> Self {
        self.ending = Ending::Status;
        self
    }

    pub(crate) fn until(mut self, deadline: Option<Instant>) -> Self {
        self.deadline = deadline.map(|deadline| Box::pin(sleep_until(deadline)));
        self
    }

    fn overdue(&mut self, context: &mut Context<'_>) -> bool {
        let Some(deadline) = &mut self.deadline else {
            return false;
        };
        deadline.as_mut().poll(context).is_ready()
    }

    fn poll_answer(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ForwardError>>> {
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(Some(Ok(frame))) => {
                self.record(&frame);
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(cause(&error)))),
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending if self.overdue(context) => {
                Poll::Ready(Some(Err(ForwardError::Deadline)))
            }
            Poll::Pending => Poll::Pending,
        }
    }

    fn record(&self, frame: &Frame<Bytes>) {
        if let Some(trailers) = frame.trailers_ref() {
            trace::record_status(&self.span, trailers);
        }
    }
}

impl Body for Relay {
    type Data = Bytes;
    type Error = ForwardError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ForwardError>>> {
        let this = self.get_mut();
        if let Ending::Done = this.ending {
            return Poll::Ready(None);
        }
        let error = match std::task::ready!(this.poll_answer(context)) {
            Some(Err(error)) => error,
            frame => return Poll::Ready(frame),
        };
        match std::mem::replace(&mut this.ending, Ending::Done) {
            Ending::Status => Poll::Ready(Some(Ok(Frame::trailers(trailers(&error))))),
            Ending::Reset | Ending::Done => Poll::Ready(Some(Err(error))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self.ending, Ending::Done) || self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match self.get_mut() {
            Self::Relayed(body) => Pin::new(body).poll_frame(context).map_err(Into::into),
            Self::Own(body) => Pin::new(body).poll_frame(context).map_err(Into::into),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Relayed(body) => body.is_end_stream(),
            Self::Own(body) => body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Relayed(body) => body.size_hint(),
            Self::Own(body) => body.size_hint(),
        }
    }
}

/// Why the tunnel hop failed a call: the far side reset it, or the session is gone.
pub(crate) fn cause(error: &h2::Error) -> ForwardError {
    match error.reason().filter(|_| error.is_reset()) {
        Some(reason) => ForwardError::Reset(reason.into()),
        None => ForwardError::Lost,
    }
}
