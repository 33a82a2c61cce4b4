//! What it costs to verify an assertion, the first time and again, and what a call costs with and without.

use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use causeway_assertion::{
    Authority, Claims, ExpectedAudience, KeyHolder, PartKey, SigningKey, StaticKeys, TrustedKey,
    Verifier,
};
use causeway_proto::access::v1::{CallerKind, Kind};
use causeway_proto::method::{Method, method};
use causeway_proto::platform::v1::{self as pb, part_service_server};
use causeway_shell::{Access, HttpService, Shell};
use http::{Request, header};
use http_body_util::{BodyExt, Full};
use tokio::time::Instant;
use tonic::body::Body;
use tonic::{Response, Status};
use tower::ServiceExt;

const LIST: &str = "/causeway.platform.v1.PartService/ListParts";
const ANNOUNCE: &str = "/causeway.platform.v1.PartService/Announce";
const NEW: usize = 2_000;
const AGAIN: usize = 500_000;
const CALLS: u32 = 50_000;

pub(crate) fn run() -> anyhow::Result<()> {
    let [key, parts] = [SigningKey::generate()?, SigningKey::generate()?];
    let verifier = || verifier(&key, &parts);
    let users = (0..NEW).map(|number| user(&key, number));
    let users = users.collect::<anyhow::Result<Vec<_>>>()?;
    let router = part(&parts)?;
    let certified = (0..NEW).map(|number| announcing(&router, number));
    let certified = certified.collect::<anyhow::Result<Vec<_>>>()?;
    let runtime = crate::tunnel::runtime(1)?;
    let _within = runtime.enter();
    let mut rows = Vec::new();
    for (what, path, tokens) in [("a user", LIST, &users), ("a part", ANNOUNCE, &certified)] {
        let verifier = verifier()?;
        let first = runtime.block_on(each(&verifier, path, tokens.iter()))?;
        let again = tokens.iter().cycle().take(AGAIN);
        let again = runtime.block_on(each(&verifier, path, again))?;
        rows.push((format!("{what}, the first time"), micros(first), "–"));
        rows.push((format!("{what}, again"), micros(again), "1 or less"));
    }
    let open = runtime.block_on(calls(&called(verifier()?, open())?, None))?;
    let row = vec![method(LIST).context("the contract")?.clone()];
    let shown = runtime.block_on(calls(&called(verifier()?, row)?, users.first()))?;
    let more = micros(shown.saturating_sub(open));
    rows.push(("a call without verification".to_owned(), micros(open), "–"));
    rows.push(("a call with it, more".to_owned(), more, "20 or less"));
    print(&rows)
}

fn print(rows: &[(String, f64, &str)]) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "| verifying an assertion of | µs | goal |\n|---|---|---|"
    )?;
    for (what, micros, goal) in rows {
        writeln!(out, "| {what} | {micros:.2} | {goal} |")?;
    }
    writeln!(out)?;
    Ok(())
}

fn verifier(key: &SigningKey, parts: &SigningKey) -> anyhow::Result<Verifier> {
    let trusted = |key: &SigningKey, authority| TrustedKey {
        key: *key.public_key(),
        authority,
    };
    let keys = StaticKeys::new([
        trusted(key, Authority::Platform),
        trusted(parts, Authority::PlatformParts),
    ]);
    let recipient = ExpectedAudience::platform("platform".parse()?);
    Ok(Verifier::new(Arc::new(keys), recipient))
}

fn claims(issuer: &str, subject: &str, path: &str) -> anyhow::Result<Claims> {
    let (subject, audience) = (subject.parse()?, "acme/-/platform".parse()?);
    let life = Duration::from_secs(60);
    Ok(Claims::for_read(issuer, subject, audience, path, life))
}

fn user(key: &SigningKey, number: usize) -> anyhow::Result<String> {
    let claims = claims("platform", &format!("user:u{number}"), LIST)?;
    Ok(key.sign(&claims)?)
}

fn part(issuer: &SigningKey) -> anyhow::Result<PartKey> {
    let holder = KeyHolder::platform("request-router".parse()?);
    Ok(PartKey::issue(issuer, holder, 3600)?)
}

fn announcing(key: &PartKey, number: usize) -> anyhow::Result<String> {
    let name = "part:platform/request-router";
    let mut claims = claims(name, name, ANNOUNCE)?;
    claims.aud.account = format!("a{number}").parse()?;
    Ok(key.sign(&claims)?)
}

async fn each(
    verifier: &Verifier,
    path: &str,
    tokens: impl Iterator<Item = &String>,
) -> anyhow::Result<Duration> {
    let (mut count, begin) = (0_u32, Instant::now());
    for token in tokens {
        verifier.verify(token, path).await?;
        count += 1;
    }
    Ok(begin.elapsed() / count)
}

/// The same call for anyone.
fn open() -> Vec<Method> {
    let open = |method: &Method| Method {
        kind: Kind::Public,
        callers: vec![CallerKind::Anyone],
        ..method.clone()
    };
    method(LIST).map(open).into_iter().collect()
}

/// A part's whole server without a network.
fn called(verifier: Verifier, mut rows: Vec<Method>) -> anyhow::Result<HttpService> {
    rows.extend(method(ANNOUNCE).cloned());
    let (shell, _stop) = Shell::for_test("platform");
    let server = shell.server(Access::from_methods(verifier, rows));
    let parts = part_service_server::PartServiceServer::new(Nothing);
    server.add(parts).into_service()
}

async fn calls(service: &HttpService, bearer: Option<&String>) -> anyhow::Result<Duration> {
    let begin = Instant::now();
    for _ in 0..CALLS {
        let mut request = Request::post(format!("http://platform{LIST}"))
            .header(header::CONTENT_TYPE, "application/grpc")
            .header(header::TE, "trailers");
        if let Some(token) = bearer {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let message = Full::new(bytes::Bytes::from_static(&[0; 5]));
        let response = service.clone().oneshot(request.body(Body::new(message))?);
        let answer = response.await?.into_body().collect().await?;
        let status = answer.trailers().and_then(|all| all.get("grpc-status"));
        anyhow::ensure!(status.is_some_and(|status| status == "0"), "{answer:?}");
    }
    Ok(begin.elapsed() / CALLS)
}

#[derive(Clone)]
struct Nothing;

#[tonic::async_trait]
impl part_service_server::PartService for Nothing {
    async fn announce(
        &self,
        _: tonic::Request<pb::AnnounceRequest>,
    ) -> Result<Response<pb::AnnounceResponse>, Status> {
        Ok(Response::new(pb::AnnounceResponse::default()))
    }

    async fn list_parts(
        &self,
        _: tonic::Request<pb::ListPartsRequest>,
    ) -> Result<Response<pb::ListPartsResponse>, Status> {
        Ok(Response::new(pb::ListPartsResponse::default()))
    }
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}
