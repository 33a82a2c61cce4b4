//! Counts the open streams of a connection: from the arrival of a request to the end of its response.

use std::{
    convert::Infallible,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures::{FutureExt as _, TryFutureExt as _, future::BoxFuture};
use http::{Request, Response};
use http_body::{Body as HttpBody, Frame, SizeHint};
use tonic::{Status, body::Body};
use tower::Service;

use crate::connection_table::{ClientConnection, Place};

/// Service of one connection, which notes its streams at the place of the connection.
#[derive(Clone)]
pub(super) struct CountedService<S> {
    inner: S,
    place: Arc<Place>,
}

impl<S> CountedService<S> {
    pub(super) fn new(inner: S, place: Arc<Place>) -> Self {
        Self { inner, place }
    }
}

impl<S> Service<Request<Body>> for CountedService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response<Body>, Infallible>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let stream = ClientConnection::begin(self.place.clone());
        request.extensions_mut().insert(stream.clone());
        let response = self.inner.call(request);
        response
            .map_ok(move |response| {
                response.map(|body| {
                    Body::new(CountedBody {
                        body,
                        _stream: stream,
                    })
                })
            })
            .boxed()
    }
}

struct CountedBody {
    body: Body,
    _stream: ClientConnection,
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
