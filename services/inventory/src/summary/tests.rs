use std::sync::Arc;

use bytes::Bytes;
use causeway_proto::{inventory::v1 as pb, time::millis_to_timestamp};
use prost::Message as _;

use super::{convert::READERS, *};
use crate::{
    application::{Change, Visible},
    fixture::{
        Bench, account, all, at, joining, live_in, report, resource::rollout, soon, visible, write,
    },
    store::Write,
};

const NOW: i64 = 1_800_000_000_000;
const DAY: i64 = 24 * 60 * 60 * 1_000;

fn application(
    (number, name, project): (u64, &str, &str),
    (health, sync): (Health, Sync),
    status: pb::ApplicationStatus,
) -> Change {
    let mut change = live_in(
        &format!("u{number}"),
        name,
        at(number, 1, number),
        project,
        &[],
    );
    let state = change.state.as_mut().unwrap();
    (state.summary.health, state.summary.sync) = (health, sync);
    let detail = pb::ApplicationStatus {
        errors: status.errors.clone(),
        ..pb::ApplicationStatus::default()
    };
    let encoded = |status| {
        let status = Some(status);
        let application = pb::Application {
            status,
            ..pb::Application::default()
        };
        Bytes::from(application.encode_to_vec())
    };
    state.basic = encoded(pb::ApplicationStatus {
        errors: Vec::new(),
        ..status
    });
    state.detail = encoded(detail);
    change
}

fn error(message: &str) -> pb::ApplicationStatus {
    pb::ApplicationStatus {
        health: Some(pb::HealthState {
            status: pb::HealthStatus::Degraded.into(),
            message: String::new(),
            since: Some(millis_to_timestamp(NOW - 5_000)),
        }),
        errors: vec![pb::ApplicationError {
            r#type: pb::ApplicationErrorType::Health.into(),
            level: pb::ApplicationErrorLevel::Error.into(),
            message: message.to_owned(),
            ..pb::ApplicationError::default()
        }],
        ..pb::ApplicationStatus::default()
    }
}

fn operation(phase: pb::OperationPhase, started_at: i64) -> pb::ApplicationStatus {
    pb::ApplicationStatus {
        operation: Some(pb::Operation {
            phase: phase.into(),
            message: "cannot apply: quota exceeded".to_owned(),
            started_at: Some(millis_to_timestamp(started_at)),
            ..pb::Operation::default()
        }),
        ..pb::ApplicationStatus::default()
    }
}

fn condition(message: &str) -> pb::ApplicationStatus {
    let condition = |kind: &str, message: &str| pb::Condition {
        r#type: kind.to_owned(),
        message: message.to_owned(),
        since: Some(millis_to_timestamp(NOW)),
    };
    pb::ApplicationStatus {
        conditions: vec![
            condition("ComparisonError", message),
            condition("OrphanedResourceWarning", "it has 3 orphaned resources"),
        ],
        ..pb::ApplicationStatus::default()
    }
}

fn missing() -> pb::ApplicationStatus {
    pb::ApplicationStatus {
        health: Some(pb::HealthState {
            status: pb::HealthStatus::Missing.into(),
            ..pb::HealthState::default()
        }),
        ..pb::ApplicationStatus::default()
    }
}

async fn filled(bench: &Bench) {
    use pb::OperationPhase::{Failed, Running};
    let none = pb::ApplicationStatus::default;
    let degraded = (Health::Degraded, Sync::Synced);
    let applications = [
        application(
            (1, "web", "shop"),
            degraded,
            error("Pod web-7f9c6d5b4-x2k9z cannot pull nginx:1.9"),
        ),
        application(
            (2, "api", "shop"),
            degraded,
            error("Pod api-66d5b8c49-pq4ms cannot pull nginx:1.8"),
        ),
        application(
            (3, "bank", "bank"),
            degraded,
            error("Pod bank-0 cannot pull nginx:2.0"),
        ),
        application(
            (4, "lost", "bank"),
            (Health::Missing, Sync::OutOfSync),
            missing(),
        ),
        application(
            (5, "slow", "shop"),
            (Health::Progressing, Sync::Synced),
            operation(Running, NOW - 9_000),
        ),
        application(
            (6, "late", "shop"),
            (Health::Healthy, Sync::OutOfSync),
            operation(Failed, NOW - 2 * DAY),
        ),
        application(
            (7, "odd", "bank"),
            (Health::Unknown, Sync::Unknown),
            condition("revision 3f1c9a2 not found"),
        ),
        application((8, "fine", "shop"), (Health::Healthy, Sync::Synced), none()),
    ];
    for change in applications {
        report(&*bench.store, change).await;
    }
}

async fn summary(bench: &Bench, filter: &Filter, most: usize) -> AccountSummary {
    let (inventory, account) = (bench.inventory(), account("default"));
    let summary = inventory.summary(&account, filter, (most, NOW), READERS);
    summary.await.unwrap()
}

fn causes(summary: &AccountSummary) -> Vec<(&str, &str, u64)> {
    let problems = summary.problems.iter();
    problems
        .map(|it| (&*it.kind, &*it.message, it.count))
        .collect()
}

#[tokio::test]
async fn problems_of_one_cause_are_one() {
    for bench in Bench::all().await {
        filled(&bench).await;
        let summary = summary(&bench, &all(), 20).await;
        let expected = [
            ("health", "Pod … cannot pull nginx:…", 3),
            ("health", "its resources do not exist in the cluster", 1),
            ("ComparisonError", "revision … not found", 1),
            ("sync", "cannot apply: quota exceeded", 1),
        ];
        let mut found = causes(&summary);
        found[1..].sort_unstable();
        let mut expected = expected.to_vec();
        expected[1..].sort_unstable();
        assert_eq!(found, expected);
        let first = &summary.problems[0];
        assert_eq!(
            (first.since, first.health),
            (Some(NOW - 5_000), Health::Degraded)
        );
        assert!(
            first.example.contains("cannot pull nginx:"),
            "{}",
            first.example
        );
        let names: Vec<&str> = first.keys.iter().map(|key| &*key.name).collect();
        assert_eq!(names, ["api", "bank", "web"]);
    }
}

#[tokio::test]
async fn problems_beyond_the_limit_are_counted() {
    for bench in Bench::all().await {
        filled(&bench).await;
        let summary = summary(&bench, &all(), 1).await;
        assert_eq!(
            causes(&summary),
            [("health", "Pod … cannot pull nginx:…", 3)]
        );
        assert_eq!(summary.problems_left_off, 3);
    }
}

#[tokio::test]
async fn states_operations_and_drift_are_counted() {
    for bench in Bench::all().await {
        filled(&bench).await;
        let summary = summary(&bench, &all(), 20).await;
        assert_eq!(summary.states.total, 8);
        let health = &summary.states.facets[0].values;
        assert_eq!(health[0], ("Degraded".to_owned(), 3));
        let running: Vec<&str> = summary.running.iter().map(|it| &*it.key.name).collect();
        assert_eq!((running, summary.running_total), (vec!["slow"], 1));
        // `lost` has no known time, and so counts as old.
        assert_eq!(summary.drifted, 2);
    }
}

#[tokio::test]
async fn summary_has_only_what_the_caller_may_read_and_asks_for() {
    for bench in Bench::all().await {
        filled(&bench).await;
        let shop = Filter::within(visible(r#"[{"projects":["shop"]}]"#));
        let own = summary(&bench, &shop, 20).await;
        assert_eq!(own.states.total, 5);
        assert_eq!(
            causes(&own),
            [
                ("health", "Pod … cannot pull nginx:…", 2),
                ("sync", "cannot apply: quota exceeded", 1)
            ]
        );
        assert_eq!(own.drifted, 1);
        let none = summary(&bench, &Filter::within(Visible::default()), 20).await;
        assert_eq!((none.states.total, none.problems.len()), (0, 0));
        assert!(none.silent.is_empty() && none.running.is_empty());
        let healthy = Filter {
            health: vec![Health::Healthy],
            ..all()
        };
        let healthy = summary(&bench, &healthy, 20).await;
        assert_eq!(
            causes(&healthy),
            [("sync", "cannot apply: quota exceeded", 1)]
        );
    }
}

#[tokio::test]
async fn runtime_without_reporters_is_silent() {
    for bench in Bench::all().await {
        filled(&bench).await;
        let silent = summary(&bench, &all(), 20).await.silent;
        assert_eq!(silent.len(), 1);
        assert_eq!((&*silent[0].runtime, silent[0].applications), ("edge", 8));
        assert!(silent[0].last_heard_at > 0);
        let memberships = bench.store.memberships();
        soon(memberships.join(&joining(1))).await.unwrap().unwrap();
        assert_eq!(summary(&bench, &all(), 20).await.silent, []);
    }
}

async fn pause(bench: &Bench, number: u64, name: &str, owner: Option<&str>, since: i64) {
    let mut change = rollout(&format!("r{number}"), name, at(number, 1, number), owner);
    let paused = pb::LiveResource {
        detail: Some(pb::live_resource::Detail::Rollout(pb::Rollout {
            pause: Some(pb::RolloutPause {
                since: Some(millis_to_timestamp(since)),
                reason: "CanaryPauseStep".to_owned(),
            }),
            ..pb::Rollout::default()
        })),
        ..pb::LiveResource::default()
    };
    let state = change.state.as_mut().unwrap();
    (state.health, state.basic) = (Health::Suspended, paused.encode_to_vec().into());
    write(&*bench.store, Write::Resource(Arc::new(change))).await;
}

#[tokio::test]
async fn paused_rollouts_of_readable_applications_are_listed() {
    for bench in Bench::all().await {
        filled(&bench).await;
        pause(&bench, 21, "web", Some("web"), NOW - 1_000).await;
        pause(&bench, 22, "bank", Some("bank"), NOW - 9_000).await;
        pause(&bench, 23, "stray", None, NOW - 5_000).await;
        let names = |summary: AccountSummary| -> Vec<String> {
            let paused = summary.paused.into_iter();
            paused.map(|(record, _)| record.key.name).collect()
        };
        assert_eq!(
            names(summary(&bench, &all(), 20).await),
            ["bank", "stray", "web"]
        );
        let shop = Filter::within(visible(r#"[{"projects":["shop"]}]"#));
        assert_eq!(names(summary(&bench, &shop, 20).await), ["web"]);
        let bank = Filter {
            project: "bank".to_owned(),
            ..all()
        };
        assert_eq!(names(summary(&bench, &bank, 20).await), ["bank"]);
    }
}
