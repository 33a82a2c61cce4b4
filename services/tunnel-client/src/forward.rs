//! Forwards a call from the tunnel to the upstream of its route.

use causeway_relay::{
    IncomingBody, RelayBody, ResponseBody, error_response, forward_span,
    headers::{is_grpc, remove_hop_by_hop},
    record_failure, record_status,
};
use http::{Request, Response};
use http_body_util::Either;
use tonic::Status;
use tracing::{Instrument, Span};

use crate::PART;
use crate::failure::ForwardError;
use crate::headers;
use crate::route::Routes;
use crate::upstream::{Sent, Upstream};

/// Forwards calls to the routes of its table, and to nothing else.
pub(crate) struct Forwarder {
    routes: Routes<Upstream>,
}

impl Forwarder {
    pub(crate) fn new(routes: Routes<Upstream>) -> Self {
        Self { routes }
    }

    pub(crate) fn route_names(&self) -> Vec<String> {
        self.routes.names()
    }

    pub(crate) async fn call(
        &self,
        mut request: Request<IncomingBody>,
    ) -> Response<ResponseBody<IncomingBody>> {
        let span = forward_span(&mut request, PART, None);
        match self.forward(request, &span).await {
            Ok(response) => relay(response, span),
            Err(error) => {
                record_failure(&span, &error);
                error_response(&Status::from(&error)).map(Either::Right)
            }
        }
    }

    async fn forward(
        &self,
        request: Request<IncomingBody>,
        span: &Span,
    ) -> Result<Response<IncomingBody>, ForwardError> {
        let name = headers::route(request.headers());
        let Some(upstream) = self.routes.find(name) else {
            return Err(ForwardError::Route(name.chars().take(63).collect()));
        };
        let exchange = match upstream.send(request)? {
            Sent::Begun(exchange) => exchange,
            Sent::NotConnected(request) => {
                upstream.connect(request).instrument(span.clone()).await?
            }
        };
        exchange.await.map_err(|error| ForwardError::from(&error))
    }
}

fn relay(mut response: Response<IncomingBody>, span: Span) -> Response<ResponseBody<IncomingBody>> {
    remove_hop_by_hop(response.headers_mut());
    record_status(&span, response.headers());
    let speaks_grpc = is_grpc(response.headers());
    response.map(|body| {
        let broken = |error: Option<&h2::Error>| {
            let error = error.map_or(ForwardError::Broken, ForwardError::from);
            Status::from(&error)
        };
        let relayed = RelayBody::new(body, (), broken);
        Either::Left(relayed.grpc(speaks_grpc).with_span(span))
    })
}
