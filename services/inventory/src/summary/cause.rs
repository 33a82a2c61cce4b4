//! One form for messages of one cause: names, numbers, hashes and generated suffixes become "…".

const VARIABLE: &str = "…";
/// Bytes of a message that are read.
const MAX_READ: usize = 4 << 10;
/// Bytes of a normalised message.
const MAX_BYTES: usize = 256;
const SHORTEST_NAME: usize = 3;
/// Letters and digits of generated Kubernetes names: no vowels, and none that look alike.
const GENERATED: &str = "bcdfghjklmnpqrstvwxz2456789";
const GENERATED_SUFFIX: usize = 5;
const SHORTEST_HASH: usize = 7;

/// Replaces what differs between objects with one cause. `names` are those of the object.
pub(super) fn normalise(message: &str, names: &[&str]) -> String {
    let message = &message[..message.floor_char_boundary(MAX_READ)];
    let mut text = message.split_whitespace().collect::<Vec<_>>().join(" ");
    text.retain(|character| !character.is_control());
    let mut names: Vec<&str> = names.to_vec();
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    for name in names.into_iter().filter(|it| it.len() >= SHORTEST_NAME) {
        text = without_name(&text, name);
    }
    let mut joined = join(&without_variables(&text));
    joined.truncate(joined.floor_char_boundary(MAX_BYTES));
    joined
}

/// Replaces a name where it stands as a whole.
fn without_name(text: &str, name: &str) -> String {
    let (mut replaced, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        let is_inside = before.ends_with(char::is_alphanumeric)
            || after.starts_with(char::is_alphanumeric)
            || (before.is_empty() && replaced.ends_with(char::is_alphanumeric));
        replaced.push_str(before);
        replaced.push_str(if is_inside { name } else { VARIABLE });
        rest = after;
    }
    replaced.push_str(rest);
    replaced
}

/// Replaces numbers, hashes and generated suffixes.
fn without_variables(text: &str) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_letter = first.is_alphanumeric();
        let end = rest
            .find(|it: char| it.is_alphanumeric() != is_letter)
            .unwrap_or(rest.len());
        let (run, after) = rest.split_at(end);
        let is_variable = is_letter && is_variable(run, replaced.ends_with('-'), after);
        replaced.push_str(if is_variable { VARIABLE } else { run });
        rest = after;
    }
    replaced
}

fn is_variable(run: &str, follows_hyphen: bool, after: &str) -> bool {
    let is_hash = run.len() >= SHORTEST_HASH && run.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_suffix = follows_hyphen
        && run.len() == GENERATED_SUFFIX
        && !after.starts_with('-')
        && run.chars().all(|letter| GENERATED.contains(letter));
    let has_digit = run.contains(|letter: char| letter.is_ascii_digit());
    is_hash || is_suffix || (has_digit && !is_api_version(run))
}

/// True for "v1" and "v2beta1".
fn is_api_version(run: &str) -> bool {
    let Some(version) = run.strip_prefix('v') else {
        return false;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    let parts = ["alpha", "beta"]
        .iter()
        .find_map(|stage| version.split_once(stage));
    match parts {
        Some((major, minor)) => is_number(major) && is_number(minor),
        None => version.len() == 1 && is_number(version),
    }
}

/// Makes one of several that only punctuation separates.
fn join(text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(VARIABLE) {
        joined.push_str(&rest[..at + VARIABLE.len()]);
        rest = &rest[at + VARIABLE.len()..];
        while let Some(next) = next_joined(rest) {
            rest = next;
        }
    }
    joined.push_str(rest);
    joined
}

/// The text after another "…" that follows at once, or after one of "-._:@".
fn next_joined(rest: &str) -> Option<&str> {
    let after = rest.strip_prefix(['-', '.', '_', ':', '@']).unwrap_or(rest);
    after.strip_prefix(VARIABLE)
}

#[cfg(test)]
mod tests;
