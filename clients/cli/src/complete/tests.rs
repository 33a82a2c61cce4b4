use clap::CommandFactory as _;

use super::*;
use crate::Cli;

/// What is asked for at an argument of a command, which is named by its words.
fn at(command: &str, id: &str) -> Option<NameQuery> {
    let mut found = Cli::command();
    found.build();
    for word in command.split(' ') {
        let next = found.find_subcommand(word).unwrap();
        found = next.clone();
    }
    let argument = found.get_arguments().find(|it| it.get_id() == id);
    let group = command.split(' ').next().unwrap_or_default();
    asked(group, found.get_name(), argument.unwrap())
}

#[test]
fn arguments_ask_for_what_they_name() {
    assert_eq!(at("app get", "name"), Some(NameQuery::Applications));
    assert_eq!(at("app sync", "runtime"), Some(NameQuery::Runtimes));
    assert_eq!(at("app list", "project"), Some(NameQuery::Projects));
    assert_eq!(
        at("event list", "application"),
        Some(NameQuery::Applications)
    );
    assert_eq!(at("runtime revoke", "name"), Some(NameQuery::Runtimes));
    assert_eq!(
        at("rollout get", "name"),
        Some(NameQuery::Resources("rollouts.argoproj.io"))
    );
    assert_eq!(at("context use", "name"), Some(NameQuery::Contexts));
    assert_eq!(at("app list", "context"), Some(NameQuery::Contexts));
    for (command, id, wanted) in [
        ("role get", "role", NameQuery::Roles),
        ("user set-roles", "roles", NameQuery::Roles),
        ("service-account create", "roles", NameQuery::Roles),
        ("api-key create", "role", NameQuery::Roles),
        ("api-key create", "user", NameQuery::Users),
        ("api-key revoke", "key_id", NameQuery::ApiKeys),
        ("user disable", "user", NameQuery::Users),
        ("user link", "provider", NameQuery::Providers),
        ("audit list", "user", NameQuery::Users),
        ("can-i", "user", NameQuery::Users),
        ("session list", "user", NameQuery::Users),
        ("session revoke", "session_id", NameQuery::Sessions),
        ("service-account delete", "user", NameQuery::ServiceAccounts),
        ("sign-in-provider delete", "provider", NameQuery::Providers),
        ("app exec", "pod", NameQuery::Pods),
        ("app logs", "resource", NameQuery::Pods),
        ("resource logs", "resource", NameQuery::Pods),
        ("app logs", "container", NameQuery::Containers),
        ("resource exec", "container", NameQuery::Containers),
    ] {
        assert_eq!(at(command, id), Some(wanted), "{command} {id}");
    }
    // It is written otherwise there.
    assert_eq!(at("app sync", "resource"), None);
}

#[test]
fn pods_are_those_of_what_is_typed() {
    let typed = |line: &str| {
        let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
        pods::TypedLocation::read(&words)
    };
    let of = |application: &str, runtime: &str, namespace: &str, pod: &str| {
        Some(pods::TypedLocation {
            application: application.to_owned(),
            runtime: runtime.to_owned(),
            namespace: namespace.to_owned(),
            pod: pod.to_owned(),
        })
    };
    assert_eq!(typed("causeway app exec web --pod "), of("web", "", "", ""));
    assert_eq!(
        typed("causeway app logs -f --runtime eu web -n argocd --container "),
        of("web", "eu", "argocd", "")
    );
    assert_eq!(
        typed("causeway app exec web --pod web-1 --container ng"),
        of("web", "", "", "web-1")
    );
    assert_eq!(
        typed("causeway resource logs -n shop --runtime eu "),
        of("", "eu", "shop", "")
    );
    assert_eq!(typed("causeway app exec --pod "), None);
    assert_eq!(typed("causeway role get ad"), None);
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
fn of_an_application_its_pods_and_what_has_pods_are_offered() {
    use causeway_proto::inventory::v1 as pb;
    let resource = |kind: &str, name: &str| pb::Resource {
        kind: kind.to_owned(),
        name: name.to_owned(),
        ..pb::Resource::default()
    };
    let status = pb::ApplicationStatus {
        resources: vec![
            resource("Deployment", "web"),
            resource("Service", "web"),
            resource("Pod", "web-1"),
        ],
        ..pb::ApplicationStatus::default()
    };
    let application = pb::Application {
        status: Some(status),
        ..pb::Application::default()
    };
    let offered = pods::of_tree(&application).into_iter();
    let offered: Vec<_> = offered.map(|(name, _)| name).collect();
    assert_eq!(offered, ["Deployment/web", "web-1"]);
}

#[test]
fn words_are_completed_without_a_platform_and_failures_say_nothing() {
    let words = complete(NameQuery::Words, OsStr::new("Degr"));
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
    for ask in [
        NameQuery::Applications,
        NameQuery::Runtimes,
        NameQuery::Projects,
    ] {
        names::from_platform(&entry, ask, "a").unwrap_err();
    }
}
