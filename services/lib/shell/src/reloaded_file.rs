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
const MAX_AGE: Duration = Duration::from_secs(10);
/// Maximum size of a file.
const MAX_BYTES: u64 = 1024 * 1024;

type Parse<T> = Box<dyn Fn(&[u8]) -> anyhow::Result<T> + Send + Sync>;

/// Value parsed from a file. The last valid value stays in use while the file is missing or invalid.
pub struct ReloadedFile<T> {
    file: PathBuf,
    parse: Parse<T>,
    cached: RwLock<Cached<T>>,
}

struct Cached<T> {
    bytes: Vec<u8>,
    value: Arc<T>,
    at: Instant,
}

impl<T> ReloadedFile<T> {
    /// Reads the file for the first time.
    ///
    /// # Errors
    /// The file cannot be read, is longer than 1 MiB, or `parse` fails.
    pub fn open(
        file: &Path,
        parse: impl Fn(&[u8]) -> anyhow::Result<T> + Send + Sync + 'static,
    ) -> anyhow::Result<Self> {
        let bytes = read_bytes(file)?;
        let value = parse(&bytes).with_context(|| file.display().to_string())?;
        let cached = Cached {
            bytes,
            value: Arc::new(value),
            at: Instant::now(),
        };
        Ok(Self {
            file: file.to_owned(),
            parse: Box::new(parse),
            cached: RwLock::new(cached),
        })
    }

    /// Returns the value, at most 10 s old.
    #[must_use]
    pub fn current(&self) -> Arc<T> {
        self.max_age(MAX_AGE)
    }

    /// Reads the file now and returns its value.
    #[must_use]
    pub fn reload(&self) -> Arc<T> {
        self.max_age(Duration::ZERO)
    }

    fn max_age(&self, age: Duration) -> Arc<T> {
        let cached = self.cached.read().unwrap_or_else(PoisonError::into_inner);
        if cached.at.elapsed() < age {
            return Arc::clone(&cached.value);
        }
        drop(cached);
        let changed = self.read_if_changed();
        let mut cached = self.cached.write().unwrap_or_else(PoisonError::into_inner);
        cached.at = Instant::now();
        match changed {
            Ok(None) => {}
            Ok(Some((bytes, value))) => {
                tracing::info!(file = %self.file.display(), "reloaded a changed file");
                (cached.bytes, cached.value) = (bytes, Arc::new(value));
            }
            Err(error) => {
                let error = format!("{error:#}");
                tracing::warn!(%error, "cannot reload a file; the previous content stays in use");
            }
        }
        Arc::clone(&cached.value)
    }

    fn read_if_changed(&self) -> anyhow::Result<Option<(Vec<u8>, T)>> {
        let bytes = read_bytes(&self.file)?;
        let cached = self.cached.read().unwrap_or_else(PoisonError::into_inner);
        if cached.bytes == bytes {
            return Ok(None);
        }
        drop(cached);
        let value = (self.parse)(&bytes).with_context(|| self.file.display().to_string())?;
        Ok(Some((bytes, value)))
    }
}

fn read_bytes(file: &Path) -> anyhow::Result<Vec<u8>> {
    use std::io::Read as _;
    let context = || format!("read {}", file.display());
    let opened = std::fs::File::open(file).with_context(context)?;
    let mut bytes = Vec::new();
    opened
        .take(MAX_BYTES + 1)
        .read_to_end(&mut bytes)
        .with_context(context)?;
    if bytes.len() as u64 > MAX_BYTES {
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
    fn changed_file_is_reloaded_unless_invalid_or_absent() {
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
