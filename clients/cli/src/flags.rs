//! Common flags: every command that calls a platform has a timeout, every list a filter and an order.
//! They are added to the command tree here, so that no command lacks them.

use std::{sync::OnceLock, time::Duration};

use clap::{Arg, ArgAction, ArgMatches, Args as _, Command, FromArgMatches as _};

use crate::{output::Arrangement, request};

/// A watch prints changes as they happen, so that it cannot be sorted.
const WATCH: &str = "watch";
/// Repeatable flags whose values have no commas, so that one flag takes several.
const COMMA_LISTS: [&str; 12] = [
    "by",
    "by-label",
    "cluster",
    "health",
    "namespace",
    "operation",
    "phase",
    "project",
    "role",
    "runtime",
    "source",
    "sync",
];
/// Verbs whose --namespace narrows what is printed.
const NARROWED: [&str; 3] = ["list", "watch", "facets"];
/// Common flags of this process's command.
static COMMON_FLAGS: OnceLock<CommonFlags> = OnceLock::new();

#[derive(Debug, Default)]
struct CommonFlags {
    deadline: Option<Duration>,
    streams: bool,
    arrangement: Arrangement,
}

#[derive(clap::Args, Debug)]
struct Deadline {
    /// Give up after this time, for example 10s: exit code 5, or 0 for a watch
    #[arg(id = "deadline", long = "timeout", value_name = "TIME")]
    deadline: Option<humantime::Duration>,
}

/// The command took longer than --timeout.
#[derive(Debug, thiserror::Error)]
#[error("not done after {0}: whether it is done later is not known; {next}", next = next_step(*.1))]
pub(crate) struct TimedOut(humantime::Duration, Option<&'static str>);

/// Returns the next step after a timeout.
fn next_step(retry_command: Option<&str>) -> String {
    match retry_command {
        Some(command) => format!("{command} finds out and has no second effect"),
        None => "give it more time with --timeout".to_owned(),
    }
}

/// Adds the common flags to all commands.
pub(crate) fn with_common_flags(command: Command) -> Command {
    with_flags_below(command, "", false)
}

fn with_flags_below(command: Command, group: &str, talks: bool) -> Command {
    let talks = talks || has(&command, "address");
    if command.has_subcommands() {
        let group = command.get_name().to_owned();
        return command.mut_subcommands(|command| with_flags_below(command, &group, talks));
    }
    let lists = talks && prints_list(group, command.get_name());
    let command = with_all_namespaces(command.mut_args(with_commas));
    let command = if talks && !has(&command, "timeout") {
        Deadline::augment_args(command)
    } else {
        command
    };
    let watches = has(&command, WATCH);
    match lists {
        true if watches => Arrangement::augment_args(command)
            .mut_arg(WATCH, |watch| watch.conflicts_with_all(Arrangement::IDS)),
        true => Arrangement::augment_args(command),
        false => command,
    }
}

fn with_commas(argument: Arg) -> Arg {
    let repeats = matches!(argument.get_action(), ArgAction::Append);
    let named = argument.get_long();
    if repeats && named.is_some_and(|it| COMMA_LISTS.contains(&it)) {
        return argument.value_delimiter(',');
    }
    argument
}

/// Takes kubectl's -A where --namespace narrows a list, which has all namespaces anyway.
fn with_all_namespaces(command: Command) -> Command {
    if !NARROWED.contains(&command.get_name()) || !has(&command, "namespace") {
        return command;
    }
    let all = Arg::new("all_namespaces")
        .short('A')
        .long("all-namespaces")
        .action(ArgAction::SetTrue)
        .conflicts_with("namespace")
        .help("List all namespaces, which is the default");
    command.arg(all)
}

fn has(command: &Command, id: &str) -> bool {
    command
        .get_arguments()
        .any(|argument| argument.get_id() == id)
}

fn prints_list(group: &str, name: &str) -> bool {
    // Items of 'actions list' do not contain their resource, by which they are listed.
    matches!(name, "list" | "deployments") && group != "actions"
}

/// Stores the common flags of the command that runs.
pub(crate) fn store(matches: &ArgMatches) {
    COMMON_FLAGS.get_or_init(|| CommonFlags::read(matches));
}

impl CommonFlags {
    async fn limit(&self, work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
        let Some(limit) = self.deadline else {
            return work.await;
        };
        match tokio::time::timeout(limit, work).await {
            Ok(ended) => ended,
            Err(_) if self.streams => Ok(()),
            Err(_) => Err(TimedOut(limit.into(), request::retry_command()).into()),
        }
    }

    fn read(matches: &ArgMatches) -> Self {
        let (mut leaf, mut leaf_name) = (matches, "");
        while let Some((name, below)) = leaf.subcommand() {
            (leaf, leaf_name) = (below, name);
        }
        let deadline = leaf.try_get_one::<humantime::Duration>("deadline");
        let arranges = Arrangement::IDS.map(|id| leaf.try_contains_id(id).is_ok());
        Self {
            deadline: deadline.ok().flatten().copied().map(Into::into),
            streams: leaf_name == WATCH || is_set(leaf, WATCH) || is_set(leaf, "follow"),
            arrangement: match arranges {
                [true, true] => Arrangement::from_arg_matches(leaf).unwrap_or_default(),
                _ => Arrangement::default(),
            },
        }
    }
}

fn is_set(leaf: &ArgMatches, flag: &str) -> bool {
    let set = leaf.try_get_one::<bool>(flag);
    set.ok().flatten().copied().unwrap_or_default()
}

fn common_flags() -> &'static CommonFlags {
    COMMON_FLAGS.get_or_init(CommonFlags::default)
}

/// Returns how the command's list is filtered and sorted.
pub(crate) fn arrangement() -> Arrangement {
    common_flags().arrangement.clone()
}

/// Runs work until the deadline of the command. A watch has no other end, so that it has succeeded then.
///
/// # Errors
/// Those of the work, and [`TimedOut`].
pub(crate) async fn with_deadline(
    work: impl Future<Output = anyhow::Result<()>>,
) -> anyhow::Result<()> {
    common_flags().limit(work).await
}

#[cfg(test)]
mod tests;
