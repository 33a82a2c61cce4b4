//! Wanted against live: which resources differ, how the whole stands, and what a sync would have to do.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    application::{Application, ApplicationKey},
    health::{self, HealthCode},
    manifest::{GroupKind, LAST_APPLIED, ResourceKey, TRACKING, annotation, hook, sync_wave},
    predict::predict,
    status::{ResourceStatus, SyncCode},
};

/// An object as it should be, in the namespace where it goes, with its tracking annotation.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Target {
    pub(crate) key: ResourceKey,
    pub(crate) version: String,
    pub(crate) value: Value,
}

/// Comparison of one resource that is desired, live or both.
#[derive(Clone, Debug)]
pub(crate) struct ResourceComparison {
    pub(crate) key: ResourceKey,
    pub(crate) version: String,
    pub(crate) target: Option<Value>,
    pub(crate) live: Option<Value>,
    /// the live object after a sync
    pub(crate) predicted: Option<Value>,
    pub(crate) status: SyncCode,
    pub(crate) requires_pruning: bool,
}

/// Comparison of an application with one revision.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    pub(crate) sync: SyncCode,
    pub(crate) health: HealthCode,
    /// resolved, or as the user wrote it when it could not be
    pub(crate) revision: String,
    /// of several sources; else empty
    pub(crate) revisions: Vec<String>,
    pub(crate) source_type: String,
    pub(crate) source_types: Vec<String>,
    pub(crate) resources: Vec<ResourceComparison>,
    /// objects that are made by a sync and are not part of the state
    pub(crate) hooks: Vec<Target>,
    /// hooks of this or an earlier sync that are still there
    pub(crate) live_hooks: Vec<ResourceComparison>,
    /// of the pods that run for it
    pub(crate) images: Vec<String>,
    pub(crate) conditions: Vec<(&'static str, String)>,
}

impl Comparison {
    /// Nothing could be compared: a condition says why, and what is live is neither in sync nor out of it.
    pub(crate) fn failed(
        application: &Application,
        live: BTreeMap<ResourceKey, Value>,
        kind: &'static str,
        message: String,
    ) -> Self {
        let unknown = |entry| ResourceComparison {
            status: SyncCode::Unknown,
            requires_pruning: false,
            ..extra(entry)
        };
        let resources: Vec<ResourceComparison> = live.into_iter().map(unknown).collect();
        let origin = application.origin();
        let (revision, revisions) = origin.map_or_else(
            |_| (String::new(), Vec::new()),
            |origin| origin.one_or_several(&origin.target_revisions()),
        );
        Self {
            sync: SyncCode::Unknown,
            health: overall_health(application, &resources),
            revision,
            revisions,
            source_type: application.status.source_type.clone(),
            source_types: application.status.source_types.clone(),
            images: application.status.summary.images.clone(),
            hooks: Vec::new(),
            live_hooks: Vec::new(),
            resources,
            conditions: vec![(kind, message)],
        }
    }
}

impl From<&ResourceComparison> for ResourceStatus {
    fn from(compared: &ResourceComparison) -> Self {
        Self {
            group: compared.key.group.clone(),
            kind: compared.key.kind.clone(),
            name: compared.key.name.clone(),
            namespace: compared.key.namespace.clone(),
            hook: false,
            requires_pruning: compared.requires_pruning,
            status: Some(compared.status),
            sync_wave: compared.target.as_ref().map_or(0, sync_wave),
            version: compared.version.clone(),
        }
    }
}

/// `<application>:<group>/<Kind>:<namespace>/<name>`
pub(crate) fn tracking_id(instance: &str, key: &ResourceKey) -> String {
    format!(
        "{instance}:{}/{}:{}/{}",
        key.group, key.kind, key.namespace, key.name
    )
}

/// Revisions and types of the rendered sources.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) revision: String,
    pub(crate) revisions: Vec<String>,
    pub(crate) source_type: String,
    pub(crate) source_types: Vec<String>,
}

/// Compares targets with what is live: `live` holds the targets' keys and everything that is tracked as this application's.
pub(crate) fn compare(
    application: &Application,
    found: Found,
    targets: Vec<Target>,
    mut live: BTreeMap<ResourceKey, Value>,
) -> Comparison {
    let (targets, repeated) = without_repeats(targets);
    let (hooks, targets): (Vec<Target>, Vec<Target>) = targets
        .into_iter()
        .partition(|target| hook(&target.value).is_some());
    let mut resources: Vec<ResourceComparison> = targets
        .into_iter()
        .map(|target| {
            let live = live.remove(&target.key);
            compare_one(target, live)
        })
        .collect();
    let (live_hooks, extras): (Vec<_>, Vec<_>) = live
        .into_iter()
        .partition(|(_, value)| hook(value).is_some());
    resources.extend(extras.into_iter().map(extra));
    resources.sort_by(|left, right| left.key.cmp(&right.key));
    Comparison {
        sync: overall(&resources),
        health: overall_health(application, &resources),
        revision: found.revision,
        revisions: found.revisions,
        source_type: found.source_type,
        source_types: found.source_types,
        images: Vec::new(),
        hooks,
        live_hooks: live_hooks.into_iter().map(extra).collect(),
        resources,
        conditions: repeated,
    }
}

/// The last of several manifests for one object wins, and a condition tells of it.
fn without_repeats(targets: Vec<Target>) -> (Vec<Target>, Vec<(&'static str, String)>) {
    let mut by_key: BTreeMap<ResourceKey, (usize, Target)> = BTreeMap::new();
    for target in targets {
        let times = by_key.get(&target.key).map_or(1, |(times, _)| times + 1);
        by_key.insert(target.key.clone(), (times, target));
    }
    let tell = |key: &ResourceKey, times: usize| {
        let ResourceKey {
            group,
            kind,
            namespace,
            name,
        } = key;
        (
            "RepeatedResourceWarning",
            format!(
                "Resource {group}/{kind}/{namespace}/{name} appeared {times} times among application resources."
            ),
        )
    };
    let repeated = by_key
        .iter()
        .filter(|(_, (times, _))| *times > 1)
        .map(|(key, (times, _))| tell(key, *times))
        .collect();
    (
        by_key.into_values().map(|(_, target)| target).collect(),
        repeated,
    )
}

fn compare_one(target: Target, live: Option<Value>) -> ResourceComparison {
    let Target {
        key,
        version,
        value,
    } = target;
    let predicted = live
        .as_ref()
        .map(|live| predict(&value, last_applied(live).as_ref(), live));
    let same = live.is_some() && predicted == live;
    ResourceComparison {
        key,
        version,
        status: if same {
            SyncCode::Synced
        } else {
            SyncCode::OutOfSync
        },
        requires_pruning: false,
        predicted: predicted.or_else(|| Some(value.clone())),
        target: Some(value),
        live,
    }
}

/// Tracked as ours, wanted no more. What another object owns goes with its owner.
fn extra((key, value): (ResourceKey, Value)) -> ResourceComparison {
    let kept = annotation(&value, "argocd.argoproj.io/compare-options")
        .is_some_and(|it| it.contains("IgnoreExtraneous"));
    ResourceComparison {
        version: GroupKind::of(&value)
            .map(|kind| kind.version)
            .unwrap_or_default(),
        key,
        target: None,
        predicted: None,
        live: Some(value),
        status: if kept {
            SyncCode::Synced
        } else {
            SyncCode::OutOfSync
        },
        requires_pruning: !kept,
    }
}

/// Parses the last-applied annotation.
pub(crate) fn last_applied(live: &Value) -> Option<Value> {
    serde_json::from_str(annotation(live, LAST_APPLIED)?).ok()
}

fn overall(resources: &[ResourceComparison]) -> SyncCode {
    let behind = resources
        .iter()
        .any(|one| one.status == SyncCode::OutOfSync);
    if behind {
        SyncCode::OutOfSync
    } else {
        SyncCode::Synced
    }
}

/// The worst of the live ones. Missing kinds without a health of their own do not count, unless nothing is live at all.
fn overall_health(application: &Application, resources: &[ResourceComparison]) -> HealthCode {
    let judge = |one: &ResourceComparison| {
        let ResourceKey { group, kind, .. } = &one.key;
        match &one.live {
            None => health::has_check(group, kind).then_some(HealthCode::Missing),
            Some(_) if application.is_self(&one.key) => None,
            Some(live) => health::assess(live).map(|health| health.code),
        }
    };
    let worst = resources.iter().filter_map(judge).max().unwrap_or_default();
    let nothing_live = !resources.is_empty() && resources.iter().all(|one| one.live.is_none());
    if nothing_live {
        worst.max(HealthCode::Missing)
    } else {
        worst
    }
}

/// True for a live object that this application tracks; copies of tracked objects do not count.
pub(crate) fn belongs_to(
    key: &ApplicationKey,
    control_plane: &str,
    resource: &ResourceKey,
    live: &Value,
) -> bool {
    let wanted = tracking_id(&key.instance(control_plane), resource);
    annotation(live, TRACKING) == Some(wanted.as_str())
}

#[cfg(test)]
pub(super) mod tests;
