//! The body of an answer on its way back: streamed, never buffered, ended with a status of ours where the upstream gives none.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures::future::BoxFuture;
use http::HeaderMap;
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::body::Incoming;
use tonic::Status;

use crate::{authorize::Watch, refusal, tie::Tie, upstream::Place};

/// Resolves when a call must end although its upstream goes on.
pub(crate) type End = BoxFuture<'static, Status>;

/// An upstream's answer. Dropping it cancels the call.
pub(crate) struct Relay {
    /// Gone once the answer has ended, and with it the requests that are tied to it.
    upstream: Option<(Incoming, Place, Option<Tie>)>,
    end: End,
    watch: Watch,
    /// Whether the headers already had the status.
    told: bool,
}

impl Relay {
    pub(crate) fn new(
        headers: &HeaderMap,
        upstream: (Incoming, Place, Option<Tie>),
        end: End,
        mut watch: Watch,
    ) -> Self {
        let status = Status::from_header_map(headers);
        if let Some(status) = &status {
            watch.ended(status);
        }
        Self {
            upstream: Some(upstream),
            end,
            watch,
            told: status.is_some(),
        }
    }

    fn finish(&mut self, status: &Status) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        self.upstream = None;
        self.watch.ended(status);
        Poll::Ready(Some(Ok(Frame::trailers(trailers(status)))))
    }
}

impl HttpBody for Relay {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let this = &mut *self;
        if this.upstream.is_some()
            // First, since an upstream that always has something would never let it have its turn.
            && let Poll::Ready(status) = this.end.as_mut().poll(context)
        {
            return this.finish(&status);
        }
        let Some((body, ..)) = &mut this.upstream else {
            return Poll::Ready(None);
        };
        match Pin::new(body).poll_frame(context) {
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(status) = frame.trailers_ref().and_then(Status::from_header_map) {
                    this.watch.ended(&status);
                    this.upstream = None;
                }
                Poll::Ready(Some(Ok(frame)))
            }
            Poll::Ready(None) if this.told => Poll::Ready(None),
            Poll::Ready(Some(Err(_)) | None) => this.finish(&refusal::lost(
                "the connection to the part broke before the answer ended",
            )),
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        match &self.upstream {
            None => true,
            Some((body, ..)) => self.told && body.is_end_stream(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::default()
    }
}

/// A status as the trailers that end a gRPC stream.
fn trailers(status: &Status) -> HeaderMap {
    let mut trailers = HeaderMap::new();
    if status.add_header(&mut trailers).is_err() {
        let code = i32::from(status.code());
        trailers.insert(Status::GRPC_STATUS, code.into());
    }
    trailers
}
