//! The load: one HTTP/2 connection, a fixed number of calls in flight, closed loop.

use std::time::Duration;

use anyhow::{Context, ensure};
use bytes::Bytes;
use causeway_relay::TrustRoots;
use http::{HeaderValue, Request, Response, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};
use tokio_rustls::TlsConnector;

use super::echo::{ECHO, FLOOD};
use super::parts::Parts;

const WARM_UP: Duration = Duration::from_millis(500);
const PATIENCE: Duration = Duration::from_secs(10);
const MESSAGE: [u8; 100] = [1; 100];

pub(crate) struct Figures {
    pub(crate) per_second: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    /// Of every measured part and of the load itself. Says the same on a busy machine.
    pub(crate) cpu_us: f64,
}

/// One of the two paths to the echo server.
pub(crate) struct Target {
    sender: SendRequest<Full<Bytes>>,
    echo: HeaderValue,
    flood: HeaderValue,
    traces: Traces,
    _connection: JoinSet<()>,
}

/// What calls say of traces.
#[derive(Clone, Copy)]
pub(crate) enum Traces {
    None,
    /// Each is in a trace of its own, and one in ten is recorded, as a router has it that samples so many.
    TenPercent,
}

impl Traces {
    fn parent(self) -> Option<HeaderValue> {
        let Self::TenPercent = self else {
            return None;
        };
        let (trace, span): (u128, u64) = rand::random();
        let flags = u8::from(trace % 10 == 0);
        let parent = format!("00-{trace:032x}-{span:016x}-{flags:02x}");
        HeaderValue::try_from(parent).ok()
    }
}

impl Target {
    pub(crate) async fn direct(parts: &Parts) -> anyhow::Result<Self> {
        let roots = TrustRoots::Pem(parts.ca_pem.as_bytes().to_vec());
        let tls = roots.client_config(b"h2")?;
        let socket = TcpStream::connect(parts.direct).await?;
        socket.set_nodelay(true)?;
        let socket = TlsConnector::from(tls)
            .connect("localhost".try_into()?, socket)
            .await?;
        Self::over(socket, parts).await
    }

    /// Waits for the session.
    pub(crate) async fn tunnel(parts: &Parts) -> anyhow::Result<Self> {
        let socket = TcpStream::connect(parts.internal).await?;
        socket.set_nodelay(true)?;
        let target = Self::over(socket, parts).await?;
        let begin = Instant::now();
        while target
            .sender
            .clone()
            .send_request(request(ECHO, &target.echo))
            .await?
            .headers()
            .contains_key("grpc-status")
        {
            ensure!(begin.elapsed() < PATIENCE, "the tunnel does not open");
            sleep(Duration::from_millis(20)).await;
        }
        Ok(target)
    }

    async fn over(
        io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        parts: &Parts,
    ) -> anyhow::Result<Self> {
        let (sender, connection) = Builder::new(TokioExecutor::new())
            .initial_stream_window_size(256 * 1024)
            .initial_connection_window_size(1 << 30)
            .handshake(TokioIo::new(io))
            .await?;
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            // It ends with its round.
            let _ = connection.await;
        });
        let bearer = |path| {
            anyhow::Ok(HeaderValue::from_str(&format!(
                "Bearer {}",
                parts.assertion(path)?
            ))?)
        };
        Ok(Self {
            sender,
            echo: bearer(ECHO)?,
            flood: bearer(FLOOD)?,
            traces: Traces::None,
            _connection: tasks,
        })
    }

    /// The same with calls that are in traces.
    pub(crate) fn in_traces(self, traces: Traces) -> Self {
        Self { traces, ..self }
    }

    /// `in_flight` callers for `time`, after a warm-up.
    pub(crate) async fn unary(&self, in_flight: usize, time: Duration) -> anyhow::Result<Figures> {
        let begin = Instant::now() + WARM_UP;
        let used = cpu_time()?;
        let mut callers = JoinSet::new();
        for _ in 0..in_flight {
            callers.spawn(caller(
                self.sender.clone(),
                (self.echo.clone(), self.traces),
                begin,
                begin + time,
            ));
        }
        let (mut took, mut calls) = (Vec::new(), 0_u64);
        while let Some(finished) = callers.join_next().await {
            let (measured, warm_up) = finished??;
            calls += measured.len() as u64 + warm_up;
            took.extend(measured);
        }
        let used = cpu_time()? - used;
        took.sort_unstable();
        let at = |share: usize| {
            took.get(took.len() * share / 100)
                .map(Duration::as_secs_f64)
                .unwrap_or_default()
                * 1e3
        };
        Ok(Figures {
            per_second: took.len() as f64 / time.as_secs_f64(),
            p50_ms: at(50),
            p99_ms: at(99),
            cpu_us: used.as_secs_f64() * 1e6 / calls as f64,
        })
    }

    /// Streams that were opened, read once, and are not read any more.
    pub(crate) async fn stall(&self, count: usize) -> anyhow::Result<Vec<Response<Incoming>>> {
        let mut stalled = Vec::with_capacity(count);
        for _ in 0..count {
            let mut response = self
                .sender
                .clone()
                .send_request(request(FLOOD, &self.flood))
                .await?;
            response
                .body_mut()
                .frame()
                .await
                .context("the first frame")??;
            stalled.push(response);
        }
        Ok(stalled)
    }
}

/// What this process has used so far, in steps of 10 ms.
fn cpu_time() -> anyhow::Result<Duration> {
    let text = std::fs::read_to_string("/proc/self/stat")?;
    let (_command, fields) = text.rsplit_once(") ").context("/proc/self/stat")?;
    let ticks = fields.split(' ').skip(11).take(2).map(str::parse::<u64>);
    let ticks: u64 = ticks.sum::<Result<_, _>>()?;
    Ok(Duration::from_millis(ticks * 10))
}

fn request(path: &'static str, authorization: &HeaderValue) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(Bytes::from_static(&MESSAGE)));
    *request.method_mut() = http::Method::POST;
    let uri = format!("http://echo{path}");
    *request.uri_mut() = uri.parse().expect("the paths are ours");
    let headers = request.headers_mut();
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/grpc"),
    );
    headers.insert(header::TE, HeaderValue::from_static("trailers"));
    headers.insert(header::AUTHORIZATION, authorization.clone());
    request
}

async fn caller(
    mut sender: SendRequest<Full<Bytes>>,
    (authorization, traces): (HeaderValue, Traces),
    begin: Instant,
    end: Instant,
) -> anyhow::Result<(Vec<Duration>, u64)> {
    let (mut took, mut warm_up) = (Vec::new(), 0);
    loop {
        let sent = Instant::now();
        if sent >= end {
            return Ok((took, warm_up));
        }
        let mut request = request(ECHO, &authorization);
        if let Some(parent) = traces.parent() {
            request.headers_mut().insert("traceparent", parent);
        }
        let answer = sender
            .send_request(request)
            .await?
            .into_body()
            .collect()
            .await?;
        let status = answer
            .trailers()
            .and_then(|trailers| trailers.get("grpc-status"));
        ensure!(
            status.is_some_and(|status| status == "0"),
            "a call failed: {:?}",
            answer.trailers()
        );
        if sent >= begin {
            took.push(sent.elapsed());
        } else {
            warm_up += 1;
        }
    }
}
