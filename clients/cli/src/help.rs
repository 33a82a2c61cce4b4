//! Help pages: commands in groups, flags under headings, three examples of each verb, 80 columns.

mod examples;
mod groups;
mod headings;
mod text;

use std::{ffi::OsString, process::ExitCode};

use clap::{Arg, ArgAction, Command, builder::PossibleValue, error::ErrorKind};

use self::examples::examples;
use self::text::Page;
use crate::output;

/// Widest line of a page.
const WIDTH: usize = 80;

/// How much a page tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// The summary of each flag, without the flags that all commands have.
    Short,
    Long,
}

/// Prints the page that the words ask for, if they do.
pub(crate) fn answer(
    command: &Command,
    words: &[OsString],
    error: &clap::Error,
) -> Option<ExitCode> {
    let asked = matches!(error.kind(), ErrorKind::DisplayHelp);
    if !asked
        && !matches!(
            error.kind(),
            ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        )
    {
        return None;
    }
    let mut command = command.clone();
    command.build();
    let is_short = words.iter().any(|word| word == "-h") || !asked;
    let detail = if is_short {
        Detail::Short
    } else {
        Detail::Long
    };
    let text = page(named(&command, words), detail);
    if asked {
        // A reader that closed the pipe has read enough.
        let _ = output::line(text.trim_end());
        return Some(ExitCode::SUCCESS);
    }
    output::note(text.trim_end());
    Some(ExitCode::from(2))
}

/// Returns the command that a help request names, as in `app list --help` or `help app list`.
fn named<'a>(command: &'a Command, words: &[OsString]) -> &'a Command {
    let mut found = command;
    for word in words.iter().skip(1).filter_map(|word| word.to_str()) {
        if word == "--help" || word == "-h" {
            break;
        }
        if let Some(below) = found.find_subcommand(word).filter(|_| word != "help") {
            found = below;
        }
    }
    found
}

/// The help page of a command that has been built.
pub(crate) fn page(command: &Command, detail: Detail) -> String {
    let mut page = Page::default();
    about(command, detail, &mut page);
    usage(command, &mut page);
    groups::print(command, &mut page);
    arguments(command, detail, &mut page);
    flags(command, detail, &mut page);
    let name = path(command);
    let found = examples(&name);
    if !found.is_empty() {
        page.heading("Examples");
        page.lines(found);
    }
    page.text()
}

/// Adds the examples of each verb to what other programs make of its help, such as manual pages.
pub(crate) fn with_examples(command: Command) -> Command {
    add_examples(command, "")
}

fn add_examples(command: Command, path: &str) -> Command {
    if command.has_subcommands() {
        return command.mut_subcommands(|below| {
            let path = format!("{path} {}", below.get_name());
            add_examples(below, path.trim_start())
        });
    }
    let lines = examples(path).join("\n  ");
    match lines.as_str() {
        "" => command,
        lines => command.after_help(format!("Examples:\n  {lines}")),
    }
}

/// The words of a command behind `causeway`.
fn path(command: &Command) -> String {
    let whole = command.get_bin_name().unwrap_or_else(|| command.get_name());
    whole
        .split_once(' ')
        .map_or("", |(_, path)| path)
        .to_owned()
}

fn about(command: &Command, detail: Detail, page: &mut Page) {
    let short = command.get_about();
    let long = command.get_long_about().filter(|_| detail == Detail::Long);
    if let Some(about) = long.or(short) {
        for paragraph in about.to_string().split("\n\n") {
            page.paragraph(paragraph);
        }
    }
}

fn usage(command: &Command, page: &mut Page) {
    let usage = command.clone().render_usage().to_string();
    page.hanging(&usage, "       ");
}

fn arguments(command: &Command, detail: Detail, page: &mut Page) {
    let shown = command.get_positionals().filter(|it| !it.is_hide_set());
    let shown: Vec<_> = shown.collect();
    if shown.is_empty() {
        return;
    }
    page.heading("Arguments");
    for argument in shown {
        page.row(&argument.to_string(), &help(argument, detail));
    }
}

fn flags(command: &Command, detail: Detail, page: &mut Page) {
    let mut left_out = false;
    for (heading, flags) in headings::arrange(command) {
        if detail == Detail::Short && headings::is_common(&heading) {
            left_out = true;
            continue;
        }
        page.heading(&heading);
        for flag in flags {
            page.row(&spelling(flag), &help(flag, detail));
        }
    }
    if left_out {
        page.paragraph("Flags of connection and output: --help.");
    }
}

/// `-n, --namespace <NAMESPACE>`, and other names that it has.
fn spelling(flag: &Arg) -> String {
    let mut text = match (flag.get_short(), flag.get_long()) {
        (Some(short), Some(long)) => format!("-{short}, --{long}"),
        (Some(short), None) => format!("-{short}"),
        (None, long) => format!("    --{}", long.unwrap_or_default()),
    };
    if flag.get_action().takes_values() {
        let names = flag.get_value_names().unwrap_or_default();
        let names = names.iter().map(|name| format!("<{name}>"));
        let names = names.collect::<Vec<_>>().join(" ");
        text.push_str(&match flag.get_num_args() {
            Some(count) if count.min_values() == 0 => format!("[={names}]"),
            _ => format!(" {names}"),
        });
    }
    text
}

/// The help of a flag, with its default, variable, values and other names.
fn help(argument: &Arg, detail: Detail) -> String {
    let short = argument.get_help();
    let long = argument.get_long_help().filter(|_| detail == Detail::Long);
    let mut text = long.or(short).map(ToString::to_string).unwrap_or_default();
    for note in notes(argument, detail) {
        text.push(' ');
        text.push_str(&note);
    }
    text
}

fn notes(argument: &Arg, detail: Detail) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(name) = argument.get_env().filter(|_| !argument.is_hide_env_set()) {
        // One word, which a program can look for.
        notes.push(text::unbroken(&format!(
            "[env: {}]",
            name.to_string_lossy()
        )));
    }
    let defaults = argument.get_default_values();
    if !defaults.is_empty() && !argument.is_hide_default_value_set() && takes_value(argument) {
        let defaults: Vec<_> = defaults.iter().map(|it| it.to_string_lossy()).collect();
        notes.push(format!("[default: {}]", defaults.join(", ")));
    }
    let values = argument.get_possible_values();
    if takes_value(argument) && !values.is_empty() && !argument.is_hide_possible_values_set() {
        notes.push(possible(&values, detail));
    }
    let aliases = argument.get_visible_aliases().unwrap_or_default();
    if !aliases.is_empty() {
        notes.push(format!("[alias: --{}]", aliases.join(", --")));
    }
    notes
}

fn possible(values: &[PossibleValue], detail: Detail) -> String {
    let shown = values.iter().filter(|value| !value.is_hide_set());
    let told = |value: &PossibleValue| match value.get_help() {
        Some(help) if detail == Detail::Long => format!("{} ({help})", value.get_name()),
        _ => value.get_name().to_owned(),
    };
    let shown: Vec<_> = shown.map(told).collect();
    format!("[values: {}]", shown.join(", "))
}

fn takes_value(argument: &Arg) -> bool {
    matches!(argument.get_action(), ArgAction::Set | ArgAction::Append)
}

#[cfg(test)]
mod tests;
