//! Spans of Argo CD calls, and of cluster calls within a trace; permanent watches have none. Span names contain neither object
//! names nor queries.

use std::task::{Context, Poll};

use futures::future::BoxFuture;
use http::{Method, Request, Response};
use tower::{Layer, Service};
use tracing::{Instrument as _, Span, field::Empty};

/// Segments that remain in span names; all others are object names.
const FIXED_SEGMENTS: [&str; 18] = [
    "account",
    "actions",
    "applications",
    "can-i",
    "managed-resources",
    "manifests",
    "metadata",
    "operation",
    "projects",
    "resource",
    "resource-tree",
    "revisions",
    "rollback",
    "session",
    "sync",
    "userinfo",
    "v2",
    "version",
];
/// Replaces object names in span names.
const NAME_PLACEHOLDER: &str = "{}";

/// Creates the span of an Argo CD call with a path below the API version.
pub(crate) fn argocd_span(method: &Method, path: &str, server: &str, application: &str) -> Span {
    let segments = path.split('?').next().unwrap_or_default().split('/');
    let named = segments.map(|it| {
        if FIXED_SEGMENTS.contains(&it) {
            it
        } else {
            NAME_PLACEHOLDER
        }
    });
    let name = named.collect::<Vec<_>>().join("/");
    tracing::info_span!(
        "argocd",
        otel.name = format!("argocd {method} {name}"),
        otel.kind = "client",
        otel.status_code = Empty,
        http.request.method = %method,
        http.response.status_code = Empty,
        server.address = server,
        application = (!application.is_empty()).then_some(application),
    )
}

/// Records the result of a call.
pub(crate) fn record_status(span: &Span, status: Option<u16>) {
    if let Some(status) = status {
        span.record("http.response.status_code", status);
    }
    if status.is_none_or(|status| status >= 400) {
        span.record("otel.status_code", "ERROR");
    }
}

/// Layer that traces the calls of a cluster client and propagates the trace.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TraceCluster;

#[derive(Clone, Debug)]
pub(crate) struct TracedCluster<S>(S);

impl<S> Layer<S> for TraceCluster {
    type Service = TracedCluster<S>;

    fn layer(&self, inner: S) -> Self::Service {
        TracedCluster(inner)
    }
}

impl<S, B, A> Service<Request<B>> for TracedCluster<S>
where
    S: Service<Request<B>, Response = Response<A>>,
    S::Future: Send + 'static,
    S::Error: 'static,
    A: 'static,
{
    type Response = Response<A>;
    type Error = S::Error;
    type Future = BoxFuture<'static, Result<Response<A>, S::Error>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<B>) -> Self::Future {
        if !causeway_shell::is_sampled() {
            return Box::pin(self.0.call(request));
        }
        let span = cluster_span(&request);
        let ended_span = span.clone();
        let response = span.in_scope(|| {
            causeway_shell::inject_trace(request.headers_mut());
            self.0.call(request)
        });
        let response = async move {
            let response = response.await;
            let status = response.as_ref().map(|response| response.status().as_u16());
            record_status(&ended_span, status.ok());
            response
        };
        Box::pin(response.instrument(span))
    }
}

fn cluster_span<B>(request: &Request<B>) -> Span {
    let method = request.method();
    tracing::info_span!(
        "kubernetes",
        otel.name = format!("kubernetes {method} {}", resource(request.uri().path())),
        otel.kind = "client",
        otel.status_code = Empty,
        http.request.method = %method,
        http.response.status_code = Empty,
        server.address = request.uri().host().unwrap_or_default(),
        url.path = request.uri().path(),
    )
}

/// Returns the resource in a path of the API server, as `applications.argoproj.io` or `pods/log`.
fn resource(path: &str) -> String {
    let segments: Vec<&str> = path.trim_matches('/').split('/').collect();
    let (group, rest) = match segments.as_slice() {
        ["api", _, rest @ ..] => ("", rest),
        ["apis", group, _, rest @ ..] => (*group, rest),
        _ => return "other".to_owned(),
    };
    let rest = match rest {
        ["namespaces", _, rest @ ..] if !rest.is_empty() => rest,
        rest => rest,
    };
    let (plural, below) = match rest {
        [] => return "discovery".to_owned(),
        [plural, _, below, ..] => (plural, format!("/{below}")),
        [plural, ..] => (plural, String::new()),
    };
    match group {
        "" => format!("{plural}{below}"),
        group => format!("{plural}.{group}{below}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_identifies_the_kind() {
        let cases = [
            (
                "/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/guestbook",
                "applications.argoproj.io",
            ),
            (
                "/apis/argoproj.io/v1alpha1/applications",
                "applications.argoproj.io",
            ),
            (
                "/apis/argoproj.io/v1alpha1/namespaces/demo/rollouts/web/status",
                "rollouts.argoproj.io/status",
            ),
            ("/api/v1/namespaces/demo/pods/web-1/log", "pods/log"),
            ("/api/v1/namespaces/kube-system", "namespaces"),
            ("/apis/argoproj.io/v1alpha1", "discovery"),
            ("/version", "other"),
        ];
        for (path, kind) in cases {
            assert_eq!(resource(path), kind, "{path}");
        }
    }
}
