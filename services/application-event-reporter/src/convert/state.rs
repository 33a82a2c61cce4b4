//! Converts an Application to its reported state. Equal inputs give equal bytes and an equal root digest.

use std::collections::BTreeMap;

use causeway_argocd::application::{
    self as argocd, Application, INITIATED_BY, REQUEST_ID, list_or_single, to_millis,
};
use causeway_proto::{inventory::v1 as pb, time::millis_to_timestamp};
use causeway_reporting::Digest;
use prost::Message as _;
use prost_types::Timestamp;

use super::{
    chart::{first_chart, to_sources},
    errors::to_errors,
    first_commit,
    fit::{fit, manifest_omissions},
};
use crate::{
    enrichment::{Commit, Desired, Enrichment, Network, Node, ResourceName},
    parent::ArgoCdNamespaces,
};

/// Returns the full state with its root digest.
pub(crate) fn to_state(
    application: &Application,
    enrichment: &Enrichment,
    argocds: &ArgoCdNamespaces,
) -> (pb::ApplicationState, Digest) {
    let metadata = &application.metadata;
    let mut state = pb::ApplicationState {
        root_digest: bytes::Bytes::new(),
        labels: metadata.labels.clone(),
        created_at_ms: to_millis(metadata.creation_timestamp.as_deref()).unwrap_or(0),
        deletion_requested_at_ms: to_millis(metadata.deletion_timestamp.as_deref()).unwrap_or(0),
        spec: Some(to_spec(application)),
        status: Some(to_status(application, enrichment, argocds)),
    };
    fit(&mut state);
    let root = Digest::compute(&state.encode_to_vec());
    state.root_digest = root.to_bytes();
    (state, root)
}

fn to_spec(application: &Application) -> pb::ApplicationSpec {
    let spec = &application.spec;
    let destination = &spec.destination;
    pb::ApplicationSpec {
        project: spec.project.clone(),
        sources: application.sources().iter().map(to_source).collect(),
        destination: Some(pb::Destination {
            server: destination.server.clone(),
            name: destination.name.clone(),
            namespace: destination.namespace.clone(),
        }),
        sync_policy: spec.sync_policy.as_ref().map(to_sync_policy),
    }
}

fn to_source(source: &argocd::Source) -> pb::ApplicationSource {
    pb::ApplicationSource {
        repository_url: source.repo_url.clone(),
        target_revision: source.target_revision.clone(),
        path: source.path.clone(),
        chart: source.chart.clone(),
    }
}

fn to_sync_policy(policy: &argocd::SyncPolicy) -> pb::SyncPolicy {
    let automated = policy.automated.as_ref();
    let automated = automated.filter(|automated| automated.enabled != Some(false));
    pb::SyncPolicy {
        automated: automated.is_some(),
        prune: automated.is_some_and(|automated| automated.prune),
        self_heal: automated.is_some_and(|automated| automated.self_heal),
    }
}

fn to_status(
    application: &Application,
    enrichment: &Enrichment,
    argocds: &ArgoCdNamespaces,
) -> pb::ApplicationStatus {
    let status = &application.status;
    let revisions = application.revisions();
    let mut resources = to_resources(&status.resources, enrichment);
    mark_hooks(&mut resources, application);
    let (knowledge, reason) = match &enrichment.desired {
        Desired::Known => (pb::Knowledge::Known, String::new()),
        Desired::Unknown(reason) => (pb::Knowledge::Unknown, reason.clone()),
    };
    pb::ApplicationStatus {
        commit: first_commit(&revisions, enrichment),
        chart: first_chart(application.sources(), &revisions, enrichment),
        sources: to_sources(application.sources(), &revisions, enrichment),
        sync: Some(pb::SyncState {
            status: to_sync(&status.sync.status).into(),
            revisions,
        }),
        health: Some(to_health(&status.health)),
        operation: to_operation(application),
        history: status
            .history
            .iter()
            .map(|deployment| to_deployment(deployment, enrichment))
            .collect(),
        conditions: status.conditions.iter().map(to_condition).collect(),
        errors: to_errors(application, &resources),
        resources,
        images: status.summary.images.clone(),
        external_urls: status.summary.external_urls.clone(),
        parent: argocds.parent_of(application).map(to_parent),
        reconciled_at: timestamp(status.reconciled_at.as_deref()),
        desired: Some(pb::DesiredState {
            knowledge: knowledge.into(),
            reason,
        }),
        omissions: manifest_omissions(enrichment),
        hydration: to_hydration(&status.source_hydrator),
    }
}

fn to_hydration(all: &argocd::HydrationStatus) -> Option<pb::Hydration> {
    let current = all.current_operation.as_ref()?;
    let phase = match current.phase.as_str() {
        "Hydrated" if all.is_done() => pb::HydrationPhase::Hydrated,
        "Hydrating" | "Hydrated" => pb::HydrationPhase::Hydrating,
        "Failed" => pb::HydrationPhase::Failed,
        _ => pb::HydrationPhase::Unspecified,
    };
    Some(pb::Hydration {
        phase: phase.into(),
        message: current.message.clone(),
        dry_revision: current.dry_sha.clone(),
        hydrated_revision: current.hydrated_sha.clone(),
        started_at: timestamp(current.started_at.as_deref()),
        finished_at: timestamp(current.finished_at.as_deref()),
    })
}

fn to_sync(status: &str) -> pb::SyncStatus {
    match status {
        "Synced" => pb::SyncStatus::Synced,
        "OutOfSync" => pb::SyncStatus::OutOfSync,
        "" => pb::SyncStatus::Unspecified,
        _ => pb::SyncStatus::Unknown,
    }
}

fn to_health(health: &argocd::Health) -> pb::HealthState {
    pb::HealthState {
        status: health_status(&health.status).into(),
        message: health.message.clone(),
        since: timestamp(health.last_transition_time.as_deref()),
    }
}

fn health_status(status: &str) -> pb::HealthStatus {
    match status {
        "Healthy" => pb::HealthStatus::Healthy,
        "Progressing" => pb::HealthStatus::Progressing,
        "Suspended" => pb::HealthStatus::Suspended,
        "Degraded" => pb::HealthStatus::Degraded,
        "Missing" => pb::HealthStatus::Missing,
        "" => pb::HealthStatus::Unspecified,
        _ => pb::HealthStatus::Unknown,
    }
}

/// Returns the requested operation while the state still describes the previous one.
fn to_operation(application: &Application) -> Option<pb::Operation> {
    let state = application.status.operation_state.as_ref();
    let ended = |state: &&argocd::OperationState| state.finished_at.is_some();
    match (&application.operation, state) {
        (Some(asked), None) => Some(to_asked(asked)),
        (Some(asked), Some(state)) if ended(&state) => Some(to_asked(asked)),
        (_, Some(state)) => Some(to_operation_state(state)),
        (None, None) => None,
    }
}

pub(super) fn to_asked(operation: &argocd::Operation) -> pb::Operation {
    let sync = operation.sync.clone().unwrap_or_default();
    pb::Operation {
        revisions: list_or_single(&sync.revision, &sync.revisions),
        initiated_by: initiated_by(operation),
        automated: operation.initiated_by.automated,
        request_id: request_id(operation),
        dry_run: sync.dry_run,
        ..pb::Operation::default()
    }
}

pub(super) fn to_operation_state(state: &argocd::OperationState) -> pb::Operation {
    let mut operation = to_asked(&state.operation);
    if let Some(result) = &state.sync_result {
        let revisions = list_or_single(&result.revision, &result.revisions);
        if !revisions.is_empty() {
            operation.revisions = revisions;
        }
    }
    let resources = state.sync_result.iter().flat_map(|it| &it.resources);
    pb::Operation {
        phase: phase(&state.phase).into(),
        message: state.message.clone(),
        started_at: timestamp(state.started_at.as_deref()),
        finished_at: timestamp(state.finished_at.as_deref()),
        retry_count: u32::try_from(state.retry_count).unwrap_or(0),
        resources: resources.map(to_operation_resource).collect(),
        ..operation
    }
}

pub(super) fn phase(phase: &str) -> pb::OperationPhase {
    match phase {
        "Running" => pb::OperationPhase::Running,
        "Terminating" => pb::OperationPhase::Terminating,
        "Succeeded" => pb::OperationPhase::Succeeded,
        "Failed" => pb::OperationPhase::Failed,
        "Error" => pb::OperationPhase::Error,
        _ => pb::OperationPhase::Unspecified,
    }
}

fn to_operation_resource(result: &argocd::ResourceResult) -> pb::OperationResource {
    pb::OperationResource {
        group: result.group.to_string(),
        kind: result.kind.to_string(),
        namespace: result.namespace.to_string(),
        name: result.name.to_string(),
        status: result.status.to_string(),
        message: result.message.clone(),
    }
}

fn initiated_by(operation: &argocd::Operation) -> String {
    let ours = operation.info(INITIATED_BY);
    let ours = ours.map(|subject| subject.strip_prefix("user:").unwrap_or(subject));
    ours.unwrap_or(&operation.initiated_by.username).to_owned()
}

fn request_id(operation: &argocd::Operation) -> String {
    operation.info(REQUEST_ID).unwrap_or_default().to_owned()
}

fn to_deployment(deployment: &argocd::Deployment, enrichment: &Enrichment) -> pb::Deployment {
    let revisions = list_or_single(&deployment.revision, &deployment.revisions);
    pb::Deployment {
        sources: to_sources(deployment.sources(), &revisions, enrichment),
        id: deployment.id,
        commit: first_commit(&revisions, enrichment),
        revisions,
        started_at: timestamp(deployment.deploy_started_at.as_deref()),
        deployed_at: timestamp(deployment.deployed_at.as_deref()),
        initiated_by: deployment.initiated_by.username.clone(),
        automated: deployment.initiated_by.automated,
    }
}

pub(super) fn to_commit(revision: &str, commit: &Commit) -> pb::Commit {
    pb::Commit {
        sha: revision.to_owned(),
        author: commit.author.clone(),
        message: commit.message.clone(),
        committed_at: commit.committed_at.map(millis_to_timestamp),
        url: commit.url.clone(),
        avatar_url: commit.avatar_url.clone(),
    }
}

fn to_condition(condition: &argocd::Condition) -> pb::Condition {
    pb::Condition {
        r#type: condition.kind.clone(),
        message: condition.message.clone(),
        since: timestamp(condition.last_transition_time.as_deref()),
    }
}

fn to_parent((namespace, name): (&str, &str)) -> pb::ApplicationParent {
    pb::ApplicationParent {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    }
}

/// Returns the managed resources, with data of the tree, followed by their dependents.
fn to_resources(managed: &[argocd::Resource], enrichment: &Enrichment) -> Vec<pb::Resource> {
    let mut nodes: BTreeMap<&ResourceName, &Node> = BTreeMap::new();
    nodes.extend(enrichment.nodes.iter().map(|node| (&node.resource, node)));
    let mut all = Vec::with_capacity(managed.len().max(nodes.len()));
    for resource in managed {
        let name = ResourceName {
            group: resource.group.to_string(),
            kind: resource.kind.to_string(),
            namespace: resource.namespace.to_string(),
            name: resource.name.to_string(),
        };
        let mut reported = nodes.remove(&name).map(from_node).unwrap_or_default();
        fill(&mut reported, name, enrichment);
        manage(&mut reported, resource);
        all.push(reported);
    }
    for (name, node) in nodes {
        let mut reported = from_node(node);
        fill(&mut reported, name.clone(), enrichment);
        all.push(reported);
    }
    all
}

/// Sets the phases of hooks in the last operation.
fn mark_hooks(resources: &mut [pb::Resource], application: &Application) {
    let state = application.status.operation_state.as_ref();
    let results = state.and_then(|state| state.sync_result.as_ref());
    let results = results.map_or(&[][..], |result| &result.resources);
    let phases: BTreeMap<[&str; 4], &str> = results
        .iter()
        .map(|it| {
            let name = [&*it.group, &*it.kind, &*it.namespace, &*it.name];
            (name, &*it.hook_phase)
        })
        .collect();
    for resource in resources.iter_mut().filter(|it| it.hook) {
        let name = [
            &*resource.group,
            &*resource.kind,
            &*resource.namespace,
            &*resource.name,
        ];
        let phase = phases.get(&name).map(|it| phase(it)).unwrap_or_default();
        resource.hook_phase = phase.into();
    }
}

fn fill(reported: &mut pb::Resource, name: ResourceName, enrichment: &Enrichment) {
    let digests = enrichment.manifests.get(&name).copied();
    let digests = digests.unwrap_or_default();
    let bytes = |digest: Option<Digest>| digest.map(Digest::to_bytes).unwrap_or_default();
    reported.live_digest = bytes(digests.live);
    reported.desired_digest = bytes(digests.desired);
    reported.group = name.group;
    reported.kind = name.kind;
    reported.namespace = name.namespace;
    reported.name = name.name;
}

fn manage(reported: &mut pb::Resource, resource: &argocd::Resource) {
    if !resource.version.is_empty() {
        reported.version = resource.version.to_string();
    }
    if let Some(health) = &resource.health {
        reported.health = Some(to_health(health));
    }
    reported.sync = to_sync(&resource.status).into();
    reported.requires_pruning = resource.requires_pruning;
    reported.hook = resource.hook;
    reported.sync_wave = i32::try_from(resource.sync_wave).unwrap_or_default();
}

fn from_node(node: &Node) -> pb::Resource {
    let health = (!node.health.is_empty()).then(|| pb::HealthState {
        status: health_status(&node.health).into(),
        message: node.health_message.clone(),
        since: None,
    });
    pb::Resource {
        version: node.version.clone(),
        uid: node.uid.clone(),
        parent_uids: node.parent_uids.clone(),
        health,
        images: node.images.clone(),
        created_at: node.created_at.map(millis_to_timestamp),
        info: node.info.iter().map(to_info).collect(),
        network: node.network.as_ref().map(to_network),
        ..pb::Resource::default()
    }
}

fn to_info((name, value): &(String, String)) -> pb::ResourceInfo {
    pb::ResourceInfo {
        name: name.clone(),
        value: value.clone(),
    }
}

fn to_network(network: &Network) -> pb::ResourceNetwork {
    let target = |name: &ResourceName| pb::ResourceName {
        group: name.group.clone(),
        version: String::new(),
        kind: name.kind.clone(),
        namespace: name.namespace.clone(),
        name: name.name.clone(),
    };
    pb::ResourceNetwork {
        targets: network.targets.iter().map(target).collect(),
        ingress: network.ingress.clone(),
        external_urls: network.external_urls.clone(),
    }
}

pub(super) fn timestamp(text: Option<&str>) -> Option<Timestamp> {
    to_millis(text).map(millis_to_timestamp)
}
