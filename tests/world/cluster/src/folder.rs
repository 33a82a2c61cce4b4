//! The private folder of one cluster below the folder for temporary files.
//!
//! Owns: its removal, also of folders that a killed process left behind. Never: removes one that is in use, or one that was kept
//! for a look before a day is over.

use std::{
    fs::{self, File, Permissions},
    io::{self, Write as _},
    os::unix::{fs::PermissionsExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command},
    thread,
    time::Duration,
};

use tempfile::TempDir;

use crate::{error::ClusterError, process::ProcessGuard};

const PREFIX: &str = "causeway-cluster-";
const LOCK: &str = "lock";
const KEPT: &str = "kept";
const LOOK: Duration = Duration::from_secs(24 * 60 * 60);

/// Process that removes the folder of a killed launcher; it waits for the end of the guard pipe.
const SWEEPER: &str = "cat > /dev/null; sleep 2; [ -e \"$1/kept\" ] || rm -rf \"$1\"";

/// Temporary folder, kept for inspection when a test fails.
#[derive(Debug)]
pub(crate) struct Folder {
    folder: Option<TempDir>,
    path: PathBuf,
    sweeper: Option<Child>,
    _lock: File,
}

impl Folder {
    pub(crate) fn new() -> Result<Self, ClusterError> {
        let above = std::env::temp_dir();
        sweep(&above);
        let unusable = |source| ClusterError::Folder {
            path: above.clone(),
            source,
        };
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(&above)
            .map_err(unusable)?;
        let lock = File::create(folder.path().join(LOCK)).map_err(unusable)?;
        lock.lock().map_err(unusable)?;
        Ok(Self {
            path: folder.path().to_owned(),
            folder: Some(folder),
            sweeper: None,
            _lock: lock,
        })
    }

    /// Starts a process that removes the folder even when this one is killed.
    pub(crate) fn sweep_after(&mut self, guard: &ProcessGuard) -> Result<(), ClusterError> {
        let child = guard.end().and_then(|end| {
            Command::new("sh")
                .args(["-c", SWEEPER, "sweeper"])
                .arg(&self.path)
                .stdin(end)
                .process_group(0)
                .spawn()
        });
        let path = self.path.clone();
        self.sweeper = Some(child.map_err(|source| ClusterError::Folder { path, source })?);
        Ok(())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a folder in it.
    pub(crate) fn make(&self, name: &str) -> Result<PathBuf, ClusterError> {
        let path = self.path.join(name);
        match fs::create_dir_all(&path) {
            Ok(()) => Ok(path),
            Err(source) => Err(ClusterError::Folder { path, source }),
        }
    }

    /// Keeps the folder for inspection.
    pub(crate) fn keep(&mut self) {
        if let Some(folder) = self.folder.take() {
            // Without the mark it is swept away later; that is no failure of its own.
            let _ = File::create(folder.path().join(KEPT));
            let path = folder.keep();
            let _ = writeln!(
                io::stderr(),
                "the cluster's logs are kept in {}",
                path.display()
            );
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if thread::panicking() {
            self.keep();
        }
        if let Some(sweeper) = &mut self.sweeper {
            // It may have begun to sweep; then there is nothing left to do.
            let _ = sweeper.kill();
            let _ = sweeper.wait();
        }
    }
}

/// Removes what killed processes left behind; what cannot be removed belongs to another user.
fn sweep(above: &Path) {
    let entries = fs::read_dir(above).into_iter().flatten().flatten();
    for entry in entries {
        let path = entry.path();
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if ours && !is_kept(&path) && is_left(&path) {
            let _ = fs::remove_dir_all(&path);
        }
    }
}

fn is_kept(path: &Path) -> bool {
    let mark = fs::metadata(path.join(KEPT)).and_then(|mark| mark.modified());
    mark.is_ok_and(|since| since.elapsed().is_ok_and(|age| age < LOOK))
}

/// A folder without a lock is being created.
fn is_left(path: &Path) -> bool {
    File::open(path.join(LOCK)).is_ok_and(|lock| lock.try_lock().is_ok())
}
