//! Credentials within a text: in addresses, after secret names, and by their own form.

mod forms;
mod token;

use serde_json::Value;

use super::{name, program};

const KEY_BEGIN: &str = "-----BEGIN ";
const KEY_END: &str = "-----END ";
const PRIVATE: &str = "PRIVATE KEY";
/// Maximum length of the line that begins a private key.
const MAX_KEY_LABEL: usize = 80;
/// Prefix of a rejected value in an error of the API server.
const INVALID_VALUE: &str = "Invalid value: ";
/// Start of an embedded object, plain and quoted.
const OBJECT_STARTS: [&str; 4] = ["{\"", "[{\"", "\"{", "\"["];
const GO_OBJECT: &str = "map[apiVersion:";
/// Maximum number of false object starts in a text: each costs a parse.
const MAX_FALSE_STARTS: usize = 256;

/// Callbacks of the traversal that scans a text.
pub(super) struct Hooks<'a> {
    pub(super) placeholder: &'a dyn Fn(&str) -> String,
    /// Redacts an embedded object; `None` if it has no secrets.
    pub(super) redact_embedded: &'a dyn Fn(&str) -> Option<String>,
}

/// Replaces each credential with a placeholder and redacts embedded objects.
pub(super) fn scrub(text: &str, hooks: &Hooks<'_>) -> String {
    let placeholder = hooks.placeholder;
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    if let Some(end) = truncated_key_end(text) {
        out.push_str(&placeholder(&text[..end]));
        rest = &text[end..];
    }
    let (mut failed, mut flag) = (0, None);
    while !rest.is_empty() {
        flag = password_flag(rest, &out).or(flag.filter(|_| !ends_command(rest)));
        let taken = take_key(rest, placeholder, &mut out)
            .or_else(|| take_address(rest, &mut out))
            .or_else(|| take_embedded(rest, hooks, &mut failed, &mut out))
            .or_else(|| forms::take_pgpass_line(rest, placeholder, &mut out))
            .or_else(|| forms::take_flag(rest, flag, placeholder, &mut out))
            .or_else(|| take_word(rest, placeholder, &mut out))
            .unwrap_or_else(|| take_character(rest, &mut out));
        rest = &rest[taken..];
    }
    out
}

/// Returns the password flag of a program whose name begins here.
fn password_flag(rest: &str, before: &str) -> Option<program::Flag> {
    let starts = forms::is_word_start(before) || before.ends_with('/');
    starts.then(|| program::password_flag(&rest[..word_length(rest)]))?
}

/// Returns true if the next character ends the command of a shell.
fn ends_command(rest: &str) -> bool {
    rest.starts_with(['\n', ';', '|', '&'])
}

/// Returns true if a word of the text is the name of a secret.
pub(super) fn has_secret_name(text: &str) -> bool {
    let outside =
        |character: char| !(character.is_ascii_alphanumeric() || "_-.".contains(character));
    text.split(outside).any(name::is_secret_name)
}

/// Hides values that a message about a Secret quotes; any other text stays.
pub(super) fn hide_quoted_secrets(
    kind: &str,
    text: &str,
    placeholder: &dyn Fn(&str) -> String,
) -> String {
    let mut out = String::new();
    let (mut rest, mut checked) = (text, 0);
    while let Some(at) = rest.find(INVALID_VALUE) {
        checked += 1;
        if checked > MAX_FALSE_STARTS {
            return out + &placeholder(rest);
        }
        let (before, after) = rest.split_at(at + INVALID_VALUE.len());
        out.push_str(before);
        let quoted = &after[..quoted_length(after)];
        let concerns_secret =
            kind == "Secret" || concerns_secret(before) || quoted.contains("Secret");
        if concerns_secret && !quoted.is_empty() {
            out.push_str(&placeholder(quoted));
        } else {
            out.push_str(quoted);
        }
        rest = &after[quoted.len()..];
    }
    out + rest
}

/// Returns true if the message concerns a Secret or a field with a secret name.
fn concerns_secret(before: &str) -> bool {
    let place = before
        .trim_end_matches(INVALID_VALUE)
        .trim_end_matches([':', ' ']);
    let place = place.rsplit([' ', '\n']).next().unwrap_or_default();
    let env = place.contains("env[") && place.ends_with(".value");
    let named = place
        .rsplit(['.', '['])
        .any(|step| name::is_secret_name(step.trim_end_matches(']')));
    before.contains("Secret ") || before.contains("secrets ") || env || named
}

/// Returns the length of a quoted text, an object or a word.
fn quoted_length(text: &str) -> usize {
    if text.starts_with(['"', '{', '[']) {
        let mut read = serde_json::Deserializer::from_str(text).into_iter::<Value>();
        if let Some(Ok(_)) = read.next() {
            return read.byte_offset();
        }
        // Go's notation of a map or a truncated text: everything up to the end counts.
        return text.find("\": ").map_or(text.len(), |end| end + 1);
    }
    text.find(": ").unwrap_or(text.len())
}

/// Takes an embedded object. A truncated one cannot be judged and is hidden to its end, as is Go's notation without quotes.
fn take_embedded(
    rest: &str,
    hooks: &Hooks<'_>,
    failed: &mut usize,
    out: &mut String,
) -> Option<usize> {
    if rest.starts_with(GO_OBJECT) {
        let length = bracketed_length(rest);
        out.push_str(&(hooks.placeholder)(&rest[..length]));
        return Some(length);
    }
    let begins = OBJECT_STARTS.iter().any(|begin| rest.starts_with(begin));
    if !begins {
        return None;
    }
    let mut read = serde_json::Deserializer::from_str(rest).into_iter::<Value>();
    let value = match read.next()? {
        Ok(value) => value,
        Err(error) => {
            *failed += 1;
            let hidden = error.is_eof() || *failed > MAX_FALSE_STARTS;
            hidden.then(|| out.push_str(&(hooks.placeholder)(rest)))?;
            return Some(rest.len());
        }
    };
    let taken = read.byte_offset();
    let as_it_is = &rest[..taken];
    let redacted = match value.as_str() {
        Some(text) => (hooks.redact_embedded)(text).map(|text| Value::from(text).to_string()),
        None => (hooks.redact_embedded)(as_it_is),
    };
    out.push_str(redacted.as_deref().unwrap_or(as_it_is));
    Some(taken)
}

/// Returns the length up to the bracket that closes the first one, or up to the end.
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

/// Returns the end of a private key whose start was truncated.
fn truncated_key_end(text: &str) -> Option<usize> {
    let at = text.find(KEY_END)?;
    let label = &text[at + KEY_END.len()..];
    let close = label.find("-----")?;
    let cut = label[..close].contains(PRIVATE) && !text[..at].contains(KEY_BEGIN);
    cut.then_some(at + KEY_END.len() + close + 5)
}

/// Returns true if `user:password` follows, as in curl.
pub(super) fn is_user_flag(word: &str) -> bool {
    matches!(word, "-u" | "--user" | "--proxy-user")
}

fn take_character(rest: &str, out: &mut String) -> usize {
    let character = rest.chars().next().unwrap_or_default();
    out.push(character);
    character.len_utf8().max(1)
}

/// Takes a private key in PEM up to its end or the end of the text.
fn take_key(rest: &str, placeholder: &dyn Fn(&str) -> String, out: &mut String) -> Option<usize> {
    if !rest.starts_with(KEY_BEGIN) {
        return None;
    }
    let head = &rest[..rest.floor_char_boundary(MAX_KEY_LABEL)];
    if !head.lines().next().unwrap_or(head).contains(PRIVATE) {
        return None;
    }
    let end = rest.find(KEY_END).map_or(rest.len(), |at| {
        let after = at + KEY_END.len();
        rest[after..]
            .find("-----")
            .map_or(rest.len(), |close| after + close + 5)
    });
    out.push_str(&placeholder(&rest[..end]));
    Some(end)
}

/// Takes `://` and drops the user information after it. An SSH user name alone is not secret.
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

/// Takes a word and replaces the credential that it is or names.
fn take_word(rest: &str, placeholder: &dyn Fn(&str) -> String, out: &mut String) -> Option<usize> {
    let length = word_length(rest);
    if length == 0 {
        return None;
    }
    let (word, after) = rest.split_at(length);
    if let Some(length) = token::credential_length(word, after) {
        out.push_str(&placeholder(&rest[..length]));
        return Some(length);
    }
    if let Some((path, shown)) = token::webhook_path(word, after) {
        out.push_str(&rest[..length + shown]);
        out.push_str(&placeholder(&after[shown..path]));
        return Some(length + path);
    }
    if let Some(taken) = forms::take_dsn(word, after, placeholder, out) {
        return Some(taken);
    }
    let assigned = name::is_secret_name(word) && forms::is_name_here(word, after, out);
    let spaced = forms::spaced_gap(word, after, out);
    out.push_str(word);
    let gap = if assigned {
        assignment(after)
            .or(spaced)
            .or_else(|| scheme_gap(word, after))
    } else {
        spaced
            .or_else(|| scheme_gap(word, after))
            .or_else(|| user_gap(word, after))
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
    out.push_str(&placeholder(value));
    Some(length + gap + value.len())
}

/// Returns the length of the gap between `-u` and `name:password`.
fn user_gap(word: &str, after: &str) -> Option<usize> {
    let gap = after.len() - after.trim_start_matches([' ', '=', '"', '\'']).len();
    let value = &after[gap..];
    (is_user_flag(word) && gap > 0 && value[..value_length(value)].contains(':')).then_some(gap)
}

/// Returns the length of the secret after the text before it: to the end of its quotes, of its YAML block, or of its word.
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

/// Returns the length of a YAML block: `|` or `>`, and the lines after it that are further in.
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
    let inner = |character: char| character.is_ascii_alphanumeric() || "_-.~".contains(character);
    text.find(|character| !inner(character))
        .unwrap_or(text.len())
}

fn is_scheme(word: &str) -> bool {
    word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic")
}

/// Returns the length of the gap between `Bearer` and its credential.
fn scheme_gap(word: &str, after: &str) -> Option<usize> {
    let gap = after.len() - after.trim_start_matches(' ').len();
    // Measured last: the value may be the whole rest of the text.
    (is_scheme(word) && gap > 0 && value_length(&after[gap..]) >= 8).then_some(gap)
}

/// Returns the length of the gap between a name and its value, as in `name=value`, `name: value` and `"name":"value"`.
fn assignment(after: &str) -> Option<usize> {
    let mut left = after.trim_start_matches(['"', '\'', '\\']);
    left = left.trim_start_matches([' ', '\t']);
    left = left.strip_prefix([':', '='])?;
    left = left.strip_prefix('=').unwrap_or(left);
    left = left.trim_start_matches([' ', '\t']);
    left = forms::without_properties(left);
    left = left.trim_start_matches(['"', '\'', '\\']);
    let gap = after.len() - left.len();
    (value_length(left) > 0 || block_length(left).is_some()).then_some(gap)
}

fn value_length(text: &str) -> usize {
    let ends =
        |character: char| character.is_whitespace() || "\"'\\,;&{}[]()<>".contains(character);
    text.find(ends).unwrap_or(text.len())
}
