//! Examples of each verb.

const ALL: &str = include_str!("examples.txt");

/// Returns the lines with the examples of a verb.
pub(crate) fn examples(path: &str) -> Vec<&'static str> {
    let mut lines = ALL.lines().skip_while(|line| *line != path);
    if path.is_empty() || lines.next().is_none() {
        return Vec::new();
    }
    let own = lines.take_while(|line| line.starts_with(' '));
    own.map(|line| line.strip_prefix("  ").unwrap_or(line))
        .collect()
}

/// Returns the verbs that have examples.
#[cfg(test)]
pub(super) fn verbs() -> Vec<&'static str> {
    let verbs = ALL.lines().filter(|line| !line.starts_with([' ', '#']));
    verbs.collect()
}
