//! The admin port of the process: `/metrics`, `/healthz`, `/readyz`.

use std::convert::Infallible;

use http::{Method, Request, Response, StatusCode, header};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    task::JoinSet,
};

use crate::{process::Process, readiness::Health};

const OPEN_CONNECTIONS: usize = 64;

/// Serves until the process ends. It continues during the drain, which `/readyz` reports.
pub(crate) async fn serve(listener: TcpListener, process: Process) {
    let mut open = JoinSet::new();
    loop {
        tokio::select! {
            Some(_) = open.join_next() => {}
            Ok((stream, _)) = listener.accept(), if open.len() < OPEN_CONNECTIONS => {
                open.spawn(connection(stream, process.clone()));
            }
        }
    }
}

async fn connection(stream: TcpStream, process: Process) {
    let service = hyper::service::service_fn(move |request| {
        let response = respond(&request, &process);
        async move { Ok::<_, Infallible>(response) }
    });
    let served = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service)
        .await;
    if let Err(error) = served {
        tracing::debug!(%error, "an admin connection failed");
    }
}

fn respond(request: &Request<Incoming>, process: &Process) -> Response<Full<Bytes>> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return text(StatusCode::METHOD_NOT_ALLOWED, "use GET\n".to_owned());
    }
    match request.uri().path() {
        "/healthz" => text(StatusCode::OK, "ok\n".to_owned()),
        "/readyz" => readiness(process),
        "/metrics" => metrics(process),
        _ => text(
            StatusCode::NOT_FOUND,
            "not found; use /metrics, /healthz or /readyz\n".to_owned(),
        ),
    }
}

/// Returns one line per part, with its pending dependencies.
fn readiness(process: &Process) -> Response<Full<Bytes>> {
    let parts = process.parts();
    let healths = parts.iter().map(|part| (part, part.readiness().health()));
    let mut ready = !parts.is_empty();
    let mut lines = String::new();
    for (part, health) in healths {
        ready &= health == Health::Ready;
        let text = match health {
            Health::Ready => "ready".to_owned(),
            Health::Draining => "draining".to_owned(),
            Health::Starting { pending } => format!("waits for {}", pending.join(", ")),
        };
        lines.push_str(&format!("{} {}: {text}\n", part.side(), part.name()));
    }
    let code = if ready {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    text(code, lines)
}

fn metrics(process: &Process) -> Response<Full<Bytes>> {
    match process.telemetry().metrics_text() {
        Ok(metrics) => text(StatusCode::OK, metrics),
        Err(error) => {
            tracing::error!(error = %format!("{error:#}"), "/metrics failed");
            text(
                StatusCode::INTERNAL_SERVER_ERROR,
                "internal error\n".to_owned(),
            )
        }
    }
}

fn text(code: StatusCode, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = code;
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        header::HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8"),
    );
    response
}
