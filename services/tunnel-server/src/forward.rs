//! One call of a platform-side caller, carried to the runtime that its assertion is for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use causeway_websocket::{Exchange, Received, SendError, Until};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Request, Response};
use tokio::time::{Instant, timeout_at};
use tonic::Status;
use tracing::Span;

use crate::authority::Callers;
use crate::failure::{ForwardError, Outcome, answer};
use crate::head;
use crate::link::{Link, OpenCall, Outgoing};
use crate::relay::{Answer, Relay, cause};
use crate::session::{RuntimeAddress, Sessions};
use crate::trace;

/// The table of sessions, behind its one lock.
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

/// Carries calls. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Forwarder {
    table: Table,
    callers: Callers,
}

impl Forwarder {
    pub(crate) fn new(table: Table, callers: Callers) -> Self {
        Self { table, callers }
    }

    pub(crate) async fn call(&self, mut request: Request<Received>) -> Response<Answer> {
        let address = match self.callers.known(request.headers(), request.uri().path()) {
            Some(known) => known,
            None => self.callers.verify(&request).await,
        };
        let address = match address {
            Ok(address) => address,
            Err(status) => return answer(&status, Outcome::NotDelivered).map(Answer::Own),
        };
        let span = trace::span(&mut request, &address);
        match self.forward(&address, request, &span).await {
            Ok(response) => response,
            Err(error) => {
                trace::record_failure(&span, &error);
                answer(&Status::from(&error), error.outcome()).map(Answer::Own)
            }
        }
    }

    async fn forward(
        &self,
        address: &RuntimeAddress,
        request: Request<Received>,
        span: &Span,
    ) -> Result<Response<Answer>, ForwardError> {
        head::route(request.headers()).map_err(ForwardError::Route)?;
        let deadline = head::timeout(request.headers()).map(|timeout| Instant::now() + timeout);
        let (exchange, call) = self.begin(address, request)?;
        let response = match deadline {
            Some(deadline) => timeout_at(deadline, exchange)
                .await
                .map_err(|_elapsed| ForwardError::Deadline)?,
            None => exchange.await,
        };
        let response = response.map_err(|error| cause(&error))?;
        Ok(relay(response, call, deadline, span))
    }

    /// A session can end between being chosen and being used; then another may take the call.
    fn begin(
        &self,
        address: &RuntimeAddress,
        mut request: Request<Received>,
    ) -> Result<(Exchange<Outgoing>, OpenCall), ForwardError> {
        head::prepare(request.headers_mut());
        let mut request = request.map(Outgoing::Forwarded);
        for _attempt in 0..2 {
            let link = self.table.choose(address)?;
            let call = link.begin().ok_or(ForwardError::Overloaded)?;
            match link.send(request) {
                Ok(exchange) => return Ok((exchange, call)),
                Err(SendError::Closed(unsent)) => request = *unsent,
                Err(SendError::Invalid(error)) => return Err(cause(&error)),
            }
        }
        Err(ForwardError::NotConnected(address.clone()))
    }
}

fn relay(
    mut response: Response<Received>,
    call: OpenCall,
    deadline: Option<Instant>,
    span: &Span,
) -> Response<Answer> {
    head::remove_hop_by_hop(response.headers_mut());
    let speaks_grpc = is_grpc(response.headers());
    trace::record_status(span, response.headers());
    if let Some(deadline) = deadline {
        response.extensions_mut().insert(Until(deadline));
    }
    response.map(|body| {
        let relay = Relay::new(body, call, span.clone()).until(deadline);
        Answer::Relayed(if speaks_grpc {
            relay.ending_in_status()
        } else {
            relay
        })
    })
}

fn is_grpc(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"))
}
