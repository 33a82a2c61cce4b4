//! Files with mode 0600, written atomically.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use anyhow::Context as _;
use uuid::Uuid;

/// Writes a file with mode 0600 atomically and creates its folder if needed.
pub fn write_private(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let written = write_unfinished(path, content, |unfinished| fs::rename(unfinished, path));
    written.with_context(|| format!("write {}", path.display()))
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
        fs::create_dir_all(folder)?;
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
