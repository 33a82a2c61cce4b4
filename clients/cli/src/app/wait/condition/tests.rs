use causeway_proto::inventory::v1 as pb;

use super::*;

fn application(
    sync: pb::SyncStatus,
    health: pb::HealthStatus,
    phase: pb::OperationPhase,
) -> pb::Application {
    let sync = pb::SyncState {
        status: sync.into(),
        ..pb::SyncState::default()
    };
    let health = pb::HealthState {
        status: health.into(),
        ..pb::HealthState::default()
    };
    let operation = pb::Operation {
        phase: phase.into(),
        ..pb::Operation::default()
    };
    pb::Application {
        status: Some(pb::ApplicationStatus {
            sync: Some(sync),
            health: Some(health),
            operation: Some(operation),
            ..pb::ApplicationStatus::default()
        }),
        ..pb::Application::default()
    }
}

fn is_reached(conditions: Conditions, application: &pb::Application) -> bool {
    conditions.judge(Some(application), &[]) == WaitState::Reached
}

#[test]
fn the_default_condition_is_synced_healthy_and_idle() {
    use pb::{HealthStatus as H, OperationPhase as P, SyncStatus as S};
    let all = Conditions::default();
    for (sync, health, phase, expected) in [
        (S::Synced, H::Healthy, P::Succeeded, true),
        (S::Synced, H::Healthy, P::Unspecified, true),
        (S::OutOfSync, H::Healthy, P::Succeeded, false),
        (S::Synced, H::Progressing, P::Succeeded, false),
        (S::Synced, H::Healthy, P::Running, false),
        (S::Synced, H::Healthy, P::Terminating, false),
    ] {
        assert_eq!(is_reached(all, &application(sync, health, phase)), expected);
    }
}

#[test]
fn health_flags_are_alternatives() {
    use pb::{HealthStatus as H, OperationPhase as P, SyncStatus as S};
    let either = Conditions {
        health: true,
        suspended: true,
        ..Conditions::default()
    };
    let of = |health| application(S::OutOfSync, health, P::Running);
    assert!(is_reached(either, &of(H::Healthy)) && is_reached(either, &of(H::Suspended)));
    assert!(!is_reached(either, &of(H::Degraded)));
    let degraded = Conditions {
        degraded: true,
        operation: true,
        ..Conditions::default()
    };
    assert!(!is_reached(degraded, &of(H::Degraded)));
    let rests = application(S::OutOfSync, H::Degraded, P::Failed);
    assert!(is_reached(degraded, &rests));
}

#[test]
fn only_a_deletion_waits_for_an_absent_application() {
    let deleted = Conditions {
        delete: true,
        ..Conditions::default()
    };
    assert_eq!(deleted.judge(None, &[]), WaitState::Reached);
    let there = pb::Application::default();
    assert!(matches!(
        deleted.judge(Some(&there), &[]),
        WaitState::Waiting(_)
    ));
    assert!(matches!(
        Conditions::default().judge(None, &[]),
        WaitState::Never(_)
    ));
}

#[test]
fn hydration_can_be_awaited_alone_or_with_other_conditions() {
    use pb::{HealthStatus as H, HydrationPhase, OperationPhase as P, SyncStatus as S};
    let of = |phase: HydrationPhase| {
        let mut application = application(S::OutOfSync, H::Healthy, P::Succeeded);
        let hydration = pb::Hydration {
            phase: phase.into(),
            ..pb::Hydration::default()
        };
        application.status.as_mut().unwrap().hydration = Some(hydration);
        application
    };
    let alone = Conditions {
        hydrated: true,
        ..Conditions::default()
    };
    assert!(is_reached(alone, &of(HydrationPhase::Hydrated)));
    for phase in [
        HydrationPhase::Unspecified,
        HydrationPhase::Hydrating,
        HydrationPhase::Failed,
    ] {
        assert!(!is_reached(alone, &of(phase)), "{phase:?}");
    }
    let never = application(S::Synced, H::Healthy, P::Succeeded);
    let told = alone.judge(Some(&never), &[]);
    assert_eq!(
        told,
        WaitState::Waiting("Synced, Healthy, never hydrated".to_owned())
    );
    let synced = Conditions {
        sync: true,
        ..alone
    };
    assert!(!is_reached(synced, &of(HydrationPhase::Hydrated)));
}

fn resource(name: &str, sync: pb::SyncStatus, health: Option<pb::HealthStatus>) -> pb::Resource {
    let health = health.map(|status| pb::HealthState {
        status: status.into(),
        ..pb::HealthState::default()
    });
    pb::Resource {
        kind: "Service".to_owned(),
        name: name.to_owned(),
        sync: sync.into(),
        health,
        ..pb::Resource::default()
    }
}

#[test]
fn only_selected_resources_count() {
    use pb::{HealthStatus as H, SyncStatus as S};
    let status = pb::ApplicationStatus {
        resources: vec![
            resource("web", S::Synced, Some(H::Healthy)),
            resource("plain", S::Synced, None),
            resource("old", S::OutOfSync, Some(H::Healthy)),
            resource("ill", S::Synced, Some(H::Degraded)),
        ],
        ..pb::ApplicationStatus::default()
    };
    let wanted = Conditions {
        sync: true,
        health: true,
        ..Conditions::default()
    };
    let told = |choices: &[&str]| {
        let choices: Vec<_> = choices.iter().map(|it| it.parse().unwrap()).collect();
        resources_state(wanted, &choices, Some(&status))
    };
    assert!(told(&[":Service:web", ":Service:plain"]).0);
    let unmatched = told(&["!:Service:web"]);
    let text = "Service/old is OutOfSync, Healthy, Service/ill is Synced, Degraded";
    assert_eq!(unmatched, (false, text.to_owned()));
    assert_eq!(
        told(&[":Secret:*"]),
        (false, "has no such resource".to_owned())
    );
    let degraded = Conditions {
        degraded: true,
        ..Conditions::default()
    };
    let ill = [":Service:ill".parse().unwrap()];
    assert!(resources_state(degraded, &ill, Some(&status)).0);
}

#[test]
fn stale_state_never_meets_a_condition() {
    use pb::{HealthStatus as H, OperationPhase as P, SyncStatus as S};
    let current = application(S::Synced, H::Healthy, P::Succeeded);
    let stale = pb::Application {
        stale_since: current_time(),
        ..current.clone()
    };
    for conditions in [
        Conditions::default(),
        Conditions {
            sync: true,
            ..Conditions::default()
        },
    ] {
        assert!(is_reached(conditions, &current));
        let state = conditions.judge(Some(&stale), &[]);
        let WaitState::Waiting(text) = state else {
            panic!("{state:?}");
        };
        assert!(text.contains("Synced, Healthy (stale "), "{text}");
    }
}

fn current_time() -> Option<prost_types::Timestamp> {
    Some(std::time::SystemTime::now().into())
}
