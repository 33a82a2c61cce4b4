//! Client of argocd-server's REST API. Calls are bounded in time and bytes; errors name the next step.

mod resource;
mod response;
mod sync;

use std::{sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Method, RequestBuilder, Response, Url};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use tokio::sync::Mutex;
use tracing::Instrument as _;

pub use resource::{ResourceAction, ResourceRef};
pub use response::{
    Ingress, ManagedResource, NetworkingInfo, NodeInfo, ResourceNode, RevisionMetadata, TargetRef,
};
pub use sync::{Apply, Backoff, RetryStrategy, Strategy, Sync, SyncOptions, SyncResource};

use crate::{
    ArgocdArgs, ArgocdError, ArgocdServer, Cluster, TlsCheck,
    connect::Location,
    error::root_cause,
    server_discovery::{self, ServerRoute},
    token_file::TokenFile,
    trace,
};

/// Prefix of rustls errors about a rejected certificate.
const INVALID_CERTIFICATE_PREFIX: &str = "invalid peer certificate";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const CALL_TIMEOUT: Duration = Duration::from_secs(20);
const MAX_RESPONSE_BYTES: usize = 64 << 20;
const APPLICATIONS: &str = "applications";
/// Separates the server's own base path from the path of the call.
const VERSION: &str = "/api/v1/";
/// Name that no application can have: a dash alone is not a valid object name.
const NO_APPLICATION: &str = "-";
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// Client of argocd-server for one account. Cheap to clone; dials on the first call.
#[derive(Clone)]
pub struct Argocd(Arc<Inner>);

struct Inner {
    http: reqwest::Client,
    server: Server,
    /// Namespace of Argo CD itself.
    namespace: String,
    token: Option<TokenFile>,
}

enum Server {
    None,
    Fixed(Url),
    Auto {
        cluster: Cluster,
        namespace: String,
        found: Mutex<Option<Arc<ServerRoute>>>,
    },
}

/// Identifies an application to Argo CD.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ApplicationName {
    pub namespace: String,
    pub name: String,
    /// Empty if unknown.
    pub project: String,
}

/// Verb of Argo CD's own access rules on applications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Starts and terminates operations.
    Sync,
    /// Changes the spec.
    Update,
    Delete,
}

/// Name and value attached to an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Info {
    pub name: String,
    pub value: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SyncBody<'a> {
    app_namespace: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    project: &'a str,
    #[serde(flatten)]
    sync: &'a Sync,
}

impl Argocd {
    /// Builds the client without dialling.
    ///
    /// # Errors
    /// The CA file cannot be used.
    pub fn open(args: &ArgocdArgs, cluster: &Cluster) -> Result<Self, ArgocdError> {
        let server = match &args.argocd_server {
            None => Server::None,
            Some(ArgocdServer::Url(url)) => Server::Fixed(url.clone()),
            Some(ArgocdServer::Auto) => Server::Auto {
                cluster: cluster.clone(),
                namespace: args.argocd_namespace.clone(),
                found: Mutex::new(None),
            },
        };
        Ok(Self(Arc::new(Inner {
            http: build_http_client(args, cluster.location())?,
            server,
            namespace: args.argocd_namespace.clone(),
            token: args.argocd_token_file.clone().map(TokenFile::new),
        })))
    }

    /// Returns true if an address and a token are configured.
    pub fn is_configured(&self) -> bool {
        !matches!(self.0.server, Server::None) && self.0.token.is_some()
    }

    /// Returns Argo CD's own namespace, the default of an Application name without one.
    pub fn namespace(&self) -> &str {
        &self.0.namespace
    }

    /// Checks that argocd-server responds and accepts the token.
    ///
    /// # Errors
    /// See [`ArgocdError`].
    pub async fn check(&self) -> Result<(), ArgocdError> {
        let (server, request) = self.request(Method::GET, APPLICATIONS).await?;
        let nothing = ApplicationName {
            namespace: String::new(),
            name: NO_APPLICATION.to_owned(),
            project: String::new(),
        };
        let request = request.query(&[("name", NO_APPLICATION)]);
        self.send(&server, request, &nothing).await.map(drop)
    }

    /// Returns live and desired manifests of an application's managed resources.
    ///
    /// # Errors
    /// See [`ArgocdError`].
    pub async fn managed_resources(
        &self,
        application: &ApplicationName,
    ) -> Result<Vec<ManagedResource>, ArgocdError> {
        let path = format!("{}/managed-resources", application.path());
        let items: response::Items<ManagedResource> =
            self.get(&path, application, &[], "manifests").await?;
        Ok(items.items)
    }

    /// Returns the resource tree, including the children of managed resources.
    ///
    /// # Errors
    /// See [`ArgocdError`].
    pub async fn resource_tree(
        &self,
        application: &ApplicationName,
    ) -> Result<Vec<ResourceNode>, ArgocdError> {
        let path = format!("{}/resource-tree", application.path());
        let tree: response::Tree = self
            .get(&path, application, &[], "the resource tree")
            .await?;
        Ok(tree.nodes)
    }

    /// Returns the commit metadata of a revision of one of the application's sources.
    ///
    /// # Errors
    /// See [`ArgocdError`].
    pub async fn revision_metadata(
        &self,
        application: &ApplicationName,
        revision: &str,
        source_index: u32,
    ) -> Result<RevisionMetadata, ArgocdError> {
        let path = format!(
            "{}/revisions/{}/metadata",
            application.path(),
            encode_segment(revision)
        );
        let index = [("sourceIndex", source_index.to_string())];
        let metadata = self.get(&path, application, &index, "a revision").await;
        // Argo CD answers an unknown revision with an internal error, not with 404.
        metadata.map_err(|error| {
            if !matches!(error, ArgocdError::Failed { .. }) {
                return error;
            }
            let revision = revision.to_owned();
            ArgocdError::UnknownRevision { revision }
        })
    }

    /// Starts a sync and returns the updated Application object.
    ///
    /// # Errors
    /// See [`ArgocdError`]; `Precondition` if another operation is running.
    pub async fn sync(
        &self,
        application: &ApplicationName,
        sync: &Sync,
    ) -> Result<serde_json::Value, ArgocdError> {
        let path = format!("{}/sync", application.path());
        let body = SyncBody {
            app_namespace: &application.namespace,
            project: &application.project,
            sync,
        };
        let (server, request) = self.request(Method::POST, &path).await?;
        let response = self.send(&server, request.json(&body), application).await?;
        read_json(&server, response, "the sync").await
    }

    /// Returns true if the token has this permission, even on an application of another Argo CD.
    ///
    /// # Errors
    /// See [`ArgocdError`].
    pub async fn is_permitted(
        &self,
        verb: Verb,
        application: &ApplicationName,
    ) -> Result<bool, ArgocdError> {
        let object = if application.namespace == self.0.namespace {
            encode_segment(&application.name)
        } else {
            format!(
                "{}/{}",
                encode_segment(&application.namespace),
                encode_segment(&application.name)
            )
        };
        let project = encode_segment(&application.project);
        let verb = verb.as_str();
        let path = format!("account/can-i/applications/{verb}/{project}/{object}");
        let (server, request) = self.request(Method::GET, &path).await?;
        let response = self.send(&server, request, application).await?;
        let allowed: response::Allowed = read_json(&server, response, "a permission").await?;
        Ok(allowed.value == "yes")
    }

    async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        application: &ApplicationName,
        query: &[(&str, String)],
        what: &'static str,
    ) -> Result<T, ArgocdError> {
        let (server, request) = self.request(Method::GET, path).await?;
        let request = request.query(&application.query()).query(query);
        let response = self.send(&server, request, application).await?;
        read_json(&server, response, what).await
    }

    async fn request(
        &self,
        method: Method,
        path: &str,
    ) -> Result<(String, RequestBuilder), ArgocdError> {
        let token = self.0.token.as_ref().ok_or(ArgocdError::NoToken)?;
        let bearer = token.to_bearer().await?;
        let base = self.base_url().await?;
        let server = base.as_str().trim_end_matches('/').to_owned();
        let url = format!("{server}{VERSION}{path}");
        let request = self.0.http.request(method, url);
        let request = request.header(reqwest::header::AUTHORIZATION, bearer);
        Ok((server, request))
    }

    async fn base_url(&self) -> Result<Url, ArgocdError> {
        match &self.0.server {
            Server::None => Err(ArgocdError::NoToken),
            Server::Fixed(url) => Ok(url.clone()),
            Server::Auto {
                cluster,
                namespace,
                found,
            } => {
                let mut found = found.lock().await;
                if let Some(found) = found.as_ref() {
                    return Ok(found.url.clone());
                }
                let now = Arc::new(server_discovery::find(cluster, namespace).await?);
                *found = Some(Arc::clone(&now));
                Ok(now.url.clone())
            }
        }
    }

    async fn send(
        &self,
        server: &str,
        request: RequestBuilder,
        application: &ApplicationName,
    ) -> Result<Response, ArgocdError> {
        let (http, request) = request.timeout(CALL_TIMEOUT).build_split();
        let mut request = request.map_err(|error| unavailable(server, &error))?;
        let url = request.url();
        let (_, path) = url.path().split_once(VERSION).unwrap_or_default();
        let host = url.host_str().unwrap_or_default();
        let span = trace::argocd_span(request.method(), path, host, &application.name);
        span.in_scope(|| causeway_shell::inject_trace(request.headers_mut()));
        let sent = http.execute(request).instrument(span.clone()).await;
        let status = sent.as_ref().map(|response| response.status().as_u16());
        trace::record_status(&span, status.ok());
        let response = match sent {
            Ok(response) => response,
            Err(error) => {
                self.clear_route().await;
                return Err(unavailable(server, &error));
            }
        };
        if response.status().is_success() {
            return Ok(response);
        }
        Err(response::to_error(server, response, application).await)
    }

    /// Clears the discovered address: a pod that does not respond may have been replaced.
    async fn clear_route(&self) {
        if let Server::Auto { found, .. } = &self.0.server {
            *found.lock().await = None;
        }
    }
}

impl Verb {
    fn as_str(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Update => "update",
            Self::Delete => "delete",
        }
    }
}

impl ApplicationName {
    fn path(&self) -> String {
        format!("{APPLICATIONS}/{}", encode_segment(&self.name))
    }

    fn query(&self) -> Vec<(&'static str, &str)> {
        let all = [
            ("appNamespace", self.namespace.as_str()),
            ("project", self.project.as_str()),
        ];
        all.into_iter()
            .filter(|(_, value)| !value.is_empty())
            .collect()
    }
}

impl std::fmt::Display for ApplicationName {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}/{}", self.namespace, self.name)
    }
}

fn encode_segment(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

fn build_http_client(
    args: &ArgocdArgs,
    location: Location,
) -> Result<reqwest::Client, ArgocdError> {
    // The API server authenticates the pod behind a forwarded port; a certificate for `localhost` would prove nothing.
    let forwarded =
        args.argocd_server == Some(ArgocdServer::Auto) && matches!(location, Location::Outside);
    let skip = args.argocd_tls_check == TlsCheck::Skip || forwarded;
    let mut builder = reqwest::Client::builder()
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .tls_danger_accept_invalid_certs(skip);
    if let Some(file) = &args.argocd_ca_file {
        let unusable = |cause: String| ArgocdError::CaFile {
            file: file.clone(),
            cause,
        };
        let pem = std::fs::read(file).map_err(|error| unusable(error.to_string()))?;
        let certificates = reqwest::Certificate::from_pem_bundle(&pem);
        let certificates = certificates.map_err(|error| unusable(root_cause(&error)))?;
        builder = builder.tls_certs_merge(certificates);
    }
    builder.build().map_err(|error| ArgocdError::Unavailable {
        server: "its address".to_owned(),
        cause: root_cause(&error),
    })
}

async fn read_json<T: DeserializeOwned>(
    server: &str,
    response: Response,
    what: &'static str,
) -> Result<T, ArgocdError> {
    let body = read_body(server, response, what).await?;
    serde_json::from_slice(&body).map_err(|error| ArgocdError::Malformed {
        what,
        cause: error.to_string(),
    })
}

async fn read_body(
    server: &str,
    mut response: Response,
    what: &'static str,
) -> Result<Bytes, ArgocdError> {
    let mut body = BytesMut::new();
    let lost = |error: reqwest::Error| unavailable(server, &error);
    while let Some(chunk) = response.chunk().await.map_err(lost)? {
        if body.len() + chunk.len() > MAX_RESPONSE_BYTES {
            return Err(ArgocdError::TooLarge {
                what,
                limit: MAX_RESPONSE_BYTES,
            });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

fn unavailable(server: &str, error: &reqwest::Error) -> ArgocdError {
    let cause = if error.is_timeout() {
        format!("no response within {} s", CALL_TIMEOUT.as_secs())
    } else {
        root_cause(error)
    };
    let server = server.to_owned();
    match (
        cause.starts_with(INVALID_CERTIFICATE_PREFIX),
        error.is_connect(),
    ) {
        (true, _) => ArgocdError::Untrusted { server, cause },
        (false, true) => ArgocdError::Unavailable { server, cause },
        (false, false) => ArgocdError::NoResponse { server, cause },
    }
}
