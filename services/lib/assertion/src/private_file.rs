//! Files with mode 0600, written atomically.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use anyhow::Context as _;
use uuid::Uuid;

/// Writes a file that only its owner may read, whole or not at all; makes its folder where there is none.
pub fn write_private(path: &Path, content: &[u8]) -> anyhow::Result<()> {
    let written = write_unfinished(path, content, |unfinished| fs::rename(unfinished, path));
    written.with_context(|| format!("write {}", path.display()))
}

/// The same for a file that must not be there yet. Tells whether it made the file; of several that do it together, one did.
pub fn create_private(path: &Path, content: &[u8]) -> anyhow::Result<bool> {
    // A link fails where the name is taken; a rename would take it away from the other.
    let made = write_unfinished(path, content, |unfinished| fs::hard_link(unfinished, path));
    match made {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error).with_context(|| format!("write {}", path.display())),
    }
}

/// Writes all to a file beside `path` that is nobody else's, and has it put into its place.
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
    // After a rename it is not there any more.
    let _ = fs::remove_file(&unfinished);
    put
}
