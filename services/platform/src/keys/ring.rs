//! Key ring: the root key, its certified signing keys, the key that certifies services, and the key of the platform itself.
//!
//! Only the platform accepts its own key, so a stolen signing key grants nothing here. Keys are files, never rows. The root
//! key signs only certifications. Replicas that share the files reload them every few seconds.

mod files;
mod schedule;

use std::{
    collections::{HashMap, VecDeque},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, RwLock},
};

use causeway_assertion::{
    Authority, Claims, KeySource, KeySourceError, PublicKey, RevocationNotifier, RevocationSignal,
    SigningKey, SigningKeyError, TrustedKey,
};
use causeway_proto::ids::{KeyId, RequestId};
use futures::future::BoxFuture;

pub(crate) use self::files::KeyFileError;
use self::files::{KeyFiles, Timed};
pub(crate) use self::schedule::Phase;
use self::schedule::{PUBLISHED_AHEAD, due, phases};
use crate::store::{Store, StoreError};

pub(crate) use self::files::PARTS_KEY;

/// The part that all this belongs to.
const OWN_PART: &str = "platform";
/// So many requests to rotate are known again.
const REMEMBERED: usize = 100;
/// How long a certification holds, in seconds: as long as a runtime that cannot ask believes a key.
const HOLDS_FOR: i64 = 24 * 60 * 60;
/// A certification is used again for this long, in seconds.
const RENEWED_AFTER: i64 = 60 * 60;
/// A certification begins this much earlier, for clocks that are behind, in seconds.
const BEGINS_EARLIER: i64 = 60 * 60;
/// Opens the bytes that the root key signs.
const CONTEXT: &[u8] = b"causeway-signing-key-v1";

/// The keys.
#[derive(Debug)]
pub(crate) struct KeyRing {
    folder: PathBuf,
    root: SigningKey,
    files: RwLock<Arc<KeyFiles>>,
    certified: Mutex<HashMap<KeyId, (Phase, CertifiedKey)>>,
    /// Requests that had an effect, so that a repeat has none.
    rotated: Mutex<VecDeque<(RequestId, Handover)>>,
}

/// The public half of a signing key with what the root key says of it. Times are seconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertifiedKey {
    /// The key.
    pub key: PublicKey,
    /// From when on it may be used.
    pub not_before: i64,
    /// Until when it may be used.
    pub not_after: i64,
    /// The root key's signature over [`statement`], 64 bytes.
    pub root_signature: Vec<u8>,
}

/// A signing key that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListedKey {
    /// What the root key says of it.
    pub certified: CertifiedKey,
    /// From when on it signs.
    pub begins: i64,
    /// Where it is in its life.
    pub phase: Phase,
}

/// Whether the key before may go on counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Handover {
    /// It does, until nothing that it signed can be shown any more.
    Overlapping,
    /// It does not: an attacker may have it.
    AtOnce,
}

/// Result of a scan of the key files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyScan {
    /// What counted before still does.
    Same,
    /// A key is gone: caches of keys must be dropped.
    Gone,
}

impl KeyRing {
    /// Reads the keys of a folder, and makes those that are not there.
    pub(crate) fn open(folder: &Path) -> anyhow::Result<Self> {
        let root = files::open_root(folder)?;
        let files = KeyFiles::open(folder, seconds())?;
        Ok(Self {
            folder: folder.to_owned(),
            root,
            files: RwLock::new(Arc::new(files)),
            certified: Mutex::default(),
            rotated: Mutex::default(),
        })
    }

    /// What runtimes pin.
    pub(crate) fn root(&self) -> &PublicKey {
        self.root.public_key()
    }

    /// Signs an assertion for a user.
    pub(crate) fn sign(&self, claims: &Claims) -> Result<String, SigningKeyError> {
        if claims.aud.runtime.is_none() && claims.aud.part.as_str() == OWN_PART {
            return self.files().own.sign(claims);
        }
        let now = i64::try_from(claims.iat).unwrap_or(i64::MAX);
        self.signing(now).key.sign(claims)
    }

    /// Signs what holders of the root key can verify: the 64 bytes and the very key that made them, with the root's certificate of
    /// it. `now` is in seconds since 1970.
    pub(crate) fn vouch(
        &self,
        bytes: &[u8],
        now: i64,
    ) -> Result<(CertifiedKey, Vec<u8>), SigningKeyError> {
        let signing = self.signing(now);
        let signature = signing.key.sign_bytes(bytes)?;
        Ok((self.certify(&signing, Phase::Signing, now)?, signature))
    }

    /// Key that signs now, with its certificate by the root key. `now` is in seconds since 1970.
    pub(crate) fn certified(&self, now: i64) -> Result<CertifiedKey, SigningKeyError> {
        self.certify(&self.signing(now), Phase::Signing, now)
    }

    /// Signing keys that count, each with its certificate by the root key.
    pub(crate) fn listed(&self, now: i64) -> Result<Vec<ListedKey>, SigningKeyError> {
        let counting = self.counting(now).into_iter();
        counting
            .map(|(key, phase)| {
                Ok(ListedKey {
                    certified: self.certify(&key, phase, now)?,
                    begins: key.begins,
                    phase,
                })
            })
            .collect()
    }

    /// One of the platform's own public keys.
    pub(crate) fn own(&self, key_id: &KeyId, now: i64) -> Option<TrustedKey> {
        let trusted = |key: &SigningKey, authority| TrustedKey {
            key: *key.public_key(),
            authority,
        };
        let files = self.files();
        if key_id == files.own.kid() {
            return Some(trusted(&files.own, Authority::Platform));
        }
        if key_id == files.parts.kid() {
            return Some(trusted(&files.parts, Authority::PlatformParts));
        }
        let mut counting = self.counting(now).into_iter();
        let found = counting.find(|(timed, _)| timed.key.kid() == key_id);
        found.map(|(timed, _)| trusted(&timed.key, Authority::Platform))
    }

    /// True if a key is the one for calls to the part `platform`.
    pub(crate) fn is_for_itself(&self, key_id: &KeyId) -> bool {
        self.files().own.kid() == key_id
    }

    /// Makes the next signing key, unless one waits already: then it is that one. At once, the new one is the only one.
    pub(crate) fn rotate(
        &self,
        request: RequestId,
        handover: Handover,
        now: i64,
    ) -> Result<Vec<ListedKey>, RotateError> {
        let mut rotated = self.rotated.lock().unwrap_or_else(PoisonError::into_inner);
        match rotated.iter().find(|(known, _)| *known == request) {
            Some((_, asked)) if *asked == handover => return Ok(self.listed(now)?),
            Some(_) => return Err(RotateError::Reused),
            None => {}
        }
        match handover {
            Handover::Overlapping => {
                let waits = self
                    .files()
                    .signing
                    .last()
                    .is_some_and(|last| last.begins > now);
                if !waits {
                    files::add_signing(&self.folder, now + PUBLISHED_AHEAD)?;
                }
            }
            Handover::AtOnce => {
                // Only what was there before: of replicas that do this together none takes away what the other just made.
                let before = files::read_signing(&self.folder)?;
                let made = files::add_signing(&self.folder, now)?;
                let mut ended = before.iter().filter(|timed| timed.key.kid() != &made);
                ended.try_for_each(Timed::remove)?;
            }
        }
        rotated.truncate(REMEMBERED - 1);
        rotated.push_front((request, handover));
        self.look(now)?;
        Ok(self.listed(now)?)
    }

    /// Takes up what the files say now; makes the next key where the last one gets old, and removes those that are over.
    pub(crate) fn keep(&self, age: i64, now: i64) -> Result<KeyScan, KeyFileError> {
        let look = self.look(now)?;
        let begins = self.files().begins();
        if let Some(begin) = due(&begins, age, now) {
            files::add_signing(&self.folder, begin)?;
        }
        let over = |phase: &Phase| *phase == Phase::Over;
        if phases(&begins, now).iter().any(over) {
            let last = phases(&begins, now)
                .iter()
                .rposition(over)
                .map(|at| begins[at]);
            files::remove_signing(&self.folder, |key| Some(key.begins) <= last)?;
        }
        self.look(now)?;
        Ok(look)
    }

    /// Reads the files again.
    fn look(&self, now: i64) -> Result<KeyScan, KeyFileError> {
        let read = Arc::new(KeyFiles::read(&self.folder)?);
        let counted = self.kids(now);
        *self.files.write().unwrap_or_else(PoisonError::into_inner) = read;
        let counting = self.kids(now);
        let gone = counted.iter().any(|kid| !counting.contains(kid));
        Ok(if gone { KeyScan::Gone } else { KeyScan::Same })
    }

    fn kids(&self, now: i64) -> Vec<KeyId> {
        let counting = self.counting(now).into_iter();
        let mut kids: Vec<_> = counting.map(|(timed, _)| timed.key.kid().clone()).collect();
        let files = self.files();
        kids.extend([&files.parts, &files.own].map(|key| key.kid().clone()));
        kids
    }

    fn files(&self) -> Arc<KeyFiles> {
        Arc::clone(&self.files.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn signing(&self, now: i64) -> Arc<Timed> {
        let mut counting = self.counting(now).into_iter();
        let signing = counting.find(|(_, phase)| *phase == Phase::Signing);
        signing
            .map(|(timed, _)| timed)
            .expect("files without a signing key are not taken up")
    }

    fn counting(&self, now: i64) -> Vec<(Arc<Timed>, Phase)> {
        let files = self.files();
        let phases = phases(&files.begins(), now);
        let keys = files.signing.iter().cloned().zip(phases);
        keys.filter(|(_, phase)| *phase != Phase::Over).collect()
    }

    fn certify(
        &self,
        timed: &Timed,
        phase: Phase,
        now: i64,
    ) -> Result<CertifiedKey, SigningKeyError> {
        let mut certified = self
            .certified
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let fresh = |(known_phase, known): &&(Phase, CertifiedKey)| {
            let made = known.not_before + BEGINS_EARLIER;
            *known_phase == phase && (made..made + RENEWED_AFTER).contains(&now)
        };
        let kid = timed.key.kid();
        if let Some((_, known)) = certified.get(kid).filter(fresh) {
            return Ok(known.clone());
        }
        let key = *timed.key.public_key();
        let not_before = now - BEGINS_EARLIER;
        let not_after = match phase {
            Phase::Leaving(until) => until.min(now + HOLDS_FOR),
            Phase::Waiting | Phase::Signing | Phase::Over => now + HOLDS_FOR,
        };
        let root_signature = self
            .root
            .sign_bytes(&statement(&key, not_before, not_after))?;
        let made = CertifiedKey {
            key,
            not_before,
            not_after,
            root_signature,
        };
        certified.retain(|_, (_, known)| known.not_after > now);
        certified.insert(kid.clone(), (phase, made.clone()));
        Ok(made)
    }
}

/// Why there is no new signing key.
#[derive(Debug, thiserror::Error)]
pub enum RotateError {
    /// The request id belongs to a request for the other handover.
    #[error("request_id: already used by another request")]
    Reused,
    /// The files cannot be changed here.
    #[error(transparent)]
    Files(#[from] KeyFileError),
    /// The root key failed.
    #[error(transparent)]
    Signing(#[from] SigningKeyError),
}

/// The bytes that the root key signs: context, key id and point, each behind its length in four big-endian bytes, then both
/// times in eight.
pub(crate) fn statement(key: &PublicKey, not_before: i64, not_after: i64) -> Vec<u8> {
    let id = key.id();
    let mut statement = Vec::new();
    for field in [CONTEXT, id.as_str().as_bytes(), key.as_bytes()] {
        let length = u32::try_from(field.len()).expect("the fields are short");
        statement.extend(length.to_be_bytes());
        statement.extend(field);
    }
    statement.extend(not_before.to_be_bytes());
    statement.extend(not_after.to_be_bytes());
    statement
}

/// Now, in seconds since 1970.
fn seconds() -> i64 {
    i64::try_from(causeway_assertion::now()).unwrap_or(i64::MAX)
}

/// The keys that the platform trusts: its own, and those of runtimes that were not put out.
pub(crate) struct PlatformKeySource {
    ring: Arc<KeyRing>,
    store: Arc<dyn Store>,
    revoker: RevocationNotifier,
}

impl PlatformKeySource {
    /// Over a ring and a store.
    pub(crate) fn new(ring: Arc<KeyRing>, store: Arc<dyn Store>) -> Self {
        let revoker = RevocationNotifier::default();
        Self {
            ring,
            store,
            revoker,
        }
    }

    /// A key by its id; none for one that is unknown or was put out.
    pub(crate) async fn find(&self, kid: &KeyId) -> Result<Option<TrustedKey>, StoreError> {
        if let Some(own) = self.ring.own(kid, seconds()) {
            return Ok(Some(own));
        }
        let found = self.store.find_runtime_by_key(kid).await?;
        Ok(found.map(|runtime| TrustedKey {
            key: runtime.identity_key,
            authority: Authority::Runtime {
                account: runtime.account,
                runtime: runtime.runtime_id,
            },
        }))
    }

    /// Tells all who remember that something was revoked. To be called when it is durable.
    pub(crate) fn revoked(&self) {
        self.revoker.notify();
    }
}

impl KeySource for PlatformKeySource {
    fn key<'a>(
        &'a self,
        kid: &'a KeyId,
    ) -> BoxFuture<'a, Result<Option<TrustedKey>, KeySourceError>> {
        Box::pin(async move {
            let found = self.find(kid).await;
            found.map_err(|error| KeySourceError(format!("{:#}", anyhow::Error::from(error))))
        })
    }

    fn revocations(&self) -> RevocationSignal {
        self.revoker.revocations()
    }
}

/// The keys by which the part `platform` believes its own callers: those of users are signed by the key for itself alone.
pub(crate) struct OwnKeySource(pub Arc<PlatformKeySource>);

impl KeySource for OwnKeySource {
    fn key<'a>(
        &'a self,
        kid: &'a KeyId,
    ) -> BoxFuture<'a, Result<Option<TrustedKey>, KeySourceError>> {
        Box::pin(async move {
            let found = self.0.key(kid).await?;
            let own = self.0.ring.is_for_itself(kid);
            Ok(found.filter(|key| own || key.authority != Authority::Platform))
        })
    }

    fn revocations(&self) -> RevocationSignal {
        self.0.revocations()
    }
}

#[cfg(test)]
mod tests;
