//! Accepts KIND/NAME, as kubectl prints it, where a command takes KIND and NAME.

use std::ffi::OsString;

use clap::{Arg, Command};

const KIND: &str = "KIND";

/// Splits KIND/NAME into the two words that the command takes.
pub(crate) fn split(mut command: Command, words: Vec<OsString>) -> Vec<OsString> {
    let has_slash = |word: &OsString| word.to_str().is_some_and(|it| it.contains('/'));
    if !words.iter().any(has_slash) {
        return words;
    }
    command.build();
    let Some((at, kind, name)) = find(&command, &words) else {
        return words;
    };
    let mut split = words;
    split.splice(at..=at, [kind.into(), name.into()]);
    split
}

/// Returns the place of KIND/NAME, and both.
fn find(command: &Command, words: &[OsString]) -> Option<(usize, String, String)> {
    let (mut command, mut position, mut at) = (command, 0, 1);
    while let Some(word) = words.get(at) {
        let word = word.to_str()?;
        if word == "--" {
            return None;
        }
        if word.starts_with('-') && word.len() > 1 {
            at += if takes_next(command, word) { 2 } else { 1 };
            continue;
        }
        if command.has_subcommands() {
            command = command.find_subcommand(word)?;
        } else {
            if takes_kind_and_name(command, position) {
                let (kind, name) = word.split_once('/')?;
                let whole = !kind.is_empty() && !name.is_empty();
                return whole.then(|| (at, kind.to_owned(), name.to_owned()));
            }
            position += 1;
        }
        at += 1;
    }
    None
}

fn takes_kind_and_name(command: &Command, position: usize) -> bool {
    let mut positionals = command.get_positionals().skip(position);
    let kind = positionals.next().and_then(value_name);
    kind == Some(KIND) && positionals.next().is_some()
}

fn value_name(argument: &Arg) -> Option<&str> {
    let names = argument.get_value_names()?;
    names.first().map(|name| name.as_str())
}

/// True if the next word is the value of this flag.
pub(crate) fn takes_next(command: &Command, flag: &str) -> bool {
    if let Some(long) = flag.strip_prefix("--") {
        let is = |argument: &&Arg| {
            let aliases = argument.get_all_aliases().unwrap_or_default();
            argument.get_long() == Some(long) || aliases.contains(&long)
        };
        return command.get_arguments().find(is).is_some_and(takes_value);
    }
    // Of short flags in one word the first one with a value takes the rest, or else the next word.
    for (index, short) in flag.char_indices().skip(1) {
        let mut all = command.get_arguments();
        let found = all.find(|argument| argument.get_short() == Some(short));
        if found.is_some_and(takes_value) {
            return flag.len() == index + short.len_utf8();
        }
    }
    false
}

fn takes_value(argument: &Arg) -> bool {
    argument.get_action().takes_values()
}

#[cfg(test)]
mod tests;
