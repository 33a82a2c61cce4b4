//! What a name tells of its value.

use super::rules::Subject;

const SECRET: [&str; 15] = [
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
const REFERENCE: [&str; 16] = [
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
/// How much or how long something is: of these a number is no secret.
const MEASURE: [&str; 14] = [
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
const CONTAINERS: [&str; 5] = ["secrets", "passwords", "tokens", "credentials", "apikeys"];
const ENVIRONMENTS: [&str; 6] = [
    "env",
    "environment",
    "envvars",
    "extraenv",
    "extraenvs",
    "extraenvvars",
];
const LONGEST: usize = 256;

/// Whether a value of this name is secret by its name.
pub(super) fn tells_of_secret(name: &str) -> bool {
    if name.len() > LONGEST {
        return false;
    }
    let plain = plain(name);
    let secret = SECRET.iter().any(|word| plain.contains(word));
    secret && !REFERENCE.iter().any(|word| plain.ends_with(word))
}

/// Whether a value of this name only says where something is or what it is called.
pub(super) fn tells_of_reference(name: &str) -> bool {
    let plain = plain(name);
    REFERENCE.iter().any(|word| plain.ends_with(word)) || plain == "key"
}

/// Whether a number of this name only says how much or how long something is.
pub(super) fn tells_of_measure(name: &str) -> bool {
    let plain = plain(name);
    MEASURE.iter().any(|word| plain.ends_with(word))
}

/// Whether a map of this name has secrets as its values, whatever they are called.
pub(super) fn holds_secrets(name: &str) -> bool {
    CONTAINERS.contains(&plain(name).as_str())
}

/// Whose names a map or list of this name has.
pub(super) fn subject(name: &str) -> Option<Subject> {
    if name.len() > LONGEST {
        return None;
    }
    let plain = plain(name);
    if ENVIRONMENTS.contains(&plain.as_str()) {
        return Some(Subject::Environment);
    }
    match (plain.ends_with("annotations"), plain.ends_with("labels")) {
        (true, _) => Some(Subject::Annotation),
        (false, true) => Some(Subject::Label),
        (false, false) => None,
    }
}

fn plain(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|letter| letter.to_ascii_lowercase()).collect()
}
