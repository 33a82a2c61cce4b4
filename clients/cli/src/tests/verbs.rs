//! The table "Every verb" of the README against the command tree.

use clap::{Command, CommandFactory as _};

use super::rows;
use crate::{Cli, flags};

/// Verbs whose answer may be no.
const ANSWERING: [&str; 8] = [
    "app diff",
    "app rollback",
    "app sync",
    "cluster check",
    "probe",
    "rollout status",
    "status",
    "workflow wait",
];
/// Last words of verbs that end what exists. They ask.
const ENDING: [&str; 6] = [
    "delete",
    "revoke",
    "remove",
    "disable",
    "unlink",
    "uninstall",
];
/// Last words of verbs that print JSON Lines, because they stream.
const STREAMING: [&str; 3] = ["watch", "logs", "exec"];

fn verbs() -> Vec<(String, Command)> {
    let mut command = flags::with_common_flags(Cli::command());
    command.build();
    let mut found = Vec::new();
    collect(&command, "", &mut found);
    found
}

fn collect(command: &Command, place: &str, found: &mut Vec<(String, Command)>) {
    let below = command.get_subcommands();
    for command in below.filter(|command| command.get_name() != "help") {
        let place = format!("{place} {}", command.get_name());
        if command.has_subcommands() {
            collect(command, &place, found);
        } else {
            found.push((place.trim().to_owned(), command.clone()));
        }
    }
}

fn takes(command: &Command, flag: &str) -> bool {
    let mut arguments = command.get_arguments();
    arguments.any(|argument| argument.get_long() == Some(flag))
}

fn help(command: &Command) -> String {
    let text = command.get_long_about().or(command.get_about());
    text.map(ToString::to_string).unwrap_or_default()
}

fn json(verb: &str, command: &Command) -> &'static str {
    let streams = STREAMING.contains(&command.get_name());
    match takes(command, "output") {
        false => "–",
        true if verb == "top" => "–",
        true if streams => "lines",
        true if takes(command, "watch") && verb != "rollout status" => {
            "document, lines with `--watch`"
        }
        true => "document",
    }
}

fn exit_codes(verb: &str, command: &Command) -> &'static str {
    match verb {
        "app wait" => "0 1 2 4 5 20",
        "app exec" | "resource exec" => "0 1 2 4 5, or the program's",
        "probe" => "0 1 2 3",
        verb if ANSWERING.contains(&verb) => "0 1 2 3 4 5",
        _ if takes(command, "address") => "0 1 2 4 5",
        _ => "0 1 2",
    }
}

fn row(verb: &str, command: &Command) -> Vec<String> {
    let flag = |flag: &str| {
        if takes(command, flag) {
            format!("`--{flag}`")
        } else {
            "–".to_owned()
        }
    };
    vec![
        format!("`{verb}`"),
        flag("yes"),
        flag("dry-run"),
        json(verb, command).to_owned(),
        exit_codes(verb, command).to_owned(),
    ]
}

#[test]
fn the_readme_has_each_verb_with_its_question_dry_run_json_and_exit_codes() {
    let verbs = verbs();
    let wanted = verbs.iter().map(|(verb, command)| row(verb, command));
    let mut wanted: Vec<_> = wanted.collect();
    let mut written = rows("## Every verb");
    wanted.sort();
    written.sort();
    let lines = |rows: &[Vec<String>]| {
        let lines = rows
            .iter()
            .map(|cells| format!("| {} |", cells.join(" | ")));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert!(
        written == wanted,
        "write below '## Every verb':\n{}",
        lines(&wanted)
    );
}

#[test]
fn every_verb_that_ends_something_asks_and_takes_yes() {
    for (verb, command) in verbs() {
        if ENDING.contains(&command.get_name()) || verb.ends_with(" rotate") {
            assert!(takes(&command, "yes"), "{verb}");
        }
    }
}

#[test]
fn every_verb_that_may_answer_no_says_so_in_its_help() {
    for (verb, command) in verbs() {
        let about = help(&command);
        let says = about.contains("xit code") && about.contains('3');
        assert_eq!(says, ANSWERING.contains(&verb.as_str()), "{verb}: {about}");
    }
}
