//! The HTTP/2 settings of the tunnel hop, the same on both ends.
//!
//! The accepting end of the WebSocket is the HTTP/2 *client*, the dialling end the *server*. One
//! connection carries the calls of many, so its connection window must never be the limit: a
//! reader that stalls keeps its own stream window and nothing else. The bound on memory is
//! therefore streams x stream window.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;

use crate::keep_alive::KeepAlive;
use crate::received::Received;
use crate::requests::{ConnectionError, Driver, Requests};
use crate::stream::ByteStream;

/// Open calls on one session; what comes above is refused by the accepting end.
pub const STREAMS: u32 = 256;
const STREAM_WINDOW_BYTES: u32 = 256 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = 1 << 30;
const FRAME_BYTES: u32 = 16 * 1024;
const HEADER_LIST_BYTES: u32 = 32 * 1024;
/// Unsent bytes of one stream; a stalled reader costs this much on top of its window.
const SEND_BUFFER_BYTES: usize = 64 * 1024;
/// The library ends a connection above these; here both ends are ours and the connection is
/// everybody's, so a burst of cancelled calls must not end it.
const PENDING_RESETS: usize = 4 * 1024;
const LOCAL_ERROR_RESETS: usize = 1 << 20;
const KEEP_ALIVE: KeepAlive = KeepAlive {
    every: Duration::from_secs(15),
    wait: Duration::from_secs(10),
};

/// For the accepting end, which sends the requests: the handle, and the connection, which must be
/// polled until it ends.
pub async fn requests(stream: ByteStream) -> Result<(Requests, impl Driver), h2::Error> {
    let mut builder = h2::client::Builder::new();
    builder
        .enable_push(false)
        .initial_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        .initial_max_send_streams(STREAMS as usize + 1)
        .max_frame_size(FRAME_BYTES)
        .max_header_list_size(HEADER_LIST_BYTES)
        .max_send_buffer_size(SEND_BUFFER_BYTES)
        .max_pending_accept_reset_streams(PENDING_RESETS)
        .max_local_error_reset_streams(Some(LOCAL_ERROR_RESETS));
    Requests::open(stream, &builder, Some(KEEP_ALIVE)).await
}

/// For the dialling end, which serves the requests: until the session ends, or `leave` resolves
/// and what was under way has ended.
pub async fn serve<C, F, B>(
    stream: ByteStream,
    call: C,
    leave: impl Future<Output = ()>,
) -> Result<(), ConnectionError>
where
    C: Fn(Request<Received>) -> F,
    F: Future<Output = Response<B>>,
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let mut builder = h2::server::Builder::new();
    builder
        .initial_window_size(STREAM_WINDOW_BYTES)
        .initial_connection_window_size(CONNECTION_WINDOW_BYTES)
        // The control stream is one more.
        .max_concurrent_streams(STREAMS + 1)
        .max_frame_size(FRAME_BYTES)
        .max_header_list_size(HEADER_LIST_BYTES)
        .max_send_buffer_size(SEND_BUFFER_BYTES)
        .max_pending_accept_reset_streams(PENDING_RESETS)
        .max_local_error_reset_streams(Some(LOCAL_ERROR_RESETS));
    crate::serve(stream, &builder, KEEP_ALIVE, call, leave).await
}
