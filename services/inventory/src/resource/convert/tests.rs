use prost_types::Timestamp;

use super::*;

fn state(detail: Option<Detail>) -> pb::ResourceState {
    pb::ResourceState {
        labels: [("team".to_owned(), "a".to_owned())].into(),
        created_at_ms: 1_500,
        group: "argoproj.io".to_owned(),
        version: "v1alpha1".to_owned(),
        kind: "Rollout".to_owned(),
        owners: vec![pb::ResourceOwner::default()],
        application: Some(pb::ApplicationReference {
            cluster: String::new(),
            namespace: "argocd".to_owned(),
            name: "web".to_owned(),
        }),
        health: Some(pb::HealthState {
            status: pb::HealthStatus::Degraded.into(),
            ..pb::HealthState::default()
        }),
        images: vec!["nginx:1".to_owned()],
        detail,
        ..pb::ResourceState::default()
    }
}

fn rollout() -> pb::Rollout {
    pb::Rollout {
        strategy: pb::RolloutStrategy::Canary.into(),
        phase: "Paused".to_owned(),
        steps: vec!["setWeight 20".to_owned()],
        revisions: vec![pb::RolloutRevision {
            number: 3,
            images: vec!["nginx:2".to_owned()],
            roles: vec![pb::RolloutRole::Canary.into()],
            ..pb::RolloutRevision::default()
        }],
        ..pb::Rollout::default()
    }
}

fn workflow(nodes: usize) -> pb::Workflow {
    pb::Workflow {
        phase: "Running".to_owned(),
        nodes: vec![pb::WorkflowNode::default(); nodes],
        ..pb::Workflow::default()
    }
}

fn event() -> pb::KubernetesEvent {
    pb::KubernetesEvent {
        reason: "Pulled".to_owned(),
        last_seen: Some(millis_to_timestamp(2_000)),
        regarding: Some(pb::ObjectReference {
            kind: "Pod".to_owned(),
            namespace: "shop".to_owned(),
            name: "web-1".to_owned(),
            ..pb::ObjectReference::default()
        }),
        ..pb::KubernetesEvent::default()
    }
}

fn signed(mut state: pb::ResourceState) -> pb::ResourceState {
    state.root_digest = Bytes::new();
    let digest = Digest::of(&state.encode_to_vec());
    state.root_digest = Bytes::copy_from_slice(digest.as_bytes());
    state
}

/// The state as it came over the wire.
fn sent(state: &pb::ResourceState) -> Result<ReportedState, StateError> {
    to_stated(state.clone(), &state.encode_to_vec().into())
}

fn resource(state: pb::ResourceState) -> Resource {
    match sent(&signed(state)) {
        Ok(ReportedState::Resource(resource)) => *resource,
        _ => panic!("it is a resource"),
    }
}

/// The field that is at fault, and what is wrong with it.
fn refused(state: pb::ResourceState) -> String {
    match sent(&signed(state)) {
        Ok(_) => "nothing".to_owned(),
        Err(StateError::Field(error) | StateError::TooLarge(error)) => error.to_string(),
    }
}

#[test]
fn a_rollout_is_kept_in_two_halves_that_make_the_whole() {
    let taken = resource(state(Some(Detail::Rollout(rollout()))));
    assert_eq!((&*taken.group, &*taken.kind), ("argoproj.io", "Rollout"));
    assert_eq!(taken.health, Health::Degraded);
    assert_eq!(&*taken.application.unwrap().name, "web");
    let images: Vec<&str> = taken.images.iter().map(|image| &*image.tag).collect();
    assert_eq!(images, ["1", "2"]);
    let basic = pb::LiveResource::decode(taken.basic.clone()).unwrap();
    let Some(pb::live_resource::Detail::Rollout(told)) = basic.detail else {
        panic!("it is a Rollout");
    };
    assert_eq!((&*told.phase, told.revisions.len()), ("Paused", 0));
    let mut whole = pb::LiveResource::decode(taken.basic).unwrap();
    whole.merge(taken.detail).unwrap();
    let expected = pb::live_resource::Detail::Rollout(rollout());
    assert_eq!(whole.detail, Some(expected));
}

#[test]
fn an_event_is_kept_with_what_it_regards() {
    let state = state(Some(Detail::Event(event())));
    let Ok(ReportedState::Event(taken)) = sent(&signed(state)) else {
        panic!("it is an event");
    };
    assert_eq!(&*taken.regarding.name, "web-1");
    assert_eq!(taken.last_seen, 2_000);
    assert_eq!(pb::KubernetesEvent::decode(taken.content).unwrap(), event());
}

#[test]
fn a_digest_that_is_not_of_the_state_is_refused() {
    let mut wrong = signed(state(None));
    wrong.kind = "Pod".to_owned();
    let Err(StateError::Field(error)) = sent(&wrong) else {
        panic!("it is refused");
    };
    assert_eq!(error.field, "resource.root_digest");
}

#[test]
fn what_is_too_large_is_refused_as_such() {
    let mut large = state(None);
    large.version = "x".repeat(STATE_BYTES);
    let refused = sent(&signed(large));
    assert!(matches!(refused, Err(StateError::TooLarge(_))));
}

#[test]
fn texts_and_lists_that_are_too_long_are_refused_by_their_field() {
    type Spoil = fn(&mut pb::ResourceState);
    let cases: [(&str, Spoil); 9] = [
        ("resource.kind ", |it| it.kind.clear()),
        ("resource.kind ", |it| it.kind = "K".repeat(254)),
        ("resource.owners ", |it| {
            it.owners = vec![pb::ResourceOwner::default(); 33];
        }),
        ("resource.owners[0].uid ", |it| {
            it.owners[0].uid = "u".repeat(4_097)
        }),
        ("resource.images[0] ", |it| it.images[0] = "i".repeat(4_097)),
        ("resource.labels ", |it| {
            it.labels.insert("l".repeat(4_097), String::new());
        }),
        ("resource.application ", |it| {
            it.application = Some(pb::ApplicationReference::default());
        }),
        ("resource.health.status ", |it| {
            it.health.as_mut().unwrap().status = 99;
        }),
        ("resource.manifest_digest ", |it| {
            it.manifest_digest = Bytes::from_static(b"short");
        }),
    ];
    for (field, spoil) in cases {
        let mut spoiled = state(Some(Detail::ReplicaSet(pb::ReplicaSet::default())));
        spoil(&mut spoiled);
        let told = refused(spoiled);
        assert!(told.starts_with(field), "{field}: {told}");
    }
}

#[test]
fn details_that_are_too_long_are_refused_by_their_field() {
    let long = "m".repeat(9_000);
    let mut canary = rollout();
    canary.message.clone_from(&long);
    let mut steps = rollout();
    steps.steps = vec!["pause".to_owned(); 1_001];
    let mut roles = rollout();
    roles.revisions[0].roles = vec![77];
    let mut strategy = rollout();
    strategy.strategy = -1;
    let mut node = workflow(2);
    node.nodes[1].message.clone_from(&long);
    let mut children = workflow(1);
    children.nodes[0].children = vec![String::new(); 501];
    let run = pb::AnalysisRun {
        metrics: vec![pb::AnalysisMetric {
            last_value: "v".repeat(4_097),
            ..pb::AnalysisMetric::default()
        }],
        ..pb::AnalysisRun::default()
    };
    let mut nobody = event();
    nobody.regarding = None;
    let mut unnamed = event();
    unnamed.regarding.as_mut().unwrap().name.clear();
    let mut wordy = event();
    wordy.message.clone_from(&long);
    for (field, detail) in [
        ("resource.rollout.message", Detail::Rollout(canary)),
        ("resource.rollout.steps", Detail::Rollout(steps)),
        (
            "resource.rollout.revisions[0].roles[0]",
            Detail::Rollout(roles),
        ),
        ("resource.rollout.strategy", Detail::Rollout(strategy)),
        ("resource.workflow.nodes", Detail::Workflow(workflow(501))),
        ("resource.workflow.nodes[1].message", Detail::Workflow(node)),
        (
            "resource.workflow.nodes[0].children",
            Detail::Workflow(children),
        ),
        (
            "resource.analysis_run.metrics[0].last_value",
            Detail::AnalysisRun(run),
        ),
        ("resource.event.regarding", Detail::Event(nobody)),
        ("resource.event.regarding", Detail::Event(unnamed)),
        ("resource.event.message", Detail::Event(wordy)),
    ] {
        let told = refused(state(Some(detail)));
        assert!(told.starts_with(&format!("{field} ")), "{field}: {told}");
    }
    assert_eq!(
        refused(state(Some(Detail::Workflow(workflow(500))))),
        "nothing"
    );
}

#[test]
fn times_that_do_not_exist_are_refused() {
    for (seconds, nanos) in [(i64::MAX, 0), (i64::MIN, 0), (1, -1), (1, 1_000_000_000)] {
        let mut strange = event();
        strange.last_seen = Some(Timestamp { seconds, nanos });
        let told = refused(state(Some(Detail::Event(strange))));
        assert_eq!(told, "resource.event.last_seen is no time");
        let mut strange = rollout();
        strange.pause = Some(pb::RolloutPause {
            since: Some(Timestamp { seconds, nanos }),
            reason: String::new(),
        });
        let told = refused(state(Some(Detail::Rollout(strange))));
        assert_eq!(told, "resource.rollout.pause.since is no time");
    }
    for millis in [i64::MAX, i64::MIN] {
        let mut strange = state(None);
        strange.created_at_ms = millis;
        assert_eq!(refused(strange), "resource.created_at_ms is no time");
    }
}
