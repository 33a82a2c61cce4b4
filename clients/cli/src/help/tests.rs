use std::collections::BTreeSet;

use unicode_width::UnicodeWidthStr as _;

use super::{text::wrap, *};

/// All commands that are built, by their words behind `causeway`.
fn all() -> Vec<(String, Command)> {
    fn add(command: &Command, path: &str, found: &mut Vec<(String, Command)>) {
        found.push((path.to_owned(), command.clone()));
        let below = command.get_subcommands();
        for command in below.filter(|it| it.get_name() != "help") {
            let path = format!("{path} {}", command.get_name());
            add(command, path.trim_start(), found);
        }
    }
    let mut command = crate::command();
    command.build();
    let mut found = Vec::new();
    add(&command, "", &mut found);
    found
}

/// Commands that do something, without groups of them.
fn verbs() -> Vec<String> {
    let leaves = all().into_iter().filter(|(_, it)| !it.has_subcommands());
    leaves.map(|(path, _)| path).collect()
}

#[test]
fn no_line_of_a_help_page_is_wider_than_a_terminal() {
    for (path, command) in all() {
        for detail in [Detail::Short, Detail::Long] {
            let text = page(&command, detail);
            for line in text.lines() {
                assert!(line.width() <= WIDTH, "{path}: {} in\n{line}", line.width());
            }
        }
    }
}

#[test]
fn a_long_page_has_every_flag_and_its_variable() {
    for (path, command) in all() {
        let text = page(&command, Detail::Long);
        for argument in command.get_arguments().filter(|it| !it.is_hide_set()) {
            if let Some(long) = argument.get_long() {
                assert!(text.contains(&format!("--{long}")), "{path}: --{long}");
            }
            if let Some(name) = argument.get_env() {
                let note = format!("[env: {}]", name.to_string_lossy());
                assert!(text.contains(&note), "{path}: {note}");
            }
        }
    }
}

#[test]
fn every_command_is_in_one_group_of_its_page() {
    for (path, command) in all() {
        let below = command.get_subcommands().map(Command::get_name);
        let text = page(&command, Detail::Short);
        for name in below.filter(|name| *name != "help") {
            let row = format!("  {name}");
            let rows = text.lines().filter(|line| {
                line.strip_prefix(&row)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            });
            assert_eq!(rows.count(), 1, "{path} {name}\n{text}");
        }
        let ungrouped = ["", "app", "runtime"].contains(&&*path) && text.contains("\nCommands:");
        assert!(!ungrouped, "{path} has a command without a group\n{text}");
    }
}

#[test]
fn flags_of_connection_and_output_stand_under_their_headings() {
    let (_, command) = all().into_iter().find(|(it, _)| it == "app list").unwrap();
    let text = page(&command, Detail::Long);
    let mut last = 0;
    for heading in [
        "Selection:",
        "Options:",
        "Output:",
        "Connection:",
        "Global:",
        "Examples:",
    ] {
        let at = text.find(&format!("\n{heading}\n"));
        let at = at.unwrap_or_else(|| panic!("no {heading} in\n{text}"));
        assert!(at > last, "{heading} in\n{text}");
        last = at;
    }
    let short = page(&command, Detail::Short);
    assert!(!short.contains("--api-key-file"), "{short}");
    assert!(short.contains("Examples:"), "{short}");
}

#[test]
fn every_verb_has_three_examples_or_more() {
    for verb in verbs() {
        let lines = examples(&verb);
        let started = lines.iter().filter(|line| !line.starts_with(' '));
        assert!(started.count() >= 3, "{verb}: {lines:?}");
        let width = lines.iter().map(|line| line.width()).max();
        assert!(width.unwrap_or_default() + 2 <= WIDTH, "{verb}: {lines:?}");
    }
}

#[test]
fn no_example_is_for_a_verb_that_is_not_there() {
    let known: BTreeSet<_> = verbs().into_iter().collect();
    let unknown = examples::verbs();
    let unknown: Vec<_> = unknown.iter().filter(|it| !known.contains(**it)).collect();
    assert_eq!(unknown, Vec::<&&str>::new());
}

/// The words of a command line as a shell splits it, without pipes and redirections.
fn shell_words(line: &str) -> Vec<OsString> {
    let line = line.trim_start_matches("source <(").trim_end_matches(')');
    let line = line
        .split([">", "<", "|"].map(|it| it.chars().next().unwrap()))
        .next();
    let mut words = vec![String::new()];
    let mut quoted = false;
    for character in line.unwrap_or_default().trim().chars() {
        match character {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            other => words.last_mut().unwrap().push(other),
        }
    }
    words.retain(|word| !word.is_empty());
    words.into_iter().map(OsString::from).collect()
}

#[test]
fn every_example_is_one_that_the_command_line_takes() {
    let mut wrong = Vec::new();
    for verb in verbs() {
        let text = examples(&verb).join("\n").replace("\\\n", " ");
        for line in text.lines() {
            let words = crate::kind_and_name::split(crate::command(), shell_words(line));
            let begin = format!("causeway {verb}");
            if !line.trim_start_matches("source <(").starts_with(&begin) {
                wrong.push(format!("{line}: is of another verb"));
            }
            if let Err(error) = crate::command().try_get_matches_from(words) {
                let said = error.to_string();
                wrong.push(format!(
                    "{line}: {}",
                    said.lines().next().unwrap_or_default()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn help_is_for_the_command_that_the_words_name() {
    let mut command = crate::command();
    command.build();
    for (line, name) in [
        ("causeway --help", "causeway"),
        ("causeway app list --help", "list"),
        ("causeway help app sync", "sync"),
        ("causeway app help", "app"),
        ("causeway app ls -h", "list"),
        ("causeway app --context lab get --help", "get"),
    ] {
        let words: Vec<_> = line.split(' ').map(OsString::from).collect();
        assert_eq!(named(&command, &words).get_name(), name, "{line}");
    }
}

#[test]
fn a_text_is_broken_at_spaces_and_long_words_at_their_joints() {
    assert_eq!(wrap("one two three", 8), ["one two", "three"]);
    assert_eq!(wrap("  one two", 6), ["  one", "two"]);
    let long = format!("<{}|{}>", "a".repeat(30), "b".repeat(30));
    assert_eq!(wrap(&long, 40).len(), 2);
    assert_eq!(wrap("one\ntwo", 80), ["one", "two"]);
}
