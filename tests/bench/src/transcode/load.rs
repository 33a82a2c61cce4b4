//! The callers: in gRPC on one connection, as its clients are, over HTTP/1.1 each on one of its own.

use std::{net::SocketAddr, time::Duration};

use anyhow::ensure;
use bytes::Bytes;
use causeway_proto::proxy::v1 as pb;
use http::{Request, header};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use prost::Message as _;
use tokio::{
    net::TcpStream,
    task::JoinSet,
    time::{Instant, timeout_at},
};

const RPC: &str = "/causeway.proxy.v1.ApplicationActionService/GetLiveApplication";
const PATH: &str = "/v1/runtimes/prod/applications/argocd/guestbook/live";
/// A router of a runtime carries an assertion on as it is; this one is one by its form.
const ASSERTION: &str = "Bearer eyJhIjoxfQ.eyJhdWQiOiJkZWZhdWx0L3J0LTEvYXBwLXByb3h5In0.c2ln";
const WARM_UP: Duration = Duration::from_millis(500);

/// How the call is made, and where to.
pub(super) struct Load {
    address: SocketAddr,
    form: Form,
}

#[derive(Clone, Copy)]
enum Form {
    Grpc,
    Json,
}

enum Sender {
    Grpc(http2::SendRequest<Full<Bytes>>),
    Json(http1::SendRequest<Full<Bytes>>),
}

impl Load {
    pub(super) fn grpc(address: SocketAddr) -> Self {
        let form = Form::Grpc;
        Self { address, form }
    }

    pub(super) fn json(address: SocketAddr) -> Self {
        let form = Form::Json;
        Self { address, form }
    }

    /// Makes the call once and looks at the answer.
    pub(super) async fn check(&self) -> anyhow::Result<()> {
        let mut connections = JoinSet::new();
        let mut sender = self.connect(&mut connections).await?;
        let (status, body) = sender.call(self).await?;
        let text = String::from_utf8_lossy(&body);
        let told = match self.form {
            Form::Grpc => body.len() > 1024,
            Form::Json => text.contains("\"resourceVersion\":\"9007199254740993\""),
        };
        ensure!(status == 200 && told, "{PATH} got {status} {text}");
        Ok(())
    }

    /// Seconds that each call took, after a warm-up.
    pub(super) async fn run(&self, callers: usize, time: Duration) -> anyhow::Result<Vec<f64>> {
        let mut connections = JoinSet::new();
        let mut senders = vec![self.connect(&mut connections).await?];
        while senders.len() < callers {
            let next = match &senders[0] {
                Sender::Grpc(sender) => Sender::Grpc(sender.clone()),
                Sender::Json(_) => self.connect(&mut connections).await?,
            };
            senders.push(next);
        }
        let begin = Instant::now() + WARM_UP;
        let calls = senders
            .into_iter()
            .map(|sender| self.caller(sender, begin, begin + time));
        let took = futures::future::try_join_all(calls).await?;
        Ok(took.concat())
    }

    async fn caller(
        &self,
        mut sender: Sender,
        begin: Instant,
        end: Instant,
    ) -> anyhow::Result<Vec<f64>> {
        let mut took = Vec::new();
        loop {
            let begun = Instant::now();
            let Ok(answer) = timeout_at(end, sender.call(self)).await else {
                return Ok(took);
            };
            let (status, _) = answer?;
            ensure!(status == 200, "a call got {status}");
            if begun >= begin {
                took.push(begun.elapsed().as_secs_f64());
            }
        }
    }

    async fn connect(&self, connections: &mut JoinSet<()>) -> anyhow::Result<Sender> {
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        let stream = TokioIo::new(stream);
        Ok(match self.form {
            Form::Grpc => {
                let (sender, driver) = http2::handshake(TokioExecutor::new(), stream).await?;
                connections.spawn(async move {
                    // It ends with its round.
                    let _ = driver.await;
                });
                Sender::Grpc(sender)
            }
            Form::Json => {
                let (sender, driver) = http1::handshake(stream).await?;
                connections.spawn(async move {
                    // So does this one.
                    let _ = driver.await;
                });
                Sender::Json(sender)
            }
        })
    }

    fn request(&self) -> anyhow::Result<Request<Full<Bytes>>> {
        let address = self.address;
        let request = Request::builder().header(header::AUTHORIZATION, ASSERTION);
        Ok(match self.form {
            Form::Grpc => request
                .method("POST")
                .uri(format!("http://{address}{RPC}"))
                .header(header::CONTENT_TYPE, "application/grpc")
                .header(header::TE, "trailers")
                .body(Full::new(question()))?,
            Form::Json => request
                .uri(PATH)
                .header(header::HOST, address.to_string())
                .body(Full::default())?,
        })
    }
}

impl Sender {
    async fn call(&mut self, load: &Load) -> anyhow::Result<(u16, Bytes)> {
        let request = load.request()?;
        let response = match self {
            Self::Grpc(sender) => {
                sender.ready().await?;
                sender.send_request(request).await?
            }
            Self::Json(sender) => {
                sender.ready().await?;
                sender.send_request(request).await?
            }
        };
        let status = response.status().as_u16();
        let body = response.into_body().collect().await?;
        Ok((status, body.to_bytes()))
    }
}

/// The request in gRPC as it travels.
fn question() -> Bytes {
    let question = pb::GetLiveApplicationRequest {
        runtime: "prod".to_owned(),
        namespace: "argocd".to_owned(),
        name: "guestbook".to_owned(),
    };
    let encoded = question.encode_to_vec();
    let length = u32::try_from(encoded.len()).unwrap_or(u32::MAX);
    [&[0], length.to_be_bytes().as_slice(), &encoded]
        .concat()
        .into()
}
