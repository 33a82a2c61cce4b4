//! Credentials within a text: in addresses, after names that tell of them, and by their own form.

use super::name;

const PREFIXES: [&str; 11] = [
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "sk_live_",
    "cwk_",
    "AKIA",
];
const SHORTEST_TOKEN: usize = 16;
const KEY_BEGIN: &str = "-----BEGIN ";
const KEY_END: &str = "-----END ";

/// Puts `mark` of each credential in its place.
pub(super) fn scrub(text: &str, mark: &dyn Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let taken = take_key(rest, mark, &mut out)
            .or_else(|| take_address(rest, &mut out))
            .or_else(|| take_word(rest, mark, &mut out))
            .unwrap_or_else(|| take_character(rest, &mut out));
        rest = &rest[taken..];
    }
    out
}

fn take_character(rest: &str, out: &mut String) -> usize {
    let character = rest.chars().next().unwrap_or_default();
    out.push(character);
    character.len_utf8().max(1)
}

/// A private key in PEM, up to its end or to the end of the text.
fn take_key(rest: &str, mark: &dyn Fn(&str) -> String, out: &mut String) -> Option<usize> {
    if !rest.starts_with(KEY_BEGIN) {
        return None;
    }
    let first = rest.lines().next().unwrap_or(rest);
    if !first
        .get(..80.min(first.len()))
        .unwrap_or(first)
        .contains("PRIVATE KEY")
    {
        return None;
    }
    let end = rest.find(KEY_END).map_or(rest.len(), |at| {
        let after = at + KEY_END.len();
        rest[after..]
            .find("-----")
            .map_or(rest.len(), |close| after + close + 5)
    });
    out.push_str(&mark(&rest[..end]));
    Some(end)
}

/// `://`, with the user and password after it left out. A user of SSH alone is no secret.
fn take_address(rest: &str, out: &mut String) -> Option<usize> {
    let after = rest.strip_prefix("://")?;
    let end = after
        .find(|character: char| character.is_whitespace() || "/?#\"'<>".contains(character))
        .unwrap_or(after.len());
    let authority = &after[..end];
    out.push_str("://");
    let Some(at) = authority.rfind('@') else {
        return Some(3);
    };
    let user = &authority[..at];
    if out.ends_with("ssh://") && !user.contains(':') {
        return Some(3);
    }
    Some(3 + at + 1)
}

/// A word; where it names or is a credential, with the mark of the credential.
fn take_word(rest: &str, mark: &dyn Fn(&str) -> String, out: &mut String) -> Option<usize> {
    let length = word_length(rest);
    if length == 0 {
        return None;
    }
    let (word, after) = rest.split_at(length);
    if is_credential(word) {
        out.push_str(&mark(word));
        return Some(length);
    }
    out.push_str(word);
    let gap = match name::tells_of_secret(word) {
        true => assignment(after).or_else(|| scheme_gap(word, after)),
        false => scheme_gap(word, after),
    };
    let Some(gap) = gap else {
        return Some(length);
    };
    let value = value_length(&after[gap..]);
    out.push_str(&after[..gap]);
    let secret = &after[gap..gap + value];
    // `Authorization: Bearer x`: the scheme stays, its own rule takes what follows.
    if is_scheme(secret) {
        return Some(length + gap);
    }
    out.push_str(&mark(secret));
    Some(length + gap + value)
}

fn word_length(text: &str) -> usize {
    let inner = |character: char| character.is_ascii_alphanumeric() || "_-.".contains(character);
    text.find(|character| !inner(character))
        .unwrap_or(text.len())
}

fn is_credential(word: &str) -> bool {
    if word.len() < SHORTEST_TOKEN {
        return false;
    }
    let jwt = word.starts_with("eyJ") && word.matches('.').count() == 2;
    jwt || PREFIXES.iter().any(|prefix| word.starts_with(prefix))
}

fn is_scheme(word: &str) -> bool {
    word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic")
}

/// The length of what stands between `Bearer` and its credential.
fn scheme_gap(word: &str, after: &str) -> Option<usize> {
    let gap = after.len() - after.trim_start_matches(' ').len();
    let long = value_length(&after[gap..]) >= 8;
    (is_scheme(word) && gap > 0 && long).then_some(gap)
}

/// The length of what stands between a name and its value, as in `name=value`, `name: value` and `"name":"value"`.
fn assignment(after: &str) -> Option<usize> {
    let mut left = after.trim_start_matches(['"', '\'', '\\']);
    left = left.trim_start_matches([' ', '\t']);
    left = left.strip_prefix([':', '='])?;
    left = left.strip_prefix('=').unwrap_or(left);
    left = left.trim_start_matches([' ', '\t']);
    left = left.trim_start_matches(['"', '\'', '\\']);
    let gap = after.len() - left.len();
    (value_length(left) > 0).then_some(gap)
}

fn value_length(text: &str) -> usize {
    let ends =
        |character: char| character.is_whitespace() || "\"'\\,;&{}[]()<>".contains(character);
    text.find(ends).unwrap_or(text.len())
}
