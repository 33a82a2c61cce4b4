//! The files that are the platform's keys.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, bail};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use causeway_assertion::private_file::write_private;
use causeway_assertion::{PublicKey, SigningKey};

use sha2::{Digest as _, Sha256};

use super::{
    manifest::{Manifest, Member, hex},
    place::{PlaceArgs, make_private},
};

const LONGEST: u64 = 1 << 20;
const MOST: usize = 1_000;

/// A folder of keys, under the name that it has in a backup.
pub(super) struct KeyFolder {
    pub(super) name: &'static str,
    pub(super) folder: PathBuf,
}

/// The folders of keys that are known.
pub(super) fn folders(place: &PlaceArgs) -> Vec<KeyFolder> {
    let named = [("keys", place.keys()), ("tunnel-keys", place.tunnel())];
    let named = named.into_iter();
    named
        .filter_map(|(name, folder)| {
            Some(KeyFolder {
                name,
                folder: folder?,
            })
        })
        .collect()
}

impl KeyFolder {
    /// The names of the keys in it, in order; none where it is not there.
    pub(super) fn files(&self) -> anyhow::Result<Vec<String>> {
        if !self.folder.exists() {
            return Ok(Vec::new());
        }
        let named = || self.folder.display().to_string();
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.folder).with_context(named)? {
            let name = entry.with_context(named)?.file_name();
            let name = name.to_string_lossy().into_owned();
            if is_key(&name) {
                names.push(name);
            }
        }
        if names.len() > MOST {
            bail!("{} holds more than {MOST} keys", named());
        }
        names.sort();
        Ok(names)
    }

    pub(super) fn read(&self, name: &str) -> anyhow::Result<Vec<u8>> {
        let file = self.folder.join(name);
        let named = || file.display().to_string();
        let size = fs::metadata(&file).with_context(named)?.len();
        if size > LONGEST {
            bail!("{}: it is too large for a key", named());
        }
        fs::read(&file).with_context(named)
    }

    /// A key in it that is not in a backup.
    pub(super) fn other(&self, manifest: &Manifest) -> anyhow::Result<Option<String>> {
        for name in self.files()? {
            let digest = hex(&Sha256::digest(self.read(&name)?));
            let written = format!("{}/{name}", self.name);
            let same = |file: &Member| file.name == written && file.sha256 == digest;
            if !manifest.files.iter().any(same) {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    pub(super) fn write(&self, name: &str, content: &[u8]) -> anyhow::Result<()> {
        if !is_key(name) {
            bail!("the backup has a key under the name '{name}', which no key has");
        }
        make_private(&self.folder)?;
        let file = self.folder.join(name);
        write_private(&file, content).with_context(|| file.display().to_string())
    }
}

/// True if a file of this name is a key: none of those that are being written, and nothing elsewhere.
fn is_key(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let ends = name.ends_with(".pem") || name.ends_with(".pub");
    ends && !name.starts_with('.') && name.bytes().all(plain)
}

/// The root key of a folder, to sign with; none where its private half is not there.
pub(super) fn root_signer(folder: &Path) -> anyhow::Result<Option<SigningKey>> {
    let private = folder.join("root.pem");
    if !private.exists() {
        return Ok(None);
    }
    let text = fs::read_to_string(&private).with_context(|| private.display().to_string())?;
    let key = SigningKey::from_pem(&text).with_context(|| private.display().to_string())?;
    Ok(Some(key))
}

/// The id of the root key of a folder; none where it is not there.
pub(super) fn root(folder: &Path) -> anyhow::Result<Option<String>> {
    let public = folder.join("root.pub");
    if public.exists() {
        let text = fs::read_to_string(&public).with_context(|| public.display().to_string())?;
        let point = BASE64_STANDARD.decode(text.trim()).ok();
        let key = point.and_then(|point| PublicKey::from_bytes(&point));
        let key = key.with_context(|| format!("{} holds no public key", public.display()))?;
        return Ok(Some(key.id().to_string()));
    }
    Ok(root_signer(folder)?.map(|key| key.kid().to_string()))
}
