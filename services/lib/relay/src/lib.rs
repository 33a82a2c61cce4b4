//! Shared HTTP/2 forwarding of the request router, the tunnel server and the tunnel client.
//!
//! Holds the HTTP/2 client and server, header filtering, the response body that ends in a gRPC
//! status, and the span of a forwarded call. Never decides who may call, and knows no WebSocket.

mod body;
mod body_sender;
mod client;
mod failure;
pub mod headers;
mod incoming_body;
mod keep_alive;
mod read_turn;
mod server;
mod span;
mod trust_roots;
pub mod tunnel_hop;

pub use body::{RelayBody, ResponseBody};
pub use client::{ConnectionError, Driver, Http2Client, PendingResponse, SendError};
pub use failure::{
    Delivery, OUTCOME, error_response, failure, reset_failure, trailers, with_delivery,
};
pub use incoming_body::IncomingBody;
pub use keep_alive::KeepAlive;
pub use server::{ResponseDeadline, serve};
pub use span::{forward_span, record_failure, record_status};
pub use trust_roots::{TlsError, TrustRoots};
