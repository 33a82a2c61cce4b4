//! Files with mode 0600, written atomically, and folders with mode 0700.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _},
    path::Path,
};

use anyhow::Context as _;
use uuid::Uuid;

/// Writes a file with mode 0600 atomically and creates its folder if needed.
pub fn write_private(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let written = write_unfinished(path, content, |unfinished| fs::rename(unfinished, path));
    written.with_context(|| format!("write {}", path.display()))
}

/// Access of the group and of others.
const OTHERS: u32 = 0o077;
/// Set on folders that are shared by design, such as /tmp.
const STICKY: u32 = 0o1000;

/// Creates a folder, with those above it, that only its owner may enter. One that is there is closed to others with the files in it.
pub fn open_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true).mode(0o700).create(folder)?;
    if fs::metadata(folder)?.permissions().mode() & STICKY != 0 {
        return Ok(());
    }
    match close_folder(folder) {
        Ok(0) => Ok(()),
        Ok(closed) => {
            tracing::warn!(folder = %folder.display(), closed, "closed a data folder that other users of the machine could read");
            Ok(())
        }
        // A mounted volume has another owner, who decides about access.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
            ) =>
        {
            tracing::info!(folder = %folder.display(), "other users of the machine may read the data folder, which has another owner");
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// Returns the number of files and folders that were open.
fn close_folder(folder: &Path) -> io::Result<usize> {
    let mut closed = usize::from(close(folder)?);
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_file() {
            closed += usize::from(close_file(&entry.path())?);
        }
    }
    Ok(closed)
}

/// Another process may remove a file meanwhile.
fn close_file(file: &Path) -> io::Result<bool> {
    match close(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        closed => closed,
    }
}

fn close(path: &Path) -> io::Result<bool> {
    let mut permissions = fs::metadata(path)?.permissions();
    let mode = permissions.mode();
    if mode & OTHERS == 0 {
        return Ok(false);
    }
    permissions.set_mode(mode & !OTHERS);
    fs::set_permissions(path, permissions)?;
    Ok(true)
}

/// Creates a file with mode 0600. Returns false if it exists already; of several concurrent callers exactly one succeeds.
pub fn create_private(path: &Path, content: &[u8]) -> anyhow::Result<bool> {
    // A hard link fails if the name exists; a rename would silently replace the file of another process.
    let made = write_unfinished(path, content, |unfinished| fs::hard_link(unfinished, path));
    match made {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error).with_context(|| format!("write {}", path.display())),
    }
}

/// Writes and syncs a temporary file next to `path`, then moves it into place with `put`.
fn write_unfinished(
    path: &Path,
    content: &[u8],
    put: impl FnOnce(&Path) -> io::Result<()>,
) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true).mode(0o700).create(folder)?;
    }
    let name = path.file_name().unwrap_or_default().display();
    let unfinished = path.with_file_name(format!(".{name}.{}.new", Uuid::new_v4()));
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&unfinished)?;
    let written = file.write_all(content).and_then(|()| file.sync_all());
    let put = written.and_then(|()| put(&unfinished));
    // After a rename the temporary file no longer exists.
    let _ = fs::remove_file(&unfinished);
    put
}

#[cfg(test)]
mod tests;
