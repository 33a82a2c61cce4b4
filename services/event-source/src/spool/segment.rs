//! Files of the spool. A record counts only after the fsync of its file.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write as _},
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

/// What a file begins with.
const MAGIC: &[u8; 8] = b"CWSPOOL1";
const SUFFIX: &str = ".spool";

/// The file that is written. Numbers grow.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) number: u64,
    file: File,
    pub(super) length: u64,
}

impl Segment {
    /// Creates the file and makes its name durable.
    pub(super) fn create(folder: &Path, number: u64) -> io::Result<Self> {
        let path = path(folder, number);
        let mut options = OpenOptions::new();
        options
            .create(true)
            .truncate(true)
            .read(true)
            .write(true)
            .mode(0o600);
        let mut file = options.open(path)?;
        file.write_all(MAGIC)?;
        file.sync_all()?;
        File::open(folder)?.sync_all()?;
        Ok(Self {
            number,
            file,
            length: MAGIC.len() as u64,
        })
    }

    /// Appends bytes and waits for the disk. After an error the file is as before, or must not be written again.
    pub(super) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let written = self.file.write_all_at(bytes, self.length);
        let synced = written.and_then(|()| self.file.sync_data());
        match synced {
            Ok(()) => {
                self.length += bytes.len() as u64;
                Ok(())
            }
            Err(error) => {
                // What was written in part would be taken for records after a restart.
                let _ = self.file.set_len(self.length);
                Err(error)
            }
        }
    }
}

/// Numbers of the files of a folder, in order.
pub(super) fn numbers(folder: &Path) -> io::Result<Vec<u64>> {
    let mut numbers = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.strip_suffix(SUFFIX));
        numbers.extend(number.and_then(|number| number.parse::<u64>().ok()));
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// The content of a file without what it begins with; none if it is no file of a spool.
pub(super) fn read(folder: &Path, number: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = std::fs::read(path(folder, number))?;
    if !bytes.starts_with(MAGIC) {
        return Ok(None);
    }
    bytes.drain(..MAGIC.len());
    Ok(Some(bytes))
}

/// Where the content begins in a file.
pub(super) const START: u64 = MAGIC.len() as u64;

/// Reads a piece of a file.
pub(super) fn read_at(folder: &Path, number: u64, at: u64, length: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path(folder, number))?;
    let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
    file.read_exact_at(&mut bytes, at)?;
    Ok(bytes)
}

/// Cuts a file, for a record that was written in part.
pub(super) fn truncate(folder: &Path, number: u64, length: u64) -> io::Result<()> {
    let file = OpenOptions::new().write(true).open(path(folder, number))?;
    file.set_len(length)?;
    file.sync_all()
}

pub(super) fn remove(folder: &Path, number: u64) -> io::Result<()> {
    std::fs::remove_file(path(folder, number))?;
    File::open(folder)?.sync_all()
}

fn path(folder: &Path, number: u64) -> PathBuf {
    folder.join(format!("{number:016}{SUFFIX}"))
}
