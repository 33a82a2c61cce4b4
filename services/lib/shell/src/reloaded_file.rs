//! Values of files that are reloaded on change, such as mounted Secrets.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use anyhow::{Context as _, bail};
use tokio::time::Instant;

/// Maximum age of a value before the file is read again.
const FRESH_FOR: Duration = Duration::from_secs(10);
/// Longest file in bytes that is looked at.
const LONGEST: u64 = 1024 * 1024;

type Read<T> = Box<dyn Fn(&[u8]) -> anyhow::Result<T> + Send + Sync>;

/// Value parsed from a file. The last valid value stays in use while the file is missing or invalid.
pub struct ReloadedFile<T> {
    file: PathBuf,
    read: Read<T>,
    seen: RwLock<Seen<T>>,
}

struct Seen<T> {
    bytes: Vec<u8>,
    value: Arc<T>,
    at: Instant,
}

impl<T> ReloadedFile<T> {
    /// Reads the file for the first time.
    ///
    /// # Errors
    /// It cannot be read, is longer than 1 MiB, or `read` refuses its bytes.
    pub fn open(
        file: &Path,
        read: impl Fn(&[u8]) -> anyhow::Result<T> + Send + Sync + 'static,
    ) -> anyhow::Result<Self> {
        let bytes = bytes_of(file)?;
        let value = read(&bytes).with_context(|| file.display().to_string())?;
        let seen = Seen {
            bytes,
            value: Arc::new(value),
            at: Instant::now(),
        };
        Ok(Self {
            file: file.to_owned(),
            read: Box::new(read),
            seen: RwLock::new(seen),
        })
    }

    /// Returns the value, at most 10 s old.
    #[must_use]
    pub fn current(&self) -> Arc<T> {
        self.at_most(FRESH_FOR)
    }

    /// Reads the file now and returns its value.
    #[must_use]
    pub fn reload(&self) -> Arc<T> {
        self.at_most(Duration::ZERO)
    }

    fn at_most(&self, age: Duration) -> Arc<T> {
        let seen = self.seen.read().unwrap_or_else(PoisonError::into_inner);
        if seen.at.elapsed() < age {
            return Arc::clone(&seen.value);
        }
        drop(seen);
        let changed = self.changed();
        let mut seen = self.seen.write().unwrap_or_else(PoisonError::into_inner);
        seen.at = Instant::now();
        match changed {
            Ok(None) => {}
            Ok(Some((bytes, value))) => {
                tracing::info!(file = %self.file.display(), "the file has changed and is in use");
                (seen.bytes, seen.value) = (bytes, Arc::new(value));
            }
            Err(error) => {
                let error = format!("{error:#}");
                tracing::warn!(%error, "the file cannot be taken up; what it said before stays in use");
            }
        }
        Arc::clone(&seen.value)
    }

    fn changed(&self) -> anyhow::Result<Option<(Vec<u8>, T)>> {
        let bytes = bytes_of(&self.file)?;
        let seen = self.seen.read().unwrap_or_else(PoisonError::into_inner);
        if seen.bytes == bytes {
            return Ok(None);
        }
        drop(seen);
        let value = (self.read)(&bytes).with_context(|| self.file.display().to_string())?;
        Ok(Some((bytes, value)))
    }
}

fn bytes_of(file: &Path) -> anyhow::Result<Vec<u8>> {
    use std::io::Read as _;
    let named = || format!("read {}", file.display());
    let opened = std::fs::File::open(file).with_context(named)?;
    let mut bytes = Vec::new();
    opened
        .take(LONGEST + 1)
        .read_to_end(&mut bytes)
        .with_context(named)?;
    if bytes.len() as u64 > LONGEST {
        bail!("{} is longer than 1 MiB", file.display());
    }
    Ok(bytes)
}

impl<T: fmt::Debug> fmt::Debug for ReloadedFile<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ReloadedFile({})", self.file.display())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(bytes: &[u8]) -> anyhow::Result<u32> {
        Ok(std::str::from_utf8(bytes)?.trim().parse()?)
    }

    #[test]
    fn a_changed_file_is_taken_up_and_a_wrong_or_absent_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("number");
        assert!(ReloadedFile::open(&file, number).is_err());
        std::fs::write(&file, "1").unwrap();
        let reloaded = ReloadedFile::open(&file, number).unwrap();
        std::fs::write(&file, "2").unwrap();
        assert_eq!(*reloaded.current(), 1, "it is fresh");
        assert_eq!(*reloaded.reload(), 2);
        std::fs::write(&file, "two").unwrap();
        assert_eq!(*reloaded.reload(), 2);
        std::fs::remove_file(&file).unwrap();
        assert_eq!(*reloaded.reload(), 2);
        std::fs::write(&file, "3").unwrap();
        assert_eq!(*reloaded.reload(), 3);
        std::fs::write(&file, vec![b'9'; 2 << 20]).unwrap();
        assert_eq!(*reloaded.reload(), 3);
    }
}
