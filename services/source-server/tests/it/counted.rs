//! An Argo CD that counts what it is asked, and answers when it is let.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering::SeqCst},
};

use axum::{
    Json, Router,
    extract::State,
    http::{StatusCode, Uri},
};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::watch, task::JoinSet};

#[derive(Clone)]
pub(crate) struct Counted {
    pub(crate) asked: Arc<AtomicUsize>,
    pub(crate) under_way: watch::Sender<usize>,
    pub(crate) open: watch::Sender<bool>,
    /// Whether the application `stuck` is answered about.
    pub(crate) unstuck: watch::Sender<bool>,
    pub(crate) broken: watch::Sender<bool>,
}

pub(crate) struct Served {
    pub(crate) counted: Counted,
    pub(crate) url: String,
    _serving: JoinSet<()>,
}

impl Counted {
    pub(crate) async fn start() -> Served {
        let counted = Self {
            asked: Arc::default(),
            under_way: watch::Sender::new(0),
            open: watch::Sender::new(true),
            unstuck: watch::Sender::new(true),
            broken: watch::Sender::new(false),
        };
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router = Router::new().fallback(answer).with_state(counted.clone());
        let mut serving = JoinSet::new();
        serving.spawn(async move { axum::serve(listener, router).await.unwrap() });
        Served {
            counted,
            url,
            _serving: serving,
        }
    }
}

async fn answer(State(counted): State<Counted>, uri: Uri) -> (StatusCode, Json<Value>) {
    counted.asked.fetch_add(1, SeqCst);
    counted.under_way.send_modify(|count| *count += 1);
    let mut open = counted.open.subscribe();
    drop(open.wait_for(|open| *open).await);
    if uri.path().contains("/stuck/") {
        let mut unstuck = counted.unstuck.subscribe();
        drop(unstuck.wait_for(|unstuck| *unstuck).await);
    }
    counted.under_way.send_modify(|count| *count -= 1);
    if *counted.broken.borrow() {
        let refusal = json!({"error": "broken", "code": 14, "message": "broken"});
        return (StatusCode::SERVICE_UNAVAILABLE, Json(refusal));
    }
    let node =
        json!({"kind": "Pod", "name": "p", "version": "v1", "fromTheFuture": {}, "images": null});
    (StatusCode::OK, Json(json!({"nodes": [node]})))
}
