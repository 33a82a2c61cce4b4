//! Panic layer: a panic in a handler fails one call, not the connection.

use std::{
    convert::Infallible,
    panic::{AssertUnwindSafe, catch_unwind},
    pin::Pin,
    task::{Context, Poll},
};

use futures::FutureExt as _;
use http::{Request, Response};
use http_body::{Body as HttpBody, Frame};
use hyper::body::Bytes;
use tonic::{Status, body::Body};
use tower::{Layer, Service};

use super::{ResponseFuture, take_ready};
use crate::status::{Protocol, respond, to_trailers};

/// Converts a panic to `INTERNAL`. The panic hook logs it.
#[derive(Clone, Copy, Debug, Default)]
pub struct PanicLayer;

#[derive(Clone, Debug)]
pub struct PanicService<S>(S);

impl<S> Layer<S> for PanicLayer {
    type Service = PanicService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        PanicService(inner)
    }
}

impl<S, B> Service<Request<B>> for PanicService<S>
where
    S: Service<Request<B>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let mut inner = take_ready(&mut self.0);
        let protocol = Protocol::from_headers(request.headers());
        let response = AssertUnwindSafe(async move { inner.call(request).await }).catch_unwind();
        Box::pin(async move {
            Ok(match response.await {
                Ok(Ok(response)) => response.map(|body| Body::new(PanicBody(Some(body)))),
                Err(_) => respond(&internal(), protocol),
            })
        })
    }
}

fn internal() -> Status {
    Status::internal("internal error")
}

/// Body that ends with a status after a panic, when it is `None`.
struct PanicBody(Option<Body>);

impl HttpBody for PanicBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let Some(body) = &mut self.0 else {
            return Poll::Ready(None);
        };
        let polled = catch_unwind(AssertUnwindSafe(|| Pin::new(body).poll_frame(cx)));
        polled.unwrap_or_else(|_| {
            self.0 = None;
            Poll::Ready(Some(Ok(Frame::trailers(to_trailers(&internal())))))
        })
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> http_body::SizeHint {
        self.0
            .as_ref()
            .map_or_else(http_body::SizeHint::default, HttpBody::size_hint)
    }
}
