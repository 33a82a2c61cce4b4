//! Accepts flags before the command, as kubectl does: `causeway --context lab app list`.

use std::ffi::OsString;

use clap::Command;

use crate::kind_and_name::takes_next;

/// Moves the flags before the first word behind it, where clap knows them.
pub(crate) fn move_behind(command: &Command, mut words: Vec<OsString>) -> Vec<OsString> {
    let mut at = 1;
    while let Some(flag) = words.get(at).and_then(|word| word.to_str()) {
        if !flag.starts_with('-') {
            words[1..=at].rotate_right(1);
            return words;
        }
        if has(command, flag) {
            return words;
        }
        let takes_value = command.get_subcommands().any(|it| takes_next(it, flag));
        at += if takes_value { 2 } else { 1 };
    }
    words
}

/// True for a flag of the binary itself, or of no command, which clap then answers.
fn has(command: &Command, flag: &str) -> bool {
    matches!(flag, "-h" | "--help" | "-V" | "--version" | "--")
        || !command.get_subcommands().any(|it| knows(it, flag))
}

fn knows(command: &Command, flag: &str) -> bool {
    let (name, _) = flag.split_once('=').unwrap_or((flag, ""));
    command.get_arguments().any(|argument| {
        let aliases = argument.get_all_aliases().unwrap_or_default();
        match name.strip_prefix("--") {
            Some(long) => argument.get_long() == Some(long) || aliases.contains(&long),
            None => argument.get_short() == name.chars().nth(1),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_before_the_command_go_behind_it() {
        for (line, expected) in [
            (
                "causeway --context lab app list",
                "causeway app --context lab list",
            ),
            (
                "causeway --server=http://lab -o json status",
                "causeway status --server=http://lab -o json",
            ),
            (
                "causeway --no-headers -ojson app get web",
                "causeway app --no-headers -ojson get web",
            ),
            ("causeway app list", "causeway app list"),
            ("causeway --help", "causeway --help"),
            (
                "causeway --nonsense app list",
                "causeway --nonsense app list",
            ),
            ("causeway --context", "causeway --context"),
        ] {
            let words = line.split(' ').map(OsString::from).collect();
            let moved = move_behind(&crate::command(), words);
            let moved: Vec<_> = moved.iter().map(|word| word.to_str().unwrap()).collect();
            assert_eq!(moved.join(" "), expected, "{line}");
            let accepted = crate::command().try_get_matches_from(moved).is_ok();
            let is_whole =
                line.ends_with("list") || line.ends_with("status") || line.ends_with("web");
            assert_eq!(accepted, is_whole && !line.contains("nonsense"), "{line}");
        }
    }
}
