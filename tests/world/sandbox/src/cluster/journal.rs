//! The record of every accepted write, on file before it is answered.
//!
//! Owns: the file format (one JSON document per line, a header first) and the lock on the data folder.
//! Never: syncs a single record to disk. A killed process loses nothing; a machine that loses power may lose the last seconds.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, BufRead as _, BufReader, BufWriter, Write as _},
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Value, json};

use super::object::{ObjectKey, Stored};
use crate::error::SandboxError;

const FILE: &str = "objects.journal";
const LOCK: &str = "lock";
const FORMAT: u64 = 1;
const COMPACT_FROM: u64 = 64 << 20;
const COMPACT_FACTOR: u64 = 4;

/// File of all writes.
pub(crate) enum Journal {
    /// nowhere: the store lives in memory
    Memory,
    /// the process is going away and takes no writes
    Closed,
    Folder(Folder),
}

/// An open journal. The lock is held as long as this lives.
pub(crate) struct Folder {
    path: PathBuf,
    file: File,
    size: u64,
    compacted_size: u64,
    lock: File,
}

/// One line of a journal.
#[derive(Debug, PartialEq)]
pub(crate) enum Record {
    Header {
        revision: u64,
    },
    Put {
        id: String,
        object: Value,
    },
    Delete {
        id: String,
        key: ObjectKey,
        revision: u64,
    },
}

impl Journal {
    pub(crate) fn none() -> Self {
        Self::Memory
    }

    pub(crate) fn closed() -> Self {
        Self::Closed
    }

    /// Opens the journal in `folder`, made when absent, and gives each whole record to `take`, oldest first.
    ///
    /// # Errors
    /// The folder cannot be used or is in use, the format is newer than this one, a whole record cannot be read.
    pub(crate) fn open(folder: &Path, mut take: impl FnMut(Record)) -> Result<Self, SandboxError> {
        let of_folder = |source| SandboxError::Folder {
            path: folder.to_owned(),
            source,
        };
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(of_folder)?;
        let lock = private().open(folder.join(LOCK)).map_err(of_folder)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(SandboxError::InUse {
                    path: folder.to_owned(),
                });
            }
            Err(TryLockError::Error(source)) => return Err(of_folder(source)),
        }
        let path = folder.join(FILE);
        let file = private().open(&path).map_err(of_folder)?;
        let size = replay(&path, &file, &mut take)?;
        // what is behind the last whole record was never answered
        file.set_len(size).map_err(of_folder)?;
        Ok(Self::Folder(Folder {
            path,
            file,
            size,
            compacted_size: size,
            lock,
        }))
    }

    pub(crate) fn put(&mut self, id: &str, stored: &Stored) -> io::Result<()> {
        let Self::Folder(folder) = self else {
            return self.check();
        };
        let mut line = Vec::with_capacity(stored.json.len() + id.len() + 32);
        write_put(&mut line, id, stored)?;
        folder.append(&line)
    }

    pub(crate) fn delete(&mut self, id: &str, key: &ObjectKey, revision: u64) -> io::Result<()> {
        let Self::Folder(folder) = self else {
            return self.check();
        };
        let record = json!({ "delete": id, "namespace": key.namespace, "name": key.name, "revision": revision });
        folder.append(format!("{record}\n").as_bytes())
    }

    /// True when most of the file is history.
    pub(crate) fn is_due(&self) -> bool {
        let Self::Folder(folder) = self else {
            return false;
        };
        folder.size > COMPACT_FROM && folder.size > COMPACT_FACTOR * folder.compacted_size
    }

    /// Replaces the file with one that holds only `live`.
    pub(crate) fn rewrite<'a>(
        &mut self,
        revision: u64,
        live: impl Iterator<Item = (&'a Arc<str>, &'a Arc<Stored>)>,
    ) -> io::Result<()> {
        let Self::Folder(folder) = self else {
            return Ok(());
        };
        let new_path = folder.path.with_extension("new");
        let file = private().open(&new_path)?;
        file.set_len(0)?;
        let mut out = BufWriter::new(&file);
        writeln!(
            out,
            "{}",
            json!({ "causeway-sandbox": "objects", "format": FORMAT, "revision": revision })
        )?;
        for (id, stored) in live {
            write_put(&mut out, id, stored)?;
        }
        out.flush()?;
        drop(out);
        file.sync_all()?;
        fs::rename(&new_path, &folder.path)?;
        folder.size = file.metadata()?.len();
        folder.compacted_size = folder.size;
        folder.file = file;
        Ok(())
    }

    fn check(&self) -> io::Result<()> {
        match self {
            Self::Closed => Err(io::Error::other("the sandbox is stopping")),
            Self::Memory | Self::Folder(_) => Ok(()),
        }
    }
}

impl Folder {
    fn append(&mut self, line: &[u8]) -> io::Result<()> {
        if let Err(error) = self.file.write_all(line) {
            self.file.set_len(self.size)?;
            return Err(error);
        }
        self.size += line.len() as u64;
        Ok(())
    }
}

impl Drop for Folder {
    /// Gives the lock back by name: a child that is being started at this moment still holds a copy of the file.
    fn drop(&mut self) {
        let _ = self.lock.unlock();
    }
}

fn private() -> OpenOptions {
    let mut options = File::options();
    options.read(true).append(true).create(true).mode(0o600);
    options
}

fn write_put(out: &mut impl io::Write, id: &str, stored: &Stored) -> io::Result<()> {
    write!(out, "{{\"put\":{},\"object\":", Value::from(id))?;
    out.write_all(&stored.json)?;
    out.write_all(b"}\n")
}

/// Gives each record to `take` and answers where the last whole one ends.
fn replay(path: &Path, file: &File, take: &mut impl FnMut(Record)) -> Result<u64, SandboxError> {
    let damaged = |offset, cause: String| SandboxError::Damaged {
        path: path.to_owned(),
        offset,
        cause,
    };
    let mut lines = BufReader::new(file);
    let (mut offset, mut line) = (0, Vec::new());
    loop {
        line.clear();
        let length = lines
            .read_until(b'\n', &mut line)
            .map_err(|error| damaged(offset, error.to_string()))?;
        if length == 0 || !line.ends_with(b"\n") {
            return Ok(offset);
        }
        let value: Value =
            serde_json::from_slice(&line).map_err(|error| damaged(offset, error.to_string()))?;
        if let Some(found) = value["format"]
            .as_u64()
            .filter(|found| offset == 0 && *found > FORMAT)
        {
            return Err(SandboxError::NewerFormat {
                path: path.to_owned(),
                found,
                known: FORMAT,
            });
        }
        let record =
            read(value).ok_or_else(|| damaged(offset, "not a record of a journal".to_owned()))?;
        if (offset == 0) != matches!(record, Record::Header { .. }) {
            return Err(damaged(
                offset,
                "the header is missing or not the first line".to_owned(),
            ));
        }
        take(record);
        offset += length as u64;
    }
}

fn read(mut value: Value) -> Option<Record> {
    let text = |field: &str| value[field].as_str().map(str::to_owned);
    if let Some(id) = text("put") {
        return Some(Record::Put {
            id,
            object: value["object"].take(),
        });
    }
    let revision = value["revision"].as_u64()?;
    if let Some(id) = text("delete") {
        let key = ObjectKey {
            namespace: text("namespace")?,
            name: text("name")?,
        };
        return Some(Record::Delete { id, key, revision });
    }
    (value["causeway-sandbox"] == "objects").then_some(Record::Header { revision })
}

#[cfg(test)]
mod tests;
