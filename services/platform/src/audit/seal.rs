//! Signature over a chain head, verifiable with the root key alone.

use causeway_assertion::{PublicKey, SigningKeyError};

use super::{ChainId, Framed, Hash, Head};
use crate::keys::ring::{CertifiedKey, KeyRing};

/// Opens the bytes that are signed.
const CONTEXT: &[u8] = b"causeway-audit-checkpoint-v1";

/// Signature of the platform over a chain up to an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Seal {
    /// The hash of that entry.
    pub hash: Hash,
    /// Key that signed, with its certificate by the root key.
    pub key: CertifiedKey,
    /// The signature, 64 bytes.
    pub signature: Vec<u8>,
}

impl Seal {
    /// Vouches for all entries up to a head, at a time in milliseconds since 1970.
    pub(crate) fn sign(head: &Head, at: i64, ring: &KeyRing) -> Result<Self, SigningKeyError> {
        let statement = statement(&head.chain, head.sequence, &head.hash, at);
        let (key, signature) = ring.vouch(&statement, at / 1000)?;
        Ok(Self {
            hash: head.hash,
            key,
            signature,
        })
    }

    pub(crate) fn framed(&self, to: Framed) -> Framed {
        let to = to.bytes(&self.hash).bytes(self.key.key.as_bytes());
        let to = to.time(self.key.not_before).time(self.key.not_after);
        to.bytes(&self.key.root_signature).bytes(&self.signature)
    }

    /// One text of bytes for a store.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.framed(Framed::default()).into_bytes()
    }

    /// What [`Self::to_bytes`] made; none for anything else.
    pub(crate) fn from_bytes(mut bytes: &[u8]) -> Option<Self> {
        let mut next = || {
            let (length, rest) = bytes.split_at_checked(4)?;
            let length = u32::from_be_bytes(length.try_into().ok()?);
            let (field, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            bytes = rest;
            Some(field)
        };
        Some(Self {
            hash: next()?.try_into().ok()?,
            key: CertifiedKey {
                key: PublicKey::from_bytes(next()?)?,
                not_before: i64::from_be_bytes(next()?.try_into().ok()?),
                not_after: i64::from_be_bytes(next()?.try_into().ok()?),
                root_signature: next()?.to_vec(),
            },
            signature: next()?.to_vec(),
        })
    }
}

/// The bytes that are signed.
fn statement(chain: &ChainId, sequence: u64, hash: &Hash, at: i64) -> Vec<u8> {
    let framed = Framed::default().bytes(CONTEXT).text(chain.as_str());
    framed.number(sequence).bytes(hash).time(at).into_bytes()
}
