//! Classification of values by their names.

use super::rules::NameKind;

const SECRET_WORDS: [&str; 15] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "accesskey",
    "privatekey",
    "encryptionkey",
    "credential",
    "authorization",
    "connectionstring",
    "accountkey",
    "passcode",
    "pwd",
];
/// Short names that mark a secret only as a whole word: `pass` is one, `bypass` is not.
const SECRET_SHORT_WORDS: [&str; 7] = [
    "pass",
    "auth",
    "requirepass",
    "masterauth",
    "sig",
    "cred",
    "creds",
];
const REFERENCE_SUFFIXES: [&str; 16] = [
    "name",
    "names",
    "ref",
    "refs",
    "path",
    "file",
    "dir",
    "namespace",
    "kind",
    "type",
    "version",
    "seconds",
    "ttl",
    "policy",
    "enabled",
    "mode",
];
/// Names of quantities: a number under one of these is not secret.
const MEASURE_SUFFIXES: [&str; 14] = [
    "expiration",
    "expiry",
    "timeout",
    "limit",
    "size",
    "length",
    "age",
    "lifetime",
    "interval",
    "period",
    "port",
    "days",
    "hours",
    "minutes",
];
const SECRET_CONTAINERS: [&str; 5] = ["secrets", "passwords", "tokens", "credentials", "apikeys"];
const ENVIRONMENT_FIELDS: [&str; 6] = [
    "env",
    "environment",
    "envvars",
    "extraenv",
    "extraenvs",
    "extraenvvars",
];
/// Length of the shortest secret word. Texts made of shorter ones would cost the most.
const MIN_SECRET_NAME_BYTES: usize = 3;
const MAX_NAME_BYTES: usize = 256;

/// Returns true if the name marks its value as secret.
pub(super) fn is_secret_name(name: &str) -> bool {
    if !(MIN_SECRET_NAME_BYTES..=MAX_NAME_BYTES).contains(&name.len()) {
        return false;
    }
    let normalized = normalize(name);
    let secret = SECRET_WORDS.iter().any(|word| normalized.contains(word));
    (secret || has_short_word(name))
        && !REFERENCE_SUFFIXES
            .iter()
            .any(|word| normalized.ends_with(word))
}

/// Returns true if a whole word of the name is a short secret word.
fn has_short_word(name: &str) -> bool {
    words(name).any(is_short_word)
}

/// Returns true if the name is only a short secret word, which prose has, too.
pub(super) fn is_short_word(name: &str) -> bool {
    SECRET_SHORT_WORDS
        .iter()
        .any(|word| name.eq_ignore_ascii_case(word))
}

/// Splits a name at punctuation and before capital letters that follow small ones.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let parts = name.split(|character: char| !character.is_ascii_alphanumeric());
    parts.flat_map(|part| {
        let mut small = false;
        let boundaries = part.char_indices().filter_map(move |(at, character)| {
            let boundary = small && character.is_ascii_uppercase();
            small = character.is_ascii_lowercase() || character.is_ascii_digit();
            boundary.then_some(at)
        });
        let ends = boundaries.chain([part.len()]);
        ends.scan(0, move |start, end| {
            let word = &part[*start..end];
            *start = end;
            Some(word)
        })
    })
}

/// Returns true if the value is only a name or a location, for example of a Secret.
pub(super) fn is_reference_name(name: &str) -> bool {
    let normalized = normalize(name);
    REFERENCE_SUFFIXES
        .iter()
        .any(|word| normalized.ends_with(word))
        || normalized == "key"
}

/// Returns true if a number under this name is a quantity or a duration.
pub(super) fn is_measure_name(name: &str) -> bool {
    let normalized = normalize(name);
    MEASURE_SUFFIXES
        .iter()
        .any(|word| normalized.ends_with(word))
}

/// Returns true if all values of a map with this name are secret.
pub(super) fn is_secret_container(name: &str) -> bool {
    SECRET_CONTAINERS.contains(&normalize(name).as_str())
}

/// Returns the kind of the names in a map or list with this field name.
pub(super) fn name_kind(name: &str) -> Option<NameKind> {
    if name.len() > MAX_NAME_BYTES {
        return None;
    }
    let normalized = normalize(name);
    if ENVIRONMENT_FIELDS.contains(&normalized.as_str()) {
        return Some(NameKind::Environment);
    }
    match (
        normalized.ends_with("annotations"),
        normalized.ends_with("labels"),
    ) {
        (true, _) => Some(NameKind::Annotation),
        (false, true) => Some(NameKind::Label),
        (false, false) => None,
    }
}

fn normalize(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}
