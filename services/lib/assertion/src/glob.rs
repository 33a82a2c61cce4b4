//! Glob patterns for names: `*` matches any text, also the empty one, `?` matches one character.
//!
//! There is no escape character because names contain neither wildcard. Matching takes at most O(pattern x value) steps.

use std::str::Chars;

/// Returns true if the pattern matches the whole value.
#[must_use]
pub fn glob_matches(pattern: &str, value: &str) -> bool {
    let (mut pattern, mut value) = (pattern.chars(), value.chars());
    // Backtracking point: the pattern after the last star, and where in the value the star ends so far.
    let mut star: Option<(Chars<'_>, Chars<'_>)> = None;
    loop {
        match (pattern.clone().next(), value.clone().next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                pattern.next();
                star = Some((pattern.clone(), value.clone()));
            }
            // Extending the star would leave even less of the value.
            (Some(_), None) => return false,
            (Some(wanted), Some(found)) if wanted == '?' || wanted == found => {
                pattern.next();
                value.next();
            }
            (Some(_) | None, Some(_)) => {
                let Some((after, end)) = &mut star else {
                    return false;
                };
                end.next();
                (pattern, value) = (after.clone(), end.clone());
            }
        }
    }
}

/// Returns true if the text contains a wildcard.
#[must_use]
pub fn is_glob(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// Returns true if the pattern matches every value.
#[must_use]
pub fn is_match_all(pattern: &str) -> bool {
    !pattern.is_empty() && pattern.bytes().all(|byte| byte == b'*')
}

#[cfg(test)]
mod tests;
