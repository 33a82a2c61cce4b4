//! Programs of a node: containerd, kubelet and kube-proxy, each with its settings.

use std::{fs, io, path::Path, sync::Arc, time::Duration};

use futures::FutureExt as _;
use tokio::net::UnixStream;

use super::Node;
use crate::{
    child::{Child, Member, Ready, Supervisor},
    control_plane::ControlPlane,
    error::ClusterError,
    process::Launch,
};

const START_TIMEOUT: Duration = Duration::from_secs(60);
const SETTINGS: [(&str, &str); 5] = [
    ("containerd.toml", include_str!("containerd.toml")),
    ("kubelet.yaml", include_str!("kubelet.yaml")),
    ("kube-proxy.yaml", include_str!("kube-proxy.yaml")),
    ("cni/pods.conflist", include_str!("pods.conflist")),
    // Pods that want the node's names get none: there is no way out of the box.
    ("resolv.conf", "nameserver 10.243.{number}.1\n"),
];

impl Node {
    /// Starts containerd and waits until it answers.
    pub(crate) async fn containerd(&self, supervisor: &Supervisor) -> Result<Member, ClusterError> {
        let settings = self.settings()?;
        let launch = Launch::new(Child::Containerd.to_string(), Path::new("containerd"))
            .flag("config", settings.join("containerd.toml").display());
        let root = format!("/proc/{}/root", self.entrance().process());
        let socket = Path::new(&root).join("run/containerd/containerd.sock");
        let ready: Ready = Arc::new(move || {
            let socket = socket.clone();
            async move {
                let connected = UnixStream::connect(socket).await;
                connected.map(drop).map_err(|error| error.to_string())
            }
            .boxed()
        });
        let launch = self.entrance().enter(launch);
        Ok(supervisor
            .start(Child::Containerd, launch, ready, START_TIMEOUT)
            .await?)
    }

    /// Starts the kubelet, whose readiness is a condition of the Node.
    pub(crate) async fn kubelet(
        &self,
        program: &Path,
        plane: &ControlPlane,
        supervisor: &Supervisor,
    ) -> Result<Member, ClusterError> {
        let (name, address) = (
            self.subnets().node_name(),
            self.subnets().node().to_string(),
        );
        let user = format!("system:node:{name}");
        let kubeconfig = plane.kubeconfig_of(&user, Some("system:nodes"))?;
        let server = plane.keys.authority.server(&[&address, &name])?;
        server.write(&plane.keys.folder, "kubelet-server")?;
        let launch = Launch::new(Child::Kubelet.to_string(), program)
            .argument("kubelet")
            .flag("config", self.folder.join("node/kubelet.yaml").display())
            .flag("kubeconfig", kubeconfig.display())
            .flag("hostname-override", name)
            .flag("node-ip", address)
            .flag("root-dir", "/var/lib/kubelet");
        self.run(Child::Kubelet, launch, supervisor).await
    }

    /// Starts kube-proxy, which has no readiness of its own.
    pub(crate) async fn proxy(
        &self,
        program: &Path,
        plane: &ControlPlane,
        supervisor: &Supervisor,
    ) -> Result<Member, ClusterError> {
        let kubeconfig = plane.kubeconfig_of("system:kube-proxy", None)?;
        let place = self.folder.join("node/kube-proxy.kubeconfig");
        fs::copy(kubeconfig, &place).map_err(|source| ClusterError::Folder {
            path: place,
            source,
        })?;
        let launch = Launch::new(Child::Proxy.to_string(), program)
            .argument("kube-proxy")
            .flag("config", self.folder.join("node/kube-proxy.yaml").display());
        self.run(Child::Proxy, launch, supervisor).await
    }

    async fn run(
        &self,
        child: Child,
        launch: Launch,
        supervisor: &Supervisor,
    ) -> Result<Member, ClusterError> {
        let at_once: Ready = Arc::new(|| async { Ok(()) }.boxed());
        let launch = self.entrance().enter(launch);
        Ok(supervisor
            .start(child, launch, at_once, START_TIMEOUT)
            .await?)
    }

    fn settings(&self) -> Result<std::path::PathBuf, ClusterError> {
        let folder = self.folder.join("node");
        self.write_settings(&folder)
            .map_err(|source| ClusterError::Folder {
                path: folder.clone(),
                source,
            })?;
        Ok(folder)
    }

    fn write_settings(&self, folder: &Path) -> io::Result<()> {
        fs::create_dir_all(folder.join("cni"))?;
        let above = self.folder.display().to_string();
        for (name, template) in SETTINGS {
            let text = self.subnets().fill(template, &above);
            fs::write(folder.join(name), text)?;
        }
        Ok(())
    }
}
