//! Between the contract and the domain.

use causeway_argocd::{
    application::to_millis,
    rest::{ApplicationName, ManagedResource, NodeInfo, ResourceNode, RevisionMetadata},
};
use causeway_proto::{source::v1 as pb, time::millis_to_timestamp};

use crate::{
    link::GitHosts,
    network::{Pods, to_network},
    source::{RevisionKey, StateKey},
};

const LONGEST_NAME: usize = 253;
const LONGEST_REVISION: usize = 256;
const LONGEST_ADDRESS: usize = 4096;
const MOST_FACTS: usize = 16;
const LONGEST_FACT_NAME: usize = 64;
const LONGEST_FACT: usize = 256;

/// A field of a request that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field} must have 1 to {longest} characters")]
pub struct FieldError {
    field: &'static str,
    longest: usize,
}

impl TryFrom<pb::GetManagedResourcesRequest> for StateKey {
    type Error = FieldError;

    fn try_from(request: pb::GetManagedResourcesRequest) -> Result<Self, FieldError> {
        state_key(request.application, request.state_key)
    }
}

impl TryFrom<pb::GetResourceTreeRequest> for StateKey {
    type Error = FieldError;

    fn try_from(request: pb::GetResourceTreeRequest) -> Result<Self, FieldError> {
        state_key(request.application, request.state_key)
    }
}

/// The address of a request's repository.
pub(crate) fn repository(request: &pb::GetRevisionMetadataRequest) -> Result<String, FieldError> {
    let url = request.repository_url.clone();
    let longest = LONGEST_ADDRESS;
    if url.len() > longest {
        Err(FieldError {
            field: "repository_url",
            longest,
        })
    } else {
        Ok(url)
    }
}

impl TryFrom<pb::GetRevisionMetadataRequest> for RevisionKey {
    type Error = FieldError;

    fn try_from(request: pb::GetRevisionMetadataRequest) -> Result<Self, FieldError> {
        Ok(Self {
            application: application(request.application)?,
            revision: text("revision", request.revision, LONGEST_REVISION)?,
            source_index: request.source_index,
        })
    }
}

pub(crate) fn to_managed_resource(resource: &ManagedResource) -> pb::ManagedResource {
    pb::ManagedResource {
        group: resource.group.clone(),
        kind: resource.kind.clone(),
        namespace: resource.namespace.clone(),
        name: resource.name.clone(),
        live_json: manifest(&resource.live_state),
        desired_json: manifest(&resource.target_state),
    }
}

pub(crate) fn to_node(node: &ResourceNode, pods: &Pods<'_>) -> pb::ResourceNode {
    let health = node.health.clone().unwrap_or_default();
    pb::ResourceNode {
        group: node.group.clone(),
        version: node.version.clone(),
        kind: node.kind.clone(),
        namespace: node.namespace.clone(),
        name: node.name.clone(),
        uid: node.uid.clone(),
        parent_uids: node
            .parent_refs
            .iter()
            .map(|parent| parent.uid.clone())
            .collect(),
        health: health.status.to_string(),
        health_message: health.message,
        images: node.images.clone(),
        created_at: to_millis(node.created_at.as_deref()).map(millis_to_timestamp),
        info: node.info.iter().take(MOST_FACTS).map(to_fact).collect(),
        network: to_network(node, pods),
    }
}

fn to_fact(info: &NodeInfo) -> pb::ResourceNodeInfo {
    let cut = |text: &str, most| text[..text.floor_char_boundary(most)].to_owned();
    pb::ResourceNodeInfo {
        name: cut(&info.name, LONGEST_FACT_NAME),
        value: cut(&info.value, LONGEST_FACT),
    }
}

pub(crate) fn to_commit(
    commit: &RevisionMetadata,
    links: &GitHosts,
    repository: &str,
    revision: &str,
) -> pb::GetRevisionMetadataResponse {
    pb::GetRevisionMetadataResponse {
        url: links.commit(repository, revision),
        avatar_url: links.avatar(repository, &commit.author),
        author: commit.author.clone(),
        message: commit.message.clone(),
        committed_at: to_millis(commit.date.as_deref()).map(millis_to_timestamp),
        tags: commit.tags.clone(),
    }
}

fn state_key(key: Option<pb::ApplicationKey>, state: String) -> Result<StateKey, FieldError> {
    Ok(StateKey {
        application: application(key)?,
        state: text("state_key", state, LONGEST_NAME)?,
    })
}

fn application(key: Option<pb::ApplicationKey>) -> Result<ApplicationName, FieldError> {
    let key = key.unwrap_or_default();
    Ok(ApplicationName {
        namespace: text("application.namespace", key.namespace, LONGEST_NAME)?,
        name: text("application.name", key.name, LONGEST_NAME)?,
        project: key.project.chars().take(LONGEST_NAME).collect(),
    })
}

fn text(field: &'static str, value: String, longest: usize) -> Result<String, FieldError> {
    if value.is_empty() || value.len() > longest {
        Err(FieldError { field, longest })
    } else {
        Ok(value)
    }
}

/// Argo CD writes `null` where there is no object.
fn manifest(text: &str) -> String {
    match text {
        "null" => String::new(),
        other => other.to_owned(),
    }
}
