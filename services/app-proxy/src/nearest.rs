//! Names that somebody may have meant.

const OFFERED: usize = 3;
const NEAR: f64 = 0.5;

/// At most three of `named`, as `namespace/name`, nearest first: the same name elsewhere, then names that look alike.
pub(crate) fn nearest(
    namespace: &str,
    name: &str,
    named: impl Iterator<Item = (String, String)>,
) -> Vec<String> {
    let likeness = |(other_namespace, other): &(String, String)| {
        let home = if other_namespace == namespace {
            0.05
        } else {
            0.0
        };
        strsim::normalized_damerau_levenshtein(name, other) + home
    };
    let mut near: Vec<_> = named.map(|other| (likeness(&other), other)).collect();
    near.retain(|(likeness, _)| *likeness >= NEAR);
    near.sort_by(|(one, first), (other, second)| other.total_cmp(one).then(first.cmp(second)));
    let names = near
        .into_iter()
        .map(|(_, (namespace, name))| format!("{namespace}/{name}"));
    names.take(OFFERED).collect()
}

#[cfg(test)]
mod tests;
