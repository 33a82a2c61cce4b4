//! Lists of names, of which one must match.

use causeway_assertion::glob_matches;

/// Names with `*` and `?` as wildcards. The default is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patterns(pub Vec<String>);

impl Patterns {
    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if one of them matches.
    #[must_use]
    pub fn any(&self, value: &str) -> bool {
        self.0.iter().any(|pattern| glob_matches(pattern, value))
    }

    /// True if one of them matches, or there are none.
    #[must_use]
    pub fn admit(&self, value: &str) -> bool {
        self.is_empty() || self.any(value)
    }
}

impl<const N: usize> From<[&str; N]> for Patterns {
    fn from(patterns: [&str; N]) -> Self {
        Self(patterns.map(str::to_owned).to_vec())
    }
}
