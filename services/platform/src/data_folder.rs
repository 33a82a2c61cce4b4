//! Data folder: locked by one process, readable by its owner only.

use std::{
    fs::DirBuilder,
    os::unix::fs::DirBuilderExt as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use causeway_shell::FolderLock;

use crate::store::sql::KEPT;

/// The folder, held until this is dropped.
#[derive(Debug)]
pub(crate) struct DataFolder {
    folder: PathBuf,
    _lock: FolderLock,
}

impl DataFolder {
    /// Makes the folder if it is not there and takes it. Fails at once if another process holds it.
    pub(crate) fn open(folder: &Path) -> anyhow::Result<Self> {
        make_private(folder).context("--data")?;
        let named = || format!("--data {}", folder.display());
        let lock = FolderLock::try_acquire(&folder.join("platform.lock")).with_context(named)?;
        let Some(lock) = lock else {
            bail!(
                "--data {}: another causeway process holds this folder; stop it, or name another folder",
                folder.display()
            );
        };
        let folder = folder.to_owned();
        Ok(Self {
            folder,
            _lock: lock,
        })
    }

    /// The database file.
    pub(crate) fn database(&self) -> PathBuf {
        self.folder.join(KEPT.file)
    }
}

/// Makes a folder, with those above it, that only its owner may enter. One that is there stays as it is.
pub(crate) fn make_private(folder: &Path) -> anyhow::Result<()> {
    let mut builder = DirBuilder::new();
    let made = builder.recursive(true).mode(0o700).create(folder);
    made.with_context(|| format!("make the folder {}", folder.display()))
}
