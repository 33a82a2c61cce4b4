//! A caller over HTTP, as curl is one.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::{
    body::Incoming,
    client::conn::{http1, http2},
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{net::TcpStream, task::JoinSet};

use crate::stack::{KEY, soon};

/// An answer and the connection that it comes over; dropping it hangs up.
pub(crate) struct Open {
    pub(crate) response: Response<Incoming>,
    _connection: JoinSet<()>,
}

/// A whole answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn message(&self) -> String {
        self.json()["message"].as_str().unwrap().to_owned()
    }

    /// The first `reason` among the details.
    pub(crate) fn reason(&self) -> String {
        self.json()["details"][0]["reason"]
            .as_str()
            .unwrap()
            .to_owned()
    }
}

/// Of HTTP.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Version {
    Http1,
    Http2,
}

pub(crate) async fn open(router: SocketAddr, request: Request<Full<Bytes>>) -> Open {
    open_by(Version::Http1, router, request).await
}

pub(crate) async fn open_by(
    version: Version,
    router: SocketAddr,
    mut request: Request<Full<Bytes>>,
) -> Open {
    let stream = TokioIo::new(TcpStream::connect(router).await.unwrap());
    let mut connection = JoinSet::new();
    // In both, the answer tells the test what went wrong.
    let response = match version {
        Version::Http1 => {
            let (mut sender, driver) = http1::handshake(stream).await.unwrap();
            connection.spawn(async move {
                let _ = driver.await;
            });
            soon(sender.send_request(request)).await
        }
        Version::Http2 => {
            let path = request.uri().path_and_query().unwrap();
            let uri = format!("http://{router}{path}").parse().unwrap();
            *request.uri_mut() = uri;
            request.headers_mut().remove("host");
            let executor = TokioExecutor::new();
            let (mut sender, driver) = http2::handshake(executor, stream).await.unwrap();
            connection.spawn(async move {
                let _ = driver.await;
            });
            soon(sender.send_request(request)).await
        }
    };
    Open {
        response: response.unwrap(),
        _connection: connection,
    }
}

pub(crate) async fn send(router: SocketAddr, request: Request<Full<Bytes>>) -> Answer {
    let open = open(router, request).await;
    let (head, body) = open.response.into_parts();
    let body = soon(body.collect()).await.unwrap().to_bytes();
    Answer {
        status: head.status,
        headers: head.headers,
        body,
    }
}

pub(crate) fn request(verb: &str, path: &str) -> http::request::Builder {
    Request::builder()
        .method(verb)
        .uri(path)
        .header("host", "causeway.test")
        .header("authorization", KEY)
}

pub(crate) async fn get(router: SocketAddr, path: &str) -> Answer {
    send(router, request("GET", path).body(Full::default()).unwrap()).await
}

pub(crate) async fn post(router: SocketAddr, path: &str, body: &str) -> Answer {
    let request = request("POST", path).header("content-type", "application/json");
    send(router, request.body(Full::from(body.to_owned())).unwrap()).await
}
