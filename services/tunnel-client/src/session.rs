//! One session: HTTP/2 served on the stream that was dialled.

use std::sync::Arc;
use std::time::Duration;

use causeway_relay::{IncomingBody, ResponseBody, tunnel_hop};
use causeway_websocket::{ByteStream, CloseCode};
use http::{Request, Response};
use http_body_util::Either;
use tokio::time::sleep;
use tower::ServiceExt;

use causeway_proto::tunnel::v1::control_service_server::ControlServiceServer;

use crate::control::{ControlStream, Handler};
use crate::forward::Forwarder;

const CONTROL: &str = "/causeway.tunnel.v1.ControlService/";
/// Calls under way when a session is left may take this long to end.
const LEAVE_GRACE: Duration = Duration::from_secs(600);

/// How a session ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// What the server said in its close frame, if it sent one.
    pub(crate) code: Option<CloseCode>,
    pub(crate) reason: String,
}

/// Serves until the server ends the session, or this end leaves it and its calls have ended.
pub(crate) async fn serve(
    stream: ByteStream,
    forwarder: Arc<Forwarder>,
    control: ControlStream,
) -> Ended {
    let closer = stream.closer();
    let service = Handler {
        control: control.clone(),
        routes: forwarder.route_names(),
    }
    .into_service();
    let call = |request| answer(Arc::clone(&forwarder), service.clone(), request);
    // Calls that never end must not keep a replaced session open for ever.
    let given_up = async {
        control.leaving().await;
        sleep(LEAVE_GRACE).await;
    };
    let ended = tokio::select! {
        ended = tunnel_hop::serve(stream, call, control.leaving()) => ended,
        () = given_up => Ok(()),
    };
    let close = closer.received();
    let reason = close.as_ref().map(|close| close.reason().to_owned());
    Ended {
        code: close.map(|close| close.code()),
        reason: reason
            .or_else(|| ended.err().map(|error| error.to_string()))
            .unwrap_or_default(),
    }
}

async fn answer(
    forwarder: Arc<Forwarder>,
    control: ControlServiceServer<Handler>,
    request: Request<IncomingBody>,
) -> Response<ResponseBody<IncomingBody>> {
    if !request.uri().path().starts_with(CONTROL) {
        return forwarder.call(request).await;
    }
    let Ok(response) = control.oneshot(request).await;
    response.map(Either::Right)
}
