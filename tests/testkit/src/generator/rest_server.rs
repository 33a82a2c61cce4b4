//! The REST API of an Argo CD that knows the generated applications: what is read of it, made when it is asked for.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    Json, Router,
    extract::{Path, Query, Request, State},
    http::{StatusCode, header},
    middleware::{self, Next},
    response::{IntoResponse, Response},
    routing::get,
};
use causeway_sandbox::{SandboxError, StartError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    application::{object, stamp},
    life::Life,
    manifest::{Side, manifest},
    population::Population,
    resource::Resource,
};

/// Whoever runs a generator gives it to whom they like: nothing of it is anybody's.
const TOKEN: &str = "generated";

type Lives = Arc<Mutex<Population>>;

/// A served API. Dropping it ends it at once.
pub(super) struct RestServer {
    address: SocketAddr,
    tasks: TaskTracker,
    stop: CancellationToken,
}

/// Which applications of a list.
#[derive(Deserialize)]
struct ApplicationFilter {
    name: String,
}

/// Which resource of an application.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ApplicationRequest {
    resource_name: String,
    kind: String,
}

/// ApplicationRequest managed resource, its states as JSON texts.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Managed {
    group: &'static str,
    kind: &'static str,
    namespace: String,
    name: String,
    target_state: String,
    live_state: String,
    normalized_live_state: String,
    predicted_live_state: String,
    modified: bool,
}

#[derive(Serialize)]
struct Items {
    items: Vec<Managed>,
}

impl RestServer {
    pub(super) async fn start(lives: Lives) -> Result<Self, StartError> {
        let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let refused = |source| {
            StartError::Kube(SandboxError::Listen {
                address: any,
                source,
            })
        };
        let listener = TcpListener::bind(any).await.map_err(refused)?;
        let address = listener.local_addr().map_err(refused)?;
        let (tasks, stop) = (TaskTracker::new(), CancellationToken::new());
        let stopped = stop.clone();
        tasks.spawn(async move {
            let serving = axum::serve(listener, routes(lives))
                .with_graceful_shutdown(stopped.cancelled_owned());
            if let Err(error) = serving.await {
                tracing::error!(%error, "the generated Argo CD ended");
            }
        });
        Ok(Self {
            address,
            tasks,
            stop,
        })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    #[expect(clippy::unused_self, reason = "only one that runs takes it")]
    pub(super) fn token(&self) -> &'static str {
        TOKEN
    }

    pub(super) async fn stop(&self) {
        self.stop.cancel();
        self.tasks.close();
        // a client that keeps its connection open does not keep us
        let _ = tokio::time::timeout(Duration::from_secs(1), self.tasks.wait()).await;
    }
}

impl Drop for RestServer {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn routes(lives: Lives) -> Router {
    let path = |rest: &str| format!("/api/v1/applications/{{name}}/{rest}");
    Router::new()
        .route("/api/v1/applications", get(list))
        .route(&path("resource-tree"), get(tree))
        .route(&path("managed-resources"), get(managed))
        .route(&path("manifests"), get(manifests))
        .route(&path("resource"), get(resource))
        .route(&path("revisions/{revision}/metadata"), get(revision))
        .route_layer(middleware::from_fn(guard))
        .with_state(lives)
}

async fn guard(request: Request, next: Next) -> Response {
    let given = request.headers().get(header::AUTHORIZATION);
    let expected = format!("Bearer {TOKEN}");
    if given.is_some_and(|given| given.as_bytes() == expected.as_bytes()) {
        return next.run(request).await;
    }
    refusal(StatusCode::UNAUTHORIZED, 16, "no session information")
}

fn refusal(status: StatusCode, code: u32, message: &str) -> Response {
    let body = json!({"error": message, "code": code, "message": message});
    (status, Json(body)).into_response()
}

/// What `make` makes of the application as it is now. ApplicationRequest that is unknown is refused as one that may not be seen.
fn of(lives: &Lives, name: &str, make: impl FnOnce(&Life) -> Response) -> Response {
    let life = lives
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .find(name)
        .cloned();
    match life {
        Some(life) => make(&life),
        None => refusal(StatusCode::FORBIDDEN, 7, "permission denied"),
    }
}

async fn list(State(lives): State<Lives>, Query(named): Query<ApplicationFilter>) -> Response {
    let lives = lives.lock().unwrap_or_else(PoisonError::into_inner);
    let items: Vec<Value> = lives.find(&named.name).map(object).into_iter().collect();
    Json(json!({"metadata": {}, "items": items})).into_response()
}

async fn managed(State(lives): State<Lives>, Path(name): Path<String>) -> Response {
    of(&lives, &name, |life| {
        let items = life.resources().map(|one| item(&one)).collect();
        Json(Items { items }).into_response()
    })
}

fn item(resource: &Resource<'_>) -> Managed {
    let kind = resource.kind();
    let (desired, live) = (
        manifest(resource, Side::Desired),
        manifest(resource, Side::Live),
    );
    Managed {
        group: kind.group,
        kind: kind.kind,
        namespace: resource.life.namespace(),
        name: resource.name(),
        target_state: desired,
        live_state: live.clone(),
        normalized_live_state: live.clone(),
        predicted_live_state: live,
        modified: resource.is_drifted(),
    }
}

async fn tree(State(lives): State<Lives>, Path(name): Path<String>) -> Response {
    of(&lives, &name, |life| {
        let nodes: Vec<Value> = life.resources().flat_map(|one| nodes(&one)).collect();
        Json(json!({"nodes": nodes, "orphanedNodes": [], "hosts": []})).into_response()
    })
}

/// A resource and what it owns: a Deployment has a ReplicaSet, and that has two pods.
fn nodes(resource: &Resource<'_>) -> Vec<Value> {
    let kind = resource.kind();
    let name = resource.name();
    let mut own = node(resource, (kind.group, kind.version, kind.kind), 0, &name);
    if let Some(health) = resource.health() {
        own["health"] = json!({"status": health});
    }
    let mut all = vec![own];
    if resource.is_deployment() {
        let name = format!("{name}-{:08x}", resource.touched());
        let mut set = node(resource, ("apps", "v1", "ReplicaSet"), 1, &name);
        set["parentRefs"] = json!([{"uid": resource.uid(0)}]);
        set["health"] = json!({"status": "Healthy"});
        all.push(set);
        all.extend([2, 3].map(|what| pod(resource, what, &format!("{name}-{what:05}"))));
    }
    all
}

fn pod(resource: &Resource<'_>, what: u16, name: &str) -> Value {
    let mut pod = node(resource, ("", "v1", "Pod"), what, name);
    pod["parentRefs"] = json!([{"uid": resource.uid(1)}]);
    pod["images"] = json!([resource.image()]);
    let health = match what {
        2 => resource.health().unwrap_or("Healthy"),
        _ => "Healthy",
    };
    pod["health"] = json!({"status": health});
    pod
}

fn node(
    resource: &Resource<'_>,
    (group, version, kind): (&str, &str, &str),
    what: u16,
    name: &str,
) -> Value {
    json!({
        "group": group,
        "version": version,
        "kind": kind,
        "namespace": resource.life.namespace(),
        "name": name,
        "uid": resource.uid(what),
        "resourceVersion": resource.touched().to_string(),
        "createdAt": stamp(resource.life.created),
    })
}

/// What Git has, rendered.
async fn manifests(State(lives): State<Lives>, Path(name): Path<String>) -> Response {
    of(&lives, &name, |life| {
        let rendered = life.resources().map(|one| manifest(&one, Side::Desired));
        let rendered: Vec<String> = rendered.collect();
        let revision = life.revision();
        Json(json!({"manifests": rendered, "revision": revision, "sourceType": "Kustomize"}))
            .into_response()
    })
}

/// ApplicationRequest resource as the cluster has it.
async fn resource(
    State(lives): State<Lives>,
    Path(name): Path<String>,
    Query(which): Query<ApplicationRequest>,
) -> Response {
    of(&lives, &name, |life| {
        let is_it =
            |one: &Resource<'_>| one.kind().kind == which.kind && one.name() == which.resource_name;
        match life.resources().find(is_it) {
            Some(found) => Json(json!({"manifest": manifest(&found, Side::Live)})).into_response(),
            None => refusal(StatusCode::NOT_FOUND, 5, "resource not found"),
        }
    })
}

async fn revision(
    State(lives): State<Lives>,
    Path((name, revision)): Path<(String, String)>,
) -> Response {
    of(&lives, &name, |life| {
        let mut deployments = life.deployments.iter();
        let found = deployments.find(|one| life.revision_of(one.commit) == revision);
        let Some(found) = found else {
            return refusal(StatusCode::INTERNAL_SERVER_ERROR, 2, "unknown revision");
        };
        Json(json!({
            "author": format!("{} <{}@example.com>", life.team(), life.team()),
            "date": stamp(found.at),
            "message": format!("Release 1.{}.0 of {}", found.commit, life.service()),
        }))
        .into_response()
    })
}
