//! Flags that commands have by what they are: each one that talks to a platform may be limited in time, each one that prints a list
//! may narrow and order it. They are put on the commands here, so that none is forgotten.

use std::{sync::OnceLock, time::Duration};

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};

use crate::{output::Arrangement, request};

/// A watch tells what happens as it happens, in no order of ours.
const WATCH: &str = "watch";
/// What was given to this process's command.
static GIVEN: OnceLock<Given> = OnceLock::new();

#[derive(Debug, Default)]
struct Given {
    deadline: Option<Duration>,
    arrangement: Arrangement,
}

#[derive(clap::Args, Debug)]
struct Deadline {
    /// Give up after this time, for example 10s; exit code 5 then
    #[arg(id = "deadline", long = "timeout", value_name = "TIME")]
    deadline: Option<humantime::Duration>,
}

/// The work took longer than it was given.
#[derive(Debug, thiserror::Error)]
#[error("not done after {0}: whether it is done later is not known; {next}", next = next(*.1))]
pub(crate) struct TimedOut(humantime::Duration, Option<&'static str>);

/// What changes something is found out by its id.
fn next(again: Option<&str>) -> String {
    match again {
        Some(again) => format!("{again} finds out and has no second effect"),
        None => "give it more time with --timeout".to_owned(),
    }
}

/// The commands with the flags that they have by what they are.
pub(crate) fn added(command: Command) -> Command {
    below(command, "", false)
}

fn below(command: Command, group: &str, talks: bool) -> Command {
    let talks = talks || has(&command, "address");
    if command.has_subcommands() {
        let group = command.get_name().to_owned();
        return command.mut_subcommands(|command| below(command, &group, talks));
    }
    let lists = talks && prints_list(group, command.get_name());
    let command = match talks && !has(&command, "timeout") {
        true => Deadline::augment_args(command),
        false => command,
    };
    let watches = has(&command, WATCH);
    match lists {
        true if watches => Arrangement::augment_args(command)
            .mut_arg(WATCH, |watch| watch.conflicts_with_all(Arrangement::IDS)),
        true => Arrangement::augment_args(command),
        false => command,
    }
}

fn has(command: &Command, id: &str) -> bool {
    command
        .get_arguments()
        .any(|argument| argument.get_id() == id)
}

fn prints_list(group: &str, name: &str) -> bool {
    // Actions are listed by the resource that each is for, which they do not name themselves.
    matches!(name, "list" | "deployments") && group != "actions"
}

/// Remembers what was given to the command that is run.
pub(crate) fn remember(matches: &ArgMatches) {
    GIVEN.get_or_init(|| Given::to(matches));
}

impl Given {
    fn to(matches: &ArgMatches) -> Self {
        let mut leaf = matches;
        while let Some((_, below)) = leaf.subcommand() {
            leaf = below;
        }
        let deadline = leaf.try_get_one::<humantime::Duration>("deadline");
        let arranges = Arrangement::IDS.map(|id| leaf.try_contains_id(id).is_ok());
        Self {
            deadline: deadline.ok().flatten().copied().map(Into::into),
            arrangement: match arranges {
                [true, true] => Arrangement::from_arg_matches(leaf).unwrap_or_default(),
                _ => Arrangement::default(),
            },
        }
    }
}

fn given() -> &'static Given {
    GIVEN.get_or_init(Given::default)
}

/// How the command's list is narrowed and ordered.
pub(crate) fn arrangement() -> Arrangement {
    given().arrangement.clone()
}

/// Work that is given up after the time that it was given.
///
/// # Errors
/// Those of the work, and [`TimedOut`].
pub(crate) async fn limited<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let Some(limit) = given().deadline else {
        return work.await;
    };
    let ended = tokio::time::timeout(limit, work).await;
    ended.map_err(|_| TimedOut(limit.into(), request::begun()))?
}

#[cfg(test)]
mod tests;
