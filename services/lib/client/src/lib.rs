//! gRPC client of peers: reconnecting channel, caller assertion, deadline and trace context. Holds the identities of platform parts
//! and runtimes, and no logic of a service.

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
mod throttle;

pub use announce::{announce, announce_actions};
pub use audit::{AuditVerifier, ChainError, ChainStart, ExpectedEntry, Hash, VerifiedChain};
pub use backoff::Backoff;
pub use credential::{Credential, Signer};
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
