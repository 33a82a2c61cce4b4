//! Lock file that limits a data folder to one process.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

/// Lock on a file, held until dropped or the process ends.
#[derive(Debug)]
pub struct FolderLock(File);

impl FolderLock {
    /// Locks the file at `path`, which is created with mode 0600. Returns none if another process holds the lock.
    pub fn try_acquire(path: &Path) -> io::Result<Option<Self>> {
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).mode(0o600);
        let file = options.open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(file))),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

impl Drop for FolderLock {
    /// Unlocks explicitly: a child process between fork and exec holds a copy of the file, so closing ours would not release the lock.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::FolderLock;

    #[test]
    fn lock_is_exclusive_and_released_despite_a_copied_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = FolderLock::try_acquire(&path).unwrap().unwrap();
        assert!(FolderLock::try_acquire(&path).unwrap().is_none());
        let copy = held.0.try_clone().unwrap();
        drop(held);
        assert!(FolderLock::try_acquire(&path).unwrap().is_some());
        drop(copy);
    }
}
