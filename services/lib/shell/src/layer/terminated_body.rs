//! gRPC body that can be ended early with a status.

use std::{
    future::Future,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures::{FutureExt as _, future::BoxFuture};
use http_body::{Body as HttpBody, Frame};
use tonic::{Status, body::Body};

use crate::status::to_trailers;

/// Ends the body when `end` resolves, even if frames are always ready.
pub(super) fn end_body_when(
    body: Body,
    end: impl Future<Output = Status> + Send + 'static,
) -> Body {
    Body::new(TerminatedBody {
        body: Some(body),
        end: end.boxed(),
    })
}

struct TerminatedBody {
    body: Option<Body>,
    end: BoxFuture<'static, Status>,
}

impl HttpBody for TerminatedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        if self.body.is_none() {
            return Poll::Ready(None);
        }
        // Polled first, so that a busy stream cannot postpone its end.
        if let Poll::Ready(status) = self.end.poll_unpin(cx) {
            self.body = None;
            return Poll::Ready(Some(Ok(Frame::trailers(to_trailers(&status)))));
        }
        match &mut self.body {
            Some(body) => Pin::new(body).poll_frame(cx),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.body
            .as_ref()
            .map_or_else(http_body::SizeHint::default, HttpBody::size_hint)
    }
}
