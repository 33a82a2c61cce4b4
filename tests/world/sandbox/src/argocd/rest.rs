//! The REST API of argocd-server, as far as Causeway uses it: paths, bodies, codes and messages are Argo CD's.

mod actions;
mod applications;
mod operations;
mod permission;
mod resources;
mod secret;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Json, Router,
    extract::{DefaultBodyLimit, Path, Query, Request, State},
    http::{HeaderMap, Method, StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::{delete, get, post},
};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    ArgocdError,
    application::{Application, ApplicationKey, SpecError},
    cluster::ClusterError,
    reconcile::Reconciler,
    source::SourceError,
};

const BODY: usize = 1 << 20;
/// The one user there is.
const USER: &str = "admin";
const VERSION: &str = "v3.5.7+sandbox";

/// A served API. Stops when dropped.
pub(super) struct Server {
    address: SocketAddr,
    tasks: TaskTracker,
    stop: CancellationToken,
}

struct Shared {
    reconciler: Arc<Reconciler>,
    /// of the token, so that comparing takes the same time wherever the first difference is
    digest: [u8; 32],
}

/// Query parameters of the endpoints of one application.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ApplicationQuery {
    app_namespace: String,
    project: String,
    refresh: Option<String>,
    cascade: Option<bool>,
    propagation_policy: String,
    revision: String,
    source_index: usize,
}

/// An answer that is not the one hoped for: HTTP status, gRPC code and message as argocd-server gives them.
#[derive(Debug)]
enum Refusal {
    NoSession,
    /// also for what does not exist, so that names cannot be guessed
    Denied,
    /// it exists, in another project than the caller names
    Elsewhere(String),
    Invalid(String),
    Precondition(String),
    Slow(String),
    Failed(String),
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, code, message) = match self {
            Self::NoSession => (
                StatusCode::UNAUTHORIZED,
                16,
                "no session information".to_owned(),
            ),
            Self::Denied => (StatusCode::FORBIDDEN, 7, "permission denied".to_owned()),
            Self::Elsewhere(name) => (
                StatusCode::NOT_FOUND,
                5,
                format!("applications.argoproj.io \"{name}\" not found"),
            ),
            Self::Invalid(message) => (StatusCode::BAD_REQUEST, 3, message),
            Self::Precondition(message) => (StatusCode::BAD_REQUEST, 9, message),
            Self::Slow(message) => (StatusCode::GATEWAY_TIMEOUT, 4, message),
            Self::Failed(message) => (StatusCode::INTERNAL_SERVER_ERROR, 2, message),
        };
        (
            status,
            Json(json!({"error": message, "code": code, "message": message})),
        )
            .into_response()
    }
}

impl From<ClusterError> for Refusal {
    fn from(error: ClusterError) -> Self {
        match error {
            ClusterError::Refused { code: 404, .. } => Self::Denied,
            ClusterError::Refused { .. }
            | ClusterError::UnknownKind { .. }
            | ClusterError::NotListed { .. }
            | ClusterError::Unreachable(_) => Self::Failed(error.to_string()),
        }
    }
}

impl From<SourceError> for Refusal {
    fn from(error: SourceError) -> Self {
        Self::Failed(error.to_string())
    }
}

impl From<SpecError> for Refusal {
    fn from(error: SpecError) -> Self {
        Self::Invalid(error.to_string())
    }
}

pub(super) async fn bind(address: SocketAddr) -> Result<TcpListener, ArgocdError> {
    TcpListener::bind(address)
        .await
        .map_err(|source| ArgocdError::Listen { address, source })
}

impl Server {
    pub(super) fn start(
        listener: TcpListener,
        reconciler: Arc<Reconciler>,
        token: &str,
    ) -> Result<Self, ArgocdError> {
        let none = SocketAddr::from(([0, 0, 0, 0], 0));
        let address = listener
            .local_addr()
            .map_err(|source| ArgocdError::Listen {
                address: none,
                source,
            })?;
        let shared = Arc::new(Shared {
            reconciler,
            digest: digest(token),
        });
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let stopped = stop.clone();
        tasks.spawn(async move {
            let serving = axum::serve(listener, routes(shared))
                .with_graceful_shutdown(stopped.cancelled_owned());
            if let Err(error) = serving.await {
                tracing::error!(%error, "the Argo CD API ended");
            }
        });
        Ok(Self {
            address,
            tasks,
            stop,
        })
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(super) async fn stop(&self) {
        self.stop.cancel();
        self.tasks.close();
        // a client that keeps its connection open does not keep us
        let _ = tokio::time::timeout(Duration::from_secs(1), self.tasks.wait()).await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn routes(shared: Arc<Shared>) -> Router {
    let one = "/api/v1/applications/{name}";
    let path = |rest: &str| format!("{one}/{rest}");
    let guarded = Router::new()
        .route("/api/v1/applications", get(applications::list))
        .route(one, get(applications::get).delete(applications::delete))
        .route(&path("sync"), post(operations::sync))
        .route(&path("operation"), delete(operations::terminate))
        .route(&path("rollback"), post(operations::rollback))
        .route(&path("resource-tree"), get(resources::tree))
        .route(&path("managed-resources"), get(resources::managed))
        .route(&path("manifests"), get(resources::manifests))
        .route(
            &path("resource/actions"),
            get(actions::list).post(actions::run),
        )
        .route(
            &path("resource/actions/v2"),
            post(actions::run_with_parameters),
        )
        .route(
            &path("revisions/{revision}/metadata"),
            get(resources::revision),
        )
        .route("/api/v1/stream/applications", get(applications::stream))
        .route(
            "/api/v1/account/can-i/{resource}/{action}/{*object}",
            get(permission::can_i),
        )
        .route_layer(middleware::from_fn_with_state(Arc::clone(&shared), guard));
    Router::new()
        .route("/api/version", get(version))
        .route("/api/v1/session/userinfo", get(user_info))
        .merge(guarded)
        .fallback(not_found)
        .layer(DefaultBodyLimit::max(BODY))
        .with_state(shared)
}

async fn guard(State(shared): State<Arc<Shared>>, request: Request, next: Next) -> Response {
    if !is_typed(&request) {
        let refused = StatusCode::UNSUPPORTED_MEDIA_TYPE;
        return (refused, "Invalid content type\n").into_response();
    }
    if shared.knows(request.headers()) {
        next.run(request).await
    } else {
        Refusal::NoSession.into_response()
    }
}

/// A change must say that it is JSON, even one without a body: a browser's form cannot.
fn is_typed(request: &Request) -> bool {
    let kind = request.headers().get(header::CONTENT_TYPE);
    let kind = kind.and_then(|value| value.to_str().ok()).unwrap_or("");
    request.method() == Method::GET || kind.starts_with("application/json")
}

async fn not_found() -> Response {
    (
        StatusCode::NOT_FOUND,
        Json(json!({"error": "Not Found", "code": 5, "message": "Not Found"})),
    )
        .into_response()
}

async fn version() -> Json<Value> {
    Json(json!({"Version": VERSION, "Platform": "sandbox"}))
}

/// Returns the session of the caller, or that there is none.
async fn user_info(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Json<Value> {
    if shared.knows(&headers) {
        Json(json!({"loggedIn": true, "username": USER, "iss": "argocd", "groups": []}))
    } else {
        Json(json!({}))
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

impl Shared {
    fn knows(&self, headers: &HeaderMap) -> bool {
        let authorization = headers
            .get(header::AUTHORIZATION)
            .and_then(|value| value.to_str().ok());
        let bearer = authorization
            .and_then(|value| value.strip_prefix("Bearer "))
            .map(str::trim);
        let cookies = headers
            .get(header::COOKIE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or("");
        let cookie = cookies
            .split(';')
            .find_map(|cookie| cookie.trim().strip_prefix("argocd.token="));
        bearer
            .or(cookie)
            .is_some_and(|token| digest(token) == self.digest)
    }

    fn key(&self, name: &str, which: &ApplicationQuery) -> ApplicationKey {
        let namespace = if which.app_namespace.is_empty() {
            &self.reconciler.namespace
        } else {
            &which.app_namespace
        };
        ApplicationKey {
            namespace: namespace.clone(),
            name: name.to_owned(),
        }
    }

    /// The application as the watch has told it; the API server is asked for one that it has not told of yet.
    async fn known(&self, name: &str, which: &ApplicationQuery) -> Result<Application, Refusal> {
        let key = self.key(name, which);
        let object = match self.reconciler.application(&key) {
            Some(object) => object,
            None => self.reconciler.reread(&key).await?,
        };
        Ok(Application::parse(which.in_its_project(object)?)?)
    }

    /// The application as the API server has it now: a caller may have seen more of it than the watch has told.
    async fn read(
        &self,
        name: &str,
        which: &ApplicationQuery,
    ) -> Result<(ApplicationKey, Value), Refusal> {
        let key = self.key(name, which);
        let object = self.reconciler.reread(&key).await?;
        Ok((key, which.in_its_project(object)?))
    }
}

impl ApplicationQuery {
    /// The object, if it is in the project that was named, or none was.
    fn in_its_project(&self, object: Value) -> Result<Value, Refusal> {
        let project = super::manifest::text(&object, "/spec/project");
        if self.project.is_empty() || self.project == project {
            Ok(object)
        } else {
            let name = super::manifest::metadata(&object, "name");
            Err(Refusal::Elsewhere(name.to_owned()))
        }
    }
}

type Answer = Result<Json<Value>, Refusal>;
type SharedState = State<Arc<Shared>>;
type Name = Path<String>;
type RestQuery = Query<ApplicationQuery>;
