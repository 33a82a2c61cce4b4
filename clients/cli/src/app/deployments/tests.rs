use causeway_proto::{inventory::v1 as pb, time::millis_to_timestamp};
use clap::Parser;

use super::{Deployments, DeploymentsArgs, parse_phase, took};
use crate::output::Table;

#[derive(Parser)]
struct Typed {
    #[command(flatten)]
    args: DeploymentsArgs,
}

fn asked(words: &[&str]) -> pb::ListDeploymentsRequest {
    let typed = Typed::try_parse_from([&["app"], words].concat()).unwrap();
    typed.args.request().unwrap()
}

#[test]
fn deployments_of_a_deleted_application_can_be_listed() {
    let filter = asked(&["edge/argocd/web"]).filter.unwrap();
    let named = (filter.runtime, filter.namespace, filter.name);
    assert_eq!(named, ("edge".into(), "argocd".into(), "web".into()));
    let filter = asked(&["web", "-n", "team-a"]).filter.unwrap();
    assert_eq!((&*filter.namespace, &*filter.name), ("team-a", "web"));
    assert_eq!(asked(&[]).filter.unwrap(), pb::ApplicationFilter::default());
}

#[test]
fn results_and_times_become_the_request() {
    let request = asked(&[
        "--phase",
        "failed",
        "--phase",
        "Error",
        "--since",
        "2026-01-31T12:00:00Z",
        "--limit",
        "7",
    ]);
    let wanted = [pb::OperationPhase::Failed, pb::OperationPhase::Error].map(i32::from);
    assert_eq!(request.phases, wanted);
    assert_eq!(request.started_from.unwrap().seconds, 1_769_860_800);
    assert_eq!((request.started_before, request.page_size), (None, 7));
    assert!(parse_phase("Running").unwrap_err().contains("Succeeded"));
}

#[test]
fn durations_are_short() {
    let lasting = |seconds: i64| {
        took(&pb::OperationRecord {
            started_at: Some(millis_to_timestamp(1_000)),
            finished_at: Some(millis_to_timestamp(1_000 + seconds * 1_000)),
            ..pb::OperationRecord::default()
        })
    };
    let all = [-3, 5, 150, 7_325].map(lasting);
    assert_eq!(all, ["0s", "5s", "2m30s", "2h2m"]);
}

#[test]
fn deployments_have_the_number_that_a_rollback_takes() {
    let record = pb::DeploymentRecord {
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        operation: Some(pb::OperationRecord {
            deployment_id: Some(17),
            phase: pb::OperationPhase::Succeeded.into(),
            ..pb::OperationRecord::default()
        }),
        ..pb::DeploymentRecord::default()
    };
    let failed = pb::DeploymentRecord {
        operation: None,
        ..record.clone()
    };
    let text = Table::from_items::<Deployments>(&[record, failed]).text();
    let lines: Vec<_> = text.lines().collect();
    assert!(lines[0].starts_with("ID   STARTED"), "{text}");
    assert!(
        lines[1].starts_with("17 ") && lines[2].starts_with("- "),
        "{text}"
    );
}
