//! Byte stream over one binary WebSocket, for the HTTP/2 connection of the tunnel.
//!
//! - `dial`: TCP, an outgoing HTTP proxy, TLS, the client handshake.
//! - `accept`: the server handshake; the caller decides before any `101` is sent.
//! - `stream`: `AsyncRead` and `AsyncWrite` over messages, with limits and close codes.
//!
//! Handshake and frames are those of tokio-tungstenite. Message boundaries carry no meaning.
//! This crate never decides who may connect, knows no runtime and no route, and never dials without TLS.

mod accept;
mod close;
mod dial;
mod handshake;
mod proxy;
mod refusal;
mod stream;

pub use accept::{AcceptError, Admission, UpgradeRequest, accept};
pub use close::{Close, CloseCode, Closer};
pub use dial::{DialError, DialOptions, Dialed, connect};
pub use handshake::SUBPROTOCOL;
pub use proxy::{Proxy, ProxyError};
pub use refusal::Refusal;
pub use stream::ByteStream;
