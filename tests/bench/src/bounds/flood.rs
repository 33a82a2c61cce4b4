//! Requests of 4 MiB that open nothing, all at the same time.

use std::{collections::BTreeMap, time::Duration};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use hyper::{
    body::Incoming,
    client::conn::{http1, http2},
};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::{net::TcpStream, task::JoinSet, time::timeout};

const SIZE: usize = 4 << 20;
/// Some are cut off instead of answered.
const PATIENCE: Duration = Duration::from_secs(60);
const SYNC: &str = "/causeway.proxy.v1.ApplicationActionService/SyncApplication";
const PUBLIC: &str = "/causeway.platform.v1.KeyService/ListSigningKeys";
const FORGED: Option<&str> = Some("Bearer e30.e30.c2ln");
const UNKNOWN: Option<&str> = Some("Bearer cwk_0000000000000000000000000000000000000000000");

/// One kind of request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flood {
    pub(super) name: &'static str,
    path: &'static str,
    is_grpc: bool,
    credential: Option<&'static str>,
}

pub(super) const FLOODS: [Flood; 6] = [
    flood("JSON, no credential", SYNC, false, None),
    flood("JSON, an unknown key", SYNC, false, UNKNOWN),
    flood("JSON, a method that needs none", PUBLIC, false, None),
    flood("gRPC, an unknown key", SYNC, true, UNKNOWN),
    flood("gRPC, a forged assertion", SYNC, true, FORGED),
    flood("gRPC, a method that needs none", PUBLIC, true, None),
];

const fn flood(
    name: &'static str,
    path: &'static str,
    is_grpc: bool,
    credential: Option<&'static str>,
) -> Flood {
    Flood {
        name,
        path,
        is_grpc,
        credential,
    }
}

impl Flood {
    /// Sends them and counts the answers by their status.
    pub(super) async fn send(self, address: &str, requests: usize) -> String {
        let body = self.body();
        let mut sending = JoinSet::new();
        for _ in 0..requests {
            let (address, body) = (address.to_owned(), body.clone());
            sending
                .spawn(async move { timeout(PATIENCE, Box::pin(self.one(&address, body))).await });
        }
        let mut answers = BTreeMap::<String, usize>::new();
        while let Some(Ok(answer)) = sending.join_next().await {
            let answer = answer.ok().and_then(Result::ok);
            let answer = answer.unwrap_or_else(|| "cut off".to_owned());
            *answers.entry(answer).or_default() += 1;
        }
        let told = answers
            .iter()
            .map(|(what, count)| format!("{count} x {what}"));
        told.collect::<Vec<_>>().join(", ")
    }

    fn body(self) -> Bytes {
        let mut body = vec![b' '; SIZE];
        if self.is_grpc {
            let length = u32::try_from(SIZE - 5).unwrap_or_default();
            body[0] = 0;
            body[1..5].copy_from_slice(&length.to_be_bytes());
        }
        body.into()
    }

    async fn one(self, address: &str, body: Bytes) -> anyhow::Result<String> {
        let host = address.trim_start_matches("http://");
        let stream = TokioIo::new(TcpStream::connect(host).await?);
        let kind = if self.is_grpc {
            "application/grpc"
        } else {
            "application/json"
        };
        let mut request =
            Request::post(format!("{address}{}", self.path)).header("content-type", kind);
        if let Some(credential) = self.credential {
            request = request.header("authorization", credential);
        }
        let mut connection = JoinSet::new();
        if self.is_grpc {
            let request = request.body(Full::new(body))?;
            let (mut sender, driver) = http2::handshake(TokioExecutor::new(), stream).await?;
            connection.spawn(driver);
            return Ok(told(sender.send_request(request).await?).await);
        }
        let request = request.header("host", host).body(Full::new(body))?;
        let (mut sender, driver) = http1::handshake(stream).await?;
        connection.spawn(driver);
        Ok(told(sender.send_request(request).await?).await)
    }
}

async fn told(response: Response<Incoming>) -> String {
    let head = response.headers().get("grpc-status").cloned();
    let status = response.status();
    let end = response.into_body().collect().await.ok();
    let trailers = end.and_then(|end| end.trailers().cloned());
    let grpc = head.or_else(|| trailers?.get("grpc-status").cloned());
    match grpc.as_ref().and_then(|status| status.to_str().ok()) {
        Some(grpc) => format!("grpc-status {grpc}"),
        None => format!("HTTP {}", status.as_u16()),
    }
}
