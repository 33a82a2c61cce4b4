//! The port: tells gRPC, gRPC-Web, JSON and the web UI apart.

use std::{convert::Infallible, sync::Arc};

use causeway_shell::Tasks;
use http::{HeaderMap, HeaderValue, Request, Response, header::CONNECTION, request::Parts};
use tokio::sync::Semaphore;
use tonic::{Status, body::Body, service::Routes, transport::server::TcpConnectInfo};
use tower::{Layer as _, Service, ServiceExt as _};

use crate::{
    call::{Call, Exchange, Payload},
    framing::{self, FramingError},
    header, public,
    source::{Proxies, Source},
    table::{Method, Table},
};

mod browser;
mod cors;
mod documents;
mod exec;
mod json;
mod web;
mod webhook;

pub(crate) use self::exec::MOST as MOST_TERMINALS;
pub(crate) use browser::Home;
pub(crate) use cors::Cors;
pub(crate) use documents::Documents;
pub(crate) use webhook::Webhooks;

/// What the path and all headers of a request may take together.
const LARGEST_HEADERS: usize = 32 << 10;

/// Everything behind the port.
pub(crate) struct Router {
    pub(crate) table: Table,
    pub(crate) exchange: Exchange,
    pub(crate) public: Routes,
    pub(crate) proxies: Proxies,
    pub(crate) health: tokio::sync::watch::Receiver<causeway_shell::Health>,
    pub(crate) version: &'static str,
    pub(crate) cors: Cors,
    pub(crate) documents: Documents,
    pub(crate) tasks: Tasks,
    /// Places for terminals of browsers.
    pub(crate) terminals: Arc<Semaphore>,
    /// Where browsers find this port; none on the side of a runtime, which takes no users.
    pub(crate) home: Option<Home>,
    /// Where webhooks go; none where this router takes none.
    pub(crate) webhooks: Option<Webhooks>,
}

impl Router {
    /// The router as a service that never fails: errors are answers.
    pub(crate) fn into_service(
        self,
    ) -> impl Service<Request<Body>, Response = Response<Body>, Error = Infallible, Future: Send>
    + Clone
    + Send
    + Sync
    + 'static {
        let router = Arc::new(self);
        tower::service_fn(move |request| answer(router.clone(), request))
    }

    /// Where a call comes from; absent where there is no connection.
    fn source(&self, head: &Parts) -> Option<Source> {
        let connected = head.extensions.get::<TcpConnectInfo>();
        let peer = connected.and_then(TcpConnectInfo::remote_addr)?;
        Some(self.proxies.source(peer, &head.headers))
    }

    /// A call over the connection of `head`, which may carry other headers.
    fn call<'c>(
        &self,
        method: &'c Method,
        headers: &'c HeaderMap,
        head: &Parts,
    ) -> Result<Call<'c>, Status> {
        let connection = head.extensions.get().cloned();
        Call::new(method, headers, self.source(head), connection)
    }

    async fn forward(&self, request: Request<Body>) -> Result<Response<Body>, Status> {
        let (head, body) = request.into_parts();
        if head.method != http::Method::POST {
            return Err(Status::unimplemented("gRPC requests are made with POST"));
        }
        let path = head.uri.path();
        let method = self.table.method(path).ok_or_else(|| unknown(path))?;
        let call = self.call(method, &head.headers, &head)?;
        let answer = self.exchange.call(&call, Payload::Stream(body)).await?;
        let mut response = Response::new(Body::new(answer.body));
        *response.headers_mut() = answer.headers;
        Ok(response)
    }
}

async fn answer(router: Arc<Router>, request: Request<Body>) -> Result<Response<Body>, Infallible> {
    let (version, headers) = (request.version(), request.headers());
    if let Err(error) = framing::check(version, request.uri(), headers) {
        return Ok(doubtful(error, version));
    }
    if let Some(response) = router.cors.preflight(&request) {
        return Ok(response);
    }
    let origin = router.cors.allowed(request.headers());
    let response = admitted(router.clone(), request).await?;
    Ok(router.cors.mark(origin, response))
}

/// After a request that could be read in two ways nothing else on the connection can be trusted to begin where it seems to.
fn doubtful(error: FramingError, version: http::Version) -> Response<Body> {
    let mut response = json::refused(error.into());
    if version < http::Version::HTTP_2 {
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(CONNECTION, close);
    }
    response
}

async fn admitted(
    router: Arc<Router>,
    mut request: Request<Body>,
) -> Result<Response<Body>, Infallible> {
    if header::size(request.uri(), request.headers()) > LARGEST_HEADERS {
        return Ok(json::headers_too_large());
    }
    if let Some(webhooks) = &router.webhooks
        && webhook::is_path(request.uri().path())
    {
        return Ok(webhook::answer(&router.exchange, webhooks, request).await);
    }
    if router.home.is_some()
        && let Some(response) = web::answer(&request)
    {
        return Ok(response);
    }
    if router.home.is_some() && request.uri().path() == exec::PATH {
        return Ok(exec::answer(&router, request));
    }
    if let Some(home) = &router.home
        && let Err(status) = browser::admit(home, &mut request)
    {
        let rpc = header::is_grpc(request.headers()) || header::is_grpc_web(request.headers());
        return Ok(if rpc {
            status.into_http()
        } else {
            json::refused(status)
        });
    }
    if header::is_grpc(request.headers()) {
        return grpc(router, request).await;
    }
    if header::is_grpc_web(request.headers()) {
        header::accept_own_kind(request.headers_mut());
        let inner = tower::service_fn(move |request| grpc(router.clone(), request));
        return tonic_web::GrpcWebLayer::new()
            .layer(inner)
            .oneshot(request)
            .await;
    }
    Ok(json::answer(&router, request).await)
}

async fn grpc(router: Arc<Router>, request: Request<Body>) -> Result<Response<Body>, Infallible> {
    if public::is_public(request.uri().path()) {
        return router.public.clone().oneshot(request).await;
    }
    let answer = router.forward(request).await;
    Ok(answer.unwrap_or_else(Status::into_http))
}

fn unknown(path: &str) -> Status {
    let path: String = path.chars().take(200).collect();
    Status::unimplemented(format!(
        "{path} is not in the contract; reflection lists what is"
    ))
}
