//! Forwards a call of a platform-side caller to the runtime that its assertion names.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use causeway_relay::{
    Delivery, IncomingBody, PendingResponse, RelayBody, ResponseBody, ResponseDeadline, SendError,
    error_response, forward_span,
    headers::{is_grpc, remove_hop_by_hop},
    record_failure, record_status, with_delivery,
};
use http::{Request, Response};
use http_body_util::Either;
use tokio::time::{Instant, timeout_at};
use tonic::Status;
use tracing::Span;

use crate::PART;
use crate::authority::Callers;
use crate::failure::ForwardError;
use crate::headers;
use crate::link::{Link, OpenCall, Outgoing};
use crate::session::{RuntimeAddress, Sessions};

/// Registry of sessions behind one lock.
#[derive(Clone, Default)]
pub(crate) struct Table(Arc<Mutex<Sessions<Link>>>);

impl Table {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Sessions<Link>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn choose(&self, address: &RuntimeAddress) -> Result<Link, ForwardError> {
        let sessions = self.lock();
        let load = |link: &Link| (!link.is_closed()).then(|| link.open_calls());
        let session = sessions.choose(address, load);
        session
            .map(|session| session.link.clone())
            .ok_or_else(|| ForwardError::NotConnected(address.clone()))
    }
}

/// Response to a call of the internal listener. Holds one of the session's call permits.
pub(crate) type ForwardedBody = ResponseBody<IncomingBody, OpenCall>;

/// Forwards calls to sessions. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Forwarder {
    table: Table,
    callers: Callers,
}

impl Forwarder {
    pub(crate) fn new(table: Table, callers: Callers) -> Self {
        Self { table, callers }
    }

    pub(crate) async fn call(&self, mut request: Request<IncomingBody>) -> Response<ForwardedBody> {
        let address = match self.callers.known(request.headers(), request.uri().path()) {
            Some(known) => known,
            None => self.callers.verify(&request).await,
        };
        let address = match address {
            Ok(address) => address,
            Err(status) => {
                let status = with_delivery(status, Delivery::NotDelivered);
                return error_response(&status).map(Either::Right);
            }
        };
        let span = forward_span(&mut request, PART, Some(address.runtime.as_str()));
        match self.forward(&address, request, &span).await {
            Ok(response) => response,
            Err(error) => {
                record_failure(&span, &error);
                error_response(&Status::from(&error)).map(Either::Right)
            }
        }
    }

    async fn forward(
        &self,
        address: &RuntimeAddress,
        request: Request<IncomingBody>,
        span: &Span,
    ) -> Result<Response<ForwardedBody>, ForwardError> {
        headers::check_route(request.headers()).map_err(ForwardError::Route)?;
        let deadline = headers::timeout(request.headers()).map(|timeout| Instant::now() + timeout);
        let (exchange, call) = self.send(address, request)?;
        let response = match deadline {
            Some(deadline) => timeout_at(deadline, exchange)
                .await
                .map_err(|_elapsed| ForwardError::Deadline)?,
            None => exchange.await,
        };
        let response = response.map_err(|error| ForwardError::from(&error))?;
        Ok(relay(response, call, deadline, span))
    }

    /// Sends the request, and retries once where the chosen session ended meanwhile.
    fn send(
        &self,
        address: &RuntimeAddress,
        mut request: Request<IncomingBody>,
    ) -> Result<(PendingResponse<Outgoing>, OpenCall), ForwardError> {
        headers::prepare(request.headers_mut());
        let mut request = request.map(Either::Left);
        for _attempt in 0..2 {
            let link = self.table.choose(address)?;
            let call = link.reserve_call().ok_or(ForwardError::Overloaded)?;
            match link.send(request) {
                Ok(exchange) => return Ok((exchange, call)),
                Err(SendError::Closed(unsent)) => request = *unsent,
                Err(SendError::Invalid(error)) => return Err(ForwardError::from(&error)),
            }
        }
        Err(ForwardError::NotConnected(address.clone()))
    }
}

fn relay(
    mut response: Response<IncomingBody>,
    call: OpenCall,
    deadline: Option<Instant>,
    span: &Span,
) -> Response<ForwardedBody> {
    remove_hop_by_hop(response.headers_mut());
    let speaks_grpc = is_grpc(response.headers());
    record_status(span, response.headers());
    if let Some(deadline) = deadline {
        response.extensions_mut().insert(ResponseDeadline(deadline));
    }
    response.map(|body| {
        let broken = |error: Option<&h2::Error>| {
            let error = error.map_or(ForwardError::Lost, ForwardError::from);
            Status::from(&error)
        };
        let relayed = RelayBody::new(body, call, broken)
            .grpc(speaks_grpc)
            .with_deadline(deadline, || Status::from(&ForwardError::Deadline))
            .with_span(span.clone());
        Either::Left(relayed)
    })
}
