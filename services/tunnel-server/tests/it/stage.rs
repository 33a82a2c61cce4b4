//! Everything of a tunnel, started on port 0 and torn down with the test.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use causeway_assertion::development_ca::DevelopmentCa;
use causeway_assertion::{Authority, Claims, SigningKey, StaticKeys, TrustedKey};
use causeway_client::Credential;
use causeway_relay::TrustRoots;
use causeway_shell::{ServerTls, Shell, TestStop, install_crypto};
use causeway_testkit::wait_until;
use causeway_tunnel_server::{Listeners, Setup};
use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::upstream::{ECHO, SOON, Upstream};
use crate::wire::Wire;

pub(crate) type Body = UnsyncBoxBody<Bytes, std::convert::Infallible>;

pub(crate) struct Server {
    pub(crate) internal: SocketAddr,
    pub(crate) tunnel: SocketAddr,
    pub(crate) stop: TestStop,
}

/// Two runtimes of one account have keys; what is started decides which of them is connected.
pub(crate) struct Stage {
    pub(crate) ca: DevelopmentCa,
    pub(crate) platform_key: SigningKey,
    pub(crate) parts_key: SigningKey,
    pub(crate) runtime_key: Arc<SigningKey>,
    pub(crate) other_key: Arc<SigningKey>,
    _folder: tempfile::TempDir,
}

impl Stage {
    pub(crate) fn new() -> Self {
        install_crypto();
        let folder = tempfile::tempdir().unwrap();
        Self {
            ca: DevelopmentCa::open_or_create(folder.path()).unwrap(),
            platform_key: SigningKey::generate().unwrap(),
            parts_key: SigningKey::generate().unwrap(),
            runtime_key: Arc::new(SigningKey::generate().unwrap()),
            other_key: Arc::new(SigningKey::generate().unwrap()),
            _folder: folder,
        }
    }

    fn keys(&self) -> StaticKeys {
        let of_runtime = |runtime: &str| Authority::Runtime {
            account: "acme".parse().unwrap(),
            runtime: runtime.parse().unwrap(),
        };
        StaticKeys::new([
            TrustedKey {
                key: *self.platform_key.public_key(),
                authority: Authority::Platform,
            },
            TrustedKey {
                key: *self.parts_key.public_key(),
                authority: Authority::PlatformParts,
            },
            TrustedKey {
                key: *self.runtime_key.public_key(),
                authority: of_runtime("r1"),
            },
            TrustedKey {
                key: *self.other_key.public_key(),
                authority: of_runtime("r2"),
            },
        ])
    }

    pub(crate) async fn server(&self) -> Server {
        let identity = self.ca.server_identity(&["localhost"]).unwrap();
        let tls = ServerTls::from_pem(
            identity.certificate_pem.as_bytes(),
            identity.key_pem.as_bytes(),
        );
        let setup = Setup {
            tls: None,
            tunnel_tls: tls.unwrap(),
            keys: Arc::new(self.keys()),
            platform: None,
            drain_grace: Duration::from_secs(4),
        };
        let listeners = Listeners {
            internal: TcpListener::bind("127.0.0.1:0").await.unwrap(),
            tunnel: TcpListener::bind("127.0.0.1:0").await.unwrap(),
        };
        let (internal, tunnel) = (
            listeners.internal.local_addr().unwrap(),
            listeners.tunnel.local_addr().unwrap(),
        );
        let (shell, stop) = Shell::for_test("tunnel-server");
        shell
            .tasks()
            .spawn_essential("serve", setup.serve(listeners, shell.clone()));
        Server {
            internal,
            tunnel,
            stop,
        }
    }

    /// A client of runtime `r1` that dials the port of `tunnel` and leads `router` to `upstream`.
    pub(crate) fn client(&self, tunnel: SocketAddr, upstream: SocketAddr) -> TestStop {
        let (account, runtime) = ("acme".parse().unwrap(), "r1".parse().unwrap());
        let setup = causeway_tunnel_client::Setup {
            url: format!("wss://localhost:{}", tunnel.port())
                .parse()
                .unwrap(),
            trust: TrustRoots::Pem(self.ca.ca_pem().as_bytes().to_vec()),
            proxy: None,
            credential: Credential::runtime(Arc::clone(&self.runtime_key), account, runtime),
            routes: vec![format!("router=http://{upstream}").parse().unwrap()],
            platform: None,
        };
        let (shell, stop) = Shell::for_test("tunnel-client");
        shell
            .tasks()
            .spawn_essential("serve", setup.serve(shell.clone()));
        stop
    }

    /// What `platform` would sign for a user who calls `path` of a part of `runtime`.
    pub(crate) fn assertion(&self, runtime: &str, path: &str) -> String {
        let audience = format!("acme/{runtime}/app-proxy").parse().unwrap();
        let life = Duration::from_secs(60);
        let claims = Claims::for_read(
            "platform",
            "user:ada".parse().unwrap(),
            audience,
            path,
            life,
        );
        self.platform_key.sign(&claims).unwrap()
    }

    /// What a runtime shows when it dials.
    pub(crate) fn dial_assertion(key: &SigningKey, runtime: &str) -> String {
        let subject = format!("runtime:acme/{runtime}").parse().unwrap();
        let audience = "acme/-/tunnel-server".parse().unwrap();
        let life = Duration::from_secs(60);
        key.sign(&Claims::for_read(
            format!("runtime:acme/{runtime}"),
            subject,
            audience,
            "/tunnel/v1",
            life,
        ))
        .unwrap()
    }

    /// A call as the platform's router sends it.
    pub(crate) fn call(&self, path: &str, body: impl Into<Bytes>) -> Request<Body> {
        self.call_to("r1", path, body)
    }

    pub(crate) fn call_to(
        &self,
        runtime: &str,
        path: &str,
        body: impl Into<Bytes>,
    ) -> Request<Body> {
        Request::post(format!("http://tunnel-server{path}"))
            .header("content-type", "application/grpc")
            .header("te", "trailers")
            .header(
                "authorization",
                format!("Bearer {}", self.assertion(runtime, path)),
            )
            .body(Full::new(body.into()).boxed_unsync())
            .unwrap()
    }

    /// An open tunnel to runtime `r1` with everything around it.
    pub(crate) async fn open(self) -> Open {
        let upstream = Upstream::start().await;
        let server = self.server().await;
        let wire = Wire::start(server.tunnel).await;
        let client = self.client(wire.address, upstream.address);
        let caller = Caller::connect(server.internal).await;
        let open = Open {
            stage: self,
            upstream,
            server,
            wire,
            client,
            caller,
        };
        open.connected().await;
        open
    }
}

pub(crate) struct Open {
    pub(crate) stage: Stage,
    pub(crate) upstream: Upstream,
    pub(crate) server: Server,
    pub(crate) wire: Wire,
    pub(crate) client: TestStop,
    pub(crate) caller: Caller,
}

impl Open {
    /// Waits until a call arrives.
    pub(crate) async fn connected(&self) {
        self.caller.reaches(&self.stage).await;
    }

    pub(crate) async fn hanging(&self, count: usize) {
        let mut hanging = self.upstream.hanging.clone();
        let seen = hanging.wait_for(|hanging| *hanging == count);
        tokio::time::timeout(SOON, seen)
            .await
            .expect("handlers that hang")
            .unwrap();
    }
}

/// A part of the platform with one connection to the internal listener.
pub(crate) struct Caller {
    sender: SendRequest<Body>,
    _connection: JoinSet<()>,
}

impl Caller {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        let socket = TcpStream::connect(address).await.unwrap();
        socket.set_nodelay(true).unwrap();
        let (sender, connection) = Builder::new(TokioExecutor::new())
            .initial_stream_window_size(256 * 1024)
            .initial_connection_window_size(1 << 30)
            .handshake(TokioIo::new(socket))
            .await
            .unwrap();
        let mut tasks = JoinSet::new();
        tasks.spawn(async move {
            // It ends with its test.
            let _ = connection.await;
        });
        Self {
            sender,
            _connection: tasks,
        }
    }

    pub(crate) async fn send(&self, request: Request<Body>) -> Response<Incoming> {
        self.sender.clone().send_request(request).await.unwrap()
    }

    pub(crate) async fn reaches(&self, stage: &Stage) {
        wait_until("a call through the tunnel", SOON, async || {
            let response = self.send(stage.call(ECHO, "ping")).await;
            match response.headers().get("grpc-status") {
                None => Ok(()),
                Some(status) => Err(format!("{status:?}")),
            }
        })
        .await;
    }
}

/// Body and trailers of an answer that ended well.
pub(crate) async fn finished(response: Response<Incoming>) -> (Bytes, http::HeaderMap) {
    let collected = tokio::time::timeout(SOON, response.into_body().collect())
        .await
        .expect("an end")
        .unwrap();
    let trailers = collected.trailers().cloned().unwrap_or_default();
    (collected.to_bytes(), trailers)
}
