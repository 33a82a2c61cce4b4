//! "Did you mean": the known names that resemble an unknown one.

/// Largest number of suggestions.
const LIMIT: usize = 3;
/// Similarity below which names are unrelated.
const THRESHOLD: f64 = 0.55;

/// Returns the values of the names most similar to `name`, best first and at most three. Ignores case.
///
/// Equally similar names are in the order of their values.
pub fn suggest<N: AsRef<str>, V: Ord>(
    name: &str,
    known: impl IntoIterator<Item = (N, V)>,
) -> Vec<V> {
    let name = name.to_lowercase();
    let scored = known.into_iter().map(|(other, value)| {
        let other = other.as_ref().to_lowercase();
        (similarity(&name, &other), value)
    });
    let mut similar: Vec<_> = scored.filter(|(score, _)| *score > THRESHOLD).collect();
    similar.sort_by(|(one, first), (other, second)| other.total_cmp(one).then(first.cmp(second)));
    similar.dedup_by(|(_, one), (_, other)| one == other);
    let best = similar.into_iter().take(LIMIT);
    best.map(|(_, value)| value).collect()
}

/// Returns the names most similar to `name`, best first and at most three.
pub fn suggest_names<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    suggest(name, known.into_iter().map(|known| (known, known)))
}

/// Mean of two metrics: Jaro-Winkler favours names of which only the beginning is known, Damerau-Levenshtein swapped letters.
fn similarity(one: &str, other: &str) -> f64 {
    let metrics =
        strsim::jaro_winkler(one, other) + strsim::normalized_damerau_levenshtein(one, other);
    metrics / 2.0
}

#[cfg(test)]
mod tests;
