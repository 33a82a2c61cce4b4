//! A caller over HTTP/1.1, as curl is one.

use std::net::SocketAddr;

use bytes::Bytes;
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::{body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
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

pub(crate) async fn open(router: SocketAddr, request: Request<Full<Bytes>>) -> Open {
    let stream = TcpStream::connect(router).await.unwrap();
    let (mut sender, driver) = http1::handshake(TokioIo::new(stream)).await.unwrap();
    let mut connection = JoinSet::new();
    connection.spawn(async move {
        // The answer tells the test what went wrong.
        let _ = driver.await;
    });
    let response = soon(sender.send_request(request)).await.unwrap();
    Open {
        response,
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
