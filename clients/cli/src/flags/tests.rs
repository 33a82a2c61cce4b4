use clap::CommandFactory as _;

use super::*;
use crate::Cli;

fn leaves<'a>(command: &'a Command, path: &str, all: &mut Vec<(String, &'a Command)>) {
    for below in command.get_subcommands() {
        let path = format!("{path} {}", below.get_name());
        if below.has_subcommands() {
            leaves(below, &path, all)
        } else {
            all.push((path, below))
        }
    }
}

#[test]
fn every_command_that_talks_can_be_limited_in_time_and_every_list_arranged() {
    let mut command = with_common_flags(Cli::command());
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
            let lists = command.get_name() == "list" && !path.ends_with("actions list");
            assert!(!lists || long(command, "sort-by"), "{path}");
            assert!(long(command, "output"), "{path}");
        } else {
            assert!(!long(command, "sort-by"), "{path}");
        }
    }
}

fn given_to(line: &str) -> CommonFlags {
    let matches = with_common_flags(Cli::command()).try_get_matches_from(line.split(' '));
    CommonFlags::read(&matches.unwrap())
}

#[test]
fn common_flags_are_read_from_any_command() {
    let limit = |line: &str| given_to(line).deadline;
    assert_eq!(
        limit("causeway app list --timeout 2s"),
        Some(Duration::from_secs(2))
    );
    assert_eq!(
        limit("causeway status --timeout 1m"),
        Some(Duration::from_secs(60))
    );
    assert_eq!(limit("causeway context list"), None);
    assert_eq!(limit("causeway explain Degraded"), None);
    // The sync waits for its operation by itself.
    assert_eq!(limit("causeway app sync web --timeout 1m"), None);
}

#[tokio::test]
async fn a_watch_ends_well_at_its_timeout_and_other_commands_do_not() {
    for (line, ends_well) in [
        ("causeway app watch --timeout 1ms", true),
        ("causeway app list --watch --timeout 1ms", true),
        ("causeway event list --watch --timeout 1ms", true),
        ("causeway app logs web --follow --timeout 1ms", true),
        ("causeway app list --timeout 1ms", false),
        ("causeway app logs web --timeout 1ms", false),
        ("causeway status --timeout 1ms", false),
    ] {
        let ended = given_to(line).limit(std::future::pending()).await;
        match ended {
            Ok(()) => assert!(ends_well, "{line}"),
            Err(error) => assert!(!ends_well && error.is::<TimedOut>(), "{line}"),
        }
    }
}

#[test]
fn a_timeout_names_the_command_that_finds_out() {
    let limit = humantime::Duration::from(Duration::from_secs(10));
    let change = TimedOut(limit, Some("the same command with --request-id 1"));
    assert_eq!(
        change.to_string(),
        "not done after 10s: whether it is done later is not known; the same command with --request-id 1 finds out and has no second \
         effect"
    );
    let read = TimedOut(limit, None).to_string();
    assert!(read.ends_with("give it more time with --timeout"), "{read}");
}

fn parsed(line: &str) -> Result<ArgMatches, clap::Error> {
    let matches = with_common_flags(Cli::command()).try_get_matches_from(line.split(' '))?;
    let mut leaf = &matches;
    while let Some((_, below)) = leaf.subcommand() {
        leaf = below;
    }
    Ok(leaf.clone())
}

#[test]
fn one_flag_takes_several_values_with_commas_between() {
    let count = |line: &str, id: &str| parsed(line).unwrap().get_raw(id).unwrap().count();
    for (line, id) in [
        ("causeway app list --health Healthy,Degraded", "health"),
        ("causeway app list --sync OutOfSync,Unknown", "sync"),
        ("causeway app list --runtime eu,us", "runtime"),
        ("causeway app list -n shop,pay", "namespace"),
        ("causeway app deployments --phase Failed,Error", "phases"),
        ("causeway app facets --by health,sync", "fields"),
        ("causeway resource list --health Degraded,Missing", "health"),
    ] {
        assert_eq!(count(line, id), 2, "{line}");
    }
    let wrong = parsed("causeway app list --health Healthy,Sick").unwrap_err();
    assert!(wrong.to_string().contains("Sick"), "{wrong}");
}

#[test]
fn all_namespaces_can_be_said_where_a_namespace_narrows_a_list() {
    for line in [
        "app list -A",
        "event list -A",
        "resource list Pod -A",
        "app watch -A",
    ] {
        parsed(&format!("causeway {line}")).unwrap();
        parsed(&format!("causeway {line} -n shop")).unwrap_err();
    }
}
