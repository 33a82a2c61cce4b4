//! Headings of flags.

use clap::{Arg, Command};

const SELECTION: &str = "Selection";
const OPTIONS: &str = "Options";
const OUTPUT: &str = "Output";
const CONNECTION: &str = "Connection";
const GLOBAL: &str = "Global";

/// Flags by what they are for, where their own definition has no heading.
const KNOWN: [(&str, &[&str]); 4] = [
    (
        SELECTION,
        &[
            "all",
            "all_namespaces",
            "application",
            "cluster",
            "exclude",
            "field_selector",
            "health",
            "kind",
            "label",
            "namespace",
            "project",
            "repository",
            "runtime",
            "selector",
            "since",
            "source",
            "sync",
            "text",
            "until",
            "operation",
            "automated",
            "parent",
            "changed_since",
            "of_type",
            "limit",
        ],
    ),
    (
        OUTPUT,
        &[
            "output",
            "no_headers",
            "color",
            "pager",
            "no_pager",
            "no_progress",
            "sort_by",
        ],
    ),
    (
        CONNECTION,
        &["config", "context", "address", "api_key_file", "ca_file"],
    ),
    (GLOBAL, &["deadline", "help", "version"]),
];

/// Returns headings with their flags, in the order of a page.
pub(super) fn arrange(command: &Command) -> Vec<(String, Vec<&Arg>)> {
    let talks = command.get_arguments().any(|it| it.get_id() == "address");
    let mut found: Vec<(String, Vec<&Arg>)> = Vec::new();
    let shown = |it: &&Arg| !it.is_positional() && !it.is_hide_set();
    for flag in command.get_arguments().filter(shown) {
        let heading = heading(flag, talks);
        match found.iter_mut().find(|(name, _)| *name == heading) {
            Some((_, flags)) => flags.push(flag),
            None => found.push((heading, vec![flag])),
        }
    }
    found.sort_by_key(|(name, _)| place(name));
    found
}

/// True for flags that all commands have.
pub(super) fn is_common(heading: &str) -> bool {
    [OUTPUT, CONNECTION].contains(&heading)
}

fn heading(flag: &Arg, talks: bool) -> String {
    if let Some(own) = flag.get_help_heading() {
        return own.to_owned();
    }
    let id = flag.get_id().as_str();
    let known = KNOWN.iter().find(|(_, ids)| ids.contains(&id));
    let heading = known.map_or(OPTIONS, |(heading, _)| heading);
    // The parts have flags of the same names for other ends.
    let applies = talks || heading == GLOBAL;
    if applies { heading } else { OPTIONS }.to_owned()
}

/// A command's own flags come first, those that all have last.
fn place(heading: &str) -> usize {
    match heading {
        SELECTION => 0,
        OPTIONS => 1,
        OUTPUT => 3,
        CONNECTION => 4,
        GLOBAL => 5,
        _ => 2,
    }
}
