use prost::Message as _;

use super::*;
use crate::{
    application::{Key, ObjectKind, Place, Record, Sort, State, Uid},
    order::{Continuity, ObjectLife, Position},
    report::{Fault, Hello, Incoming, Rejection, Report, ReportedState},
};

fn resource(name: &str, live: &[u8]) -> pb::Resource {
    pb::Resource {
        name: name.to_owned(),
        live_digest: bytes::Bytes::copy_from_slice(live),
        ..pb::Resource::default()
    }
}

fn full_state() -> pb::ApplicationState {
    let operation = pb::Operation {
        phase: pb::OperationPhase::Failed.into(),
        resources: vec![pb::OperationResource {
            name: "web".to_owned(),
            ..pb::OperationResource::default()
        }],
        ..pb::Operation::default()
    };
    let status = pb::ApplicationStatus {
        sync: Some(pb::SyncState {
            status: pb::SyncStatus::OutOfSync.into(),
            revisions: vec!["abc".to_owned()],
        }),
        health: Some(pb::HealthState {
            status: pb::HealthStatus::Degraded.into(),
            ..pb::HealthState::default()
        }),
        operation: Some(operation),
        history: vec![pb::Deployment {
            id: 3,
            ..pb::Deployment::default()
        }],
        resources: vec![
            resource("web", Digest::of(b"one").as_bytes()),
            resource("api", Digest::of(b"one").as_bytes()),
            resource("none", b""),
        ],
        images: vec!["nginx".to_owned()],
        ..pb::ApplicationStatus::default()
    };
    pb::ApplicationState {
        labels: [("team".to_owned(), "a".to_owned())].into(),
        created_at_ms: 1_500,
        spec: Some(pb::ApplicationSpec {
            project: "shop".to_owned(),
            ..pb::ApplicationSpec::default()
        }),
        status: Some(status),
        ..pb::ApplicationState::default()
    }
}

fn signed(mut state: pb::ApplicationState) -> pb::ApplicationState {
    state.root_digest = bytes::Bytes::new();
    let digest = Digest::of(&state.encode_to_vec());
    state.root_digest = bytes::Bytes::copy_from_slice(digest.as_bytes());
    state
}

fn report_of(state: pb::ApplicationState) -> pb::Report {
    pb::Report {
        sequence: 4,
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        uid: "u1".to_owned(),
        resource_version: 9,
        change: Some(pb::report::Change::Application(state)),
        ..pb::Report::default()
    }
}

fn received(message: pb::report_request::Message) -> Incoming {
    let message = Some(message);
    received_as(pb::ReportRequest { message }.encode_to_vec())
}

fn received_as(encoded: Vec<u8>) -> Incoming {
    let request = pb::ReportRequest::decode(&encoded[..]).unwrap();
    to_incoming(request, &encoded.into())
}

fn taken(report: pb::Report) -> Result<Report, Rejection> {
    let message = pb::report_request::Message::Report(report);
    let Incoming::Report(report) = received(message) else {
        panic!("a report comes as a report");
    };
    report
}

fn record(state: State, view: View) -> Record {
    Record {
        key: Key {
            runtime_name: "edge".to_owned(),
            namespace: "argocd".to_owned(),
            name: "web".to_owned(),
            cluster: "in-cluster".to_owned(),
            runtime: "rt-1".to_owned(),
        },
        uid: Uid::from("u1"),
        resource_version: 9,
        life: ObjectLife::Live,
        summary: state.summary,
        past: Vec::new(),
        change: 1,
        received_at: 2_000,
        basic: state.basic,
        detail: match view {
            View::Row | View::Basic => bytes::Bytes::new(),
            View::Full => state.detail,
        },
    }
}

/// A field with bytes, as it is encoded.
fn field(number: u32, bytes: &[u8]) -> Vec<u8> {
    let mut field = Vec::new();
    prost::encoding::bytes::encode(number, &bytes.to_vec(), &mut field);
    field
}

/// A report whose state is encoded so.
fn taken_as(state: &[u8]) -> Result<Report, Rejection> {
    let report = pb::Report {
        change: None,
        ..report_of(pb::ApplicationState::default())
    };
    let report = [&report.encode_to_vec()[..], state].concat();
    let Incoming::Report(report) = received_as(field(2, &report)) else {
        panic!("a report comes as a report");
    };
    report
}

#[test]
fn a_report_of_operations_alone_stands_beside_the_order() {
    let report = |operations_only| pb::Report {
        operations_only,
        ..report_of(signed(full_state()))
    };
    assert_eq!(
        taken(report(true)).unwrap().resource_version,
        Position::BESIDE
    );
    assert_ne!(
        taken(report(false)).unwrap().resource_version,
        Position::BESIDE
    );
}

#[test]
fn fields_that_a_newer_reporter_has_are_kept_and_its_digest_is_right() {
    let state = [field(6, &field(150, b"new")), field(140, b"more")].concat();
    let root = Digest::of(&state);
    let told = [field(1, root.as_bytes()), state.clone()].concat();
    let taken = stated(taken_as(&field(6, &told)).unwrap());
    let kept = (&taken.canonical[..], taken.root_digest);
    assert_eq!(kept, (&state[..], root));
}

#[test]
fn a_state_that_comes_in_pieces_or_with_its_digest_behind_is_refused() {
    let state = signed(full_state());
    let rest = state.encode_to_vec().split_off(34);
    let behind = [rest, field(1, &state.root_digest)].concat();
    let once = field(6, &state.encode_to_vec());
    assert!(taken_as(&once).is_ok());
    for wrong in [field(6, &behind), [once.clone(), once].concat()] {
        let refused = taken_as(&wrong).unwrap_err();
        assert_eq!(refused.error.field, "application.root_digest");
    }
}

fn stated(report: Report) -> State {
    match report.state {
        Some(ReportedState::Application(state)) => *state,
        other => panic!("{other:?}"),
    }
}

fn full_state_taken() -> State {
    stated(taken(report_of(signed(full_state()))).unwrap())
}

#[test]
fn a_state_comes_back_whole_in_the_full_view() {
    let state = full_state_taken();
    assert_eq!(&*state.summary.traits.project, "shop");
    assert_eq!(state.summary.sync, Sync::OutOfSync);
    assert_eq!(state.summary.health, Health::Degraded);
    assert_eq!(state.manifests, [Digest::of(b"one")]);
    let application = to_application(record(state, View::Full)).unwrap();
    assert_eq!(application.status, full_state().status);
    assert_eq!(application.spec, full_state().spec);
    assert_eq!(application.labels, full_state().labels);
    assert_eq!((&*application.runtime, &*application.uid), ("edge", "u1"));
    assert_eq!(application.resource_version, 9);
}

#[test]
fn the_basic_view_has_no_tree_no_history_and_no_results() {
    let state = full_state_taken();
    let application = to_application(record(state, View::Basic)).unwrap();
    let status = application.status.unwrap();
    assert!(status.resources.is_empty() && status.history.is_empty());
    let operation = status.operation.unwrap();
    assert!(operation.resources.is_empty());
    assert_eq!(operation.phase(), pb::OperationPhase::Failed);
    assert_eq!(status.images, ["nginx"]);
}

#[test]
fn what_is_sent_of_a_stored_application_is_what_is_read_of_it() {
    for view in [View::Basic, View::Full] {
        let record = record(full_state_taken(), view);
        let sent = pb::Application::decode(to_encoded(record.clone(), View::Basic, None).unwrap())
            .unwrap();
        assert_eq!(sent, to_application(record).unwrap());
    }
}

#[test]
fn a_bad_field_is_named() {
    let check = |change: fn(&mut pb::Report), field: &str, fault| {
        let mut report = report_of(signed(full_state()));
        change(&mut report);
        let rejection = taken(report).unwrap_err();
        assert_eq!((&*rejection.error.field, rejection.fault), (field, fault));
    };
    let of = |report: &mut pb::Report, change: fn(&mut pb::ApplicationState)| {
        let mut state = full_state();
        change(&mut state);
        report.change = Some(pb::report::Change::Application(signed(state)));
    };
    check(|report| report.sequence = 0, "sequence", Fault::Field);
    check(|report| report.uid.clear(), "uid", Fault::Field);
    check(|report| report.name = "x".repeat(254), "name", Fault::Field);
    check(
        |report| report.namespace = "a\nb".to_owned(),
        "namespace",
        Fault::Field,
    );
    check(
        |report| report.resource_version = 0,
        "resource_version",
        Fault::Field,
    );
    check(
        |report| report.traceparent = "0".repeat(200),
        "traceparent",
        Fault::Field,
    );
    check(|report| report.change = None, "change", Fault::Field);
    let mut report = report_of(full_state());
    let rejection = taken(report.clone()).unwrap_err();
    assert_eq!(rejection.error.field, "application.root_digest");
    let mut lied = signed(full_state());
    lied.created_at_ms += 1;
    let rejection = taken(report_of(lied)).unwrap_err();
    assert_eq!(rejection.error.field, "application.root_digest");
    of(&mut report, |state| {
        let status = state.status.as_mut().unwrap();
        status.resources[1].desired_digest = bytes::Bytes::from_static(b"short");
    });
    let rejection = taken(report.clone()).unwrap_err();
    assert_eq!(
        rejection.error.field,
        "application.status.resources[1].desired_digest"
    );
    of(&mut report, |state| {
        state
            .status
            .as_mut()
            .unwrap()
            .health
            .as_mut()
            .unwrap()
            .status = 77;
    });
    let rejection = taken(report.clone()).unwrap_err();
    assert_eq!(rejection.error.field, "application.status.health.status");
    of(&mut report, |state| {
        let image = "x".repeat(1 << 20);
        state.status.as_mut().unwrap().images = vec![image; 4];
    });
    let rejection = taken(report).unwrap_err();
    assert_eq!(
        (&*rejection.error.field, rejection.fault),
        ("application", Fault::TooLarge)
    );
}

#[test]
fn a_deletion_needs_no_state() {
    let report = pb::Report {
        change: Some(pb::report::Change::Deleted(pb::Deleted::default())),
        ..report_of(pb::ApplicationState::default())
    };
    assert_eq!(taken(report).unwrap().state, None);
}

#[test]
fn hello_names_a_replica_a_kind_and_a_cluster() {
    let hello = pb::Hello {
        instance: "0194b4a6-63f2-7d25-9a3c-5ad0f1d1a001".to_owned(),
        kind: "applications.argoproj.io".to_owned(),
        cluster: "in-cluster".to_owned(),
        ..pb::Hello::default()
    };
    let taken = |hello: pb::Hello| {
        let message = pb::report_request::Message::Hello(hello);
        let Incoming::Hello(hello) = received(message) else {
            panic!("hello comes as hello");
        };
        hello
    };
    let good: Hello = taken(hello.clone()).unwrap();
    assert_eq!(good.kind, ObjectKind::Application);
    assert_eq!(good.continuity, Continuity::Continued);
    let bad = |change: fn(&mut pb::Hello)| {
        let mut hello = hello.clone();
        change(&mut hello);
        taken(hello).unwrap_err().field
    };
    assert_eq!(bad(|hello| hello.instance = "pod-1".to_owned()), "instance");
    assert_eq!(bad(|hello| hello.kind = "Pod".to_owned()), "kind");
    assert_eq!(bad(|hello| hello.cluster.clear()), "cluster");
    assert_eq!(bad(|hello| hello.version = "1".repeat(129)), "version");
    for (heartbeat_ms, seconds) in [(0, 35), (1_000, 3), (2_000, 6), (10_000, 30)] {
        let hello = pb::Hello {
            heartbeat_ms,
            ..hello.clone()
        };
        let patience = taken(hello).unwrap().patience;
        assert_eq!(patience.as_secs(), seconds, "{heartbeat_ms}");
    }
    assert_eq!(bad(|hello| hello.heartbeat_ms = 999), "heartbeat_ms");
    assert_eq!(bad(|hello| hello.heartbeat_ms = u32::MAX), "heartbeat_ms");
}

#[test]
fn a_page_token_is_read_back_and_nothing_else_is() {
    let key = Key {
        runtime_name: "edge".to_owned(),
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        cluster: "in-cluster".to_owned(),
        runtime: "rt-1".to_owned(),
    };
    let request = |page_token: &str, page_size| pb::ListApplicationsRequest {
        page_token: page_token.to_owned(),
        page_size,
        ..pb::ListApplicationsRequest::default()
    };
    let token = PageToken {
        sort: Sort::Health,
        place: Some(Place {
            rank: 1,
            text: String::new(),
            key,
        }),
        looked: Some(7),
        stamp: u64::MAX,
    };
    let read = |request| ListOfApplications::read(request, Visible::everything());
    let list = read(request(&page_token(&token), 0)).unwrap_or_else(|_| panic!("it is a token"));
    assert_eq!((list.from, list.limit), (Some(token), 100));
    let field = |request: pb::ListApplicationsRequest| read(request).err().map(|error| error.field);
    assert_eq!(field(request("nonsense", 0)).as_deref(), Some("page_token"));
    for (size, limit) in [(1, 1), (1000, 1000), (1001, 1000), (u32::MAX, 1000)] {
        let list = read(request("", size)).unwrap_or_else(|_| panic!("{size} is a size"));
        assert_eq!(list.limit, limit, "{size}");
    }
}

#[test]
fn digests_are_read_from_hex() {
    let one = Digest::of(b"one");
    assert_eq!(Digest::from_hex(&one.to_string()), Some(one));
    assert_eq!(Digest::from_hex("12"), None);
    assert_eq!(Digest::from_hex(&"g".repeat(64)), None);
}
