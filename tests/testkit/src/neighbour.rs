//! A second account on the platform of a mesh, with a runtime `east` and applications of the names that tests use. A test that
//! reads one of them has found a leak.
#![expect(
    clippy::unwrap_used,
    reason = "only tests call this, and it documents its panics"
)]

use causeway_client::{Credential, Peer, RuntimeIdentity};
use causeway_inventory::digest::Digest;
use causeway_proto::{
    inventory::v1::{
        ApplicationSpec, ApplicationState, Hello, OperationPhase, OperationRecord, Report,
        ReportRequest, report, report_request::Message, report_response::Message as Answer,
        report_service_client::ReportServiceClient,
    },
    platform::v1::{CreateAccountRequest, account_service_client::AccountServiceClient},
    time::millis_to_timestamp,
};
use futures::{StreamExt as _, stream};
use prost::Message as _;

use crate::mesh::new_id;

/// Application names that tests use.
const NAMES: [&str; 8] = ["a", "b", "both", "guestbook", "mine", "one", "three", "two"];

/// Creates the account and returns the API key of its admin.
pub(crate) async fn found(user: &Peer) -> String {
    let request = CreateAccountRequest {
        account: "neighbour".to_owned(),
        request_id: new_id(),
    };
    let mut accounts = AccountServiceClient::new(user.clone());
    let made = accounts.create_account(request).await.unwrap();
    made.into_inner().admin_api_key
}

/// Returns the credential of its runtime.
pub(crate) fn credential(runtime: &RuntimeIdentity) -> Credential {
    Credential::runtime(
        runtime.key.clone().unwrap(),
        runtime.account.clone(),
        runtime.runtime_id.clone(),
    )
}

fn operation() -> OperationRecord {
    OperationRecord {
        started_at: Some(millis_to_timestamp(1_000)),
        finished_at: Some(millis_to_timestamp(2_000)),
        phase: OperationPhase::Failed.into(),
        ..OperationRecord::default()
    }
}

/// Reports its applications and waits until they are stored.
pub(crate) async fn settle(runtime: Peer) {
    let hello = Hello {
        instance: new_id(),
        kind: "applications.argoproj.io".to_owned(),
        cluster: "in-cluster".to_owned(),
        store_identity: "neighbour".to_owned(),
        ..Hello::default()
    };
    let reports = (1..).zip(NAMES).map(|(sequence, name)| {
        Message::Report(Report {
            sequence,
            namespace: "argocd".to_owned(),
            name: name.to_owned(),
            uid: format!("neighbour-{name}"),
            resource_version: sequence,
            change: Some(report::Change::Application(state())),
            operations: vec![operation()],
            ..Report::default()
        })
    });
    let messages = [Message::Hello(hello)].into_iter().chain(reports);
    let requests: Vec<ReportRequest> = messages
        .map(|message| ReportRequest {
            message: Some(message),
        })
        .collect();
    let requests = stream::iter(requests).chain(stream::pending());
    let mut client = ReportServiceClient::new(runtime);
    let mut answers = client.report(requests).await.unwrap().into_inner();
    let mut kept = 0;
    while kept < NAMES.len() {
        let answer = answers.message().await.unwrap().unwrap();
        match answer.message.unwrap() {
            Answer::Acknowledged(acknowledged) => kept += acknowledged.sequences.len(),
            Answer::Rejected(rejected) => panic!("{rejected:?}"),
            Answer::Welcome(_)
            | Answer::Held(_)
            | Answer::Wanted(_)
            | Answer::Members(_)
            | Answer::BaseWanted(_) => {}
        }
    }
}

fn state() -> ApplicationState {
    let mut state = ApplicationState {
        labels: [("team".to_owned(), "a".to_owned())].into(),
        spec: Some(ApplicationSpec {
            project: "default".to_owned(),
            ..ApplicationSpec::default()
        }),
        ..ApplicationState::default()
    };
    let digest = Digest::of(&state.encode_to_vec());
    state.root_digest = digest.as_bytes().to_vec().into();
    state
}
