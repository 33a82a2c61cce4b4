//! Patterns with stars, as Argo CD takes them for paths, repositories and names.

/// A pattern, or several in braces: `{*.yaml,charts/**}`.
pub(crate) fn matches_any(pattern: &str, text: &str) -> bool {
    let inner = pattern
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'));
    match inner {
        Some(inner) => inner.split(',').any(|one| matches(one.trim(), text)),
        None => matches(pattern, text),
    }
}

/// `*` stands for any text and `?` for one byte.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    matches_bytes(pattern.as_bytes(), text.as_bytes())
}

/// One of the patterns matches, and none of those that begin with an exclamation mark.
pub(crate) fn permits<'a>(patterns: impl Iterator<Item = &'a str>, text: &str) -> bool {
    let mut permitted = false;
    for pattern in patterns {
        match pattern.strip_prefix('!') {
            Some(denied) if matches(denied, text) => return false,
            Some(_) => {}
            None => permitted |= matches(pattern, text),
        }
    }
    permitted
}

/// Goes back to the last star only, so it takes linear steps per star.
fn matches_bytes(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut seen, mut star) = (0, 0, None);
    while seen < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(expected) if *expected == b'?' || *expected == text[seen] => {
                at += 1;
                seen += 1;
            }
            Some(_) | None => {
                let Some((star_at, taken)) = star else {
                    return false;
                };
                star = Some((star_at, taken + 1));
                at = star_at + 1;
                seen = taken + 1;
            }
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}
