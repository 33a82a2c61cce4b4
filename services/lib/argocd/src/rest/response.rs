//! Responses of argocd-server, read tolerantly: absent and null fields are empty.

use std::collections::BTreeMap;

use reqwest::{Response, StatusCode};
use serde::Deserialize;

use super::ApplicationName;
use crate::{
    ArgocdError,
    application::{Health, or_default},
};

const MAX_ERROR_BYTES: usize = 64 * 1024;
const MAX_MESSAGE_CHARS: usize = 1024;

#[derive(Deserialize)]
pub(super) struct Items<T> {
    #[serde(default = "Vec::new", deserialize_with = "or_default")]
    #[serde(bound(deserialize = "T: Deserialize<'de>"))]
    pub(super) items: Vec<T>,
}

#[derive(Deserialize)]
pub(super) struct Tree {
    #[serde(default, deserialize_with = "or_default")]
    pub(super) nodes: Vec<ResourceNode>,
}

#[derive(Deserialize)]
pub(super) struct Allowed {
    #[serde(default)]
    pub(super) value: String,
}

/// Managed resource.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ManagedResource {
    #[serde(deserialize_with = "or_default")]
    pub group: String,
    #[serde(deserialize_with = "or_default")]
    pub kind: String,
    #[serde(deserialize_with = "or_default")]
    pub namespace: String,
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    /// JSON text of the live object; `null` or empty if it does not exist.
    #[serde(deserialize_with = "or_default")]
    pub live_state: String,
    /// JSON text of the desired object; `null` or empty if it does not exist.
    #[serde(deserialize_with = "or_default")]
    pub target_state: String,
    /// JSON text of the live object without ignored differences; `null` or empty if it does not exist.
    #[serde(deserialize_with = "or_default")]
    pub normalized_live_state: String,
    /// JSON text of the live object after a sync; `null` or empty if it would not exist.
    #[serde(deserialize_with = "or_default")]
    pub predicted_live_state: String,
}

/// Node of the tree.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ResourceNode {
    #[serde(deserialize_with = "or_default")]
    pub group: String,
    #[serde(deserialize_with = "or_default")]
    pub version: String,
    #[serde(deserialize_with = "or_default")]
    pub kind: String,
    #[serde(deserialize_with = "or_default")]
    pub namespace: String,
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    #[serde(deserialize_with = "or_default")]
    pub uid: String,
    #[serde(deserialize_with = "or_default")]
    pub parent_refs: Vec<ParentRef>,
    pub health: Option<Health>,
    #[serde(deserialize_with = "or_default")]
    pub images: Vec<String>,
    /// RFC 3339; absent if unknown.
    pub created_at: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub info: Vec<NodeInfo>,
    #[serde(deserialize_with = "or_default")]
    pub networking_info: NetworkingInfo,
}

/// Fact about a node.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct NodeInfo {
    #[serde(deserialize_with = "or_default")]
    pub name: String,
    #[serde(deserialize_with = "or_default")]
    pub value: String,
}

/// Traffic from and to a node.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct NetworkingInfo {
    /// Labels of the pods that it sends traffic to.
    #[serde(deserialize_with = "or_default")]
    pub target_labels: BTreeMap<String, String>,
    #[serde(deserialize_with = "or_default")]
    pub target_refs: Vec<TargetRef>,
    #[serde(deserialize_with = "or_default")]
    pub labels: BTreeMap<String, String>,
    #[serde(deserialize_with = "or_default")]
    pub ingress: Vec<Ingress>,
    #[serde(rename = "externalURLs", deserialize_with = "or_default")]
    pub external_urls: Vec<String>,
}

/// Node that another one sends traffic to.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct TargetRef {
    #[serde(deserialize_with = "or_default")]
    pub group: String,
    #[serde(deserialize_with = "or_default")]
    pub kind: String,
    #[serde(deserialize_with = "or_default")]
    pub namespace: String,
    #[serde(deserialize_with = "or_default")]
    pub name: String,
}

/// Address of a load balancer.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Ingress {
    #[serde(deserialize_with = "or_default")]
    pub hostname: String,
    #[serde(deserialize_with = "or_default")]
    pub ip: String,
}

/// Owner of a node.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ParentRef {
    #[serde(deserialize_with = "or_default")]
    pub uid: String,
}

/// Commit.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct RevisionMetadata {
    #[serde(deserialize_with = "or_default")]
    pub author: String,
    #[serde(deserialize_with = "or_default")]
    pub message: String,
    /// RFC 3339.
    pub date: Option<String>,
    #[serde(deserialize_with = "or_default")]
    pub tags: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct ErrorBody {
    code: i64,
    message: String,
    error: String,
}

const GRPC_NOT_FOUND: i64 = 5;
const GRPC_FAILED_PRECONDITION: i64 = 9;
/// Prefix of Argo CD's message about a sync window, which has the status of a missing permission.
const SYNC_WINDOW_PREFIX: &str = "cannot sync: ";

/// Maps a failed response to an error. A missing application is reported as 404 only to a token that may see it, otherwise as
/// 403.
pub(super) async fn to_error(
    server: &str,
    response: Response,
    application: &ApplicationName,
) -> ArgocdError {
    let status = response.status();
    let body = read_error_body(response).await;
    let message = match (body.message.is_empty(), body.error.is_empty()) {
        (false, _) => body.message,
        (true, false) => body.error,
        (true, true) => format!("HTTP {}", status.as_u16()),
    };
    let message: String = message.chars().take(MAX_MESSAGE_CHARS).collect();
    if status == StatusCode::UNAUTHORIZED {
        let server = server.to_owned();
        return ArgocdError::TokenRefused { server };
    }
    let application = application.to_string();
    if status == StatusCode::FORBIDDEN && message.starts_with(SYNC_WINDOW_PREFIX) {
        return ArgocdError::Precondition { message };
    }
    if status == StatusCode::FORBIDDEN {
        return ArgocdError::Denied { application };
    }
    if status == StatusCode::NOT_FOUND {
        let server = server.to_owned();
        return match body.code {
            GRPC_NOT_FOUND => ArgocdError::NotFound {
                server,
                application,
            },
            // Not Argo CD's API, but another server at that address.
            _ => ArgocdError::ServerNotFound {
                cause: format!("{server} answers HTTP 404"),
            },
        };
    }
    if body.code == GRPC_FAILED_PRECONDITION {
        return ArgocdError::Precondition { message };
    }
    if status == StatusCode::INTERNAL_SERVER_ERROR {
        return ArgocdError::Failed { message };
    }
    if status.is_server_error() {
        return ArgocdError::NoResponse {
            server: server.to_owned(),
            cause: message,
        };
    }
    ArgocdError::Rejected { message }
}

async fn read_error_body(mut response: Response) -> ErrorBody {
    let mut body = Vec::new();
    while let Ok(Some(chunk)) = response.chunk().await {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_ERROR_BYTES {
            return ErrorBody::default();
        }
    }
    serde_json::from_slice(&body).unwrap_or_default()
}
