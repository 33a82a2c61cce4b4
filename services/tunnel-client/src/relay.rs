//! The body of an upstream's answer: frames as they come, and an end that a gRPC caller
//! understands when the upstream breaks off.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use causeway_websocket::Received;
use http_body::{Body, Frame, SizeHint};
use tracing::Span;

use crate::failure::{ForwardError, trailers};
use crate::trace;

/// The answer to a call that came through the tunnel.
pub(crate) enum Answer {
    /// From the upstream.
    Relayed(Relay),
    /// Made here.
    Own(tonic::body::Body),
}

/// An upstream's answer on its way into the tunnel.
pub(crate) struct Relay {
    body: Received,
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
    pub(crate) fn of_grpc(body: Received, span: Span) -> Self {
        Self {
            body,
            ending: Ending::Status,
            span,
        }
    }

    pub(crate) fn of_http(body: Received, span: Span) -> Self {
        Self {
            body,
            ending: Ending::Reset,
            span,
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
        let error = match ready!(Pin::new(&mut this.body).poll_frame(context)) {
            Some(Err(error)) => cause(&error),
            Some(Ok(frame)) => {
                if let Some(trailers) = frame.trailers_ref() {
                    trace::record_status(&this.span, trailers);
                }
                return Poll::Ready(Some(Ok(frame)));
            }
            None => return Poll::Ready(None),
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

/// Why an upstream failed a call: it reset it, or the connection to it is gone.
pub(crate) fn cause(error: &h2::Error) -> ForwardError {
    match error.reason().filter(|_| error.is_reset()) {
        Some(reason) => ForwardError::Reset(reason.into()),
        None => ForwardError::Broken,
    }
}
