//! Who of several reporters reports an object: the one whose name and the object's together have the highest hash. When one
//! comes or goes, only what it gains or had moves.

use sha2::{Digest as _, Sha256};

/// Whether `instance` is the one among `members` that reports the object. One that is not among them reports everything: the
/// receiver's order makes a second sender harmless, an absent one not.
pub(crate) fn owns(instance: &str, members: &[String], object: &[&str]) -> bool {
    if !members.iter().any(|member| member == instance) {
        return true;
    }
    let heaviest = members
        .iter()
        .max_by_key(|member| (weight(member, object), *member));
    heaviest.is_some_and(|member| member == instance)
}

fn weight(member: &str, object: &[&str]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in [member].iter().chain(object) {
        hash.update(part.len().to_be_bytes());
        hash.update(part);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests;
