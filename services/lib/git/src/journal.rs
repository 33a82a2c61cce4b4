//! Results on disk: which step became which commit, and where a step began.
//!
//! Each line has a checksum and is synced before its result is reported. A line that was cut by a crash was never
//! reported, so it is dropped. Damage before it is an error: a lost result could be committed twice.

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{Read as _, Seek as _, SeekFrom, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::GitError;

/// The journal is rewritten with its newest half when it has more records.
const MAX_RECORDS: usize = 200_000;

/// What is known of a step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Account, repository, branch and step.
    pub(crate) key: String,
    /// Of the change, to refuse another one under the same step.
    pub(crate) digest: String,
    /// The tip of the branch before the first push.
    pub(crate) base: String,
    /// The first commit; nothing while the outcome is open.
    pub(crate) commit: Option<String>,
}

pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    records: HashMap<String, (u64, Record)>,
    next: u64,
}

impl Journal {
    pub(crate) fn open(path: &Path) -> Result<Self, GitError> {
        let mut options = OpenOptions::new();
        let mut file = options
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .open(path)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let (records, complete) = read(&bytes)?;
        file.set_len(complete)?;
        file.seek(SeekFrom::End(0))?;
        sync_folder(path)?;
        let mut journal = Self {
            path: path.to_owned(),
            file,
            records: HashMap::new(),
            next: 0,
        };
        records
            .into_iter()
            .for_each(|record| journal.remember(record));
        Ok(journal)
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Record> {
        self.records.get(key).map(|(_, record)| record)
    }

    /// Appends records and syncs them. After an error nothing of them may be reported.
    pub(crate) fn append(&mut self, records: Vec<Record>) -> Result<(), GitError> {
        if records.is_empty() {
            return Ok(());
        }
        let before = self.file.metadata()?.len();
        let lines: String = records.iter().map(line).collect::<Result<_, _>>()?;
        let written = self
            .file
            .write_all(lines.as_bytes())
            .and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // A half-written line must not end up before a complete one.
            self.file.set_len(before)?;
            return Err(error.into());
        }
        records.into_iter().for_each(|record| self.remember(record));
        if self.records.len() > MAX_RECORDS {
            self.compact()
        } else {
            Ok(())
        }
    }

    fn remember(&mut self, record: Record) {
        self.records.insert(record.key.clone(), (self.next, record));
        self.next += 1;
    }

    /// Writes the newest half to a new file, which replaces the old one at once.
    fn compact(&mut self) -> Result<(), GitError> {
        let mut records: Vec<_> = self.records.drain().map(|(_, it)| it).collect();
        records.sort_by_key(|(position, _)| *position);
        let newest = records.split_off(records.len() / 2);
        let temporary = self.path.with_extension("new");
        let mut file = File::create(&temporary)?;
        for (_, record) in &newest {
            file.write_all(line(record)?.as_bytes())?;
        }
        file.sync_all()?;
        std::fs::rename(&temporary, &self.path)?;
        sync_folder(&self.path)?;
        self.file = OpenOptions::new().append(true).open(&self.path)?;
        newest
            .into_iter()
            .for_each(|(_, record)| self.remember(record));
        Ok(())
    }
}

fn line(record: &Record) -> Result<String, GitError> {
    let json =
        serde_json::to_string(record).map_err(|error| GitError::Storage(error.to_string()))?;
    Ok(format!("{} {json}\n", checksum(json.as_bytes())))
}

fn checksum(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest[..8]
        .iter()
        .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}

/// The records of all complete lines, and where these end.
fn read(bytes: &[u8]) -> Result<(Vec<Record>, u64), GitError> {
    let mut records = Vec::new();
    let mut offset = 0;
    while let Some(length) = bytes[offset..].iter().position(|byte| *byte == b'\n') {
        let line = &bytes[offset..offset + length];
        let damaged = GitError::JournalDamaged {
            offset: offset as u64,
        };
        records.push(parse(line).ok_or(damaged)?);
        offset += length + 1;
    }
    Ok((records, offset as u64))
}

fn parse(line: &[u8]) -> Option<Record> {
    let (sum, json) = std::str::from_utf8(line).ok()?.split_once(' ')?;
    (checksum(json.as_bytes()) == sum).then(|| serde_json::from_str(json).ok())?
}

fn sync_folder(path: &Path) -> Result<(), GitError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    Ok(File::open(folder)?.sync_all()?)
}
