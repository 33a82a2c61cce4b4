//! Tower layers between connection and handler. Each layer wraps any HTTP service that responds with
//! [`tonic::body::Body`] and never fails, so that the router composes the same layers as [`Server`](crate::Server).
//!
//! Outermost first: trace, panics, shed, deadline, caller.

pub mod caller;
pub mod deadline;
pub mod first_message;
pub mod panics;
pub mod shed;
mod terminated_body;
pub mod trace;

use std::convert::Infallible;

use futures::future::BoxFuture;
use http::Response;
use tonic::body::Body;

pub(crate) type ResponseFuture = BoxFuture<'static, Result<Response<Body>, Infallible>>;

/// Takes the service for which `poll_ready` succeeded and leaves a clone: a clone may not be ready.
pub(crate) fn take_ready<S: Clone>(service: &mut S) -> S {
    let clone = service.clone();
    std::mem::replace(service, clone)
}
