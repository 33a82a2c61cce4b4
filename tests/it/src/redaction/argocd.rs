//! An Argo CD that hides nothing, as older ones do: its answers are what the test wants them to be.

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{Path, State},
    http::StatusCode,
    routing::get,
};
use causeway_testkit::Canaries;
use serde_json::{Value, json};
use tokio::{net::TcpListener, task::JoinSet};

/// The application about which it fails.
pub(super) const FAILING: &str = "failing";

/// Where it listens.
pub(super) struct Argocd {
    pub(super) url: String,
    _serving: JoinSet<()>,
}

impl Argocd {
    pub(super) async fn start(canaries: &Arc<Canaries>) -> Self {
        let one = "/api/v1/applications/{name}";
        let router = Router::new()
            .route(&format!("{one}/managed-resources"), get(managed))
            .route(&format!("{one}/resource-tree"), get(tree))
            .route(
                &format!("{one}/revisions/{{revision}}/metadata"),
                get(commit),
            )
            .with_state(Arc::clone(canaries));
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            url,
            _serving: serving,
        }
    }
}

async fn managed(
    State(canaries): State<Arc<Canaries>>,
    Path(name): Path<String>,
) -> (StatusCode, Json<Value>) {
    if name == FAILING {
        let failure = json!({"code": 2, "message": canaries.failure, "error": canaries.failure});
        return (StatusCode::INTERNAL_SERVER_ERROR, Json(failure));
    }
    let item = |manifest: &Value| {
        let version = manifest["apiVersion"].as_str().unwrap();
        json!({
            "group": version.split_once('/').map_or("", |(group, _)| group),
            "kind": manifest["kind"],
            "namespace": manifest["metadata"]["namespace"],
            "name": manifest["metadata"]["name"],
            "liveState": manifest.to_string(),
            "targetState": "null",
        })
    };
    let items: Vec<_> = canaries.manifests.iter().map(item).collect();
    (StatusCode::OK, Json(json!({"items": items})))
}

async fn tree(State(canaries): State<Arc<Canaries>>) -> Json<Value> {
    let node = |manifest: &Value| {
        let version = manifest["apiVersion"].as_str().unwrap();
        json!({
            "group": version.split_once('/').map_or("", |(group, _)| group),
            "version": "v1",
            "kind": manifest["kind"],
            "namespace": manifest["metadata"]["namespace"],
            "name": manifest["metadata"]["name"],
            "uid": manifest["metadata"]["name"],
            "health": {"status": "Degraded", "message": canaries.health_message},
        })
    };
    let nodes: Vec<_> = canaries.manifests.iter().map(node).collect();
    Json(json!({"nodes": nodes}))
}

async fn commit(State(canaries): State<Arc<Canaries>>) -> Json<Value> {
    Json(json!({
        "author": "Ann <ann@example.com>",
        "date": "2026-01-01T00:00:00Z",
        "message": canaries.commit_message,
    }))
}
