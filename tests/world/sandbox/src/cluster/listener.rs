//! The socket: TLS, the bearer token, HTTP/1.1 and HTTP/2, a bounded number of connections.

use std::{convert::Infallible, sync::Arc, time::Duration};

use http::{Request, header};
use hyper::{body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
};
use rustls::ServerConfig;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    time::timeout,
};
use tokio_rustls::TlsAcceptor;
use tokio_util::task::TaskTracker;

use super::{
    exec,
    http::{Answer, Api, refuse},
    refusal::{Reason, Refusal},
    route::Route,
};

const MOST_CONNECTIONS: usize = 1_024;
const HANDSHAKE: Duration = Duration::from_secs(5);
const HEADERS: Duration = Duration::from_secs(30);
const PAUSE_AFTER_ERROR: Duration = Duration::from_millis(50);
const ANONYMOUS: &str =
    "forbidden: User \"system:anonymous\" has no permissions: pass a bearer token";

pub(super) async fn serve(
    api: Arc<Api>,
    listener: TcpListener,
    tls: ServerConfig,
    token: String,
    tasks: TaskTracker,
) {
    let acceptor = TlsAcceptor::from(Arc::new(tls));
    let expected: Arc<str> = format!("Bearer {token}").into();
    let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        let accepted = tokio::select! {
            () = api.stop.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(PAUSE_AFTER_ERROR).await;
                continue;
            }
        };
        let Ok(seat) = Arc::clone(&room).try_acquire_owned() else {
            continue;
        };
        let connection = connection(
            Arc::clone(&api),
            acceptor.clone(),
            stream,
            Arc::clone(&expected),
            tasks.clone(),
        );
        tasks.spawn(async move {
            connection.await;
            drop(seat);
        });
    }
}

async fn connection(
    api: Arc<Api>,
    acceptor: TlsAcceptor,
    stream: TcpStream,
    expected: Arc<str>,
    tasks: TaskTracker,
) {
    drop(stream.set_nodelay(true));
    let Ok(Ok(stream)) = timeout(HANDSHAKE, acceptor.accept(stream)).await else {
        return;
    };
    let stop = api.stop.clone();
    let service = service_fn(move |request| {
        authorized(
            Arc::clone(&api),
            request,
            Arc::clone(&expected),
            tasks.clone(),
        )
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADERS);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(512);
    let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
    tokio::pin!(connection);
    tokio::select! {
        _ = &mut connection => return,
        () = stop.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    drop(connection.await);
}

async fn authorized(
    api: Arc<Api>,
    request: Request<Incoming>,
    expected: Arc<str>,
    tasks: TaskTracker,
) -> Result<Answer, Infallible> {
    let Some(given) = request.headers().get(header::AUTHORIZATION) else {
        return Ok(match Route::parse(request.uri().path()) {
            // Probes and clients read these before they have credentials.
            Some(Route::Version | Route::Health) => api.answer(request).await,
            _ => refuse(&Refusal::new(Reason::Forbidden, ANONYMOUS)),
        });
    };
    if is_same(given.as_bytes(), expected.as_bytes()) {
        if exec::is_asked(&request) {
            return Ok(exec::answer(&api, request, &tasks));
        }
        return Ok(api.answer(request).await);
    }
    Ok(refuse(&Refusal::new(Reason::Unauthorized, "Unauthorized")))
}

/// Compares in a time that does not depend on where the texts differ.
fn is_same(given: &[u8], expected: &[u8]) -> bool {
    let differences = given
        .iter()
        .zip(expected)
        .fold(0, |sum, (left, right)| sum | (left ^ right));
    given.len() == expected.len() && differences == 0
}
