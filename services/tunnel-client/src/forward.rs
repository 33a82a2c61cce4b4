//! One call that came through the tunnel, carried to the upstream of the route that it names.

use causeway_websocket::Received;
use http::header::CONTENT_TYPE;
use http::{Request, Response};
use tracing::{Instrument, Span};

use crate::failure::{ForwardError, answer};
use crate::head;
use crate::relay::{Answer, Relay, cause};
use crate::route::Routes;
use crate::trace;
use crate::upstream::{Sent, Upstream};

/// Carries calls to what is in its table, and to nothing else.
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

    pub(crate) async fn call(&self, mut request: Request<Received>) -> Response<Answer> {
        let span = trace::span(&mut request);
        match self.forward(request, &span).await {
            Ok(response) => relay(response, span),
            Err(error) => {
                trace::record_failure(&span, &error);
                answer(&error).map(Answer::Own)
            }
        }
    }

    async fn forward(
        &self,
        request: Request<Received>,
        span: &Span,
    ) -> Result<Response<Received>, ForwardError> {
        let name = head::route(request.headers());
        let Some(upstream) = self.routes.find(name) else {
            return Err(ForwardError::Route(name.chars().take(63).collect()));
        };
        let exchange = match upstream.send(request)? {
            Sent::Begun(exchange) => exchange,
            Sent::NotConnected(request) => {
                upstream.connect(request).instrument(span.clone()).await?
            }
        };
        exchange.await.map_err(|error| cause(&error))
    }
}

fn relay(mut response: Response<Received>, span: Span) -> Response<Answer> {
    head::remove_hop_by_hop(response.headers_mut());
    trace::record_status(&span, response.headers());
    let content_type = response.headers().get(CONTENT_TYPE);
    let speaks_grpc =
        content_type.is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"));
    response.map(|body| {
        Answer::Relayed(if speaks_grpc {
            Relay::of_grpc(body, span)
        } else {
            Relay::of_http(body, span)
        })
    })
}
