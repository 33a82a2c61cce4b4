use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use bytes::Bytes;
use futures::stream;
use http_body_util::StreamBody;
use hyper::{
    Request, Response,
    body::{Frame, Incoming},
    server::conn::http2,
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message;
use tokio::{net::TcpListener, task::JoinSet};
use tonic::Code;

use super::*;
use crate::context::Entry;

/// A platform that records which methods are called and returns a status or a message for each.
#[derive(Clone)]
struct Platform {
    calls: Arc<Mutex<Vec<String>>>,
    get: Result<pb::GetApplicationResponse, Code>,
}

fn web() -> pb::Application {
    pb::Application {
        runtime: "edge".to_owned(),
        namespace: "argocd".to_owned(),
        name: "web".to_owned(),
        ..pb::Application::default()
    }
}

impl Platform {
    fn new(get: Result<pb::Application, Code>) -> Self {
        let response = |application| pb::GetApplicationResponse {
            application: Some(application),
        };
        Self {
            calls: Arc::default(),
            get: get.map(response),
        }
    }

    fn calls(&self) -> Vec<String> {
        self.calls.lock().unwrap().clone()
    }

    fn handle(&self, path: &str) -> (Option<Vec<u8>>, Code) {
        let method = path.rsplit('/').next().unwrap_or_default();
        self.calls.lock().unwrap().push(method.to_owned());
        match (method, &self.get) {
            ("GetApplication", Ok(response)) => (Some(response.encode_to_vec()), Code::Ok),
            ("GetApplication", Err(code)) => (None, *code),
            _ => {
                let response = pb::ListApplicationsResponse {
                    applications: vec![web()],
                    ..pb::ListApplicationsResponse::default()
                };
                (Some(response.encode_to_vec()), Code::Ok)
            }
        }
    }

    async fn connect(&self) -> (Connection, JoinSet<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address: SocketAddr = listener.local_addr().unwrap();
        let platform = self.clone();
        let mut server = JoinSet::new();
        server.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let platform = platform.clone();
                let service = service_fn(move |request: Request<Incoming>| {
                    let (message, code) = platform.handle(request.uri().path());
                    async move { Ok::<_, Infallible>(response(message, code)) }
                });
                let connection = http2::Builder::new(TokioExecutor::new());
                connections.spawn(connection.serve_connection(TokioIo::new(stream), service));
            }
        });
        let entry = Entry {
            address: format!("http://{address}"),
            api_key_file: None,
            session: None,
            ca_file: None,
        };
        (Connection::anonymous(&entry).unwrap(), server)
    }
}

/// A unary gRPC response: a message in its frame, and the status in trailers.
fn response(
    message: Option<Vec<u8>>,
    code: Code,
) -> Response<StreamBody<impl stream::Stream<Item = Result<Frame<Bytes>, Infallible>>>> {
    let mut frames = Vec::new();
    if let Some(message) = message {
        let length = u32::try_from(message.len()).unwrap();
        let framed = [&[0], &length.to_be_bytes()[..], &message].concat();
        frames.push(Ok(Frame::data(Bytes::from(framed))));
    }
    let mut trailers = http::HeaderMap::new();
    trailers.insert("grpc-status", i32::from(code).into());
    frames.push(Ok(Frame::trailers(trailers)));
    Response::builder()
        .header("content-type", "application/grpc")
        .body(StreamBody::new(stream::iter(frames)))
        .unwrap()
}

fn named(name: &str) -> NameArgs {
    NameArgs {
        name: name.to_owned(),
        runtime: None,
        namespace: None,
    }
}

#[tokio::test]
async fn a_full_name_is_fetched_without_a_list() {
    let platform = Platform::new(Ok(web()));
    let (connection, _server) = platform.connect().await;
    let found = resolve(&connection, &named("edge/argocd/web")).await;
    assert_eq!(found.unwrap(), web());
    assert_eq!(platform.calls(), ["GetApplication"]);
}

#[tokio::test]
async fn a_short_name_is_searched() {
    let platform = Platform::new(Ok(web()));
    let (connection, _server) = platform.connect().await;
    let found = resolve(&connection, &named("web")).await;
    assert_eq!(found.unwrap(), web());
    assert_eq!(platform.calls(), ["ListApplications"]);
}

#[tokio::test]
async fn a_full_name_that_cannot_be_fetched_is_searched() {
    for code in [
        Code::NotFound,
        Code::FailedPrecondition,
        Code::PermissionDenied,
    ] {
        let platform = Platform::new(Err(code));
        let (connection, _server) = platform.connect().await;
        let found = resolve(&connection, &named("edge/argocd/web")).await;
        assert_eq!(found.unwrap(), web());
        assert_eq!(platform.calls(), ["GetApplication", "ListApplications"]);
    }
    let platform = Platform::new(Err(Code::Internal));
    let (connection, _server) = platform.connect().await;
    resolve(&connection, &named("edge/argocd/web"))
        .await
        .unwrap_err();
    assert_eq!(platform.calls(), ["GetApplication"]);
}
