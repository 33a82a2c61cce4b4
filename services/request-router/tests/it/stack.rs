//! A router with its peers, each on a port of its own.

use std::{net::SocketAddr, time::Duration};

use causeway_assertion::SigningKey;
use causeway_request_router::{Args, LimitArgs, Side, UpstreamArg};
use causeway_shell::{ByteBudget, Shell, TestStop, TlsArgs};
use causeway_testkit::wait_until_blocking;
use tokio::{net::TcpListener, runtime::Runtime, task::JoinSet};

use crate::peers::{Events, Peers};

pub(crate) const KEY: &str = "Bearer cwk_a-users-key";

pub(crate) struct Stack {
    pub(crate) router: SocketAddr,
    pub(crate) peers: Peers,
    pub(crate) events: Events,
    pub(crate) stop: TestStop,
    peers_server: PeersServer,
    _router_server: JoinSet<()>,
    _folder: tempfile::TempDir,
}

impl Stack {
    pub(crate) async fn platform() -> Self {
        Self::platform_with(ByteBudget::of_process(None)).await
    }

    /// With so much memory for bodies.
    pub(crate) async fn platform_with(budget: ByteBudget) -> Self {
        let parts = ["inventory", "platform", "tunnel-server"];
        Self::start(Side::Platform, &parts, budget).await
    }

    /// With other limits of calls.
    pub(crate) async fn platform_limited_to(limits: LimitArgs) -> Self {
        let parts = ["inventory", "platform", "tunnel-server"];
        let budget = ByteBudget::of_process(None);
        Self::start_with(Side::Platform, &parts, budget, limits).await
    }

    pub(crate) async fn runtime() -> Self {
        let budget = ByteBudget::of_process(None);
        Self::start(Side::Runtime, &["app-proxy", "source-server"], budget).await
    }

    async fn start(side: Side, parts: &[&str], budget: ByteBudget) -> Self {
        Self::start_with(side, parts, budget, LimitArgs::default()).await
    }

    async fn start_with(side: Side, parts: &[&str], budget: ByteBudget, limits: LimitArgs) -> Self {
        let (peers, events) = Peers::new();
        let peers_server = PeersServer::start(&peers, "127.0.0.1:0".parse().unwrap());
        let folder = tempfile::tempdir().unwrap();
        let listener = free_listener().await;
        let router = listener.local_addr().unwrap();
        let (shell, stop) = Shell::for_test_with("request-router", budget);
        let args = Args {
            limits,
            ..args(side, parts, peers_server.address, &folder)
        };
        let mut router_server = JoinSet::new();
        router_server.spawn(async move {
            causeway_request_router::serve(args, listener, shell)
                .await
                .unwrap();
        });
        Self {
            router,
            peers,
            events,
            stop,
            peers_server,
            _router_server: router_server,
            _folder: folder,
        }
    }

    /// Ends all peers with their connections, so that nothing listens behind the router.
    pub(crate) fn stop_peers(&mut self) {
        self.peers_server.stop();
    }

    /// Starts them again at the same address.
    pub(crate) fn start_peers(&mut self) {
        self.peers_server = PeersServer::start(&self.peers, self.peers_server.address);
    }
}

/// The peers on a runtime of their own, since nothing else ends a connection that a server has taken up.
struct PeersServer {
    address: SocketAddr,
    runtime: Option<Runtime>,
}

impl PeersServer {
    fn start(peers: &Peers, address: SocketAddr) -> Self {
        // Those before let go of the port a moment after they were told to.
        let listener = wait_until_blocking("the port", PATIENCE, || {
            std::net::TcpListener::bind(address).map_err(|error| error.to_string())
        });
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let runtime = Runtime::new().unwrap();
        let peers = peers.clone();
        runtime.spawn(async move { peers.serve(TcpListener::from_std(listener).unwrap()).await });
        Self {
            address,
            runtime: Some(runtime),
        }
    }

    fn stop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl Drop for PeersServer {
    fn drop(&mut self) {
        self.stop();
    }
}

async fn free_listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").await.unwrap()
}

const PATIENCE: Duration = Duration::from_secs(60);

/// Gives up on what should have happened long ago, on a busy machine too.
pub(crate) async fn soon<T>(future: impl Future<Output = T>) -> T {
    let end = tokio::time::timeout(PATIENCE, future).await;
    end.expect("it happens within a minute")
}

fn args(side: Side, parts: &[&str], peer: SocketAddr, folder: &tempfile::TempDir) -> Args {
    let part_key = folder.path().join("parts.pem");
    std::fs::write(&part_key, SigningKey::generate().unwrap().to_pem()).unwrap();
    let upstream =
        |part: &&str| -> UpstreamArg { format!("{part}=http://{peer}").parse().unwrap() };
    Args {
        side,
        upstreams: parts.iter().map(upstream).collect(),
        upstream_ca: None,
        runtime_urls: Vec::new(),
        runtime_ca: None,
        runtime_folder: None,
        platform_url: (side == Side::Platform).then(|| format!("http://{peer}")),
        part_key: None,
        part_issuer_key: (side == Side::Platform).then_some(part_key),
        public_url: None,
        trusted_proxies: Vec::new(),
        cors_origins: vec!["https://tools.example.com".parse().unwrap()],
        limits: LimitArgs::default(),
        proxy: causeway_client::ProxyArgs::default(),
        tls: TlsArgs {
            tls_certificate: None,
            tls_key: None,
            tls_terminated_in_front: false,
        },
    }
}
