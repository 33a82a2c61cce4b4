//! One call of a platform-side caller, carried to the runtime that its assertion is for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::future::BoxFuture;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, Request, Response};
use hyper::body::Incoming;
use tokio::time::{Instant, timeout_at};
use tonic::Status;
use tracing::{Instrument, Span, field};

use crate::failure::{ForwardError, Outcome, answer};
use crate::head;
use crate::link::{Link, OpenCall, Outgoing, SendError};
use crate::relay::{Answer, Relay, cause};
use crate::session::{RuntimeAddress, Sessions};
use crate::trace;

/// Says for which runtime a verified caller calls the method of this path.
pub(crate) type CallAuthority = Arc<
    dyn Fn(&HeaderMap, &str) -> BoxFuture<'static, Result<RuntimeAddress, Status>> + Send + Sync,
>;

/// The table of sessions, behind its one lock.
#[derive(Clone, Default)]
pub(crate) struct Table(Arc<Mutex<Sessions<Link>>>);

impl Table {
    pub(crate) fn lock(&self) -> MutexGuard<'_, Sessions<Link>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn choose(&self, address: &RuntimeAddress) -> Result<Link, ForwardError> {
        let sessions = self.lock();
        let session = sessions.choose(address, Link::open_calls);
        session
            .map(|session| session.link.clone())
            .ok_or_else(|| ForwardError::NotConnected(address.clone()))
    }
}

/// Carries calls. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Forwarder {
    table: Table,
    authority: CallAuthority,
}

impl Forwarder {
    pub(crate) fn new(table: Table, authority: CallAuthority) -> Self {
        Self { table, authority }
    }

    pub(crate) async fn call(&self, mut request: Request<Incoming>) -> Response<Answer> {
        let authority = (self.authority)(request.headers(), request.uri().path());
        let address = match authority.await {
            Ok(address) => address,
            Err(status) => return answer(&status, Outcome::NotDelivered).map(Answer::Own),
        };
        let span = trace::span(&mut request, &address);
        match self
            .forward(&address, request, &span)
            .instrument(span.clone())
            .await
        {
            Ok(response) => response,
            Err(error) => {
                span.record("error", field::display(&error));
                answer(&Status::from(&error), error.outcome()).map(Answer::Own)
            }
        }
    }

    async fn forward(
        &self,
        address: &RuntimeAddress,
        mut request: Request<Incoming>,
        span: &Span,
    ) -> Result<Response<Answer>, ForwardError> {
        head::route(request.headers()).map_err(ForwardError::Route)?;
        let deadline = head::timeout(request.headers()).map(|timeout| Instant::now() + timeout);
        head::remove_hop_by_hop(request.headers_mut());
        let sent = self.send(address, request.map(Outgoing::Forwarded));
        let (response, call) = match deadline {
            Some(deadline) => timeout_at(deadline, sent)
                .await
                .map_err(|_elapsed| ForwardError::Deadline)??,
            None => sent.await?,
        };
        Ok(relay(response, call, deadline, span))
    }

    /// A session can end between being chosen and being used; then another may take the call.
    async fn send(
        &self,
        address: &RuntimeAddress,
        mut request: Request<Outgoing>,
    ) -> Result<(Response<Incoming>, OpenCall), ForwardError> {
        for _attempt in 0..2 {
            let link = self.table.choose(address)?;
            let call = link.begin().ok_or(ForwardError::Overloaded)?;
            match link.send(request).await {
                Ok(response) => return Ok((response, call)),
                Err(SendError::NotSent(unsent)) => request = *unsent,
                Err(SendError::Failed(error)) => return Err(cause(&error)),
            }
        }
        Err(ForwardError::NotConnected(address.clone()))
    }
}

fn relay(
    mut response: Response<Incoming>,
    call: OpenCall,
    deadline: Option<Instant>,
    span: &Span,
) -> Response<Answer> {
    head::remove_hop_by_hop(response.headers_mut());
    let speaks_grpc = is_grpc(response.headers());
    trace::record_status(span, response.headers());
    response.map(|body| {
        let relay = Relay::new(body, call, span.clone()).until(deadline);
        Answer::Relayed(Box::new(if speaks_grpc {
            relay.ending_in_status()
        } else {
            relay
        }))
    })
}

fn is_grpc(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"application/grpc"))
}
