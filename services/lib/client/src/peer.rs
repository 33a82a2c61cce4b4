//! Peer as a tower service for generated clients. It connects on demand, reconnects, and adds credential, deadline and trace
//! context to each call.

use std::{
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use causeway_proto::method::{self, Method};
use futures::future::BoxFuture;
use http::{HeaderMap, HeaderValue, Request, Response, Uri, header};
use http_body_util::BodyExt as _;
use hyper_util::client::legacy::connect::{HttpConnector, proxy::Tunnel};
use tonic::{
    Code, Status,
    body::Body,
    transport::{Certificate, Channel, ClientTlsConfig, Endpoint},
};
use tower::Service;
use tracing::{Instrument as _, Span, field::Empty};

use crate::{
    ProxyArgs,
    credential::{Credential, Signer},
    throttle,
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
const DEFAULT_DEADLINE: Duration = Duration::from_secs(30);
const PING_EVERY: Duration = Duration::from_secs(15);
const PING_ANSWER: Duration = Duration::from_secs(10);
const LARGEST_SIGNED_REQUEST: usize = 4 << 20;
const FRAME_HEAD: usize = 5;
/// Flow-control window of a stream.
const STREAM_WINDOW: u32 = 1 << 20;
/// Larger than all stream windows together, so that slow readers of some streams do not block others.
const CONNECTION_WINDOW: u32 = 1 << 30;

/// Address of a peer.
#[derive(Debug, Clone)]
pub struct PeerUrl {
    text: String,
    ca: String,
    endpoint: Endpoint,
    proxy: Option<Arc<Tunnel<HttpConnector>>>,
}

/// Invalid address of a peer.
#[derive(Debug, thiserror::Error)]
pub enum PeerUrlError {
    #[error("'{0}' is not an address: use http://HOST:PORT or https://HOST:PORT")]
    Malformed(String),
    /// Invalid certificates.
    #[error("the certificates for '{0}' cannot be used")]
    Tls(String, #[source] tonic::transport::Error),
}

impl PeerUrl {
    /// Parses `http://host:port` or `https://host:port`; `ca_pem` replaces the system's CA certificates.
    pub fn parse(text: &str, ca_pem: Option<Vec<u8>>) -> Result<Self, PeerUrlError> {
        let malformed = || PeerUrlError::Malformed(text.to_owned());
        let uri: Uri = text.parse().map_err(|_| malformed())?;
        let secure = match (uri.scheme_str(), uri.host()) {
            (Some("http"), Some(_)) => false,
            (Some("https"), Some(_)) => true,
            _ => return Err(malformed()),
        };
        let mut endpoint = settings(Endpoint::from(uri));
        let ca = String::from_utf8_lossy(ca_pem.as_deref().unwrap_or_default()).into_owned();
        if secure {
            let tls = match ca_pem {
                Some(pem) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(pem)),
                None => ClientTlsConfig::new().with_native_roots(),
            };
            let with_tls = endpoint.tls_config(tls);
            endpoint = with_tls.map_err(|error| PeerUrlError::Tls(text.to_owned(), error))?;
        }
        Ok(Self {
            text: text.to_owned(),
            ca,
            endpoint,
            proxy: None,
        })
    }

    /// Connects through a proxy if its settings include the peer.
    #[must_use]
    pub fn with_proxy(self, proxy: &ProxyArgs) -> Self {
        let proxy = proxy.to(self.endpoint.uri()).map(Arc::new);
        Self { proxy, ..self }
    }

    /// Returns the trusted CA certificates as PEM; empty for those of the system.
    pub fn ca(&self) -> &str {
        &self.ca
    }

    /// Returns the endpoint, for a connector of another network.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Returns the address as given.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

fn settings(endpoint: Endpoint) -> Endpoint {
    endpoint
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .http2_keep_alive_interval(PING_EVERY)
        .keep_alive_timeout(PING_ANSWER)
        .keep_alive_while_idle(true)
}

/// Peer to call. Clones share the connection.
#[derive(Clone, Debug)]
pub struct Peer {
    channel: Channel,
    credential: Credential,
    server: Arc<str>,
}

impl Peer {
    /// Creates a peer without connecting. The first call connects; a call after a connection loss reconnects.
    pub fn new(url: &PeerUrl, credential: Credential) -> Self {
        let channel = match &url.proxy {
            Some(proxy) => url
                .endpoint
                .connect_with_connector_lazy(Tunnel::clone(proxy)),
            None => url.endpoint.connect_lazy(),
        };
        Self {
            channel,
            credential,
            server: url.endpoint.uri().host().unwrap_or_default().into(),
        }
    }

    /// Creates a peer over another channel, for example of a simulated network.
    pub fn from_channel(channel: Channel, credential: Credential) -> Self {
        Self {
            channel,
            credential,
            server: Arc::default(),
        }
    }

    /// Returns an assertion of this peer's caller for a read; none if the credential does not sign.
    ///
    /// # Errors
    /// The key is currently unusable.
    pub fn assertion(&self, method: &Method) -> Result<Option<Arc<str>>, Status> {
        match &self.credential {
            Credential::Signed(signer) => signer.for_method(method).map(Some),
            Credential::None | Credential::ApiKey(_) => Ok(None),
        }
    }
}

impl Service<Request<Body>> for Peer {
    type Response = Response<Body>;
    type Error = Status;
    type Future = BoxFuture<'static, Result<Response<Body>, Status>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Status>> {
        self.channel.poll_ready(context).map_err(unavailable)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        // The clone that was polled ready must be called.
        let ready = self.channel.clone();
        let channel = std::mem::replace(&mut self.channel, ready);
        let credential = self.credential.clone();
        let path = request.uri().path().to_owned();
        let span = span(&path, &self.server);
        let ends = span.clone();
        let answer = call(channel, credential, path, request);
        let answer = async move {
            let answer = answer.await;
            record(&ends, &answer);
            answer
        };
        Box::pin(answer.instrument(span))
    }
}

fn span(path: &str, server: &str) -> Span {
    let name = path.trim_start_matches('/');
    let (service, method) = name.split_once('/').unwrap_or((name, ""));
    tracing::info_span!(
        "call",
        otel.name = name,
        otel.kind = "client",
        otel.status_code = Empty,
        rpc.system = "grpc",
        rpc.service = service,
        rpc.method = method,
        rpc.grpc.status_code = Empty,
        server.address = server,
    )
}

/// Records the status of the response headers. The end of a streaming response is not known here.
fn record(span: &Span, answer: &Result<Response<Body>, Status>) {
    let code = match answer {
        Ok(answer) => {
            let status = answer.headers().get("grpc-status");
            status.map(|status| Code::from_bytes(status.as_bytes()))
        }
        Err(status) => Some(status.code()),
    };
    if let Some(code) = code {
        span.record("rpc.grpc.status_code", code as i32);
        if code != Code::Ok {
            span.record("otel.status_code", "ERROR");
        }
    }
}

async fn call(
    mut channel: Channel,
    credential: Credential,
    path: String,
    mut request: Request<Body>,
) -> Result<Response<Body>, Status> {
    request = authorize(&credential, &path, request).await?;
    causeway_shell::inject_trace(request.headers_mut());
    let deadline = deadline(&path, request.headers_mut());
    let waits = matches!(credential, Credential::ApiKey(_)) && has_one_message(&path);
    let response = async move {
        if waits {
            throttle::call(channel, request).await
        } else {
            channel.call(request).await
        }
    };
    match deadline {
        None => response.await.map_err(unavailable),
        Some(deadline) => tokio::time::timeout(deadline, response)
            .await
            .map_err(|_| {
                Status::deadline_exceeded(format!("no answer within {} s", deadline.as_secs()))
            })?
            .map_err(unavailable),
    }
}

/// True for a call that can be repeated: its request is one message.
fn has_one_message(path: &str) -> bool {
    method::method(path).is_some_and(|method| !method.descriptor.is_client_streaming())
}

/// Sets the default deadline for a unary call without one. Streams have none.
fn deadline(path: &str, headers: &mut HeaderMap) -> Option<Duration> {
    let unary = |method: &Method| {
        !method.descriptor.is_client_streaming() && !method.descriptor.is_server_streaming()
    };
    if headers.contains_key("grpc-timeout") || !method::method(path).is_some_and(unary) {
        return None;
    }
    headers.insert("grpc-timeout", HeaderValue::from_static("30S"));
    Some(DEFAULT_DEADLINE)
}

async fn authorize(
    credential: &Credential,
    path: &str,
    request: Request<Body>,
) -> Result<Request<Body>, Status> {
    match credential {
        Credential::None => Ok(request),
        Credential::ApiKey(secret) => Ok(with_bearer(request, secret)),
        Credential::Signed(signer) => sign(signer, path, request).await,
    }
}

async fn sign(
    signer: &Arc<Signer>,
    path: &str,
    request: Request<Body>,
) -> Result<Request<Body>, Status> {
    let method = method::method(path)
        .ok_or_else(|| Status::unimplemented(format!("{path} is not in the contract")))?;
    if !Signer::needs_request(method) {
        let assertion = signer.for_method(method)?;
        return Ok(with_bearer(request, &assertion));
    }
    let (head, body) = request.into_parts();
    let limited = http_body_util::Limited::new(body, LARGEST_SIGNED_REQUEST + FRAME_HEAD);
    let bytes = limited
        .collect()
        .await
        .map_err(|_| Status::resource_exhausted("the request is larger than 4 MiB"))?;
    let bytes = bytes.to_bytes();
    let message = bytes.get(FRAME_HEAD..).unwrap_or_default();
    let assertion = signer.for_request(method, message)?;
    let body = Body::new(http_body_util::Full::new(bytes));
    Ok(with_bearer(Request::from_parts(head, body), &assertion))
}

fn with_bearer(mut request: Request<Body>, secret: &str) -> Request<Body> {
    if let Ok(mut value) = HeaderValue::from_str(&format!("Bearer {secret}")) {
        value.set_sensitive(true);
        request.headers_mut().insert(header::AUTHORIZATION, value);
    }
    request
}

fn unavailable(error: tonic::transport::Error) -> Status {
    // The transport error has the text "transport error" only; users need its cause.
    let mut cause: &dyn std::error::Error = &error;
    while let Some(next) = cause.source() {
        cause = next;
    }
    let text = format!("cannot reach the peer: {cause}");
    let mut status = Status::from_error(Box::new(error));
    if status.code() == Code::Unknown || status.code() == Code::Unavailable {
        status = Status::unavailable(text);
    }
    status
}
