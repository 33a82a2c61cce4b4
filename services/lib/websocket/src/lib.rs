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
mod frame;
mod handshake;
pub mod hop;
mod inbox;
mod keep_alive;
mod outbox;
mod proxy;
mod received;
mod refusal;
mod requests;
mod serve;
mod stream;
mod tls;
mod turn;
mod upload;

pub use accept::{AcceptError, Admission, UpgradeRequest, accept};
pub use close::{Close, CloseCode, Closer};
pub use dial::{DialError, DialOptions, Dialed, connect};
pub use handshake::SUBPROTOCOL;
pub use keep_alive::KeepAlive;
pub use proxy::{Proxy, ProxyError};
pub use received::Received;
pub use refusal::Refusal;
pub use requests::{ConnectionError, Driver, Exchange, Requests, SendError};
pub use serve::{Until, serve};
pub use stream::ByteStream;
pub use tls::{TlsError, TrustRoots};
