//! Completions: of commands and flags by what they are, of names by asking the platform. Whatever goes wrong, nothing is printed: a
//! person is typing.

mod access;
mod names;
mod pods;

use std::{ffi::OsStr, io, process::ExitCode};

use clap::{Arg, Command};
use clap_complete::{ArgValueCompleter, CompleteEnv, CompletionCandidate, env::Shells};

use self::names::{NameQuery, candidates};

/// Says which shell asks for completions, and that it does.
const VARIABLE: &str = "COMPLETE";

/// Print the lines that make a shell complete commands, flags and names, for example with 'source <(causeway completion bash)'
#[derive(clap::Args, Debug)]
pub(crate) struct CompletionArgs {
    /// The shell: run the command at the start of each shell, for it belongs to this version
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

#[derive(clap::ValueEnum, Debug, Clone, Copy)]
enum Shell {
    Bash,
    Zsh,
    Fish,
    Powershell,
}

impl CompletionArgs {
    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let name = match self.shell {
            Shell::Bash => "bash",
            Shell::Zsh => "zsh",
            Shell::Fish => "fish",
            Shell::Powershell => "powershell",
        };
        let program = "causeway";
        if let Some(shell) = Shells::builtins().completer(name) {
            shell.write_registration(VARIABLE, program, program, program, &mut io::stdout())?;
        }
        Ok(())
    }
}

/// Answers a shell that asks for completions, if one does.
pub(crate) fn answer(command: impl Fn() -> Command) -> Option<ExitCode> {
    let environment = CompleteEnv::with_factory(|| asking(command())).var(VARIABLE);
    let folder = std::env::current_dir().ok();
    match environment.try_complete(std::env::args_os(), folder.as_deref()) {
        Ok(false) => None,
        Ok(true) | Err(_) => Some(ExitCode::SUCCESS),
    }
}

/// The commands with arguments that know what may stand in their place.
fn asking(command: Command) -> Command {
    below(command, "")
}

fn below(command: Command, group: &str) -> Command {
    let verb = command.get_name().to_owned();
    let command = command.mut_args(|argument| match asked(group, &verb, &argument) {
        Some(ask) => argument.add(ArgValueCompleter::new(move |current: &OsStr| {
            complete(ask, current)
        })),
        None => argument,
    });
    command.mut_subcommands(|command| {
        let group = match group {
            "" => command.get_name().to_owned(),
            group => group.to_owned(),
        };
        below(command, &group)
    })
}

/// What an argument of a command of a group names.
fn asked(group: &str, verb: &str, argument: &Arg) -> Option<NameQuery> {
    let id = argument.get_id().as_str();
    if let Some(ask) = of_pods(group, verb, id) {
        return Some(ask);
    }
    match (group, id, argument.is_positional()) {
        ("context", "name", true) | (_, "context", false) => Some(NameQuery::Contexts),
        ("explain", "words", true) => Some(NameQuery::Words),
        ("app", "name" | "names", true) | (_, "application", false) => {
            Some(NameQuery::Applications)
        }
        ("runtime", "name", true) | (_, "runtime", false) => Some(NameQuery::Runtimes),
        ("rollout", "name", true) => Some(NameQuery::Resources("rollouts.argoproj.io")),
        ("workflow", "name", true) => Some(NameQuery::Resources("workflows.argoproj.io")),
        ("appset", "name", true) => Some(NameQuery::Resources("applicationsets.argoproj.io")),
        ("project", "name", true) => Some(NameQuery::Resources("appprojects.argoproj.io")),
        (_, "project", false) => Some(NameQuery::Projects),
        (_, "namespace", false) => Some(NameQuery::Namespaces),
        (_, "cluster", false) | ("cluster", "name", true) => Some(NameQuery::Clusters),
        ("service-account", "user", true) => Some(NameQuery::ServiceAccounts),
        (_, "user", _) => Some(NameQuery::Users),
        ("role", "role", true) | (_, "role" | "roles", _) => Some(NameQuery::Roles),
        ("api-key", "key_id", true) => Some(NameQuery::ApiKeys),
        ("session", "session_id", true) => Some(NameQuery::Sessions),
        ("sign-in-provider" | "user", "provider", _) => Some(NameQuery::Providers),
        _ => None,
    }
}

/// Where pods and their containers are named.
fn of_pods(group: &str, verb: &str, id: &str) -> Option<NameQuery> {
    match (group, verb, id) {
        ("app", "exec", "pod") | ("app" | "resource", "exec" | "logs", "resource") => {
            Some(NameQuery::Pods)
        }
        ("app" | "resource", "exec" | "logs", "container") => Some(NameQuery::Containers),
        _ => None,
    }
}

fn complete(ask: NameQuery, current: &OsStr) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    let found = candidates(ask, &current).unwrap_or_default().into_iter();
    let found = found.filter(|(value, _)| value.starts_with(current.as_ref()));
    found
        .map(|(value, help)| CompletionCandidate::new(value).help(help.map(Into::into)))
        .collect()
}

#[cfg(test)]
mod tests;
