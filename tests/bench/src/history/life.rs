//! The life of an application: a commit, its sync, its rollout, and comparisons in between that find nothing new.

use std::sync::Arc;

use bytes::Bytes;
use causeway_inventory::{
    application::{
        Change, ClusterName, Details, Health, Labels, ObjectKind, ObjectName, Progress, Scope,
        ScopeTraits, Source, State, Summary, Sync, Uid,
    },
    digest::Digest,
    inventory::DecodedState,
    order::{Continuity, Position},
};
use causeway_proto::{inventory::v1 as pb, time::millis_to_timestamp};
use prost::Message as _;

/// Changes from one commit to the next.
const OF_A_COMMIT: usize = 5;
const BEGAN: i64 = 1_780_000_000_000;
const DEPLOYMENTS: usize = 10;

/// Text that nothing else says, of so many hex digits.
fn hash(of: &str, digits: usize) -> String {
    let mut text = Digest::of(of.as_bytes()).to_string();
    text.truncate(digits);
    text
}

fn uid(of: &str) -> String {
    let hash = hash(of, 32);
    let parts = [
        &hash[..8],
        &hash[8..12],
        &hash[12..16],
        &hash[16..20],
        &hash[20..],
    ];
    parts.join("-")
}

fn digest(of: &str) -> Bytes {
    Bytes::copy_from_slice(Digest::of(of.as_bytes()).as_bytes())
}

fn commit(number: usize, commits: usize) -> pb::Commit {
    pb::Commit {
        sha: hash(&format!("{number} commit {commits}"), 40),
        author: "Ada Lovelace <ada@example.com>".to_owned(),
        message: format!("Raise the limits of app-{number} once more, the {commits}th time"),
        committed_at: Some(millis_to_timestamp(BEGAN + commits as i64 * 3_600_000)),
        ..pb::Commit::default()
    }
}

fn resource(number: usize, index: usize, commits: usize, step: usize) -> pb::Resource {
    let name = format!("app-{number:06}-{index:02}");
    // Each commit changes two of them.
    let touched = (0..=commits).rev().find(|commit| index / 2 == commit % 15);
    let desired = format!("{name} {}", touched.unwrap_or(0));
    let behind = index / 2 == commits % 15 && step < 2;
    let live = if behind {
        format!("{desired} before")
    } else {
        desired.clone()
    };
    let rolling = index / 2 == commits % 15 && step == 2;
    pb::Resource {
        group: "apps".to_owned(),
        version: "v1".to_owned(),
        kind: "Deployment".to_owned(),
        namespace: "shop".to_owned(),
        uid: uid(&name),
        sync: if behind {
            pb::SyncStatus::OutOfSync
        } else {
            pb::SyncStatus::Synced
        }
        .into(),
        health: Some(pb::HealthState {
            status: health(rolling).into(),
            message: if rolling {
                "1 of 3 updated replicas are available"
            } else {
                ""
            }
            .to_owned(),
            ..pb::HealthState::default()
        }),
        images: vec![format!(
            "registry.example.com/shop/web:{}",
            touched.unwrap_or(0)
        )],
        live_digest: digest(&live),
        desired_digest: digest(&desired),
        created_at: Some(millis_to_timestamp(BEGAN)),
        name,
        ..pb::Resource::default()
    }
}

fn health(rolling: bool) -> pb::HealthStatus {
    if rolling {
        pb::HealthStatus::Progressing
    } else {
        pb::HealthStatus::Healthy
    }
}

fn operation(number: usize, commits: usize, step: usize) -> pb::Operation {
    let at = BEGAN + commits as i64 * 3_600_000;
    let running = step == 1;
    let of = if step == 0 {
        commits.saturating_sub(1)
    } else {
        commits
    };
    pb::Operation {
        phase: if running {
            pb::OperationPhase::Running
        } else {
            pb::OperationPhase::Succeeded
        }
        .into(),
        message: if running {
            "waiting for healthy state"
        } else {
            "successfully synced (all tasks run)"
        }
        .to_owned(),
        revisions: vec![commit(number, of).sha],
        automated: true,
        started_at: Some(millis_to_timestamp(at + 2_000)),
        finished_at: (!running).then(|| millis_to_timestamp(at + 9_000)),
        ..pb::Operation::default()
    }
}

fn deployments(number: usize, last: usize) -> Vec<pb::Deployment> {
    let first = (last + 1).saturating_sub(DEPLOYMENTS);
    let deployment = |of: usize| pb::Deployment {
        id: of as i64,
        revisions: vec![commit(number, of).sha],
        deployed_at: Some(millis_to_timestamp(BEGAN + of as i64 * 3_600_000 + 9_000)),
        automated: true,
        commit: Some(commit(number, of)),
        ..pb::Deployment::default()
    };
    (first..=last).map(deployment).collect()
}

/// What an application is after so many rounds.
pub(crate) fn state(number: usize, round: usize, resources: usize) -> pb::ApplicationState {
    let (commits, step) = (round / OF_A_COMMIT, round % OF_A_COMMIT);
    let deployed = if step < 2 {
        commits.saturating_sub(1)
    } else {
        commits
    };
    let rolling = step == 2;
    pb::ApplicationState {
        labels: [("team".to_owned(), format!("t-{}", number % 20))].into(),
        created_at_ms: BEGAN,
        spec: Some(pb::ApplicationSpec {
            project: "shop".to_owned(),
            sources: vec![pb::ApplicationSource {
                repository_url: "https://git.example.com/shop/deploy.git".to_owned(),
                target_revision: "main".to_owned(),
                path: format!("apps/app-{number:06}"),
                ..pb::ApplicationSource::default()
            }],
            ..pb::ApplicationSpec::default()
        }),
        status: Some(pb::ApplicationStatus {
            sync: Some(pb::SyncState {
                status: if step < 2 {
                    pb::SyncStatus::OutOfSync
                } else {
                    pb::SyncStatus::Synced
                }
                .into(),
                revisions: vec![commit(number, commits).sha],
            }),
            health: Some(pb::HealthState {
                status: health(rolling).into(),
                since: Some(millis_to_timestamp(BEGAN + commits as i64 * 3_600_000)),
                ..pb::HealthState::default()
            }),
            operation: Some(operation(number, commits, step)),
            commit: Some(commit(number, commits)),
            history: deployments(number, deployed),
            resources: (0..resources)
                .map(|index| resource(number, index, commits, step))
                .collect(),
            images: vec!["registry.example.com/shop/web:1".to_owned()],
            reconciled_at: Some(millis_to_timestamp(BEGAN + round as i64 * 180_000)),
            ..pb::ApplicationStatus::default()
        }),
        ..pb::ApplicationState::default()
    }
}

/// The change of an application in a round.
pub(super) fn change(number: usize, round: usize, resources: usize) -> anyhow::Result<Change> {
    let runtime = format!("rt-{}", number % 10);
    let state = state(number, round, resources);
    let step = round % OF_A_COMMIT;
    let canonical = Bytes::from(state.encode_to_vec());
    let traits = ScopeTraits {
        project: "shop".into(),
        labels: Labels::new(state.labels.clone()),
    };
    let revisions = vec![commit(number, round / OF_A_COMMIT).sha];
    let version = u64::try_from(round * 1_000_000 + number)? + 1;
    Ok(Change {
        scope: Arc::new(Scope {
            account: "acme".parse()?,
            runtime: runtime.parse()?,
            kind: ObjectKind::Application,
            cluster: ClusterName::from("in-cluster"),
        }),
        runtime_name: runtime.parse()?,
        object: ObjectName {
            namespace: "argocd".into(),
            name: format!("app-{number:06}").into(),
        },
        uid: Uid::from(&*uid(&number.to_string())),
        position: Position {
            resource_version: version,
            epoch: 1,
            sequence: version,
        },
        continuity: Continuity::Continued,
        operations: Vec::new(),
        state: Some(State {
            summary: Summary {
                traits,
                sync: if step < 2 {
                    Sync::OutOfSync
                } else {
                    Sync::Synced
                },
                health: if step == 2 {
                    Health::Progressing
                } else {
                    Health::Healthy
                },
                source: Source::Git,
                details: Details::default(),
            },
            root_digest: Digest::of(&canonical),
            patch: None,
            progress: Box::new(Progress {
                revisions,
                ..Progress::default()
            }),
            manifests: Vec::new(),
            images: Vec::new(),
            // About as large as the two halves are.
            basic: canonical.slice(..canonical.len() / 8),
            detail: canonical.slice(canonical.len() / 8..),
            canonical,
        }),
    })
}

/// What a state says: these are for somebody who sees everything.
pub(super) fn read(_: &Bytes) -> Option<DecodedState> {
    None
}
