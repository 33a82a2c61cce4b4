//! Proofs that a call must present, by the kind of its RPC.

use causeway_proto::access::v1::Kind;

/// Stage of the call that is authorized.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallStage {
    /// It wants to be let in.
    Begins,
    /// It was, and is asked about for as long as it goes on.
    GoesOn,
}

/// What a call needs beside the permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proof {
    /// Nothing: the assertion may be used again.
    Reusable,
    /// The request's digest: the assertion is for one use.
    Digest,
    /// The digest and a request id.
    DigestAndRequestId,
}

/// What an RPC of a kind needs. A kind that is not known needs all.
pub(crate) fn needed(kind: Kind) -> Proof {
    match kind {
        Kind::Read | Kind::Public | Kind::Stream => Proof::Reusable,
        Kind::SecretRead => Proof::Digest,
        Kind::Mutation | Kind::Session | Kind::Unspecified => Proof::DigestAndRequestId,
    }
}
