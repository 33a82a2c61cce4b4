//! Files of sealing keys.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use aws_lc_rs::aead::{AES_256_GCM_SIV, RandomizedNonceKey};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use causeway_assertion::private_file::create_private;

use super::SealError;
use crate::secret::random_bytes;

/// The file of the first key.
pub(crate) const SIGN_IN_KEY: &str = "sign-in.pem";
const FORMER: &str = ".former";
const KEY_BYTES: usize = 32;
/// So often a folder is listed while others rename or remove what is in it.
const MOST_LISTINGS: usize = 10;
const BEGIN: &str = "-----BEGIN CAUSEWAY SEALING KEY-----";
const END: &str = "-----END CAUSEWAY SEALING KEY-----";

/// Current or former key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyState {
    /// Everything.
    Present,
    /// To open client secrets.
    Former,
}

/// A key and from when on it seals, in seconds since 1970.
#[derive(Debug)]
pub(crate) struct Timed {
    pub(crate) key: RandomizedNonceKey,
    pub(crate) begins: i64,
    pub(crate) standing: KeyState,
    pub(crate) file: PathBuf,
}

impl Timed {
    /// Keeps it for client secrets alone.
    pub(crate) fn retire(&self, folder: &Path) -> Result<(), SealError> {
        let former = folder.join(format!("sign-in-{}{FORMER}.pem", self.begins));
        fs::rename(&self.file, former).or_else(|error| self.gone(error))
    }

    /// Removes its file, if that is still there.
    pub(crate) fn remove(&self) -> Result<(), SealError> {
        fs::remove_file(&self.file).or_else(|error| self.gone(error))
    }

    /// Another replica may have done the same.
    fn gone(&self, error: io::Error) -> Result<(), SealError> {
        if error.kind() == io::ErrorKind::NotFound {
            Ok(())
        } else {
            Err(failed(&self.file)(error))
        }
    }
}

fn failed(file: &Path) -> impl FnOnce(io::Error) -> SealError {
    let file = file.to_owned();
    move |error| SealError::File { file, error }
}

/// Makes a key of this name. One that is there stays: another replica made it.
pub(crate) fn make(folder: &Path, name: &str) -> Result<(), SealError> {
    let file = folder.join(name);
    let text = BASE64_STANDARD.encode(random_bytes::<KEY_BYTES>());
    let made = create_private(&file, format!("{BEGIN}\n{text}\n{END}\n").as_bytes());
    let text = |error| io::Error::other(format!("{error:#}"));
    made.map(drop).map_err(text).map_err(failed(&file))
}

/// File with the data of its name.
type ListedFile = (i64, KeyState, PathBuf);

/// The files with what their names say.
pub(crate) fn list(folder: &Path) -> Result<Vec<ListedFile>, SealError> {
    let mut found = Vec::new();
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(found),
        entries => entries.map_err(failed(folder))?,
    };
    for entry in entries {
        let file = entry.map_err(failed(folder))?.path();
        let parsed = file.file_name().and_then(|name| parse_name(name.to_str()?));
        found.extend(parsed.map(|(begins, standing)| (begins, standing, file)));
    }
    found.sort_unstable_by_key(|(begins, standing, _)| (*begins, *standing == KeyState::Present));
    Ok(found)
}

/// The keys, the earliest first.
pub(crate) fn read(folder: &Path) -> Result<Vec<Timed>, SealError> {
    read_listed(folder, list(folder)?)
}

/// The keys that were listed. Where one of them is gone the folder is listed again: what was renamed is there by its new name.
pub(crate) fn read_listed(
    folder: &Path,
    mut listed: Vec<ListedFile>,
) -> Result<Vec<Timed>, SealError> {
    for _ in 1..MOST_LISTINGS {
        let keys = opened(&listed)?;
        if keys.len() == listed.len() {
            return Ok(keys);
        }
        listed = list(folder)?;
    }
    opened(&listed)
}

/// Those that are still there.
fn opened(listed: &[ListedFile]) -> Result<Vec<Timed>, SealError> {
    let mut keys = Vec::new();
    for (begins, standing, file) in listed {
        let text = match fs::read_to_string(file) {
            // Another replica removed it since the folder was read.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            text => text.map_err(failed(file))?,
        };
        let key = key(&text).ok_or_else(|| SealError::NoKey(file.clone()))?;
        keys.push(Timed {
            key,
            begins: *begins,
            standing: *standing,
            file: file.clone(),
        });
    }
    Ok(keys)
}

fn key(text: &str) -> Option<RandomizedNonceKey> {
    let body = text.trim().strip_prefix(BEGIN)?.strip_suffix(END)?;
    let bytes = BASE64_STANDARD.decode(body.trim()).ok()?;
    let bytes = Some(bytes).filter(|bytes| bytes.len() == KEY_BYTES)?;
    RandomizedNonceKey::new(&AES_256_GCM_SIV, &bytes).ok()
}

/// From when on the key of a file seals, by the file's name.
fn parse_name(name: &str) -> Option<(i64, KeyState)> {
    if name == SIGN_IN_KEY {
        return Some((0, KeyState::Present));
    }
    let stem = name.strip_prefix("sign-in-")?.strip_suffix(".pem")?;
    let (digits, standing) = match stem.strip_suffix(FORMER) {
        Some(digits) => (digits, KeyState::Former),
        None => (stem, KeyState::Present),
    };
    let plain = digits.len() <= 12 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let begins = plain.then(|| digits.parse().ok()).flatten()?;
    Some((begins, standing))
}
