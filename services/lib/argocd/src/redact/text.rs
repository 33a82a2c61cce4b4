//! Credentials within a text: in addresses, after names that tell of them, and by their own form.

use serde_json::Value;

use super::{name, walk::Walk};

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
const PRIVATE: &str = "PRIVATE KEY";
/// How the API server begins to quote what it does not take.
const INVALID: &str = "Invalid value: ";
/// How an object within a text begins, as it is and quoted.
const INNER: [&str; 4] = ["{\"", "[{\"", "\"{", "\"["];
const GO_OBJECT: &str = "map[apiVersion:";
/// How many things that begin like an object and are none a text may have.
const MOST_FAILED: usize = 256;

/// Puts a mark in the place of each credential, and redacts the objects that are quoted.
pub(super) fn scrub(text: &str, walk: &Walk<'_>) -> String {
    let mark = |secret: &str| walk.mark(secret);
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    if let Some(end) = cut_key(text) {
        out.push_str(&mark(&text[..end]));
        rest = &text[end..];
    }
    let mut failed = 0;
    while !rest.is_empty() {
        let taken = take_key(rest, &mark, &mut out)
            .or_else(|| take_address(rest, &mut out))
            .or_else(|| take_inner(rest, walk, &mut failed, &mut out))
            .or_else(|| take_word(rest, &mark, &mut out))
            .unwrap_or_else(|| take_character(rest, &mut out));
        rest = &rest[taken..];
    }
    out
}

/// What is said of a Secret, without what is quoted of it; any other text as it is.
pub(super) fn without_quoted_secrets(
    kind: &str,
    text: &str,
    mark: &dyn Fn(&str) -> String,
) -> String {
    let mut out = String::new();
    let (mut rest, mut looked) = (text, 0);
    while let Some(at) = rest.find(INVALID) {
        looked += 1;
        if looked > MOST_FAILED {
            return out + &mark(rest);
        }
        let (before, after) = rest.split_at(at + INVALID.len());
        out.push_str(before);
        let quoted = &after[..quoted_length(after)];
        let about = kind == "Secret" || speaks_of_secret(before) || quoted.contains("Secret");
        match about && !quoted.is_empty() {
            true => out.push_str(&mark(quoted)),
            false => out.push_str(quoted),
        }
        rest = &after[quoted.len()..];
    }
    out + rest
}

/// Whether the place that is spoken of is in a Secret, or has the name of a secret.
fn speaks_of_secret(before: &str) -> bool {
    let place = before
        .trim_end_matches(INVALID)
        .trim_end_matches([':', ' ']);
    let place = place.rsplit([' ', '\n']).next().unwrap_or_default();
    let env = place.contains("env[") && place.ends_with(".value");
    let named = place
        .rsplit(['.', '['])
        .any(|step| name::tells_of_secret(step.trim_end_matches(']')));
    before.contains("Secret ") || before.contains("secrets ") || env || named
}

/// The length of a quoted text, an object or a word.
fn quoted_length(text: &str) -> usize {
    if text.starts_with(['"', '{', '[']) {
        let mut read = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        if let Some(Ok(_)) = read.next() {
            return read.byte_offset();
        }
        // Go's own form of a map, or a text that was cut: to its end.
        return text.find("\": ").map_or(text.len(), |end| end + 1);
    }
    text.find(": ").unwrap_or(text.len())
}

/// An object, or a quoted text with an object in it. One that was cut off cannot be judged and is hidden to its end, and so is
/// Go's own form of an object, which has no quotes.
fn take_inner(rest: &str, walk: &Walk<'_>, failed: &mut usize, out: &mut String) -> Option<usize> {
    if rest.starts_with(GO_OBJECT) {
        let length = bracketed_length(rest);
        out.push_str(&walk.mark(&rest[..length]));
        return Some(length);
    }
    let begins = INNER.iter().any(|begin| rest.starts_with(begin));
    if !begins {
        return None;
    }
    let mut read = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
    let value = match read.next()? {
        Ok(value) => value,
        Err(error) => {
            *failed += 1;
            let hidden = error.is_eof() || *failed > MOST_FAILED;
            hidden.then(|| out.push_str(&walk.mark(rest)))?;
            return Some(rest.len());
        }
    };
    let taken = read.byte_offset();
    let as_it_is = &rest[..taken];
    let redacted = match value.as_str() {
        Some(text) => walk.inner(text).map(|text| Value::from(text).to_string()),
        None => walk.inner(as_it_is),
    };
    out.push_str(redacted.as_deref().unwrap_or(as_it_is));
    Some(taken)
}

/// To the bracket that closes the first one, or to the end.
fn bracketed_length(text: &str) -> usize {
    let mut open = 0_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'[' => open += 1,
            b']' if open == 1 => return at + 1,
            b']' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    text.len()
}

pub(super) fn begins_private_key(text: &str) -> bool {
    text.contains(KEY_BEGIN) && text.contains(PRIVATE)
}

pub(super) fn ends_private_key(text: &str) -> bool {
    text.contains(KEY_END)
}

/// Where a private key ends whose beginning was cut off.
fn cut_key(text: &str) -> Option<usize> {
    let at = text.find(KEY_END)?;
    let label = &text[at + KEY_END.len()..];
    let close = label.find("-----")?;
    let cut = label[..close].contains(PRIVATE) && !text[..at].contains(KEY_BEGIN);
    cut.then_some(at + KEY_END.len() + close + 5)
}

/// Whether a name and a password follow, as of curl.
pub(super) fn is_user_flag(word: &str) -> bool {
    matches!(word, "-u" | "--user" | "--proxy-user")
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
        .contains(PRIVATE)
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
        false => scheme_gap(word, after).or_else(|| user_gap(word, after)),
    };
    let Some(gap) = gap else {
        return Some(length);
    };
    out.push_str(&after[..gap]);
    let value = &after[gap..];
    let value = &value[..secret_length(&after[..gap], value)];
    // `Authorization: Bearer x`: the scheme stays, its own rule takes what follows.
    if is_scheme(value) {
        return Some(length + gap);
    }
    out.push_str(&mark(value));
    Some(length + gap + value.len())
}

/// The length of what stands between `-u` and `name:password`.
fn user_gap(word: &str, after: &str) -> Option<usize> {
    let gap = after.len() - after.trim_start_matches([' ', '=', '"', '\'']).len();
    let value = &after[gap..];
    (is_user_flag(word) && gap > 0 && value[..value_length(value)].contains(':')).then_some(gap)
}

/// The length of a secret after what stands before it: to the end of its quotes, of its YAML block, or of its word.
fn secret_length(before: &str, text: &str) -> usize {
    let quote = before
        .chars()
        .next_back()
        .filter(|last| "\"'".contains(*last));
    let closed = quote.and_then(|quote| text.find(quote));
    if let Some(end) = closed {
        return text[..end].trim_end_matches('\\').len();
    }
    block_length(text).unwrap_or_else(|| value_length(text))
}

/// The length of a YAML block: `|` or `>`, and the lines after it that are further in.
fn block_length(text: &str) -> Option<usize> {
    let head = text.split('\n').next()?;
    let how = head.strip_prefix(['|', '>'])?.trim_end();
    if !how.chars().all(|it| "+-0123456789".contains(it)) {
        return None;
    }
    let mut length = head.len();
    let mut margin = None;
    for line in text[length..].split_inclusive('\n') {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        let blank = content.trim().is_empty();
        if !blank && (indent == 0 || indent < *margin.get_or_insert(indent)) {
            break;
        }
        length += line.len();
    }
    Some(text[..length].trim_end().len())
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
    // The length last: it may be that of the whole rest.
    (is_scheme(word) && gap > 0 && value_length(&after[gap..]) >= 8).then_some(gap)
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
    (value_length(left) > 0 || block_length(left).is_some()).then_some(gap)
}

fn value_length(text: &str) -> usize {
    let ends =
        |character: char| character.is_whitespace() || "\"'\\,;&{}[]()<>".contains(character);
    text.find(ends).unwrap_or(text.len())
}
