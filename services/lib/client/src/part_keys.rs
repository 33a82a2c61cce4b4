//! Key of a part: issued in process with the issuer's key, or read from a file. Both are renewed while the part runs.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::{Context as _, bail};
use causeway_assertion::{
    KeyHolder, MAX_CERTIFICATE_SECONDS, PartKey, SigningKey, SigningKeyError, now,
};
use causeway_shell::ReloadedFile;

/// Source of the current key of one part.
#[derive(Debug)]
pub struct PartKeys(Source);

#[derive(Debug)]
enum Source {
    Issued {
        issuer: Issuer,
        holder: KeyHolder,
        current: Mutex<Option<Arc<PartKey>>>,
    },
    File(ReloadedFile<PartKey>),
}

#[derive(Debug)]
enum Issuer {
    Held(Arc<SigningKey>),
    File(ReloadedFile<SigningKey>),
}

impl PartKeys {
    /// Issues keys with an issuer key held by this process.
    pub fn from_issuer(issuer: Arc<SigningKey>, holder: KeyHolder) -> Self {
        Self::issued(Issuer::Held(issuer), holder)
    }

    /// Issues keys with an issuer key from a file, which is reloaded when it changes.
    ///
    /// # Errors
    /// The file cannot be read or contains no key.
    pub fn from_issuer_file(issuer: &Path, holder: KeyHolder) -> anyhow::Result<Self> {
        Ok(Self::issued(
            Issuer::File(ReloadedFile::open(issuer, read_issuer)?),
            holder,
        ))
    }

    /// Reads key and certificate from a file of 'causeway key issue', which is reloaded when it changes.
    ///
    /// # Errors
    /// The file cannot be read, or contains no key with a certificate for this holder.
    pub fn from_file(file: &Path, holder: KeyHolder) -> anyhow::Result<Self> {
        let read = move |bytes: &[u8]| read_part_key(bytes, &holder);
        Ok(Self(Source::File(ReloadedFile::open(file, read)?)))
    }

    fn issued(issuer: Issuer, holder: KeyHolder) -> Self {
        let current = Mutex::default();
        Self(Source::Issued {
            issuer,
            holder,
            current,
        })
    }

    /// Returns the current key.
    pub(crate) fn current(&self) -> Result<Arc<PartKey>, SigningKeyError> {
        let (issuer, holder, current) = match &self.0 {
            Source::File(file) => return Ok(file.current()),
            Source::Issued {
                issuer,
                holder,
                current,
            } => (issuer.current(), holder, current),
        };
        let mut current = current.lock().unwrap_or_else(PoisonError::into_inner);
        let good =
            |key: &&Arc<PartKey>| !key.is_due(now()) && key.certificate().issuer == *issuer.kid();
        if let Some(key) = current.as_ref().filter(good) {
            return Ok(Arc::clone(key));
        }
        let made = PartKey::issue(&issuer, holder.clone(), MAX_CERTIFICATE_SECONDS)?;
        let made = Arc::new(made);
        *current = Some(Arc::clone(&made));
        Ok(made)
    }
}

impl Issuer {
    fn current(&self) -> Arc<SigningKey> {
        match self {
            Self::Held(key) => Arc::clone(key),
            Self::File(file) => file.current(),
        }
    }
}

fn read_issuer(bytes: &[u8]) -> anyhow::Result<SigningKey> {
    Ok(SigningKey::from_pem(std::str::from_utf8(bytes)?)?)
}

fn read_part_key(bytes: &[u8], holder: &KeyHolder) -> anyhow::Result<PartKey> {
    let text = std::str::from_utf8(bytes).context("it is not UTF-8 text")?;
    let key = PartKey::from_pem(text)?;
    let certificate = key.certificate();
    if certificate.holder != *holder {
        let other = &certificate.holder;
        bail!("it is the key of {other}, and this is {holder}");
    }
    let ended = now().saturating_sub(certificate.not_after);
    if ended > 0 {
        bail!("its certificate expired {ended} s ago: issue a new one with 'causeway key issue'");
    }
    Ok(key)
}

#[cfg(test)]
mod tests;
