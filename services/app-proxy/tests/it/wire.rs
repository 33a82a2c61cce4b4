//! The way from the app proxy to the cluster, on which a call is lost at a chosen point, and which can take the marks of requests
//! away: with those gone nothing tells a second process what the first one did.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use kube::client::Body;
use serde_json::Value;
use tokio::sync::Notify;

/// Where a change of the cluster is lost, for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lost {
    /// This change, counted from 0 by those that are made, is never sent.
    Before(usize),
    /// It is made, and its answer never comes.
    After(usize),
    /// None is.
    Never,
}

/// Whether requests leave their marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestRecords {
    Kept,
    /// As in a build that keeps no request ids.
    Dropped,
}

/// A way to the cluster, and what is seen on it.
#[derive(Clone)]
pub(crate) struct Wire {
    pub(crate) client: kube::Client,
    changes: Arc<AtomicUsize>,
    lost: Arc<Notify>,
}

impl Wire {
    pub(crate) fn new(cluster: &kube::Client, point: Lost, marks: RequestRecords) -> Self {
        let (changes, lost) = (Arc::<AtomicUsize>::default(), Arc::<Notify>::default());
        let (inner, seen, told) = (cluster.clone(), changes.clone(), lost.clone());
        let service = tower::service_fn(move |request: http::Request<Body>| {
            let (inner, seen, told) = (inner.clone(), seen.clone(), told.clone());
            async move {
                if request.method() == http::Method::GET {
                    return inner.send(request).await;
                }
                let number = seen.load(Ordering::SeqCst);
                if point == Lost::Before(number) {
                    told.notify_one();
                    std::future::pending::<()>().await;
                }
                let answer = inner.send(carried(request, marks).await).await?;
                // One that meets an object that was changed meanwhile is refused, and changes nothing.
                if answer.status().is_success() {
                    seen.fetch_add(1, Ordering::SeqCst);
                    if point == Lost::After(number) {
                        told.notify_one();
                        std::future::pending::<()>().await;
                    }
                }
                Ok(answer)
            }
        });
        Self {
            client: kube::Client::new(service, "default"),
            changes,
            lost,
        }
    }

    /// How many changes the cluster made.
    pub(crate) fn changes(&self) -> usize {
        self.changes.load(Ordering::SeqCst)
    }

    /// Runs a call as a process would that is killed when a change of its is lost.
    pub(crate) async fn killed<T>(&self, call: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            answer = call => Some(answer),
            () = self.lost.notified() => None,
        }
    }
}

async fn carried(request: http::Request<Body>, marks: RequestRecords) -> http::Request<Body> {
    if marks == RequestRecords::Kept || request.method() != http::Method::PATCH {
        return request;
    }
    let (parts, body) = request.into_parts();
    let bytes = body.collect_bytes().await.unwrap();
    let mut patch: Value = serde_json::from_slice(&bytes).unwrap();
    if let Some(annotations) = patch.pointer_mut("/metadata/annotations") {
        annotations
            .as_object_mut()
            .unwrap()
            .remove("causeway.dev/request");
    }
    if let Some(info) = patch.pointer_mut("/operation/info") {
        *info = Value::Array(Vec::new());
    }
    let mut request = http::Request::from_parts(parts, Body::from(patch.to_string().into_bytes()));
    request.headers_mut().remove(http::header::CONTENT_LENGTH);
    request
}
