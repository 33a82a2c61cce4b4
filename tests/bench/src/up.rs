//! A running `causeway up` on free ports, in a folder of its own.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use anyhow::{Context as _, bail};
use causeway_client::{Credential, Peer, PeerUrl};
use causeway_proto::inventory::v1::{
    self as pb, application_service_client::ApplicationServiceClient,
};
use kube::{
    Client, Config,
    config::{KubeConfigOptions, Kubeconfig},
};
use tempfile::TempDir;
use tokio::time::{Instant, timeout};

const READY: Duration = Duration::from_secs(60);

/// Its drop ends it.
pub(crate) struct Up {
    child: Child,
    folder: TempDir,
    address: String,
    peer: Peer,
}

impl Up {
    /// Starts it with these flags, and waits until it is ready.
    pub(crate) async fn start(binary: &Path, flags: &[String]) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut child = spawn(binary, folder.path(), flags)?;
        let address = match wait_ready(folder.path()).await {
            Ok(address) => address,
            Err(error) => {
                child.kill()?;
                child.wait()?;
                return Err(error);
            }
        };
        let key = fs::read_to_string(folder.path().join("data/platform/admin.key"))?;
        let url = PeerUrl::parse(&address, None)?;
        let peer = Peer::new(&url, Credential::api_key(key.trim()));
        Ok(Self {
            child,
            folder,
            address,
            peer,
        })
    }

    /// The platform, as its administrator.
    pub(crate) fn peer(&self) -> &Peer {
        &self.peer
    }

    /// The URL of its port.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The file with the key of its administrator.
    pub(crate) fn admin_key(&self) -> PathBuf {
        self.folder.path().join("data/platform/admin.key")
    }

    /// The sandbox's kubeconfig.
    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.folder.path().join("data/kubeconfig")
    }

    /// What the command line knows of it.
    pub(crate) fn contexts(&self) -> PathBuf {
        self.folder.path().join("contexts.json")
    }

    /// Resident memory in MiB.
    pub(crate) fn resident(&self) -> anyhow::Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let line = line.context("no VmRSS")?.trim();
        let kib: f64 = line.trim_end_matches(" kB").trim().parse()?;
        Ok(kib / 1024.0)
    }

    /// Waits until the platform has been told of nothing for some seconds: what comes up by itself is not what is measured.
    pub(crate) async fn settle(&self) -> anyhow::Result<()> {
        let mut client = ApplicationServiceClient::new(self.peer.clone());
        let mut stream = client
            .watch_applications(pb::WatchApplicationsRequest::default())
            .await?
            .into_inner();
        while let Ok(message) = timeout(Duration::from_secs(3), stream.message()).await {
            message?.context("the watch ended")?;
        }
        Ok(())
    }
}

impl Drop for Up {
    fn drop(&mut self) {
        // One that has ended by itself needs no end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client of the cluster of a kubeconfig.
pub(crate) async fn cluster(kubeconfig: &Path) -> anyhow::Result<Client> {
    let read = Kubeconfig::read_from(kubeconfig)?;
    let config = Config::from_custom_kubeconfig(read, &KubeConfigOptions::default()).await?;
    Ok(Client::try_from(config)?)
}

fn spawn(binary: &Path, folder: &Path, flags: &[String]) -> anyhow::Result<Child> {
    let mut command = Command::new(binary);
    command.arg("up").arg("--data").arg(folder.join("data"));
    command.arg("--config").arg(folder.join("contexts.json"));
    let listeners = [
        "--listen",
        "--tunnel-listen",
        "--kube-listen",
        "--git-listen",
        "--argocd-listen",
    ];
    for listener in listeners {
        command.args([listener, "127.0.0.1:0"]);
    }
    let log = fs::File::create(folder.join("log"))?;
    command.args(flags).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(log);
    command.spawn().context("start causeway up")
}

async fn wait_ready(folder: &Path) -> anyhow::Result<String> {
    let end = Instant::now() + READY;
    loop {
        let log = fs::read_to_string(folder.join("log"))?;
        if log.contains("Ctrl-C stops") {
            let line = log
                .lines()
                .find_map(|line| line.trim().strip_prefix("address"));
            return Ok(line.context("no address")?.trim().to_owned());
        }
        if Instant::now() > end {
            bail!("not ready: {log}");
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}
