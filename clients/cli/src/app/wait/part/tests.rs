use super::*;

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
fn only_those_that_are_chosen_count() {
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
        standing(wanted, &choices, Some(&status))
    };
    assert!(told(&[":Service:web", ":Service:plain"]).0);
    let others = told(&["!:Service:web"]);
    let text = "Service/old is OutOfSync, Healthy, Service/ill is Synced, Degraded";
    assert_eq!(others, (false, text.to_owned()));
    assert_eq!(
        told(&[":Secret:*"]),
        (false, "has no such resource".to_owned())
    );
    let degraded = Conditions {
        degraded: true,
        ..Conditions::default()
    };
    let ill = [":Service:ill".parse().unwrap()];
    assert!(standing(degraded, &ill, Some(&status)).0);
}
