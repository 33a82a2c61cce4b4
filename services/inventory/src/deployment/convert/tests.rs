use causeway_proto::{inventory::v1 as pb, time::millis_to_timestamp};

use super::{ListEnded, to_deployment, to_ended};
use crate::{
    application::{Key, ScopeTraits, Uid, Visible},
    deployment::{Deployment, Phase},
};

fn record() -> pb::OperationRecord {
    pb::OperationRecord {
        started_at: Some(millis_to_timestamp(1_000)),
        finished_at: Some(millis_to_timestamp(3_000)),
        phase: pb::OperationPhase::Failed.into(),
        message: "no".to_owned(),
        request_id: "q".to_owned(),
        commit: Some(pb::Commit {
            sha: "abc".to_owned(),
            ..pb::Commit::default()
        }),
        ..pb::OperationRecord::default()
    }
}

#[test]
fn an_operation_comes_out_as_it_came_in() {
    let ended = to_ended(vec![record()]).unwrap().remove(0);
    assert_eq!((ended.started_at, ended.phase), (1_000, Phase::Failed));
    let deployment = Deployment {
        number: 1,
        key: Key {
            runtime_name: "edge".to_owned(),
            namespace: "argocd".to_owned(),
            name: "web".to_owned(),
            cluster: "in-cluster".to_owned(),
            runtime: String::new(),
        },
        uid: Uid::from("u1"),
        traits: ScopeTraits::default(),
        recorded_at: 4_000,
        ended,
    };
    let shown = to_deployment(deployment).unwrap();
    assert_eq!(shown.operation, Some(record()));
    assert_eq!((&*shown.runtime, &*shown.name), ("edge", "web"));
}

#[test]
fn a_deployment_is_known_by_its_id_and_another_operation_by_its_end_and_request() {
    let mark = |change: &dyn Fn(&mut pb::OperationRecord)| {
        let mut record = record();
        change(&mut record);
        to_ended(vec![record]).unwrap().remove(0).mark
    };
    let end = Some(millis_to_timestamp(9_000));
    assert_eq!(mark(&|_| {}), mark(&|it| it.message = "yes".to_owned()));
    assert_ne!(mark(&|_| {}), mark(&|it| it.finished_at = end));
    assert_ne!(mark(&|_| {}), mark(&|it| it.request_id = "r".to_owned()));
    let made = |it: &mut pb::OperationRecord| it.deployment_id = Some(0);
    assert_eq!(mark(&made), mark(&|it| (made(it), it.finished_at = end).0));
}

#[test]
fn what_is_of_no_use_is_named() {
    let field = |records: Vec<pb::OperationRecord>| to_ended(records).unwrap_err().field;
    let broken = |change: &dyn Fn(&mut pb::OperationRecord)| {
        let mut broken = record();
        change(&mut broken);
        vec![record(), broken]
    };
    let running = pb::OperationPhase::Running.into();
    for (records, named) in [
        (vec![record(); 65], "operations"),
        (
            broken(&|it| it.started_at = None),
            "operations[1].started_at",
        ),
        (
            broken(&|it| it.finished_at = None),
            "operations[1].finished_at",
        ),
        (broken(&|it| it.phase = running), "operations[1].phase"),
        (
            broken(&|it| it.message = "x".repeat(20_000)),
            "operations[1].message",
        ),
        (
            broken(&|it| it.request_id = "x".repeat(300)),
            "operations[1].request_id",
        ),
    ] {
        assert_eq!(field(records), named);
    }
}

#[test]
fn states_of_now_are_nothing_to_ask_for() {
    let request = pb::ListDeploymentsRequest {
        filter: Some(pb::ApplicationFilter {
            health: vec![pb::HealthStatus::Degraded.into()],
            ..pb::ApplicationFilter::default()
        }),
        ..pb::ListDeploymentsRequest::default()
    };
    let refused = ListEnded::read(request, Visible::everything())
        .err()
        .unwrap();
    assert_eq!(refused.field, "filter");
}
