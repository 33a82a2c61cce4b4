//! Key files: `root.pem`, `parts.pem`, `platform.pem`, and `signing-<seconds since 1970>.pem` for each signing key, valid from
//! that time on.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;
use base64::{Engine as _, prelude::BASE64_STANDARD};
use causeway_assertion::{SigningKey, SigningKeyError, private_file::write_private};
use causeway_proto::ids::KeyId;

use crate::data_folder::make_private;

/// The file of the key that certifies the keys of the platform's parts.
pub(crate) const PARTS_KEY: &str = "parts.pem";
const ROOT_KEY: &str = "root.pem";
/// Public half of the root key, for verifiers: its point in base64.
const ROOT_PUBLIC: &str = "root.pub";
/// The file of the key for calls to the part `platform` itself.
const OWN_KEY: &str = "platform.pem";
/// More files are a mistake.
const MOST_SIGNING_KEYS: usize = 100;

/// A signing key and from when on it signs, in seconds since 1970.
#[derive(Debug)]
pub(crate) struct Timed {
    pub(crate) key: SigningKey,
    pub(crate) begins: i64,
    file: PathBuf,
}

impl Timed {
    /// Removes its file, if that is still there.
    pub(crate) fn remove(&self) -> Result<(), KeyFileError> {
        match fs::remove_file(&self.file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let file = self.file.clone();
                Err(KeyFileError::Io { file, error })
            }
            _ => Ok(()),
        }
    }
}

/// What the files say.
#[derive(Debug)]
pub(crate) struct KeyFiles {
    pub(crate) parts: SigningKey,
    pub(crate) own: SigningKey,
    /// At least one, earliest first.
    pub(crate) signing: Vec<Arc<Timed>>,
}

/// Why the files cannot be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum KeyFileError {
    /// A file cannot be read or written.
    #[error("{}", file.display())]
    Io {
        /// Which one.
        file: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// A file holds no key.
    #[error("{}", file.display())]
    Key {
        /// Which one.
        file: PathBuf,
        /// What is wrong with it.
        #[source]
        error: SigningKeyError,
    },
    /// There is no signing key.
    #[error("{} holds no signing key: it has no file signing-<seconds since 1970>.pem", .0.display())]
    None(PathBuf),
    /// There are too many signing keys.
    #[error("{} holds more than {MOST_SIGNING_KEYS} signing keys: delete the oldest", .0.display())]
    TooMany(PathBuf),
}

/// The root key, made where there is none.
pub(crate) fn open_root(folder: &Path) -> anyhow::Result<SigningKey> {
    make_private(folder)?;
    let root = SigningKey::open_or_create(&folder.join(ROOT_KEY));
    let root = root.context("the platform's key root.pem")?;
    let public = folder.join(ROOT_PUBLIC);
    if !public.exists() {
        let point = BASE64_STANDARD.encode(root.public_key().as_bytes());
        write_private(&public, format!("{point}\n").as_bytes())
            .context("the platform's key root.pub")?;
    }
    Ok(root)
}

impl KeyFiles {
    /// Reads the files of a folder, and makes those that are not there.
    pub(crate) fn open(folder: &Path, now: i64) -> anyhow::Result<Self> {
        for name in [PARTS_KEY, OWN_KEY] {
            SigningKey::open_or_create(&folder.join(name))
                .with_context(|| format!("the platform's key {name}"))?;
        }
        if signing_files(folder)?.is_empty() {
            add_signing(folder, now)?;
        }
        Self::read(folder).context("the platform's keys")
    }

    pub(crate) fn read(folder: &Path) -> Result<Self, KeyFileError> {
        let parts = read_key(&folder.join(PARTS_KEY))?;
        let own = read_key(&folder.join(OWN_KEY))?;
        let mut signing = read_signing(folder)?;
        if signing.is_empty() {
            // Perhaps another was put in the place of those that the folder had a moment ago.
            signing = read_signing(folder)?;
        }
        if signing.is_empty() {
            return Err(KeyFileError::None(folder.to_owned()));
        }
        let signing = signing.into_iter().map(Arc::new).collect();
        Ok(Self {
            parts,
            own,
            signing,
        })
    }

    pub(crate) fn begins(&self) -> Vec<i64> {
        self.signing.iter().map(|timed| timed.begins).collect()
    }
}

/// Makes a signing key that signs from `begins` on. One of that time that is there stays: another replica made it.
pub(crate) fn add_signing(folder: &Path, begins: i64) -> Result<KeyId, KeyFileError> {
    let file = folder.join(format!("signing-{begins}.pem"));
    let failed = |error| KeyFileError::Io {
        file: file.clone(),
        error,
    };
    let key = SigningKey::generate().map_err(|error| KeyFileError::Key {
        file: file.clone(),
        error,
    })?;
    let unfinished = folder.join(format!(".{}.new", key.kid()));
    write_new(&unfinished, key.to_pem().as_bytes()).map_err(failed)?;
    // A link fails where the name is taken; a rename would take it away from the other.
    let linked = fs::hard_link(&unfinished, &file);
    fs::remove_file(&unfinished).map_err(failed)?;
    match linked {
        Ok(()) => Ok(key.kid().clone()),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            Ok(read_key(&file)?.kid().clone())
        }
        Err(error) => Err(failed(error)),
    }
}

/// Removes the signing keys of which `is_over` holds.
pub(crate) fn remove_signing(
    folder: &Path,
    is_over: impl Fn(&Timed) -> bool,
) -> Result<(), KeyFileError> {
    let signing = read_signing(folder)?;
    let mut over = signing.iter().filter(|timed| is_over(timed));
    over.try_for_each(Timed::remove)
}

fn write_new(file: &Path, content: &[u8]) -> io::Result<()> {
    use std::{io::Write as _, os::unix::fs::OpenOptionsExt as _};
    let mut options = fs::OpenOptions::new();
    let mut opened = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(file)?;
    opened.write_all(content)?;
    opened.sync_all()
}

fn read_key(file: &Path) -> Result<SigningKey, KeyFileError> {
    let pem = fs::read_to_string(file).map_err(|error| KeyFileError::Io {
        file: file.to_owned(),
        error,
    })?;
    SigningKey::from_pem(&pem).map_err(|error| KeyFileError::Key {
        file: file.to_owned(),
        error,
    })
}

pub(crate) fn read_signing(folder: &Path) -> Result<Vec<Timed>, KeyFileError> {
    let files = signing_files(folder)?;
    let mut signing = Vec::new();
    for (begins, file) in files {
        let key = match read_key(&file) {
            // Another replica removed it since the folder was read.
            Err(KeyFileError::Io { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
                continue;
            }
            key => key?,
        };
        signing.push(Timed { key, begins, file });
    }
    signing.sort_by_key(|timed| timed.begins);
    Ok(signing)
}

fn signing_files(folder: &Path) -> Result<Vec<(i64, PathBuf)>, KeyFileError> {
    let failed = |error| KeyFileError::Io {
        file: folder.to_owned(),
        error,
    };
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let file = entry.map_err(failed)?.path();
        let begins = file.file_name().and_then(|name| begins(name.to_str()?));
        found.extend(begins.map(|begins| (begins, file)));
    }
    if found.len() > MOST_SIGNING_KEYS {
        return Err(KeyFileError::TooMany(folder.to_owned()));
    }
    Ok(found)
}

/// From when on the key of a file signs, by the file's name.
fn begins(name: &str) -> Option<i64> {
    let digits = name.strip_prefix("signing-")?.strip_suffix(".pem")?;
    let plain = digits.len() <= 12 && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}
