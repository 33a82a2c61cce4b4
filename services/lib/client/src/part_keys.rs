//! Source of a part's key: issued in process with the issuer's key, or read from a file. Both renew it while the part runs.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::{Context as _, bail};
use causeway_assertion::{
    KeyHolder, MAX_CERTIFICATE_SECONDS, PartKey, SigningKey, SigningKeyError, now,
};
use causeway_shell::ReloadedFile;

/// The key of one part, as it is now.
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
    /// Certified by a key that this process holds.
    pub fn from_issuer(issuer: Arc<SigningKey>, holder: KeyHolder) -> Self {
        Self::issued(Issuer::Held(issuer), holder)
    }

    /// Certified by the key of a file; where the file changes, by the new one.
    ///
    /// # Errors
    /// The file cannot be read or holds no key.
    pub fn from_issuer_file(issuer: &Path, holder: KeyHolder) -> anyhow::Result<Self> {
        Ok(Self::issued(
            Issuer::File(ReloadedFile::open(issuer, read_issuer)?),
            holder,
        ))
    }

    /// A key and its certificate, made by 'causeway key issue'; the file is taken up again when it changes.
    ///
    /// # Errors
    /// The file cannot be read, or holds no key with a certificate for this holder.
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

    /// The key to sign with now.
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
    let text = std::str::from_utf8(bytes).context("it is no text")?;
    let key = PartKey::from_pem(text)?;
    let certificate = key.certificate();
    if certificate.holder != *holder {
        let other = &certificate.holder;
        bail!("it is the key of {other}, and this is {holder}");
    }
    let ended = now().saturating_sub(certificate.not_after);
    if ended > 0 {
        bail!(
            "its certificate expired {ended} s ago: make the file anew with 'causeway key issue'"
        );
    }
    Ok(key)
}

#[cfg(test)]
mod tests;
