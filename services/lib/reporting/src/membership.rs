//! Who of several reporters reports an object: by the rule of the contract, which the inventory shows the shares by, too.

use causeway_proto::rendezvous::RendezvousKey;

use crate::object::ObjectKey;

/// What falls to one reporter.
#[derive(Debug, Clone)]
pub(crate) struct Share {
    pub(crate) instance: String,
    pub(crate) cluster: String,
    /// The kind's name.
    pub(crate) kind: String,
    /// All reporters of them.
    pub(crate) members: Vec<String>,
}

impl Share {
    /// True if the object falls to this reporter. One that is not among the members reports everything: the receiver's order makes
    /// a second sender harmless, an absent one not.
    pub(crate) fn has(&self, key: &ObjectKey) -> bool {
        if !self.members.contains(&self.instance) {
            return true;
        }
        let object = RendezvousKey {
            cluster: &self.cluster,
            kind: &self.kind,
            namespace: &key.namespace,
            name: &key.name,
        };
        object.owner(&self.members) == Some(&self.instance)
    }
}

#[cfg(test)]
mod tests;
