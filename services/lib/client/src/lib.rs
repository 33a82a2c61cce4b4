//! The one way to call a peer: a connection that comes back, the caller's assertion, the deadline, the trace; and the two
//! identities that a process can have, a part of the platform or a runtime. Never contains a service's logic.

mod announce;
mod audit;
mod backoff;
mod credential;
mod jitter;
mod keys;
mod part_keys;
mod peer;
mod platform;
mod proxy;
mod revocations;
mod runtime;
mod runtime_part;
mod status;

pub use announce::announce;
pub use audit::{AuditVerifier, ChainError, ChainStart, ExpectedEntry, Hash, VerifiedChain};
pub use backoff::Backoff;
pub use credential::Credential;
pub use jitter::Jitter;
pub use keys::{PlatformKeys, RuntimeKeys};
pub use part_keys::PartKeys;
pub use peer::{Peer, PeerUrl, PeerUrlError};
pub use platform::{PlatformIdentity, PlatformPeerArgs};
pub use proxy::ProxyArgs;
pub use revocations::follow_revocations;
pub use runtime::{RuntimeIdentity, TrustedSigningKey, signing_key_statement};
pub use runtime_part::{RuntimeArgs, RuntimePart};
pub use status::{is_transient, reason};
