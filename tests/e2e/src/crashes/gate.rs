//! The way from a runtime to its cluster and its Argo CD, on which a write is held at a chosen point until somebody has been killed.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{Router, body::Body, extract::State, response::Response};
use http::{HeaderMap, Method, Request, StatusCode, header};
use serde_json::Value;
use tokio::{
    net::TcpListener,
    sync::{oneshot, watch},
    task::JoinSet,
};

/// Where a write is held, counted from 0 by those that were made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Point {
    /// It has not arrived.
    Before(usize),
    /// It was made, and its answer has not arrived.
    After(usize),
}

/// What becomes of what was held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// It goes on.
    Passes,
    /// It never arrives.
    Lost,
}

/// Whether requests leave their marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Marks {
    Kept,
    /// As in a build that keeps no request ids.
    Dropped,
}

/// Two listeners, which serve until it is dropped.
pub(super) struct Gate {
    pub(super) cluster: SocketAddr,
    pub(super) argocd: SocketAddr,
    shared: Arc<Shared>,
    _serving: JoinSet<()>,
}

struct Shared {
    marks: Marks,
    plan: Mutex<Plan>,
    held: watch::Sender<bool>,
    fate: watch::Sender<Option<Fate>>,
    /// What is on its way arrives, whoever has gone meanwhile.
    under_way: Mutex<JoinSet<()>>,
}

#[derive(Default)]
struct Plan {
    point: Option<Point>,
    made: Vec<String>,
}

/// What is behind the gate.
#[derive(Clone)]
enum Behind {
    Cluster(kube::Client),
    Argocd(reqwest::Client, String),
}

type Shown = (Arc<Shared>, Behind);

impl Gate {
    pub(super) async fn start(cluster: kube::Client, argocd: String, marks: Marks) -> Self {
        let shared = Arc::new(Shared {
            marks,
            plan: Mutex::default(),
            held: watch::Sender::new(false),
            fate: watch::Sender::new(None),
            under_way: Mutex::default(),
        });
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let mut serving = JoinSet::new();
        let behind = [Behind::Cluster(cluster), Behind::Argocd(client, argocd)];
        let mut addresses = Vec::new();
        for behind in behind {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            addresses.push(listener.local_addr().unwrap());
            let router = Router::new().fallback(pass);
            let router = router.with_state((Arc::clone(&shared), behind));
            serving.spawn(async move { axum::serve(listener, router).await.unwrap() });
        }
        Self {
            cluster: addresses[0],
            argocd: addresses[1],
            shared,
            _serving: serving,
        }
    }

    /// Counts from now on, and holds at this point.
    pub(super) fn arm(&self, point: Option<Point>) {
        *self.shared.plan() = Plan {
            point,
            made: Vec::new(),
        };
        self.shared.held.send_replace(false);
        self.shared.fate.send_replace(None);
    }

    /// Whether a write is held.
    pub(super) fn holds(&self) -> bool {
        *self.shared.held.borrow()
    }

    /// Lets go of what is held.
    pub(super) fn open(&self, fate: Fate) {
        self.shared.plan().point = None;
        self.shared.fate.send_replace(Some(fate));
    }

    /// The writes that were made.
    pub(super) fn made(&self) -> Vec<String> {
        self.shared.plan().made.clone()
    }
}

impl Shared {
    fn plan(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits here if this is the point.
    async fn hold(&self, here: impl Fn(usize) -> Point) {
        let is_here = {
            let plan = self.plan();
            plan.point == Some(here(plan.made.len()))
        };
        if !is_here {
            return;
        }
        let mut fate = self.fate.subscribe();
        self.held.send_replace(true);
        let fate = fate.wait_for(Option::is_some).await.map(|fate| *fate);
        if !matches!(fate, Ok(Some(Fate::Passes))) {
            std::future::pending::<()>().await;
        }
    }
}

async fn pass(State((shared, behind)): State<Shown>, request: Request<Body>) -> Response {
    if !writes(&request) {
        return behind.send(request).await;
    }
    let (answer, answered) = oneshot::channel();
    let way = {
        let shared = Arc::clone(&shared);
        async move {
            // Nobody may be there any more to be answered.
            let _ = answer.send(write(&shared, &behind, request).await);
        }
    };
    let spawned = shared.under_way.lock().map(|mut all| drop(all.spawn(way)));
    spawned.expect("nothing panics while it is locked");
    let answer = answered.await;
    answer.unwrap_or_else(|error| lost(&error))
}

async fn write(shared: &Shared, behind: &Behind, request: Request<Body>) -> Response {
    let line = format!("{} {}", request.method(), request.uri());
    let request = match shared.marks {
        Marks::Kept => request,
        Marks::Dropped => without_marks(request).await,
    };
    shared.hold(Point::Before).await;
    let answer = behind.send(request).await;
    // One that meets an object that was changed meanwhile is refused, and changes nothing.
    if answer.status().is_success() {
        shared.plan().made.push(line);
        shared.hold(|made| Point::After(made - 1)).await;
    }
    answer
}

/// Questions of what one may do are asked by POST, too.
fn writes(request: &Request<Body>) -> bool {
    let (path, query) = (request.uri().path(), request.uri().query());
    request.method() != Method::GET
        && !path.contains("authorization.k8s.io")
        && !query.unwrap_or_default().contains("dryRun")
}

impl Behind {
    async fn send(&self, request: Request<Body>) -> Response {
        let (mut parts, body) = request.into_parts();
        strip(&mut parts.headers);
        match self {
            Self::Cluster(client) => {
                // Who it is stands in the client behind.
                parts.headers.remove(header::AUTHORIZATION);
                let body = axum::body::to_bytes(body, usize::MAX).await;
                let body = kube::client::Body::from(body.unwrap().to_vec());
                let answer = client.send(Request::from_parts(parts, body)).await;
                answer.map_or_else(|error| lost(&error), |answer| answer.map(Body::new))
            }
            Self::Argocd(client, url) => {
                let url = format!("{url}{}", parts.uri);
                let request = client.request(parts.method, url).headers(parts.headers);
                let body = reqwest::Body::wrap_stream(body.into_data_stream());
                match request.body(body).send().await {
                    Ok(answer) => http::Response::from(answer).map(Body::new),
                    Err(error) => lost(&error),
                }
            }
        }
    }
}

fn lost(error: &dyn std::error::Error) -> Response {
    let mut answer = Response::new(Body::from(error.to_string()));
    *answer.status_mut() = StatusCode::BAD_GATEWAY;
    answer
}

/// What speaks of this connection, and of a length that a stream has not.
fn strip(headers: &mut HeaderMap) {
    for name in [header::HOST, header::CONNECTION, header::CONTENT_LENGTH] {
        headers.remove(name);
    }
}

/// What a build would send that leaves no marks.
async fn without_marks(request: Request<Body>) -> Request<Body> {
    let (parts, body) = request.into_parts();
    let bytes = axum::body::to_bytes(body, usize::MAX).await.unwrap();
    let Ok(mut patch) = serde_json::from_slice::<Value>(&bytes) else {
        return Request::from_parts(parts, Body::from(bytes));
    };
    if let Some(Value::Object(annotations)) = patch.pointer_mut("/metadata/annotations") {
        annotations.retain(|name, _| !name.starts_with("causeway.dev/"));
    }
    Request::from_parts(parts, Body::from(patch.to_string()))
}
