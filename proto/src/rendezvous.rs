//! Rendezvous hashing: assigns each object to the reporter with the highest hash of reporter and object.
//!
//! When a reporter joins or leaves, only the objects that it gains or had are reassigned. Reporters and the inventory must agree on
//! the function, so it is part of the contract and cannot change within a version.

use sha2::{Digest as _, Sha256};

/// Key of an object, unique within a runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RendezvousKey<'a> {
    /// The cluster, as named by the runtime.
    pub cluster: &'a str,
    /// The kind, as in `Hello.kind`.
    pub kind: &'a str,
    /// The namespace; empty for cluster-wide kinds.
    pub namespace: &'a str,
    pub name: &'a str,
}

impl RendezvousKey<'_> {
    /// Returns the member that owns the object; none without members.
    pub fn owner<'m, M: AsRef<str>>(&self, members: &'m [M]) -> Option<&'m M> {
        let weights = members
            .iter()
            .map(|member| (self.weight(member.as_ref()), member));
        let heaviest = weights.max_by(|(one, first), (other, second)| {
            // Equal hashes must not make the result depend on the order of the members.
            // Equal hashes must not make the result depend on the order of the members.
            let by_name = || first.as_ref().cmp(second.as_ref());
            one.cmp(other).then_with(by_name)
        });
        heaviest.map(|(_, member)| member)
    }

    fn weight(&self, member: &str) -> [u8; 32] {
        let mut hash = Sha256::new();
        for part in [member, self.cluster, self.kind, self.namespace, self.name] {
            // Length prefixes keep ("a", "bc") and ("ab", "c") apart.
            // Length prefixes keep ("a", "bc") and ("ab", "c") apart.
            let length = part.len() as u64;
            hash.update(length.to_be_bytes());
            hash.update(part);
        }
        hash.finalize().into()
    }
}

#[cfg(test)]
mod tests;
