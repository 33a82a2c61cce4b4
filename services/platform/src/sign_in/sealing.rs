//! Sealing keys: encrypt sign-in state and the client secrets of identity providers.
//!
//! Keys are files, never rows, so the database alone reveals nothing. `sign-in.pem` is the first key;
//! `sign-in-<seconds since 1970>.pem` seals from that time on, so replicas that share the files agree without communication.
//! The previous key still opens sign-in state for a while, and client secrets until they are resealed.
//! `sign-in-<seconds>.former.pem` opens client secrets only. Files are read at each use, so changes take effect at once.
//!
//! Expired keys are deleted here. Where the folder is a copy, the log names the files to delete at the source.

mod files;

use std::{
    collections::{BTreeSet, VecDeque},
    io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use aws_lc_rs::aead::{Aad, NONCE_LEN, Nonce};
use causeway_proto::ids::RequestId;

use self::files::{KeyState, Timed};
use crate::keys::ring::Handover;

pub(crate) use self::files::SIGN_IN_KEY;

/// How long a key is there before it seals, in seconds: longer than clocks and copies of files are apart.
const WAITS: i64 = 120;
/// How long the states of sign-ins are opened that the key before sealed, in seconds: as long as one may take.
const OPENS_AFTER: i64 = 30 * 60;
/// No key is made beside so many: each is read at each use. As many as begin one after the other until the first is over, and some.
const MOST_KEYS: usize = 20;
/// So many requests to rotate are known again.
const REMEMBERED: usize = 100;

/// Seals and opens. What is sealed for one purpose does not open for another. Times are seconds since 1970.
#[derive(Debug)]
pub(crate) struct SealingKeys {
    folder: PathBuf,
    /// Requests that had an effect, with what they were answered, so that a repeat has none.
    rotated: Mutex<VecDeque<(RequestId, Handover, i64)>>,
    /// Files of keys that are over and that cannot be removed here.
    left: Mutex<BTreeSet<PathBuf>>,
}

/// Why something is neither sealed nor opened.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SealError {
    /// A key's file, or their folder.
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
    /// The folder has no such file.
    #[error("{}: it has no file sign-in.pem or sign-in-<seconds since 1970>.pem", .0.display())]
    None(PathBuf),
    /// The bytes were sealed by another key, for another purpose, or changed.
    #[error("it was not sealed by a key sign-in.pem of this platform")]
    Foreign,
}

/// Why there is no new sealing key.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RotateError {
    /// The request id belongs to a request for the other handover.
    #[error("request_id: already used by another request")]
    Reused,
    /// There are as many as can be.
    #[error(
        "there are {MOST_KEYS} sealing keys, and no more are made: try again in 30 minutes, when former ones are removed; where the \
         key files are a copy, remove them where they come from"
    )]
    TooMany,
    /// The files.
    #[error(transparent)]
    Seal(#[from] SealError),
}

impl SealingKeys {
    /// The keys of a folder; the first is made where there is none. Of two replicas that make it at once one wins.
    pub(crate) fn open(folder: &Path) -> Result<Self, SealError> {
        if files::list(folder)?.is_empty() {
            files::make(folder, SIGN_IN_KEY)?;
        }
        let keys = Self {
            folder: folder.to_owned(),
            rotated: Mutex::default(),
            left: Mutex::default(),
        };
        keys.read().map(|_| keys)
    }

    /// Seals bytes for a purpose.
    pub(crate) fn seal(&self, purpose: &str, bytes: &[u8], now: i64) -> Result<Vec<u8>, SealError> {
        let keys = self.read()?;
        let mut sealed = bytes.to_vec();
        let key = &sealing(&keys, now).key;
        let nonce = key.seal_in_place_append_tag(Aad::from(purpose), &mut sealed);
        let nonce = nonce.map_err(|_| SealError::Foreign)?;
        Ok([nonce.as_ref().as_slice(), &sealed].concat())
    }

    /// What was sealed for a purpose and is kept by the store, which has it resealed.
    pub(crate) fn unseal(&self, purpose: &str, sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        unsealed(self.read()?.iter(), purpose, sealed)
    }

    /// What was sealed for a purpose and is kept by a client, for no longer than a sign-in takes.
    pub(crate) fn unseal_fresh(
        &self,
        purpose: &str,
        sealed: &[u8],
        now: i64,
    ) -> Result<Vec<u8>, SealError> {
        let keys = self.read()?;
        let counts =
            |at: &usize| keys[*at].standing == KeyState::Present && !is_over(&keys, *at, now);
        let counting = (0..keys.len()).filter(counts).map(|at| &keys[at]);
        unsealed(counting, purpose, sealed)
    }

    /// The same sealed by the key that seals now; none where that one sealed it.
    pub(crate) fn reseal(
        &self,
        purpose: &str,
        sealed: &[u8],
        now: i64,
    ) -> Result<Option<Vec<u8>>, SealError> {
        let keys = self.read()?;
        if unsealed([sealing(&keys, now)], purpose, sealed).is_ok() {
            return Ok(None);
        }
        let bytes = self.unseal(purpose, sealed)?;
        self.seal(purpose, &bytes, now).map(Some)
    }

    /// Makes the next key, unless one waits already, and tells from when on it seals. At once, what the others sealed for clients
    /// is opened no more. A request that comes again to this replica is answered as before.
    pub(crate) fn rotate(
        &self,
        request: RequestId,
        handover: Handover,
        now: i64,
    ) -> Result<i64, RotateError> {
        let mut rotated = self.rotated.lock().unwrap_or_else(PoisonError::into_inner);
        match rotated.iter().find(|(known, ..)| *known == request) {
            Some((_, asked, begins)) if *asked == handover => return Ok(*begins),
            Some(_) => return Err(RotateError::Reused),
            None => {}
        }
        let begins = self.next(handover, now)?;
        rotated.truncate(REMEMBERED - 1);
        rotated.push_front((request, handover, begins));
        Ok(begins)
    }

    fn next(&self, handover: Handover, now: i64) -> Result<i64, RotateError> {
        let keys = self.read()?;
        let last = keys.iter().map(|key| key.begins).max().unwrap_or_default();
        match handover {
            Handover::Overlapping if last > now => Ok(last),
            _ if keys.len() >= MOST_KEYS => Err(RotateError::TooMany),
            Handover::Overlapping => Ok(self.add(now + WAITS)?),
            Handover::AtOnce => {
                let begins = self.add(now.max(last + 1))?;
                let mut present = keys.iter().filter(|key| key.standing == KeyState::Present);
                present.try_for_each(|key| key.retire(&self.folder))?;
                Ok(begins)
            }
        }
    }

    /// Whether there are keys that seal no more, but for those that are over and cannot be removed here.
    pub(crate) fn have_former(&self, now: i64) -> Result<bool, SealError> {
        let keys = self.read()?;
        let left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let begins = sealing(&keys, now).begins;
        let mut former = keys.iter().filter(|key| key.begins < begins);
        Ok(former.any(|key| !left.contains(&key.file)))
    }

    /// Removes the keys that nothing is opened by any more, once all client secrets are sealed by the present one. Of those that
    /// cannot be removed here the log tells once.
    pub(crate) fn forget_former(&self, now: i64) -> Result<(), SealError> {
        self.forget_by(now, Timed::remove)
    }

    fn forget_by(
        &self,
        now: i64,
        remove: impl Fn(&Timed) -> Result<(), SealError>,
    ) -> Result<(), SealError> {
        let keys = self.read()?;
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        for at in (0..keys.len()).filter(|at| is_over(&keys, *at, now)) {
            let file = &keys[at].file;
            match remove(&keys[at]) {
                Err(error) if error.is_for_others() => {
                    if left.insert(file.clone()) {
                        tracing::warn!(file = %file.display(), "cannot delete an expired sealing key here: delete it at the source of the key files");
                    }
                }
                removed => removed?,
            }
        }
        Ok(())
    }

    fn add(&self, begins: i64) -> Result<i64, SealError> {
        files::make(&self.folder, &format!("sign-in-{begins}.pem"))?;
        Ok(begins)
    }

    /// All of them, the earliest first; at least one that is not former.
    fn read(&self) -> Result<Vec<Timed>, SealError> {
        let keys = files::read(&self.folder)?;
        if keys.iter().any(|key| key.standing == KeyState::Present) {
            Ok(keys)
        } else {
            Err(SealError::None(self.folder.clone()))
        }
    }
}

impl SealError {
    /// True if the file is not this process's to change.
    fn is_for_others(&self) -> bool {
        let kinds = [
            io::ErrorKind::PermissionDenied,
            io::ErrorKind::ReadOnlyFilesystem,
        ];
        matches!(self, Self::File { error, .. } if kinds.contains(&error.kind()))
    }
}

/// The last one that has begun, or else the first.
fn sealing(keys: &[Timed], now: i64) -> &Timed {
    let mut present = keys.iter().filter(|key| key.standing == KeyState::Present);
    let begun = present.clone().rfind(|key| key.begins <= now);
    let first = begun.or_else(|| present.next());
    first.expect("keys of which none is present are not read")
}

/// True if another one has sealed for longer than what this one sealed for clients is good.
fn is_over(keys: &[Timed], at: usize, now: i64) -> bool {
    let later = keys[at + 1..].iter();
    let next = later
        .map(|key| key.begins)
        .find(|begins| *begins > keys[at].begins);
    next.is_some_and(|next| next.saturating_add(OPENS_AFTER) <= now)
}

/// What one of some keys sealed.
fn unsealed<'a>(
    keys: impl IntoIterator<Item = &'a Timed>,
    purpose: &str,
    sealed: &[u8],
) -> Result<Vec<u8>, SealError> {
    let (nonce, rest) = sealed
        .split_at_checked(NONCE_LEN)
        .ok_or(SealError::Foreign)?;
    let opened = keys.into_iter().find_map(|timed| {
        let nonce = Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut bytes = rest.to_vec();
        let opened = timed
            .key
            .open_in_place(nonce, Aad::from(purpose), &mut bytes);
        let length = opened.ok()?.len();
        bytes.truncate(length);
        Some(bytes)
    });
    opened.ok_or(SealError::Foreign)
}

#[cfg(test)]
mod tests;
