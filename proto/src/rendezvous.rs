//! Which of several reporters an object belongs to: the one whose name and the object's together have the highest hash. When one
//! comes or goes, only what it gains or had moves. Reporters take their objects by it and the inventory shows the shares by it,
//! so that the rule is a part of the contract: another rule would be another version of it.

use sha2::{Digest as _, Sha256};

/// An object by what no two of an account's runtime share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RendezvousKey<'a> {
    /// The cluster, as the runtime calls it.
    pub cluster: &'a str,
    /// The kind, as in `Hello.kind`.
    pub kind: &'a str,
    /// The namespace; empty where the kind has none.
    pub namespace: &'a str,
    /// The name.
    pub name: &'a str,
}

impl RendezvousKey<'_> {
    /// Whose it is among the members; nobody's where there are none.
    pub fn owner<'m, M: AsRef<str>>(&self, members: &'m [M]) -> Option<&'m M> {
        let weighed = members
            .iter()
            .map(|member| (self.weight(member.as_ref()), member));
        let heaviest = weighed.max_by(|(one, first), (other, second)| {
            let by_name = || first.as_ref().cmp(second.as_ref());
            one.cmp(other).then_with(by_name)
        });
        heaviest.map(|(_, member)| member)
    }

    fn weight(&self, member: &str) -> [u8; 32] {
        let mut hash = Sha256::new();
        for part in [member, self.cluster, self.kind, self.namespace, self.name] {
            let length = part.len() as u64;
            hash.update(length.to_be_bytes());
            hash.update(part);
        }
        hash.finalize().into()
    }
}

#[cfg(test)]
mod tests;
