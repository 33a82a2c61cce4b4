//! Case-insensitive name patterns with wildcards. Matching takes at most O(pattern × name) steps.

/// Name pattern in which `*` matches any characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern(Vec<u8>);

impl Pattern {
    pub(super) fn new(text: &str) -> Self {
        Self(text.to_ascii_lowercase().into_bytes())
    }

    pub(super) fn matches(&self, name: &str) -> bool {
        let (pattern, name) = (&self.0, name.as_bytes());
        let (mut at, mut from) = (0, 0);
        // Backtracking point: the position of the last wildcard and the end of its match in the name.
        let mut wildcard: Option<(usize, usize)> = None;
        while from < name.len() {
            if pattern.get(at) == Some(&b'*') {
                wildcard = Some((at, from));
                at += 1;
            } else if pattern.get(at) == Some(&name[from].to_ascii_lowercase()) {
                (at, from) = (at + 1, from + 1);
            } else if let Some((star, taken)) = wildcard {
                wildcard = Some((star, taken + 1));
                (at, from) = (star + 1, taken + 1);
            } else {
                return false;
            }
        }
        pattern[at..].iter().all(|byte| *byte == b'*')
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn a_wildcard_stands_for_any_characters_and_for_none() {
        let check = |pattern: &str, name: &str, wanted: bool| {
            assert_eq!(
                Pattern::new(pattern).matches(name),
                wanted,
                "{pattern} {name}"
            );
        };
        check("*_DSN", "sentry_dsn", true);
        check("*_DSN", "DSN", false);
        check("*DSN*", "DSN", true);
        check("a*b*c", "aXbXbc", true);
        check("a*b*c", "aXbXb", false);
        check("", "", true);
        check("", "a", false);
        check("*", "", true);
        check("vault.example.com/*", "vault.example.com/role", true);
        check("ä*", "äx", true);
    }

    #[test]
    fn many_wildcards_take_no_longer_than_their_length_times_the_name() {
        let pattern = Pattern::new(&"*a".repeat(1_000));
        assert!(!pattern.matches(&"a".repeat(999)));
        assert!(!pattern.matches(&format!("{}b", "a".repeat(5_000))));
    }
}
