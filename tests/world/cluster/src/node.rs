//! A real node: kubelet, containerd, kube-proxy and CoreDNS with a control plane of their own, in a box of namespaces.
//!
//! Owns: what the box needs of this machine, the node's addresses, its programs' settings and images. Never: touches the
//! machine's own containerd, firewall or files; they are not seen in the box.

use std::{
    io,
    net::Ipv4Addr,
    path::{Path, PathBuf},
    process::Stdio,
};

use tokio::process::Command;

use crate::{
    Image, ImageError,
    error::ClusterError,
    folder::Folder,
    node::{namespace_box::NamespaceBox, subnets::Subnets},
};

mod addons;
mod argocd;
mod control_plane;
mod namespace_box;
mod parts;
mod requirements;
mod subnets;

pub(crate) use namespace_box::Entrance;

/// Failure to start a node or to end it cleanly.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    #[error("a node needs root: start it with sudo, or take the kind simulated")]
    NotRoot,
    #[error(
        "a node needs {what}: apt-get install --no-install-recommends containerd runc containernetworking-plugins nftables iproute2"
    )]
    Missing { what: String },
    #[error(
        "a node needs the controllers {which} of cgroup version 1, and this machine has them not: take the kind simulated, or boot with systemd.unified_cgroup_hierarchy=0"
    )]
    NoControllers { which: String },
    #[error("the box of a node cannot see the folder {}: set TMPDIR to one elsewhere", folder.display())]
    Hidden { folder: PathBuf },
    #[error("the box of the node cannot be made: {source}; it said last: {last}; its log is {}", log.display())]
    Box {
        source: io::Error,
        last: String,
        log: PathBuf,
    },
    #[error("something of the node is left: {last}; the log is {}", log.display())]
    Left { last: String, log: PathBuf },
    #[error("containerd does not take the image {image}: {detail}")]
    Import { image: String, detail: String },
    #[error(transparent)]
    Image(#[from] ImageError),
    #[error("this cluster has no node")]
    Absent,
}

/// The namespaces of a node and its control pipe. Dropping it ends the node.
#[derive(Debug)]
pub(crate) struct Node {
    namespaces: NamespaceBox,
    folder: PathBuf,
}

impl Node {
    /// Errors: this machine cannot hold a node. To be asked before a folder is made.
    pub(crate) async fn check() -> Result<(), NodeError> {
        let checked = tokio::task::spawn_blocking(|| requirements::check(&std::env::temp_dir()));
        checked.await.map_err(joined)?
    }

    /// Makes the box; nothing runs in it yet.
    pub(crate) async fn open(folder: &Folder) -> Result<Self, ClusterError> {
        let folder = folder.path().to_owned();
        let opened = tokio::task::spawn_blocking(move || {
            let namespaces = NamespaceBox::open(&folder)?;
            Ok::<_, NodeError>(Self { namespaces, folder })
        });
        Ok(opened.await.map_err(joined)??)
    }

    pub(crate) fn entrance(&self) -> &Entrance {
        self.namespaces.entrance()
    }

    /// Address of the host for pods.
    pub(crate) fn host(&self) -> Ipv4Addr {
        self.subnets().host()
    }

    /// Imports an image for the pods.
    pub(crate) async fn import(&self, image: Image) -> Result<(), NodeError> {
        let archive = self
            .folder
            .join(format!("{}.tar", image.name().replace(['/', ':'], "-")));
        let name = image.name().to_owned();
        let path = archive.clone();
        let written = tokio::task::spawn_blocking(move || image.write_to(&path));
        written.await.map_err(joined)??;
        let imported = self.ctr(&["images", "import"], Some(&archive)).await;
        // It is in containerd now; a file that stays goes with the folder.
        let _ = tokio::fs::remove_file(&archive).await;
        imported.map_err(|detail| NodeError::Import {
            image: name,
            detail,
        })
    }

    /// Ends everything in the box and waits until nothing of it is left.
    pub(crate) async fn end(mut self) -> Result<(), NodeError> {
        let ended = tokio::task::spawn_blocking(move || self.namespaces.end());
        ended.await.map_err(joined)?
    }

    fn subnets(&self) -> Subnets {
        self.namespaces.subnets()
    }

    /// Calls containerd's own client in the box, for the images and containers of Kubernetes.
    async fn ctr(&self, words: &[&str], archive: Option<&Path>) -> Result<(), String> {
        let mut command = Command::new("nsenter");
        command
            .args(self.entrance().words())
            .args(["ctr", "--namespace", "k8s.io"]);
        command
            .args(words)
            .args(archive)
            .stdin(Stdio::null())
            .kill_on_drop(true);
        let output = command.output().await.map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        Err(said.lines().last().unwrap_or("it said nothing").to_owned())
    }
}

/// A blocking piece of work that panicked has panicked with it.
fn joined(error: tokio::task::JoinError) -> NodeError {
    match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(error) => NodeError::Box {
            source: io::Error::other(error),
            last: String::new(),
            log: PathBuf::new(),
        },
    }
}
