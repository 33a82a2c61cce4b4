//! HTTP/2 settings of the tunnel hop, the same on both ends.
//!
//! The accepting end of the WebSocket is the HTTP/2 *client*, the dialling end the *server*. One
//! connection carries the calls of many, so its connection window must never be the limit: a
//! stalled reader blocks its own stream window only. Memory is bounded by streams x stream window.

use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::client::{ConnectionError, Driver, Http2Client};
use crate::incoming_body::IncomingBody;
use crate::keep_alive::KeepAlive;

/// Limit of open calls on one session; the accepting end refuses more.
pub const STREAMS: u32 = 256;
const STREAM_WINDOW_BYTES: u32 = 256 * 1024;
const CONNECTION_WINDOW_BYTES: u32 = 1 << 30;
const FRAME_BYTES: u32 = 16 * 1024;
const HEADER_LIST_BYTES: u32 = 32 * 1024;
/// Unsent bytes of one stream; a stalled reader costs this much on top of its window.
const SEND_BUFFER_BYTES: usize = 64 * 1024;
/// h2 ends a connection above these. Both ends are ours and many callers share the connection, so
/// a burst of cancelled calls must not end it.
const PENDING_RESETS: usize = 4 * 1024;
const LOCAL_ERROR_RESETS: usize = 1 << 20;
const KEEP_ALIVE: KeepAlive = KeepAlive {
    every: Duration::from_secs(15),
    wait: Duration::from_secs(10),
};

/// Opens the HTTP/2 client of the accepting end. The driver must be polled until it ends.
pub async fn connect<T>(io: T) -> Result<(Http2Client, impl Driver + use<T>), h2::Error>
where
    T: AsyncRead + AsyncWrite + Send + Unpin,
{
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
    Http2Client::open(io, &builder, Some(KEEP_ALIVE)).await
}

/// Serves the dialling end until the session ends, or `shutdown` resolves and open calls have
/// ended.
pub async fn serve<T, C, F, B>(
    io: T,
    call: C,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ConnectionError>
where
    T: AsyncRead + AsyncWrite + Unpin,
    C: Fn(Request<IncomingBody>) -> F,
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
    crate::server::serve(io, &builder, KEEP_ALIVE, call, shutdown).await
}
