//! One process at a time in a data folder.

use std::{
    fs::{File, OpenOptions, TryLockError},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

/// A lock file, held until this is dropped or the process ends.
#[derive(Debug)]
pub struct FolderLock(File);

impl FolderLock {
    /// Takes the lock file at `path`, made with mode 0600 when absent. None: another holder has it.
    ///
    /// # Errors
    /// The file cannot be made or locked.
    pub fn take(path: &Path) -> io::Result<Option<Self>> {
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
    /// Gives the lock back by name: a child that is being started at this moment still holds a copy of the file,
    /// and closing ours would leave the lock with it until the child runs its own program.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::FolderLock;

    #[test]
    fn a_lock_is_held_once_and_free_again_though_a_copy_of_its_file_is_open() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = FolderLock::take(&path).unwrap().unwrap();
        assert!(FolderLock::take(&path).unwrap().is_none());
        let copy = held.0.try_clone().unwrap();
        drop(held);
        assert!(FolderLock::take(&path).unwrap().is_some());
        drop(copy);
    }
}
