//! The measured parts, each on a runtime of its own, as in processes of their own.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use causeway_assertion::Side;
use causeway_assertion::development_ca::DevelopmentCa;
use causeway_assertion::{Authority, Claims, KeySource, KeySourceError, SigningKey, TrustedKey};
use causeway_client::Credential;
use causeway_proto::ids::KeyId;
use causeway_relay::TrustRoots;
use causeway_shell::{Process, ServerTls, Shell, TestStop};
use causeway_tunnel_server::Listeners;
use futures::future::BoxFuture;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use super::echo;

pub(crate) struct Parts {
    pub(crate) ca_pem: String,
    pub(crate) direct: SocketAddr,
    pub(crate) internal: SocketAddr,
    platform: SigningKey,
    _folder: tempfile::TempDir,
}

/// Keys by their ids.
pub(crate) struct Keys(pub(crate) HashMap<KeyId, TrustedKey>);

impl KeySource for Keys {
    fn key<'a>(
        &'a self,
        kid: &'a KeyId,
    ) -> BoxFuture<'a, Result<Option<TrustedKey>, KeySourceError>> {
        Box::pin(std::future::ready(Ok(self.0.get(kid).cloned())))
    }
}

pub(crate) fn runtime(threads: usize) -> anyhow::Result<Runtime> {
    let mut builder = match threads {
        1 => Builder::new_current_thread(),
        _ => Builder::new_multi_thread(),
    };
    let runtime = builder.worker_threads(threads).enable_all().build();
    runtime.context("a runtime")
}

pub(crate) fn trusted(key: &SigningKey, authority: Authority) -> (KeyId, TrustedKey) {
    (
        key.kid().clone(),
        TrustedKey {
            key: *key.public_key(),
            authority,
        },
    )
}

pub(crate) fn authority(runtime: &str) -> anyhow::Result<Authority> {
    Ok(Authority::Runtime {
        account: "acme".parse()?,
        runtime: runtime.parse()?,
    })
}

pub(crate) fn server_setup(tls: ServerTls, keys: Keys) -> causeway_tunnel_server::Setup {
    causeway_tunnel_server::Setup {
        tls: None,
        tunnel_tls: tls,
        keys: Arc::new(keys),
        platform: None,
        drain_grace: Duration::from_secs(1),
    }
}

/// What the measured parts are given.
pub(crate) enum Shells {
    /// Nobody traces anything.
    Silent,
    /// What the process that they are in says of tracing.
    Of(Process),
}

impl Shells {
    /// The part ends where the second one is dropped.
    fn shell(&self, name: &'static str, side: Side) -> (Shell, Option<TestStop>) {
        match self {
            Self::Silent => {
                let (shell, stop) = Shell::for_test(name);
                (shell, Some(stop))
            }
            Self::Of(process) => (process.part(name, side), None),
        }
    }
}

impl Parts {
    pub(crate) fn start(threads: usize, shells: &Shells) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let ca = DevelopmentCa::open_or_create(folder.path())?;
        let identity = ca.server_identity(&["localhost"])?;
        let tls = ServerTls::from_pem(
            identity.certificate_pem.as_bytes(),
            identity.key_pem.as_bytes(),
        )?;
        let (platform, key) = (SigningKey::generate()?, Arc::new(SigningKey::generate()?));
        let keys = Keys(HashMap::from([
            trusted(&platform, Authority::Platform),
            trusted(&key, authority("r1")?),
        ]));
        let [plain, secured, internal, tunnel] = [listen()?, listen()?, listen()?, listen()?];
        let (upstream, direct) = (plain.local_addr()?, secured.local_addr()?);
        let (internal_address, tunnel_port) = (internal.local_addr()?, tunnel.local_addr()?.port());
        let secured_by = tls.config();
        start("echo", threads, async move || {
            let (plain, secured) = (from_std(plain)?, from_std(secured)?);
            echo::serve(plain, secured, secured_by).await
        })?;
        let setup = server_setup(tls, keys);
        let server = shells.shell("tunnel-server", Side::Platform);
        start("tunnel-server", threads, async move || {
            let (internal, tunnel) = (from_std(internal)?, from_std(tunnel)?);
            let (shell, _stop) = server;
            setup.serve(Listeners { internal, tunnel }, shell).await
        })?;
        let client = causeway_tunnel_client::Setup {
            url: format!("wss://localhost:{tunnel_port}").parse()?,
            trust: TrustRoots::Pem(ca.ca_pem().as_bytes().to_vec()),
            proxy: None,
            credential: Credential::runtime(key, "acme".parse()?, "r1".parse()?),
            routes: vec![format!("router=http://{upstream}").parse()?],
            platform: None,
        };
        let of_client = shells.shell("tunnel-client", Side::Runtime);
        start("tunnel-client", threads, async move || {
            let (shell, _stop) = of_client;
            client.serve(shell).await
        })?;
        let ca_pem = ca.ca_pem().to_owned();
        Ok(Self {
            ca_pem,
            direct,
            internal: internal_address,
            platform,
            _folder: folder,
        })
    }

    /// What the platform would sign for a user's call of `path`; good for a minute.
    pub(crate) fn assertion(&self, path: &str) -> anyhow::Result<String> {
        let (user, audience) = ("user:ada".parse()?, "acme/r1/app-proxy".parse()?);
        Ok(self.platform.sign(&Claims::for_read(
            "platform",
            user,
            audience,
            path,
            Duration::from_secs(60),
        ))?)
    }
}

fn from_std(listener: std::net::TcpListener) -> anyhow::Result<TcpListener> {
    Ok(TcpListener::from_std(listener)?)
}

/// Runs a part on a runtime and a thread of its own until the process ends. A profiler shows the
/// thread's name.
fn start(
    name: &str,
    threads: usize,
    part: impl AsyncFnOnce() -> anyhow::Result<()> + Send + 'static,
) -> anyhow::Result<()> {
    let runtime = runtime(threads)?;
    let thread = std::thread::Builder::new().name(name.to_owned());
    thread.spawn(move || runtime.block_on(part()))?;
    Ok(())
}

fn listen() -> anyhow::Result<std::net::TcpListener> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}
