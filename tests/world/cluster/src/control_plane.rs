//! etcd and kube-apiserver, as two processes or as one, with the keys that go with them.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use futures::{FutureExt as _, future::BoxFuture};
use kube::{Client, Config, config::Kubeconfig};
use tokio::net::UnixStream;
use tracing::{instrument::WithSubscriber as _, subscriber::NoSubscriber};

use crate::{
    child::{Child, Crew, Ready, Supervisor},
    error::ClusterError,
    folder::Folder,
    keys::{self, Authority, Files, Identity, Signing},
    node::Entrance,
    process::Launch,
};

/// Start timeout of etcd and kube-apiserver on a busy machine.
pub(crate) const START_TIMEOUT: Duration = Duration::from_secs(300);
const ISSUER: &str = "https://kubernetes.default.svc.cluster.local";
const NAMES: [&str; 7] = [
    "127.0.0.1",
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
    "10.96.0.1",
];
const ADMINISTRATORS: &str = "system:masters";

/// A running API server and its address.
pub(crate) struct ControlPlane {
    pub(crate) keys: Keys,
    pub(crate) kubeconfig: PathBuf,
    pub(crate) config: Config,
    /// where its controllers run, if not beside this process
    entrance: Option<Entrance>,
}

/// Keys of a control plane and their files.
pub(crate) struct Keys {
    pub(crate) folder: PathBuf,
    pub(crate) authority: Authority,
    pub(crate) authority_files: Files,
    pub(crate) service_accounts: Signing,
    pub(crate) front_authority: PathBuf,
    front_client: Files,
    server: Files,
    admin: Identity,
}

impl Keys {
    /// `further` are names and addresses of the API server beside the usual ones.
    pub(crate) fn make(folder: PathBuf, further: &[String]) -> Result<Self, ClusterError> {
        let further = further.iter().map(String::as_str);
        let names: Vec<&str> = NAMES.into_iter().chain(further).collect();
        let authority = Authority::new("causeway cluster")?;
        let front = Authority::new("causeway cluster front proxy")?;
        let front_client = front.client("front-proxy-client", None)?;
        Ok(Self {
            authority_files: authority.write(&folder, "authority")?,
            service_accounts: keys::write_signing_key(&folder, "service-accounts")?,
            front_authority: front.write(&folder, "front-authority")?.certificate,
            front_client: front_client.write(&folder, "front-client")?,
            server: authority.server(&names)?.write(&folder, "kube-apiserver")?,
            admin: authority.client("admin", Some(ADMINISTRATORS))?,
            authority,
            folder,
        })
    }

    /// Kubeconfig of the administrator.
    pub(crate) fn kubeconfig(&self, server: &str) -> String {
        keys::kubeconfig(server, self.authority.pem(), &self.admin.user())
    }
}

impl ControlPlane {
    /// One process, no controllers. It makes its own keys but for the authority of further users.
    pub(crate) async fn minimal(
        program: &Path,
        folder: &Folder,
        flags: &[String],
        (supervisor, crew): (&Arc<Supervisor>, &mut Crew),
    ) -> Result<Self, ClusterError> {
        let keys = Keys::make(folder.make("keys")?, &[])?;
        let data = folder.make("kube")?;
        let kubeconfig = data.join("kubeconfig");
        let launch = Launch::new(Child::ApiServer.to_string(), program)
            .argument("minimal")
            .argument(data.display().to_string());
        let plan = |port: u16| {
            let launch = launch.clone().argument(port.to_string());
            let authority = keys.authority_files.certificate.display();
            let launch = launch.flag("client-ca-file", authority);
            let launch = launch.arguments(flags.iter().cloned());
            (launch, answers(kubeconfig.clone()))
        };
        let started = supervisor.start_on_free_port(Child::ApiServer, START_TIMEOUT, plan);
        crew.join(started.await?.0);
        Self::reached(keys, kubeconfig, None).await
    }

    /// etcd and kube-apiserver as processes of their own, ready for controllers.
    pub(crate) async fn full(
        program: &Path,
        folder: &Folder,
        flags: &[String],
        (supervisor, crew): (&Arc<Supervisor>, &mut Crew),
    ) -> Result<Self, ClusterError> {
        let keys = Keys::make(folder.make("keys")?, &[])?;
        let socket = folder.path().join("etcd.sock");
        let (launch, ready) = etcd(program, folder, &socket);
        let member = supervisor
            .start(Child::Etcd, launch, ready, START_TIMEOUT)
            .await?;
        crew.join(member);
        let launch = Launch::new(Child::ApiServer.to_string(), program)
            .argument("kube-apiserver")
            .flag("etcd-servers", format!("unix://{}", socket.display()));
        // One file for each port that is tried: the wait reads it.
        let file = |port: u16| keys.folder.join(format!("{port}.kubeconfig"));
        let plan = |port: u16| {
            let launch = api_server(launch.clone(), &keys, port);
            let launch = launch.arguments(flags.iter().cloned());
            // A file that cannot be written is one that the wait cannot read, and tells of.
            let _ = keys::write_private(&file(port), &keys.kubeconfig(&server(port)));
            (launch, answers(file(port)))
        };
        let started = supervisor.start_on_free_port(Child::ApiServer, START_TIMEOUT, plan);
        let (member, port) = started.await?;
        crew.join(member);
        let kubeconfig = folder.path().join("kubeconfig");
        keys::write_private(&kubeconfig, &keys.kubeconfig(&server(port)))?;
        Self::reached(keys, kubeconfig, None).await
    }

    /// A kubeconfig for a user of this name and, where there is one, this group.
    pub(crate) fn kubeconfig_of(
        &self,
        user: &str,
        group: Option<&str>,
    ) -> Result<PathBuf, ClusterError> {
        let identity = self.keys.authority.client(user, group)?;
        self.write_kubeconfig(user, &identity)
    }

    /// The same with credentials that expire.
    pub(crate) fn expiring_kubeconfig_of(
        &self,
        user: &str,
        group: Option<&str>,
        life: Duration,
    ) -> Result<PathBuf, ClusterError> {
        let identity = self.keys.authority.expiring_client(user, group, life)?;
        self.write_kubeconfig(user, &identity)
    }

    fn write_kubeconfig(&self, user: &str, identity: &Identity) -> Result<PathBuf, ClusterError> {
        let name: String = user.chars().filter(|c| c.is_ascii_alphanumeric()).collect();
        let path = self.keys.folder.join(format!("{name}.kubeconfig"));
        let unusable = |cause: String| ClusterError::Kubeconfig {
            path: path.clone(),
            cause,
        };
        let read = Kubeconfig::read_from(&self.kubeconfig);
        let read = read.map_err(|error| unusable(error.to_string()))?;
        let mut config = serde_json::to_value(read).map_err(|error| unusable(error.to_string()))?;
        config["users"][0]["user"] = identity.user();
        keys::write_private(&path, &format!("{config:#}\n"))?;
        Ok(path)
    }

    /// A new client of the administrator, on the runtime of the caller.
    pub(crate) fn client(&self) -> Client {
        Client::try_from(self.config.clone()).expect("it was made of the same settings before")
    }

    /// The same launch where this control plane's controllers run.
    pub(crate) fn enter(&self, launch: Launch) -> Launch {
        match &self.entrance {
            Some(entrance) => entrance.enter(launch),
            None => launch,
        }
    }

    pub(crate) async fn reached(
        keys: Keys,
        kubeconfig: PathBuf,
        entrance: Option<Entrance>,
    ) -> Result<Self, ClusterError> {
        let config = crate::objects::config(&kubeconfig).await?;
        Ok(Self {
            keys,
            kubeconfig,
            config,
            entrance,
        })
    }
}

fn server(port: u16) -> String {
    format!("https://127.0.0.1:{port}")
}

/// On sockets in the folder: etcd needs no port.
pub(crate) fn etcd(program: &Path, folder: &Folder, socket: &Path) -> (Launch, Ready) {
    // Told to others and never dialled.
    const NOWHERE: &str = "http://localhost:1";
    let peers = folder.path().join("etcd-peers.sock");
    let launch = Launch::new(Child::Etcd.to_string(), program)
        .argument("etcd")
        .flag("name", "etcd")
        .flag("data-dir", folder.path().join("etcd").display())
        .flag("listen-client-urls", format!("unix://{}", socket.display()))
        .flag("listen-peer-urls", format!("unix://{}", peers.display()))
        .flag("advertise-client-urls", NOWHERE)
        .flag("initial-advertise-peer-urls", NOWHERE)
        .flag("initial-cluster", format!("etcd={NOWHERE}"))
        .flag("log-level", "warn")
        .argument("--unsafe-no-fsync");
    let socket = socket.to_owned();
    let ready = move || -> BoxFuture<'static, Result<(), String>> {
        let socket = socket.clone();
        async move {
            let connected = UnixStream::connect(socket).await;
            connected.map(drop).map_err(|error| error.to_string())
        }
        .boxed()
    };
    (launch, Arc::new(ready))
}

/// Flags of the server's certificate and of client authentication.
fn serving(launch: Launch, keys: &Keys) -> Launch {
    launch
        .flag("tls-cert-file", keys.server.certificate.display())
        .flag("tls-private-key-file", keys.server.key.display())
        .flag("client-ca-file", keys.authority_files.certificate.display())
}

pub(crate) fn api_server(launch: Launch, keys: &Keys, port: u16) -> Launch {
    serving(launch, keys)
        .flag("bind-address", "127.0.0.1")
        .flag("secure-port", port)
        .flag("service-account-issuer", ISSUER)
        .flag(
            "service-account-key-file",
            keys.service_accounts.public.display(),
        )
        .flag(
            "service-account-signing-key-file",
            keys.service_accounts.key.display(),
        )
        .flag(
            "requestheader-client-ca-file",
            keys.front_authority.display(),
        )
        .flag("requestheader-allowed-names", "front-proxy-client")
        .flag("requestheader-username-headers", "X-Remote-User")
        .flag("requestheader-group-headers", "X-Remote-Group")
        .flag("requestheader-extra-headers-prefix", "X-Remote-Extra-")
        .flag(
            "proxy-client-cert-file",
            keys.front_client.certificate.display(),
        )
        .flag("proxy-client-key-file", keys.front_client.key.display())
        .flag("authorization-mode", "Node,RBAC")
        .flag("service-cluster-ip-range", "10.96.0.0/16")
        .flag("allow-privileged", true)
        .flag("endpoint-reconciler-type", "none")
        .flag("enable-aggregator-routing", true)
}

/// Probes `/readyz` of the API server of a kubeconfig.
pub(crate) fn answers(kubeconfig: PathBuf) -> Ready {
    Arc::new(move || {
        let kubeconfig = kubeconfig.clone();
        // Probes fail until it is ready, which is not worth a log line.
        let quiet = NoSubscriber::new();
        async move { ready(&kubeconfig).await.map_err(|error| error.to_string()) }
            .with_subscriber(quiet)
            .boxed()
    })
}

async fn ready(kubeconfig: &Path) -> anyhow::Result<()> {
    let config = crate::objects::config(kubeconfig).await?;
    let request = http::Request::get("/readyz").body(Vec::new())?;
    Client::try_from(config)?.request_text(request).await?;
    Ok(())
}
