//! Forms of files and commands that hold a password without the sign of an assignment.

use super::{name, program::Flag, value_length};

/// Maximum length of a line of `.pgpass`, and of what is read around a name.
const MAX_FORM: usize = 512;
/// Maximum length of a password in a data source name.
const MAX_PASSWORD: usize = 128;
/// Protocols of Go's data source names: `user:password@tcp(host)/database`.
const DSN_ADDRESSES: [&str; 3] = ["@tcp(", "@unix(", "@udp("];

/// Returns true if a word that comes next would begin there.
pub(super) fn is_word_start(before: &str) -> bool {
    before
        .chars()
        .next_back()
        .is_none_or(|last| last.is_whitespace() || "\"'`(=,[".contains(last))
}

/// Takes a line `host:port:database:user:password` of `.pgpass`.
pub(super) fn take_pgpass_line(
    rest: &str,
    placeholder: &dyn Fn(&str) -> String,
    out: &mut String,
) -> Option<usize> {
    if !(out.is_empty() || out.ends_with('\n')) {
        return None;
    }
    let line = &rest[..rest.floor_char_boundary(MAX_FORM)];
    let line = line.split('\n').next()?;
    let fields: Vec<&str> = line.splitn(5, ':').collect();
    let [host, port, database, user, password] = fields[..] else {
        return None;
    };
    let number = port == "*" || (!port.is_empty() && port.bytes().all(|it| it.is_ascii_digit()));
    let plain = |field: &str| !field.is_empty() && !field.contains(char::is_whitespace);
    if !number || ![host, database, user].into_iter().all(plain) || password.is_empty() {
        return None;
    }
    out.push_str(&format!("{host}:{port}:{database}:{user}:"));
    out.push_str(&placeholder(password));
    Some(line.len())
}

/// Takes the password flag of the program that runs here, with its value.
pub(super) fn take_flag(
    rest: &str,
    flag: Option<Flag>,
    placeholder: &dyn Fn(&str) -> String,
    out: &mut String,
) -> Option<usize> {
    let flag = flag.filter(|_| is_word_start(out))?;
    let after = rest.strip_prefix(flag.name)?;
    let spaces = after.len() - after.trim_start_matches([' ', '\t']).len();
    let allowed = if spaces == 0 {
        flag.attached
    } else {
        flag.separate
    };
    let quote = after[spaces..].starts_with(['"', '\'']);
    let start = spaces + usize::from(quote);
    let length = value_length(&after[start..]);
    if !allowed || length == 0 {
        return None;
    }
    out.push_str(flag.name);
    out.push_str(&after[..start]);
    out.push_str(&placeholder(&after[start..start + length]));
    Some(flag.name.len() + start + length)
}

/// Takes `user:password` of a data source name.
pub(super) fn take_dsn(
    user: &str,
    after: &str,
    placeholder: &dyn Fn(&str) -> String,
    out: &mut String,
) -> Option<usize> {
    let secret = after.strip_prefix(':')?;
    let head = &secret[..secret.floor_char_boundary(MAX_PASSWORD)];
    // Most texts have no such sign: searching it first keeps long ones cheap.
    head.find('@')?;
    let end = head[..value_length(head)].rfind('@')?;
    if !DSN_ADDRESSES
        .iter()
        .any(|form| secret[end..].starts_with(form))
    {
        return None;
    }
    out.push_str(user);
    out.push(':');
    out.push_str(&placeholder(&head[..end]));
    Some(user.len() + 1 + end)
}

/// Returns false for a short word in prose, such as `auth: permission denied`: there it names no value.
pub(super) fn is_name_here(word: &str, after: &str, before: &str) -> bool {
    if !name::is_short_word(word) {
        return true;
    }
    if after.starts_with(['=', '"']) {
        return true;
    }
    let line = before.trim_end_matches([' ', '\t', '-', '"', '\'']);
    let next = &after[..after.floor_char_boundary(MAX_FORM)];
    line.ends_with('\n') || (line.is_empty() && next.contains('\n'))
}

/// Returns the length of the space between a name and its value in `.netrc` and in the configuration of Redis.
pub(super) fn spaced_gap(word: &str, after: &str, before: &str) -> Option<usize> {
    let gap = after.len() - after.trim_start_matches([' ', '\t', '\n']).len();
    let redis = matches!(word, "requirepass" | "masterauth");
    let netrc = matches!(word, "password" | "account") && follows_login(before);
    (gap > 0 && (redis || netrc) && value_length(&after[gap..]) > 0).then_some(gap)
}

/// Returns true if the entry of a `.netrc` before its password ends the text.
fn follows_login(before: &str) -> bool {
    let from = before.floor_char_boundary(before.len().saturating_sub(MAX_FORM));
    let words: Vec<&str> = before[from..].split_whitespace().collect();
    let machine = |at: usize| {
        words
            .get(at)
            .is_some_and(|it| *it == "machine" || *it == "default")
    };
    let count = words.len();
    let named = count >= 4 && words[count - 2] == "login" && machine(count - 4);
    named || (count >= 3 && words[count - 2] == "login" && machine(count - 3))
}

/// Skips the anchor and the tag of a YAML value, so that the value itself is taken.
pub(super) fn without_properties(text: &str) -> &str {
    let mut left = text;
    while left.starts_with(['&', '!']) {
        let end = left.find([' ', '\t', '\n']).unwrap_or(left.len());
        left = left[end..].trim_start_matches([' ', '\t']);
    }
    left
}
