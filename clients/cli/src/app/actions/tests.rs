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
fn an_action_is_for_one_resource_or_for_all_of_a_kind() {
    assert_eq!(args("--all").unwrap_err().exit_code(), 2);
    let own = application("https://kubernetes.default.svc");
    let chosen = |line: &str| {
        let args = args(line).unwrap();
        let found = args.chosen(&own);
        found.map(|found| found.iter().map(|it| it.name.clone()).collect::<Vec<_>>())
    };
    assert_eq!(chosen("--kind sts").unwrap(), ["store"]);
    assert_eq!(chosen("--kind deploy --all").unwrap(), ["front", "back"]);
    assert_eq!(chosen("--resource-name back").unwrap(), ["back"]);
    let several = chosen("--kind deploy").unwrap_err().to_string();
    assert!(
        several.contains("Deployment.apps web/front, Deployment.apps web/back"),
        "{several}"
    );
    assert!(chosen("--resource-name other").unwrap_err().is::<Absent>());
    let elsewhere = application("https://10.0.0.7:6443");
    let refused = args("--kind sts").unwrap();
    let refused = refused.chosen(&elsewhere).unwrap_err().to_string();
    assert!(refused.contains("https://10.0.0.7:6443"), "{refused}");
}

#[test]
fn one_failure_is_told_as_it_is_and_one_of_several_as_a_number() {
    let failed = || {
        let status = Status::not_found("it is not there");
        vec![("Deployment.apps web/front".to_owned(), status.into())]
    };
    ended(Vec::new(), 2).unwrap();
    assert!(ended(failed(), 1).unwrap_err().is::<Status>());
    let several = ended(failed(), 2).unwrap_err();
    assert!(!several.is::<Status>());
    assert!(
        several.to_string().starts_with("1 of 2 failed"),
        "{several}"
    );
}
