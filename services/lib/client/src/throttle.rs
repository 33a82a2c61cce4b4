//! Repeats calls that a router refused because their caller makes too many.

use std::time::Duration;

use causeway_proto::error::v1::Reason;
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt as _, Full, Limited};
use tonic::{Code, Status, body::Body};
use tonic_types::StatusExt as _;
use tower::{Service, ServiceExt as _};

use crate::reason;

const ATTEMPTS: usize = 4;
/// A longer delay is returned to the caller.
const LONGEST_DELAY: Duration = Duration::from_secs(10);
const LARGEST_REQUEST: usize = 4 << 20;

/// Makes a call with one request message, and repeats it after the delay that a refusal names. A refused call was not made, so that
/// this is safe for every call. `service` is ready.
pub(crate) async fn call<S>(
    mut service: S,
    request: Request<Body>,
) -> Result<Response<Body>, S::Error>
where
    S: Service<Request<Body>, Response = Response<Body>>,
{
    let (head, body) = request.into_parts();
    let message = match Limited::new(body, LARGEST_REQUEST).collect().await {
        Ok(message) => message.to_bytes(),
        Err(error) => return Ok(Status::from_error(error).into_http()),
    };
    for attempt in 1.. {
        let body = Body::new(Full::new(message.clone()));
        let request = Request::from_parts(head.clone(), body);
        let response = service.ready().await?.call(request).await?;
        match delay(response.headers()) {
            Some(delay) if attempt < ATTEMPTS => tokio::time::sleep(delay).await,
            _ => return Ok(response),
        }
    }
    Ok(Status::internal("internal error").into_http())
}

/// How long to wait before the call is repeated; none if it was not refused for the number of calls.
fn delay(headers: &HeaderMap) -> Option<Duration> {
    let status = Status::from_header_map(headers)?;
    if status.code() != Code::ResourceExhausted || reason(&status) != Some(Reason::Throttled) {
        return None;
    }
    let delay = status.get_details_retry_info()?.retry_delay?;
    (delay <= LONGEST_DELAY).then_some(delay)
}

#[cfg(test)]
mod tests;
