use clap::CommandFactory as _;

use super::*;
use crate::Cli;

/// What is asked for at an argument of a command, which is named by its words.
fn at(command: &str, id: &str) -> Option<Ask> {
    let mut found = Cli::command();
    found.build();
    for word in command.split(' ') {
        let next = found.find_subcommand(word).unwrap();
        found = next.clone();
    }
    let argument = found.get_arguments().find(|it| it.get_id() == id);
    let group = command.split(' ').next().unwrap_or_default();
    asked(group, argument.unwrap())
}

#[test]
fn arguments_ask_for_what_they_name() {
    assert_eq!(at("app get", "name"), Some(Ask::Applications));
    assert_eq!(at("app sync", "runtime"), Some(Ask::Runtimes));
    assert_eq!(at("app list", "project"), Some(Ask::Projects));
    assert_eq!(at("event list", "application"), Some(Ask::Applications));
    assert_eq!(at("runtime revoke", "name"), Some(Ask::Runtimes));
    assert_eq!(
        at("rollout get", "name"),
        Some(Ask::Resources("rollouts.argoproj.io"))
    );
    assert_eq!(at("context use", "name"), Some(Ask::Contexts));
    assert_eq!(at("app list", "context"), Some(Ask::Contexts));
    assert_eq!(at("role get", "role"), None);
}

#[test]
fn names_are_offered_as_far_as_they_are_needed() {
    let object = |runtime: &str, name: &str| {
        let parts = [runtime, "argocd", name].map(str::to_owned);
        (parts, "Healthy".to_owned())
    };
    let offered = |current: &str| {
        let found = vec![
            object("eu", "web"),
            object("us", "web"),
            object("eu", "pay"),
        ];
        let found = names::named(found, current).into_iter();
        found.map(|(name, _)| name).collect::<Vec<_>>()
    };
    assert_eq!(offered(""), ["eu/argocd/web", "us/argocd/web", "pay"]);
    assert_eq!(
        offered("argocd/p"),
        ["eu/argocd/web", "us/argocd/web", "argocd/pay"]
    );
    assert_eq!(
        offered("eu/argocd/"),
        ["eu/argocd/web", "us/argocd/web", "eu/argocd/pay"]
    );
}

#[test]
fn words_are_completed_without_a_platform_and_failures_say_nothing() {
    let words = complete(Ask::Words, OsStr::new("Degr"));
    let words: Vec<_> = words.iter().map(|it| it.get_value().to_owned()).collect();
    assert_eq!(words, ["Degraded"]);
}

#[test]
fn the_platform_that_is_typed_is_the_one_that_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    let line = format!(
        "causeway app get --runtime eu --server http://one -n argocd --api-key-file={} --context",
        key.display()
    );
    let typed = line.split(' ').chain([""]).map(str::to_owned).collect();
    let entry = names::read(typed).unwrap().resolve().unwrap();
    assert_eq!(entry.address, "http://one");
    assert_eq!(entry.api_key_file, Some(key));
}

#[test]
fn a_platform_that_does_not_answer_is_an_error_in_time() {
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("key");
    std::fs::write(&key, "key").unwrap();
    // It takes connections and never says anything.
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let entry = crate::context::Entry {
        address: format!("http://{}", silent.local_addr().unwrap()),
        api_key_file: Some(key),
        session: None,
        ca_file: None,
    };
    for ask in [Ask::Applications, Ask::Runtimes, Ask::Projects] {
        names::from_platform(&entry, ask, "a").unwrap_err();
    }
}
