//! A byte stream over one binary WebSocket, for the HTTP/2 of the tunnel.
//!
//! Owns: dialling (TLS, an outgoing HTTP proxy, the upgrade), accepting (the upgrade head, the
//! decision of the caller before any `101`), framing limits, close codes, and the HTTP/2 settings
//! of the tunnel hop, which both ends share.
//!
//! Never: decides who may connect, knows a runtime or a route, or speaks plaintext when dialling.
//! Frame boundaries carry no meaning here; everything above sees bytes only.

mod accept;
mod close;
mod dial;
pub mod hop;
mod proxy;
mod refusal;
mod stream;
mod tls;

pub use accept::{AcceptError, Admission, UpgradeRequest, accept};
pub use close::{Close, CloseCode, Closer};
pub use dial::{DialError, DialOptions, Dialed, connect};
pub use proxy::{Proxy, ProxyError};
pub use refusal::Refusal;
pub use stream::ByteStream;
pub use tls::{TlsError, TrustRoots};

/// The WebSocket subprotocol of the tunnel: HTTP/2 with the roles turned round, version 1.
pub const SUBPROTOCOL: &str = "h2.tunnel.v1";
