//! Patterns over names: `*` stands for any text, the empty one too, `?` for one character, everything else for itself.
//!
//! There is no escape: no name that a selector is held against has one of these two. The work is at most the length of the
//! pattern times the length of the value, whatever both are.

use std::str::Chars;

/// Whether the whole value is as the pattern says.
#[must_use]
pub fn glob_matches(pattern: &str, value: &str) -> bool {
    let (mut pattern, mut value) = (pattern.chars(), value.chars());
    // What follows the last star, and where in the value the star ends at present.
    let mut star: Option<(Chars<'_>, Chars<'_>)> = None;
    loop {
        match (pattern.clone().next(), value.clone().next()) {
            (None, None) => return true,
            (Some('*'), _) => {
                pattern.next();
                star = Some((pattern.clone(), value.clone()));
            }
            // A star that took more would leave even less.
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

/// Whether a text is a pattern and not just a name.
#[must_use]
pub fn is_glob(text: &str) -> bool {
    text.contains(['*', '?'])
}

/// Whether a pattern holds for everything.
#[must_use]
pub fn is_match_all(pattern: &str) -> bool {
    !pattern.is_empty() && pattern.bytes().all(|byte| byte == b'*')
}

#[cfg(test)]
mod tests;
