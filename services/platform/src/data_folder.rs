//! Data folder: locked by one process, readable by its owner only.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use causeway_assertion::private_file::open_private_folder;
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

/// Makes a folder, with those above it, that only its owner may enter. One that is there is closed to others.
pub(crate) fn make_private(folder: &Path) -> anyhow::Result<()> {
    open_private_folder(folder).with_context(|| format!("make the folder {}", folder.display()))
}
