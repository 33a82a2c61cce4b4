//! Response body of a forwarded call: streamed, never buffered, ended in a gRPC status.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures::future::BoxFuture;
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};
use http_body_util::Either;
use tokio::time::{Instant, Sleep, sleep_until};
use tonic::Status;
use tracing::Span;

use crate::{failure::trailers, span::record_status};

/// A relayed response, or one of this process itself.
pub type ResponseBody<B, G = ()> = Either<RelayBody<B, G>, tonic::body::Body>;

/// Response body of an upstream on its way to the caller. Dropping it cancels the call.
pub struct RelayBody<B: Body, G = ()> {
    /// `None` once the response has ended: the guards of the call end with it.
    upstream: Option<(B, G)>,
    /// Status for a body that broke off; without an error, for one that ended without a status.
    broken: fn(Option<&B::Error>) -> Status,
    ending: Ending,
    cutoff: Option<BoxFuture<'static, Status>>,
    deadline: Option<Deadline>,
    span: Span,
    on_status: Option<StatusCallback>,
}

type StatusCallback = Box<dyn FnOnce(&Status) + Send>;

struct Deadline {
    timer: Pin<Box<Sleep>>,
    exceeded: fn() -> Status,
}

/// How a broken response ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// With an HTTP/2 reset: the caller does not speak gRPC.
    Reset,
    /// With trailers that hold the status.
    Trailers,
    /// As `Trailers`, also where the upstream ends without a status of its own.
    StatusRequired,
}

impl<B: Body, G> RelayBody<B, G> {
    /// Relays plain HTTP. `guard` is dropped with the end of the response.
    pub fn new(body: B, guard: G, broken: fn(Option<&B::Error>) -> Status) -> Self {
        Self {
            upstream: Some((body, guard)),
            broken,
            ending: Ending::Reset,
            cutoff: None,
            deadline: None,
            span: Span::none(),
            on_status: None,
        }
    }

    /// Ends a broken response with trailers if its headers say gRPC.
    #[must_use]
    pub fn grpc(mut self, is_grpc: bool) -> Self {
        if is_grpc {
            self.ending = Ending::Trailers;
        }
        self
    }

    /// Requires a status in the trailers, unless `headers` have it. Calls `on_status` once with it.
    #[must_use]
    pub fn requiring_status(
        mut self,
        headers: &HeaderMap,
        on_status: impl FnOnce(&Status) + Send + 'static,
    ) -> Self {
        self.ending = match Status::from_header_map(headers) {
            Some(status) => {
                on_status(&status);
                Ending::Trailers
            }
            None => {
                self.on_status = Some(Box::new(on_status));
                Ending::StatusRequired
            }
        };
        self
    }

    /// Ends the response when `cutoff` resolves, although the upstream continues.
    #[must_use]
    pub fn ending_when(mut self, cutoff: BoxFuture<'static, Status>) -> Self {
        self.cutoff = Some(cutoff);
        self
    }

    /// Ends the response at the caller's deadline.
    #[must_use]
    pub fn with_deadline(mut self, deadline: Option<Instant>, exceeded: fn() -> Status) -> Self {
        self.deadline = deadline.map(|deadline| Deadline {
            timer: Box::pin(sleep_until(deadline)),
            exceeded,
        });
        self
    }

    #[must_use]
    pub fn with_span(mut self, span: Span) -> Self {
        self.span = span;
        self
    }

    fn report(&mut self, status: &Status) {
        if let Some(on_status) = self.on_status.take() {
            on_status(status);
        }
    }

    fn fail(&mut self, status: Status) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        self.upstream = None;
        self.report(&status);
        Poll::Ready(Some(match self.ending {
            Ending::Reset => Err(status),
            Ending::Trailers | Ending::StatusRequired => Ok(Frame::trailers(trailers(&status))),
        }))
    }

    fn end(&mut self, received: &HeaderMap) {
        record_status(&self.span, received);
        if self.ending == Ending::StatusRequired {
            let Some(status) = Status::from_header_map(received) else {
                return;
            };
            self.report(&status);
        }
        self.upstream = None;
    }
}

impl<B: Body<Data = Bytes> + Unpin, G: Unpin> Body for RelayBody<B, G> {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = self.get_mut();
        let Some((body, _guard)) = &mut this.upstream else {
            return Poll::Ready(None);
        };
        // Before the body: one that always has a frame would never let a revocation through.
        if let Some(cutoff) = &mut this.cutoff
            && let Poll::Ready(status) = cutoff.as_mut().poll(context)
        {
            return this.fail(status);
        }
        match Pin::new(body).poll_frame(context) {
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(received) = frame.trailers_ref() {
                    this.end(received);
                }
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(Some(Err(error))) => {
                let status = (this.broken)(Some(&error));
                this.fail(status)
            }
            Poll::Ready(None) if this.ending == Ending::StatusRequired => {
                let status = (this.broken)(None);
                this.fail(status)
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => {
                // Only here, so that a response which is there already registers no timer.
                if let Some(deadline) = &mut this.deadline
                    && deadline.timer.as_mut().poll(context).is_ready()
                {
                    let status = (deadline.exceeded)();
                    return this.fail(status);
                }
                Poll::Pending
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.upstream {
            None => true,
            Some((body, _guard)) => self.ending != Ending::StatusRequired && body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt as _, future, stream};
    use http_body_util::{BodyExt as _, StreamBody};
    use tonic::Code;

    use super::*;

    type Frames = Vec<Result<Frame<Bytes>, Status>>;

    fn relayed(frames: Frames) -> RelayBody<impl Body<Data = Bytes, Error = Status> + Unpin> {
        let body = StreamBody::new(stream::iter(frames));
        RelayBody::new(body, (), |_error| Status::unavailable("broken"))
    }

    fn data() -> Result<Frame<Bytes>, Status> {
        Ok(Frame::data(Bytes::from_static(b"a")))
    }

    #[tokio::test]
    async fn a_broken_grpc_response_ends_in_trailers_and_plain_http_in_an_error() {
        let broken = || vec![data(), Err(Status::internal("reset"))];
        let mut grpc = relayed(broken()).grpc(true);
        assert!(grpc.frame().await.unwrap().unwrap().is_data());
        let end = grpc.frame().await.unwrap().unwrap();
        assert_eq!(end.trailers_ref().unwrap()["grpc-status"], "14");
        assert!(grpc.frame().await.is_none());
        let mut plain = relayed(broken());
        assert!(plain.frame().await.unwrap().is_ok());
        assert_eq!(
            plain.frame().await.unwrap().unwrap_err().code(),
            Code::Unavailable
        );
    }

    #[tokio::test]
    async fn a_missing_status_is_added_where_it_is_required() {
        let mut plain = relayed(vec![data()]).grpc(true);
        assert!(plain.frame().await.is_some());
        assert!(plain.frame().await.is_none());
        let mut body = relayed(vec![data()]).requiring_status(&HeaderMap::new(), |_status| {});
        assert!(body.frame().await.is_some());
        assert!(body.frame().await.unwrap().unwrap().is_trailers());
    }

    #[tokio::test]
    async fn a_cutoff_comes_before_frames_that_are_ready() {
        let cutoff = future::ready(Status::aborted("scope")).boxed();
        let body = relayed(vec![data()]).requiring_status(&HeaderMap::new(), |status| {
            assert_eq!(status.code(), Code::Aborted);
        });
        let mut body = body.ending_when(cutoff);
        assert!(body.frame().await.unwrap().unwrap().is_trailers());
    }
}
