use clap::Parser;
use tonic::Status;

use super::*;

#[derive(Parser, Debug)]
struct Typed {
    #[command(subcommand)]
    command: ActionsCommand,
}

fn args(line: &str) -> Result<RunArgs, clap::Error> {
    let words = ["actions", "run", "web", "restart"].into_iter();
    let typed = Typed::try_parse_from(words.chain(line.split_whitespace()))?;
    match typed.command {
        ActionsCommand::Run(args) => Ok(args),
        ActionsCommand::List(_) => panic!("it is a run"),
    }
}

fn application(server: &str) -> inventory::Application {
    let resource = |kind: &str, name: &str| inventory::Resource {
        group: "apps".to_owned(),
        kind: kind.to_owned(),
        namespace: "web".to_owned(),
        name: name.to_owned(),
        ..inventory::Resource::default()
    };
    inventory::Application {
        name: "web".to_owned(),
        spec: Some(inventory::ApplicationSpec {
            destination: Some(inventory::Destination {
                server: server.to_owned(),
                ..inventory::Destination::default()
            }),
            ..inventory::ApplicationSpec::default()
        }),
        status: Some(inventory::ApplicationStatus {
            resources: vec![
                resource("Deployment", "front"),
                resource("Deployment", "back"),
                resource("StatefulSet", "store"),
            ],
            ..inventory::ApplicationStatus::default()
        }),
        ..inventory::Application::default()
    }
}

#[test]
fn an_action_runs_on_one_resource_or_all_of_a_kind() {
    assert_eq!(args("--all").unwrap_err().exit_code(), 2);
    let own = application("https://kubernetes.default.svc");
    let selected = |line: &str| {
        let args = args(line).unwrap();
        let found = args.selected(&own);
        found.map(|found| found.iter().map(|it| it.name.clone()).collect::<Vec<_>>())
    };
    assert_eq!(selected("--kind sts").unwrap(), ["store"]);
    assert_eq!(selected("--kind deploy --all").unwrap(), ["front", "back"]);
    assert_eq!(selected("--resource-name back").unwrap(), ["back"]);
    let several = selected("--kind deploy").unwrap_err().to_string();
    assert!(
        several.contains("Deployment.apps web/front, Deployment.apps web/back"),
        "{several}"
    );
    assert!(
        selected("--resource-name other")
            .unwrap_err()
            .is::<Absent>()
    );
    let elsewhere = application("https://10.0.0.7:6443");
    let refused = args("--kind sts").unwrap();
    let refused = refused.selected(&elsewhere).unwrap_err().to_string();
    assert!(refused.contains("https://10.0.0.7:6443"), "{refused}");
}

#[test]
fn each_resource_has_its_own_stable_request_id() {
    const ID: &str = "5f6d1f0e-8a0b-4c39-9d1e-0a4b6c1d2e3f";
    let own = application("https://kubernetes.default.svc");
    let ids = |line: &str| {
        let args = args(&format!("{line} --request-id {ID}")).unwrap();
        let requests = args.ids.for_many(args.all).unwrap();
        let selected = args.selected(&own).unwrap().into_iter();
        let ids = selected.map(|it| requests.request_id(&key("east", it)));
        ids.collect::<Vec<_>>()
    };
    let both = ids("--kind deploy --all");
    assert_ne!(both[0], both[1]);
    assert_eq!(ids("--kind deploy --all"), both);
    assert_eq!(
        ids("--kind deploy --resource-name back --all"),
        [both[1].clone()]
    );
    assert_eq!(ids("--resource-name back"), [ID]);
}

#[test]
fn a_single_failure_is_printed_and_several_are_counted() {
    let failed = || {
        let status = Status::not_found("it is not there");
        vec![("Deployment.apps web/front".to_owned(), status.into())]
    };
    check_failures(Vec::new(), 2).unwrap();
    assert!(check_failures(failed(), 1).unwrap_err().is::<Status>());
    let several = check_failures(failed(), 2).unwrap_err();
    assert!(!several.is::<Status>());
    assert!(
        several.to_string().starts_with("1 of 2 failed"),
        "{several}"
    );
}
