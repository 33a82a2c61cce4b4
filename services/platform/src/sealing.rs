//! The key that seals what only the platform may read again: the state of a sign-in while its client keeps it, and the client
//! secrets of identity providers. A file like the other keys, never a row: who has the database has nothing of these.
//!
//! The file is read at each use, so a change of it counts at once. What another key sealed cannot be opened.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use aws_lc_rs::aead::{AES_256_GCM_SIV, Aad, NONCE_LEN, Nonce, RandomizedNonceKey};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use causeway_shell::certificate::write_private;

use crate::secret::{random_bytes, random_hex};

/// The file of the key.
pub(crate) const SIGN_IN_KEY: &str = "sign-in.pem";
const KEY_BYTES: usize = 32;
const BEGIN: &str = "-----BEGIN CAUSEWAY SEALING KEY-----";
const END: &str = "-----END CAUSEWAY SEALING KEY-----";

/// Seals and opens. What is sealed for one purpose does not open for another.
#[derive(Debug, Clone)]
pub(crate) struct SealingKey(PathBuf);

/// Why something is neither sealed nor opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SealError {
    /// The key's file.
    #[error("{}", file.display())]
    File {
        /// Which one.
        file: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// The file holds no key.
    #[error("{}: it holds no sealing key", .0.display())]
    NoKey(PathBuf),
    /// The bytes were sealed by another key, for another purpose, or changed.
    #[error("it was not sealed by this platform's key sign-in.pem")]
    Foreign,
}

impl SealingKey {
    /// The key of a folder, made where there is none. Of two replicas that make it at once one wins.
    pub(crate) fn open(folder: &Path) -> anyhow::Result<Self> {
        let file = folder.join(SIGN_IN_KEY);
        if !file.exists() {
            let unfinished = folder.join(format!(".sign-in-{}.pem", random_hex::<8>()));
            let text = BASE64_STANDARD.encode(random_bytes::<KEY_BYTES>());
            write_private(&unfinished, format!("{BEGIN}\n{text}\n{END}\n").as_bytes())?;
            let linked = fs::hard_link(&unfinished, &file);
            fs::remove_file(&unfinished)?;
            let lost = |error: &io::Error| error.kind() == io::ErrorKind::AlreadyExists;
            if let Err(error) = linked
                && !lost(&error)
            {
                return Err(error).with_context(|| format!("write {}", file.display()));
            }
        }
        let key = Self(file);
        key.read().context("the platform's key sign-in.pem")?;
        Ok(key)
    }

    /// Seals bytes for a purpose.
    pub(crate) fn seal(&self, purpose: &str, bytes: &[u8]) -> Result<Vec<u8>, SealError> {
        let key = self.read()?;
        let mut sealed = bytes.to_vec();
        let nonce = key.seal_in_place_append_tag(Aad::from(purpose), &mut sealed);
        let nonce = nonce.map_err(|_| SealError::Foreign)?;
        Ok([nonce.as_ref().as_slice(), &sealed].concat())
    }

    /// What was sealed for a purpose.
    pub(crate) fn unseal(&self, purpose: &str, sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        let (nonce, rest) = sealed
            .split_at_checked(NONCE_LEN)
            .ok_or(SealError::Foreign)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| SealError::Foreign)?;
        let mut bytes = rest.to_vec();
        let opened = self
            .read()?
            .open_in_place(nonce, Aad::from(purpose), &mut bytes);
        let length = opened.map_err(|_| SealError::Foreign)?.len();
        bytes.truncate(length);
        Ok(bytes)
    }

    fn read(&self) -> Result<RandomizedNonceKey, SealError> {
        let file = || self.0.clone();
        let text = fs::read_to_string(&self.0);
        let text = text.map_err(|error| SealError::File {
            file: file(),
            error,
        })?;
        let body = text.trim().strip_prefix(BEGIN);
        let body = body.and_then(|body| body.strip_suffix(END));
        let bytes = body.and_then(|body| BASE64_STANDARD.decode(body.trim()).ok());
        let bytes = bytes.filter(|bytes| bytes.len() == KEY_BYTES);
        let key = bytes.and_then(|bytes| RandomizedNonceKey::new(&AES_256_GCM_SIV, &bytes).ok());
        key.ok_or_else(|| SealError::NoKey(file()))
    }
}

#[cfg(test)]
mod tests;
