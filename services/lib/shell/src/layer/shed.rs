//! Load shedding layer: rejects calls above the limit immediately, before their bodies are read.

use std::{
    convert::Infallible,
    sync::Arc,
    task::{Context, Poll},
};

use causeway_proto::error::v1::Reason;
use http::{Request, Response};
use tokio::sync::Semaphore;
use tonic::{Code, Status, body::Body};
use tower::{Layer, Service};

use super::{ResponseFuture, take_ready};
use crate::{
    access::public_path,
    status::{Protocol, respond, status},
};

/// Rejects calls with `RESOURCE_EXHAUSTED` above the limit of concurrent calls. A call counts until its response starts, so open
/// streams do not count. Health and reflection always pass.
#[derive(Clone, Debug)]
pub struct ShedLayer(Arc<Semaphore>);

impl ShedLayer {
    pub const DEFAULT_CALLS: usize = 1024;

    #[must_use]
    pub fn new(calls: usize) -> Self {
        Self(Arc::new(Semaphore::new(calls.min(Semaphore::MAX_PERMITS))))
    }
}

impl Default for ShedLayer {
    fn default() -> Self {
        Self::new(Self::DEFAULT_CALLS)
    }
}

#[derive(Clone, Debug)]
pub struct ShedService<S> {
    inner: S,
    permits: Arc<Semaphore>,
}

impl<S> Layer<S> for ShedLayer {
    type Service = ShedService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        ShedService {
            inner,
            permits: self.0.clone(),
        }
    }
}

impl<S, B> Service<Request<B>> for ShedService<S>
where
    S: Service<Request<B>, Response = Response<Body>, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let mut inner = take_ready(&mut self.inner);
        if public_path(request.uri().path()).is_some() {
            return Box::pin(async move { inner.call(request).await });
        }
        let Ok(permit) = self.permits.clone().try_acquire_owned() else {
            let refusal = respond(&overloaded(), Protocol::from_headers(request.headers()));
            return Box::pin(std::future::ready(Ok(refusal)));
        };
        Box::pin(async move {
            let response = inner.call(request).await;
            drop(permit);
            response
        })
    }
}

fn overloaded() -> Status {
    status(
        Code::ResourceExhausted,
        Reason::Overloaded,
        "too many concurrent calls; retry shortly",
    )
}
