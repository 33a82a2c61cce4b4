//! The data folder of `causeway up`: one process at a time, never of a newer version.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use causeway_assertion::private_file::{create_private, open_private_folder};
use causeway_shell::FolderLock;
use uuid::Uuid;

/// The layout of the folder. Rises when an older program could not read it.
const FORMAT: u32 = 1;

/// The folder, locked while this lives.
#[derive(Debug)]
pub(super) struct Folder {
    root: PathBuf,
    _lock: FolderLock,
}

impl Folder {
    pub(super) fn open(root: &Path) -> anyhow::Result<Self> {
        let named = || format!("--data {}", root.display());
        open_private_folder(root).with_context(named)?;
        let root = fs::canonicalize(root).with_context(named)?;
        let lock = FolderLock::try_acquire(&root.join("lock")).with_context(named)?;
        let Some(lock) = lock else {
            bail!(
                "--data {}: another causeway uses this folder; stop it or give another folder",
                root.display()
            );
        };
        check_format(&root)?;
        Ok(Self { root, _lock: lock })
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn platform(&self) -> PathBuf {
        self.root.join("platform")
    }

    pub(super) fn admin_key(&self) -> PathBuf {
        self.platform().join("admin.key")
    }

    pub(super) fn part_issuer_key(&self) -> PathBuf {
        self.platform().join("keys/parts.pem")
    }

    pub(super) fn inventory(&self) -> PathBuf {
        self.root.join("inventory")
    }

    pub(super) fn tunnel_server(&self) -> PathBuf {
        self.root.join("tunnel-server")
    }

    pub(super) fn runtime(&self) -> PathBuf {
        self.root.join("runtime")
    }

    /// Clones and the journal of commits.
    pub(super) fn git(&self) -> PathBuf {
        self.root.join("git")
    }

    /// The spool of webhooks.
    pub(super) fn event_source(&self) -> PathBuf {
        self.root.join("event-source")
    }

    /// Secrets of webhook routes.
    pub(super) fn webhooks(&self) -> PathBuf {
        self.root.join("webhooks")
    }

    /// Creates the secret of a webhook route, unless it is there.
    pub(super) fn create_webhook_secret(&self, route: &str) -> anyhow::Result<()> {
        let secret = [Uuid::new_v4(), Uuid::new_v4()].map(|half| half.simple().to_string());
        let secret = secret.concat();
        create_private(&self.webhooks().join(route), secret.as_bytes()).map(drop)
    }

    pub(super) fn sandbox(&self) -> PathBuf {
        self.root.join("sandbox")
    }

    pub(super) fn kubeconfig(&self) -> PathBuf {
        self.root.join("kubeconfig")
    }

    pub(super) fn argocd_token(&self) -> PathBuf {
        self.root.join("argocd.token")
    }
}

fn check_format(root: &Path) -> anyhow::Result<()> {
    let file = root.join("format");
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return fs::write(&file, FORMAT.to_string())
                .with_context(|| file.display().to_string());
        }
        Err(error) => return Err(error).with_context(|| file.display().to_string()),
    };
    let format: u32 = text
        .trim()
        .parse()
        .with_context(|| format!("{} holds no number", file.display()))?;
    if format > FORMAT {
        bail!(
            "--data {}: written by a newer version of causeway; update causeway or give another folder",
            root.display()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests;
