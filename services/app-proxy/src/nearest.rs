//! Suggests applications for a name that does not exist.

use causeway_shell::suggest;

/// Returns at most three of `named` as `namespace/name`. Of equally similar names those in `namespace` come first.
pub(crate) fn nearest(
    namespace: &str,
    name: &str,
    named: impl Iterator<Item = (String, String)>,
) -> Vec<String> {
    let known = named.map(|(other_namespace, other)| {
        let is_elsewhere = other_namespace != namespace;
        (other.clone(), (is_elsewhere, other_namespace, other))
    });
    let similar = suggest(name, known).into_iter();
    similar
        .map(|(_, namespace, name)| format!("{namespace}/{name}"))
        .collect()
}

#[cfg(test)]
mod tests;
