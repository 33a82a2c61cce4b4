use clap::CommandFactory as _;

use super::*;
use crate::Cli;

fn leaves<'a>(command: &'a Command, path: &str, all: &mut Vec<(String, &'a Command)>) {
    for below in command.get_subcommands() {
        let path = format!("{path} {}", below.get_name());
        match below.has_subcommands() {
            true => leaves(below, &path, all),
            false => all.push((path, below)),
        }
    }
}

#[test]
fn every_command_that_talks_can_be_limited_in_time_and_every_list_arranged() {
    let mut command = added(Cli::command());
    command.build();
    let mut all = Vec::new();
    leaves(&command, "causeway", &mut all);
    let long = |command: &Command, name: &str| {
        let mut arguments = command.get_arguments();
        arguments.any(|argument| argument.get_long() == Some(name))
    };
    for (path, command) in all {
        if long(command, "address") {
            assert!(long(command, "timeout"), "{path}");
            let lists = command.get_name() == "list";
            assert!(!lists || long(command, "sort-by"), "{path}");
            assert!(long(command, "output"), "{path}");
        } else {
            assert!(!long(command, "sort-by"), "{path}");
        }
    }
}
