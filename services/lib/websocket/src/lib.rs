//! A byte stream over one binary WebSocket, for the HTTP/2 of the tunnel.
//!
//! Owns: dialling (TLS, an outgoing HTTP proxy, the upgrade), accepting (the upgrade head, the
//! decision of the caller before any `101`), framing limits and close codes.
//!
//! Never: decides who may connect, knows a runtime or a route, or speaks plaintext when dialling.
//! Frame boundaries carry no meaning here; everything above sees bytes only.

mod accept;
mod close;
mod dial;
mod frame;
mod handshake;
mod inbox;
mod outbox;
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
