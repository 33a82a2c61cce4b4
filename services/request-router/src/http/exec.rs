//! Terminals of browsers: the RPC `Exec` over a WebSocket, since a browser cannot send a stream of requests by gRPC-Web.
//!
//! Each binary message is one `ExecRequest` or `ExecResponse`. An empty message ends the input. The close code is 1000 after the
//! command ended, or 4000 plus the gRPC code of the error, with its text as the reason.

mod socket;

use std::sync::Arc;

use causeway_proto::error::v1::Reason;
use http::{
    HeaderMap, HeaderValue, Method as Verb, Request, Response, StatusCode, Version, header,
    request::Parts,
};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tonic::{Code, Status, body::Body};

use super::{Router, browser, json};
use crate::refusal;

pub(super) const PATH: &str = "/v1/exec";
/// Maximum number of terminals of one router.
pub(crate) const MOST: usize = 1000;

/// Opens a terminal; the rest is done by a task.
pub(super) fn answer(router: &Arc<Router>, request: Request<Body>) -> Response<Body> {
    open(router, request).unwrap_or_else(json::refused)
}

fn open(router: &Arc<Router>, mut request: Request<Body>) -> Result<Response<Body>, Status> {
    let accept = accept_key(&request)?;
    let authorization = browser::terminal_credential(router.home.as_ref(), &request)?;
    let place = router.terminals.clone().try_acquire_owned();
    let place = place.map_err(|_| too_many())?;
    let upgrade = hyper::upgrade::on(&mut request);
    let head = head_with(request, authorization);
    let (tasks, router) = (router.tasks.clone(), router.clone());
    tasks.spawn("terminal", async move {
        match upgrade.await {
            Ok(upgraded) => socket::run(&router, &head, TokioIo::new(upgraded)).await,
            Err(error) => tracing::debug!(%error, "a WebSocket did not open"),
        }
        drop(place);
    });
    Ok(switching(accept))
}

/// The head of the call that the terminal becomes.
fn head_with(request: Request<Body>, authorization: Option<HeaderValue>) -> Parts {
    let (mut head, _) = request.into_parts();
    head.headers.remove(header::COOKIE);
    // In place of the header that a program may have sent: two would be refused.
    if let Some(value) = authorization {
        head.headers.insert(header::AUTHORIZATION, value);
    }
    head
}

fn accept_key(request: &Request<Body>) -> Result<HeaderValue, Status> {
    let headers = request.headers();
    let says = |name, wanted: &str| {
        let lines = headers.get_all(name).iter();
        let mut words = lines
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(','));
        words.any(|word| word.trim().eq_ignore_ascii_case(wanted))
    };
    let asks = request.method() == Verb::GET
        && request.version() == Version::HTTP_11
        && says(header::CONNECTION, "upgrade")
        && says(header::UPGRADE, "websocket")
        && says(header::SEC_WEBSOCKET_VERSION, "13");
    let key = headers.get(header::SEC_WEBSOCKET_KEY).filter(|_| asks);
    let key = key.ok_or_else(|| {
        let text =
            "this path is a WebSocket, version 13 over HTTP/1.1; programs call ExecService by gRPC";
        refusal::field("upgrade", text)
    })?;
    HeaderValue::try_from(derive_accept_key(key.as_bytes()))
        .map_err(|_| Status::internal("internal error"))
}

fn switching(accept: HeaderValue) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers: &mut HeaderMap = response.headers_mut();
    headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(header::SEC_WEBSOCKET_ACCEPT, accept);
    response
}

fn too_many() -> Status {
    let text =
        format!("this router has {MOST} open terminals: close some, or use the command line");
    refusal::status(Code::ResourceExhausted, Reason::Throttled, text)
}
