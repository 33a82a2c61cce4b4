//! A program that runs on the cluster for as long as the cluster is up, such as `causeway up`.

use std::{ffi::OsString, io};

use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};

use crate::{ArgocdInstance, Cluster, up::UpError};

/// The companion process, if one was requested.
pub(crate) struct Companion(Option<Child>);

impl Companion {
    /// Starts `command` with the flags of `causeway up` that name the cluster and its Argo CD.
    ///
    /// # Errors
    /// The program cannot be started.
    pub(crate) fn start(command: Vec<String>, cluster: &Cluster) -> io::Result<Self> {
        let mut words = command.into_iter();
        let Some(program) = words.next() else {
            return Ok(Self(None));
        };
        let flags = cluster.argocd().first().map(argocd_flags);
        let child = Command::new(program)
            .args(words)
            .arg("--kubeconfig")
            .arg(cluster.kubeconfig())
            .args(flags.unwrap_or_default())
            .kill_on_drop(true)
            .spawn()?;
        Ok(Self(Some(child)))
    }

    /// Waits for the companion to exit; never returns without one.
    pub(crate) async fn ended(&mut self) -> Result<(), UpError> {
        let Some(child) = &mut self.0 else {
            return std::future::pending().await;
        };
        let status = child.wait().await?;
        if status.success() {
            Ok(())
        } else {
            Err(UpError::Companion(status))
        }
    }

    /// Sends SIGTERM and waits. A Ctrl-C at a terminal has reached the companion already.
    pub(crate) async fn stop(self) {
        let Some(mut child) = self.0 else { return };
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        if let Some(process) = id.and_then(Pid::from_raw) {
            // It may have exited since.
            let _ = kill_process(process, Signal::TERM);
            let _ = child.wait().await;
        }
    }
}

fn argocd_flags(argocd: &ArgocdInstance) -> Vec<OsString> {
    let mut flags: Vec<OsString> = vec![
        "--argocd-namespace".into(),
        argocd.namespace.clone().into(),
        "--argocd-server".into(),
        argocd.url.to_string().into(),
        "--argocd-token-file".into(),
        argocd.admin_token_file.clone().into(),
    ];
    if let Some(authority) = &argocd.ca_file {
        flags.extend(["--argocd-ca-file".into(), authority.clone().into()]);
    }
    flags
}
