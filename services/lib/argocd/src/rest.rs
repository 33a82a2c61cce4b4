//! argocd-server's REST API, as far as it is needed: bounded in time and bytes, with errors that say what to do.

mod answer;
mod resource;
mod sync;

use std::{sync::Arc, time::Duration};

use bytes::{Bytes, BytesMut};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Method, RequestBuilder, Response, Url};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use tokio::sync::Mutex;
use tracing::Instrument as _;

pub use answer::{ManagedResource, ResourceNode, RevisionMetadata};
pub use resource::{ResourceAction, ResourceRef};
pub use sync::{Apply, Backoff, RetryStrategy, Strategy, Sync, SyncOptions, SyncResource};

use crate::{
    ArgocdArgs, ArgocdError, ArgocdServer, Cluster, TlsCheck,
    cluster::Place,
    discovery::{self, Found},
    error::root_cause,
    token::TokenFile,
    trace,
};

/// How rustls begins what it says of a certificate that it refuses.
const UNTRUSTED: &str = "invalid peer certificate";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const CALL_TIMEOUT: Duration = Duration::from_secs(20);
/// The largest answer that is read.
const LARGEST_ANSWER: usize = 64 << 20;
/// A name that no application can have.
const APPLICATIONS: &str = "applications";
/// Between the server's own path and that of what is asked for.
const VERSION: &str = "/api/v1/";
const NO_APPLICATION: &str = "-";
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.');

/// argocd-server as one account of it. Cheap to clone; opens nothing until it is asked something.
#[derive(Clone)]
pub struct Argocd(Arc<Inner>);

struct Inner {
    http: reqwest::Client,
    server: Server,
    /// Argo CD's own
    namespace: String,
    token: Option<TokenFile>,
}

enum Server {
    None,
    Fixed(Url),
    Auto {
        cluster: Cluster,
        namespace: String,
        found: Mutex<Option<Arc<Found>>>,
    },
}

/// Names an application for Argo CD.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ApplicationName {
    /// The namespace of the object.
    pub namespace: String,
    /// The name of the object.
    pub name: String,
    /// The project; empty where it is not known.
    pub project: String,
}

/// What Argo CD's own rules let an account do with an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Start and end operations.
    Sync,
    /// Change its spec.
    Update,
    /// Delete it.
    Delete,
}

/// A named text of an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Info {
    /// Its name.
    pub name: String,
    /// The text.
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
    /// Takes flags; dials nothing.
    ///
    /// # Errors
    /// The file with certificates cannot be used.
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
            http: http_client(args, cluster.place())?,
            server,
            namespace: args.argocd_namespace.clone(),
            token: args.argocd_token_file.clone().map(TokenFile::new),
        })))
    }

    /// Whether there are an address and a token.
    pub fn is_configured(&self) -> bool {
        !matches!(self.0.server, Server::None) && self.0.token.is_some()
    }

    /// The namespace of Argo CD itself, where Applications are that name none.
    pub fn namespace(&self) -> &str {
        &self.0.namespace
    }

    /// Asks whether argocd-server answers and takes the token.
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

    /// Live and desired manifests of what an application manages.
    ///
    /// # Errors
    /// See [`ArgocdError`].
    pub async fn managed_resources(
        &self,
        application: &ApplicationName,
    ) -> Result<Vec<ManagedResource>, ArgocdError> {
        let path = format!("{}/managed-resources", application.path());
        let items: answer::Items<ManagedResource> =
            self.get(&path, application, &[], "manifests").await?;
        Ok(items.items)
    }

    /// The tree of resources, with what managed resources own.
    ///
    /// # Errors
    /// See [`ArgocdError`].
    pub async fn resource_tree(
        &self,
        application: &ApplicationName,
    ) -> Result<Vec<ResourceNode>, ArgocdError> {
        let path = format!("{}/resource-tree", application.path());
        let tree: answer::Tree = self
            .get(&path, application, &[], "the resource tree")
            .await?;
        Ok(tree.nodes)
    }

    /// The commit behind a revision of one of the application's sources.
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
            segment(revision)
        );
        let index = [("sourceIndex", source_index.to_string())];
        let metadata = self.get(&path, application, &index, "a revision").await;
        // A revision that is not known to Argo CD is its own failure to it.
        metadata.map_err(|error| {
            if !matches!(error, ArgocdError::Failed { .. }) {
                return error;
            }
            let revision = revision.to_owned();
            ArgocdError::NoRevision { revision }
        })
    }

    /// Starts a sync; gives the Application object as it is then.
    ///
    /// # Errors
    /// See [`ArgocdError`]; `Precondition` where another operation is under way.
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
        let answer = self.send(&server, request.json(&body), application).await?;
        read(&server, answer, "the sync").await
    }

    /// Whether the token may do this with an application of this name, be it one of this Argo CD or not.
    ///
    /// # Errors
    /// See [`ArgocdError`].
    pub async fn may(
        &self,
        verb: Verb,
        application: &ApplicationName,
    ) -> Result<bool, ArgocdError> {
        let object = match application.namespace == self.0.namespace {
            true => segment(&application.name),
            false => format!(
                "{}/{}",
                segment(&application.namespace),
                segment(&application.name)
            ),
        };
        let project = segment(&application.project);
        let verb = verb.as_str();
        let path = format!("account/can-i/applications/{verb}/{project}/{object}");
        let (server, request) = self.request(Method::GET, &path).await?;
        let answer = self.send(&server, request, application).await?;
        let allowed: answer::Allowed = read(&server, answer, "a permission").await?;
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
        let answer = self.send(&server, request, application).await?;
        read(&server, answer, what).await
    }

    async fn request(
        &self,
        method: Method,
        path: &str,
    ) -> Result<(String, RequestBuilder), ArgocdError> {
        let token = self.0.token.as_ref().ok_or(ArgocdError::NoToken)?;
        let bearer = token.bearer().await?;
        let base = self.base().await?;
        let server = base.as_str().trim_end_matches('/').to_owned();
        let url = format!("{server}{VERSION}{path}");
        let request = self.0.http.request(method, url);
        let request = request.header(reqwest::header::AUTHORIZATION, bearer);
        Ok((server, request))
    }

    async fn base(&self) -> Result<Url, ArgocdError> {
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
                let now = Arc::new(discovery::find(cluster, namespace).await?);
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
        let span = trace::of_argocd(request.method(), path, host, &application.name);
        span.in_scope(|| causeway_shell::inject_trace(request.headers_mut()));
        let sent = http.execute(request).instrument(span.clone()).await;
        let status = sent.as_ref().map(|answer| answer.status().as_u16());
        trace::record(&span, status.ok());
        let answer = match sent {
            Ok(answer) => answer,
            Err(error) => {
                self.forget().await;
                return Err(unavailable(server, &error));
            }
        };
        if answer.status().is_success() {
            return Ok(answer);
        }
        Err(answer::refusal(server, answer, application).await)
    }

    /// A pod or Service that does not answer may have been replaced.
    async fn forget(&self) {
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
        format!("{APPLICATIONS}/{}", segment(&self.name))
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

fn segment(text: &str) -> String {
    utf8_percent_encode(text, SEGMENT).to_string()
}

fn http_client(args: &ArgocdArgs, place: Place) -> Result<reqwest::Client, ArgocdError> {
    // Through a forwarded port the API server vouches for the pod, and the name `localhost` for nothing.
    let forwarded =
        args.argocd_server == Some(ArgocdServer::Auto) && matches!(place, Place::Outside);
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

async fn read<T: DeserializeOwned>(
    server: &str,
    answer: Response,
    what: &'static str,
) -> Result<T, ArgocdError> {
    let body = body(server, answer, what).await?;
    serde_json::from_slice(&body).map_err(|error| ArgocdError::Malformed {
        what,
        cause: error.to_string(),
    })
}

async fn body(
    server: &str,
    mut answer: Response,
    what: &'static str,
) -> Result<Bytes, ArgocdError> {
    let mut body = BytesMut::new();
    let lost = |error: reqwest::Error| unavailable(server, &error);
    while let Some(chunk) = answer.chunk().await.map_err(lost)? {
        if body.len() + chunk.len() > LARGEST_ANSWER {
            return Err(ArgocdError::TooLarge {
                what,
                limit: LARGEST_ANSWER,
            });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body.freeze())
}

fn unavailable(server: &str, error: &reqwest::Error) -> ArgocdError {
    let cause = match error.is_timeout() {
        true => format!("no answer within {} s", CALL_TIMEOUT.as_secs()),
        false => root_cause(error),
    };
    let server = server.to_owned();
    match (cause.starts_with(UNTRUSTED), error.is_connect()) {
        (true, _) => ArgocdError::Untrusted { server, cause },
        (false, true) => ArgocdError::Unavailable { server, cause },
        (false, false) => ArgocdError::Lost { server, cause },
    }
}
