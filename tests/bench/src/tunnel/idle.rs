//! Memory of a session that is open and was never used, on the server, TLS included.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use bytes::{BufMut, Bytes, BytesMut};
use causeway_assertion::development_ca::DevelopmentCa;
use causeway_assertion::{Claims, SigningKey};
use causeway_proto::tunnel::v1 as pb;
use causeway_relay::{TrustRoots, tunnel_hop};
use causeway_shell::{ServerTls, Shell};
use causeway_tunnel_server::Listeners;
use causeway_websocket::{DialOptions, connect};
use futures::stream::{self, StreamExt};
use http::{HeaderMap, HeaderValue, Response, header};
use http_body::Frame;
use http_body_util::StreamBody;
use prost::Message;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::{interval, sleep, timeout};

use super::parts::{Keys, authority, runtime, server_setup, trusted};

/// A runtime may hold so many.
const SESSIONS_PER_RUNTIME: usize = 32;
const RUNTIMES: usize = 160;
const SETTLE: Duration = Duration::from_secs(2);
const PATIENCE: Duration = Duration::from_secs(10);
/// Below what the server admits.
const DIAL_EVERY: Duration = Duration::from_millis(3);
const PAGE_KIB: f64 = 4.0;

/// The process that is measured: prints its folder and its port, serves until it is killed.
pub(crate) fn serve() -> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let ca = DevelopmentCa::open_or_create(folder.path())?;
    let identity = ca.server_identity(&["localhost"])?;
    let tls = ServerTls::from_pem(
        identity.certificate_pem.as_bytes(),
        identity.key_pem.as_bytes(),
    )?;
    let mut keys = HashMap::new();
    for number in 0..RUNTIMES {
        let key = SigningKey::generate()?;
        std::fs::write(folder.path().join(format!("r{number}.pem")), key.to_pem())?;
        keys.extend([trusted(&key, authority(&format!("r{number}"))?)]);
    }
    std::fs::write(folder.path().join("bundle.pem"), ca.ca_pem())?;
    runtime(1)?.block_on(async {
        let bind = || TcpListener::bind("127.0.0.1:0");
        let listeners = Listeners {
            internal: bind().await?,
            tunnel: bind().await?,
        };
        let port = listeners.tunnel.local_addr()?.port();
        writeln!(std::io::stdout(), "{port} {}", folder.path().display())?;
        let (shell, _stop) = Shell::for_test("tunnel-server");
        server_setup(tls, Keys(keys)).serve(listeners, shell).await
    })
}

/// KiB of the server per open session.
pub(crate) async fn measure(sessions: usize) -> anyhow::Result<f64> {
    ensure!(
        sessions <= SESSIONS_PER_RUNTIME * (RUNTIMES - 1),
        "at most {} sessions",
        SESSIONS_PER_RUNTIME * (RUNTIMES - 1)
    );
    let server = Server::start()?;
    let mut open = JoinSet::new();
    // The last runtime's session makes the server allocate what it needs once.
    server.open(RUNTIMES - 1, 0, &mut open).await?;
    sleep(SETTLE).await;
    let before = server.resident_kib()?;
    let mut pace = interval(DIAL_EVERY);
    for number in 0..sessions {
        pace.tick().await;
        server
            .open(
                number / SESSIONS_PER_RUNTIME,
                number % SESSIONS_PER_RUNTIME,
                &mut open,
            )
            .await?;
    }
    sleep(SETTLE).await;
    let after = server.resident_kib()?;
    Ok((after - before) / sessions as f64)
}

struct Server {
    child: Child,
    port: u16,
    folder: std::path::PathBuf,
    tls: Arc<rustls::ClientConfig>,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself; nothing else can be done here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start() -> anyhow::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("idle-server")
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().context("the server's output")?).read_line(&mut line)?;
        let (port, folder) = line
            .trim()
            .split_once(' ')
            .context("the server's first line")?;
        let folder = std::path::PathBuf::from(folder);
        let bundle = std::fs::read(folder.join("bundle.pem"))?;
        Ok(Self {
            child,
            port: port.parse()?,
            tls: TrustRoots::Pem(bundle).client_config(b"http/1.1")?,
            folder,
        })
    }

    fn resident_kib(&self) -> anyhow::Result<f64> {
        let text = std::fs::read_to_string(format!("/proc/{}/statm", self.child.id()))?;
        let pages: f64 = text.split(' ').nth(1).context("statm")?.parse()?;
        Ok(pages * PAGE_KIB)
    }

    /// Returns once the server has greeted.
    async fn open(
        &self,
        runtime: usize,
        client: usize,
        sessions: &mut JoinSet<()>,
    ) -> anyhow::Result<()> {
        let key = SigningKey::from_pem(&std::fs::read_to_string(
            self.folder.join(format!("r{runtime}.pem")),
        )?)?;
        let subject = format!("runtime:acme/r{runtime}").parse()?;
        let claims = Claims::for_read(
            format!("runtime:acme/r{runtime}"),
            subject,
            "acme/-/tunnel-server".parse()?,
            "/tunnel/v1",
            Duration::from_secs(60),
        );
        let mut headers = HeaderMap::new();
        headers.insert(
            "causeway-client",
            HeaderValue::from_str(&format!("c{client}"))?,
        );
        headers.insert("causeway-slot", HeaderValue::from_static("0"));
        headers.insert("causeway-generation", HeaderValue::from_static("1"));
        let dialed = connect(DialOptions {
            url: format!("wss://localhost:{}/tunnel/v1", self.port).parse()?,
            tls: Arc::clone(&self.tls),
            authorization: HeaderValue::from_str(&format!("Bearer {}", key.sign(&claims)?))?,
            headers,
            proxy: None,
            connect_timeout: PATIENCE,
            upgrade_timeout: PATIENCE,
        });
        let stream = dialed.await?.stream;
        let (greeted_tx, mut greeted) = mpsc::channel(1);
        sessions.spawn(async move {
            let call = |_request| {
                let _ = greeted_tx.try_send(());
                std::future::ready(hello())
            };
            // It ends with the server.
            let _ = tunnel_hop::serve(stream, call, std::future::pending()).await;
        });
        timeout(PATIENCE, greeted.recv())
            .await?
            .context("the server did not greet")
    }
}

/// A control stream that says hello and nothing more.
fn hello() -> Response<impl http_body::Body<Data = Bytes, Error = Infallible>> {
    let hello = pb::ClientHello {
        version: "bench".to_owned(),
        routes: vec!["router".to_owned()],
    };
    let message = pb::OpenResponse {
        message: Some(pb::open_response::Message::Hello(hello)),
    }
    .encode_to_vec();
    let mut frame = BytesMut::new();
    frame.put_u8(0);
    frame.put_u32(u32::try_from(message.len()).unwrap_or_default());
    frame.put_slice(&message);
    let first = stream::iter([Ok(Frame::data(frame.freeze()))]);
    let mut response = Response::new(StreamBody::new(first.chain(stream::pending())));
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/grpc"),
    );
    response
}
