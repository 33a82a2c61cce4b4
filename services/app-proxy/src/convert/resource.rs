//! Single resources, between the contract and the domain.

use std::collections::BTreeMap;

use causeway_argocd::rest::ResourceAction;
use causeway_proto::{ids::RequestId, proxy::v1 as pb};
use prost::Message as _;
use sha2::{Digest as _, Sha256};

use super::{FieldError, read_revision};
use crate::{
    resource::{ActionOrder, Cascade, DeleteOrder, Deletion, DeletionMode, Manifest, Manifests},
    scope::Requester,
    subject::{ResourceName, Subject, is_segment},
};

const LONGEST_KIND: usize = 63;
const LONGEST_GROUP: usize = 253;
const LONGEST_UID: usize = 128;
const MOST_PARAMETERS: usize = 50;
const LONGEST_PARAMETERS: usize = 16 << 10;

/// The names become a path of the cluster's API.
pub(crate) fn read_resource(
    (group, kind): (String, String),
    (namespace, name): (String, String),
    uid: String,
) -> Result<ResourceName, FieldError> {
    let plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let dotted = |text: &str| {
        let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
        text.bytes().all(inner) && !text.starts_with(['.', '-'])
    };
    if group.len() > LONGEST_GROUP || !dotted(&group) {
        return rule(
            "group",
            "must be an API group such as apps, or empty for the core group",
        );
    }
    if kind.is_empty() || kind.len() > LONGEST_KIND || !plain(&kind) {
        return rule("kind", "must be a kind such as Deployment");
    }
    if namespace.len() > LONGEST_KIND || !dotted(&namespace) {
        return rule(
            "namespace",
            "must be the name of a namespace, or empty for what is in none",
        );
    }
    if !is_segment(&name) {
        return rule(
            "name",
            "must be the name of an object: 1 to 253 characters without '/' and '%'",
        );
    }
    if uid.len() > LONGEST_UID || !dotted(&uid) {
        return rule("uid", "must be the uid of an object, or empty");
    }
    let uid = (!uid.is_empty()).then_some(uid);
    Ok(ResourceName {
        group,
        kind,
        namespace,
        name,
        uid,
    })
}

fn rule<T>(field: &'static str, rule: &'static str) -> Result<T, FieldError> {
    Err(FieldError::Rule { field, rule })
}

pub(crate) fn read_delete(
    request: pb::DeleteResourceRequest,
) -> Result<(RequestId, DeleteOrder), FieldError> {
    let request_id = request.request_id.parse()?;
    let cascade = match pb::Cascade::try_from(request.cascade) {
        Ok(pb::Cascade::Unspecified | pb::Cascade::Background) => Cascade::Background,
        Ok(pb::Cascade::Foreground) => Cascade::Foreground,
        Ok(pb::Cascade::Orphan) => Cascade::Orphan,
        Err(_) => {
            return rule(
                "cascade",
                "is unknown: use BACKGROUND, FOREGROUND or ORPHAN",
            );
        }
    };
    let name = read_resource(
        (request.group, request.kind),
        (request.namespace, request.name),
        request.uid,
    )?;
    if name.uid.is_none() {
        return rule(
            "uid",
            "must be that of the object: GetLiveResource tells it",
        );
    }
    let ending = if request.force {
        DeletionMode::Forced
    } else {
        DeletionMode::Graceful
    };
    let order = DeleteOrder {
        name,
        cascade,
        ending,
    };
    Ok((request_id, order))
}

pub(crate) fn read_action(
    request: pb::RunResourceActionRequest,
    requester: &Requester,
) -> Result<ActionOrder, FieldError> {
    let request_id = request.request_id.parse()?;
    let asked = pb::RunResourceActionRequest {
        request_id: String::new(),
        // Maps have no order.
        parameters: [].into(),
        ..request.clone()
    };
    let parameters: BTreeMap<String, String> = request.parameters.into_iter().collect();
    let user = &requester.user;
    let asked = format!("{user}\0{:?}{parameters:?}", asked.encode_to_vec());
    let bytes: usize = parameters
        .iter()
        .map(|(name, value)| name.len() + value.len())
        .sum();
    if parameters.len() > MOST_PARAMETERS || bytes > LONGEST_PARAMETERS {
        return rule("parameters", "must be at most 50 with 16 KiB in all");
    }
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if request.action.is_empty()
        || request.action.len() > LONGEST_GROUP
        || !request.action.bytes().all(inner)
    {
        return rule(
            "action",
            "must be the name of an action: ListResourceActions tells them",
        );
    }
    let name = read_resource(
        (request.group, request.kind),
        (request.namespace, request.name),
        String::new(),
    )?;
    Ok(ActionOrder {
        request_id,
        name,
        action: request.action,
        parameters,
        asked: digest(asked.as_bytes()),
    })
}

/// Short enough for an annotation that holds several.
fn digest(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest
        .iter()
        .take(16)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

pub(crate) fn to_action(action: ResourceAction) -> pb::ResourceAction {
    pb::ResourceAction {
        name: action.name,
        disabled: action.disabled,
        display_name: action.display_name,
    }
}

pub(crate) fn read_manifests(source: i32, revision: String) -> Result<Manifests, FieldError> {
    let revision = read_revision(revision)?;
    let manifests = match pb::ManifestSource::try_from(source) {
        Ok(pb::ManifestSource::Unspecified | pb::ManifestSource::Live) => Manifests::Live,
        Ok(pb::ManifestSource::Compared) => Manifests::Compared,
        Ok(pb::ManifestSource::Git) => return Ok(Manifests::Git(revision)),
        Err(_) => return rule("source", "is unknown: use LIVE, GIT or COMPARED"),
    };
    match revision {
        Some(_) => rule("revision", "is for the source GIT alone"),
        None => Ok(manifests),
    }
}

impl From<Subject> for pb::GetLiveResourceResponse {
    fn from(found: Subject) -> Self {
        let metadata = &found.object["metadata"];
        let text = |field: &str| metadata[field].as_str().unwrap_or_default();
        let application = found.application.unwrap_or_default().metadata;
        Self {
            uid: text("uid").to_owned(),
            resource_version: text("resourceVersion").parse().unwrap_or(0),
            manifest: found.object.to_string().into(),
            application_namespace: application.namespace,
            application: application.name,
        }
    }
}

impl From<Deletion> for pb::Deletion {
    fn from(deletion: Deletion) -> Self {
        match deletion {
            Deletion::Gone => Self::Gone,
            Deletion::Pending => Self::Pending,
            Deletion::Absent => Self::Absent,
        }
    }
}

impl From<Manifest> for pb::StreamManifestsResponse {
    fn from(manifest: Manifest) -> Self {
        let text = |state: Option<serde_json::Value>| {
            let text = state.map(|state| state.to_string());
            text.unwrap_or_default().into()
        };
        Self {
            group: manifest.of.group,
            kind: manifest.of.kind,
            namespace: manifest.of.namespace,
            name: manifest.of.name,
            live: text(manifest.live),
            desired: text(manifest.desired),
        }
    }
}
