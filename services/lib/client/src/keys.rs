//! Sources of public keys for verifiers. Platform parts ask the part `platform`; runtime parts trust their own runtime and the
//! keys that the pinned root key certifies.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use causeway_assertion::{
    Authority, KeySource, KeySourceError, PublicKey, RevocationSignal, TrustedKey,
};
use causeway_proto::{
    ids::KeyId,
    platform::v1::{
        self as pb, key_service_client::KeyServiceClient,
        verification_key::Authority as PbAuthority,
    },
    time::to_millis,
};
use causeway_shell::ReloadedFile;
use futures::future::BoxFuture;
use moka::future::Cache;
use tokio::time::Instant;

use crate::{
    Peer, RuntimeIdentity,
    runtime::{TrustedSigningKey, read_signing_keys},
};

const REMEMBERED: u64 = 10_000;
const KNOWN_FOR: Duration = Duration::from_secs(60);
/// Minimum interval between lookups of unknown keys, which limits the load of forged key ids.
const UNKNOWN_KEY_INTERVAL: Duration = Duration::from_secs(5);
/// Maximum age of the list of signing keys on runtime parts. New keys are published for longer before they sign.
const REFRESH_INTERVAL: Duration = Duration::from_secs(60);
const ANSWER_WITHIN: Duration = Duration::from_secs(2);

/// Keys from the part `platform`, cached for a minute or until a revocation.
pub struct PlatformKeys {
    client: KeyServiceClient<Peer>,
    /// Keyed also by the revocation count at the time of the lookup.
    known: Cache<(KeyId, u64), Option<TrustedKey>>,
    revocations: RevocationSignal,
}

impl PlatformKeys {
    /// Creates a source that calls `platform` as a platform part.
    pub fn new(platform: Peer, revocations: RevocationSignal) -> Self {
        let known = Cache::builder()
            .max_capacity(REMEMBERED)
            .time_to_live(KNOWN_FOR)
            .build();
        Self {
            client: KeyServiceClient::new(platform),
            known,
            revocations,
        }
    }

    async fn ask(&self, kid: &KeyId) -> Result<Option<TrustedKey>, KeySourceError> {
        let request = pb::GetVerificationKeyRequest {
            key_id: kid.to_string(),
        };
        let response = self.client.clone().get_verification_key(request).await;
        let response = response
            .map_err(|status| KeySourceError(format!("platform: {status}")))?
            .into_inner();
        response.key.map(|key| read_key(kid, key)).transpose()
    }
}

impl KeySource for PlatformKeys {
    fn key<'a>(
        &'a self,
        kid: &'a KeyId,
    ) -> BoxFuture<'a, Result<Option<TrustedKey>, KeySourceError>> {
        Box::pin(async move {
            let place = (kid.clone(), self.revocations.count());
            let asked = self.known.try_get_with(place, self.ask(kid)).await;
            asked.map_err(|error| (*error).clone())
        })
    }

    fn revocations(&self) -> RevocationSignal {
        self.revocations.clone()
    }
}

fn read_key(kid: &KeyId, key: pb::VerificationKey) -> Result<TrustedKey, KeySourceError> {
    let wrong = |what: &str| KeySourceError(format!("platform answered for {kid} with {what}"));
    let public = PublicKey::from_bytes(&key.public_key).ok_or_else(|| wrong("no P-256 point"))?;
    let authority = match key.authority.ok_or_else(|| wrong("no authority"))? {
        PbAuthority::Platform(pb::PlatformAuthority {}) => Authority::Platform,
        PbAuthority::PlatformPart(_) => Authority::PlatformParts,
        PbAuthority::Runtime(owner) => Authority::Runtime {
            account: owner.account.parse().map_err(|_| wrong("no account"))?,
            runtime: owner.runtime_id.parse().map_err(|_| wrong("no runtime"))?,
        },
    };
    Ok(TrustedKey {
        key: public,
        authority,
    })
}

/// Keys that a runtime part trusts: signing keys certified by the pinned root key, and the runtime's own key.
pub struct RuntimeKeys {
    root: PublicKey,
    authority: Authority,
    /// The runtime's public key, which changes when the runtime joins again.
    own: ReloadedFile<PublicKey>,
    learned: Mutex<KnownKeys>,
    /// Held during a lookup, so that concurrent callers share its result.
    asking: tokio::sync::Mutex<()>,
    client: KeyServiceClient<Peer>,
}

/// Known signing keys.
struct KnownKeys {
    keys: HashMap<KeyId, TrustedSigningKey>,
    /// Time of the last lookup; none while only the keys from the join are known.
    at: Option<Instant>,
    asked: Option<Instant>,
    /// Error of the last lookup, if it failed.
    failed: Option<KeySourceError>,
}

impl RuntimeKeys {
    /// Creates a source that starts with the keys from the join and refreshes them with a public call.
    pub fn new(runtime: &RuntimeIdentity, own: ReloadedFile<PublicKey>, platform: Peer) -> Self {
        let authority = Authority::Runtime {
            account: runtime.account.clone(),
            runtime: runtime.runtime_id.clone(),
        };
        let learned = KnownKeys {
            keys: by_id(runtime.signing_keys.iter().cloned()),
            at: None,
            asked: None,
            failed: None,
        };
        Self {
            root: runtime.root_key,
            authority,
            own,
            learned: Mutex::new(learned),
            asking: tokio::sync::Mutex::default(),
            client: KeyServiceClient::new(platform),
        }
    }

    fn known(&self, kid: &KeyId) -> Option<TrustedKey> {
        let own = self.own.current();
        if *kid == own.id() {
            return Some(TrustedKey {
                key: *own,
                authority: self.authority.clone(),
            });
        }
        let now = to_millis(SystemTime::now());
        let learned = self.learned();
        let key = learned.keys.get(kid).filter(|key| key.is_valid_at(now))?;
        Some(TrustedKey {
            key: key.key,
            authority: Authority::Platform,
        })
    }

    fn learned(&self) -> MutexGuard<'_, KnownKeys> {
        self.learned.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn learn(&self) -> Result<(), KeySourceError> {
        let answered = self.ask().await;
        self.learned().failed = answered.as_ref().err().cloned();
        answered
    }

    async fn ask(&self) -> Result<(), KeySourceError> {
        let mut client = self.client.clone();
        let asked = client.list_signing_keys(pb::ListSigningKeysRequest {});
        let response = tokio::time::timeout(ANSWER_WITHIN, asked)
            .await
            .map_err(|_| KeySourceError("platform: no answer".to_owned()))?
            .map_err(|status| KeySourceError(format!("platform: {status}")))?
            .into_inner();
        // Keys without certification are ignored: the platform may be compromised.
        let keys = read_signing_keys(&self.root, &response.keys);
        let mut learned = self.learned();
        if !keys.is_empty() {
            learned.keys = by_id(keys);
            learned.at = Some(Instant::now());
        }
        Ok(())
    }
}

impl KnownKeys {
    /// Returns true if a lookup is due: for an unknown key, or because a known key may have been revoked.
    fn may_look_up(&mut self, known: Option<&TrustedKey>) -> bool {
        let wanted = match known.map(|known| &known.authority) {
            None => true,
            Some(Authority::Platform) => self.at.is_none_or(|at| at.elapsed() >= REFRESH_INTERVAL),
            Some(_) => false,
        };
        let lately = self
            .asked
            .is_some_and(|at| at.elapsed() < UNKNOWN_KEY_INTERVAL);
        if !wanted || lately {
            return false;
        }
        self.asked = Some(Instant::now());
        // The caller may be cancelled before the response.
        self.failed = Some(KeySourceError("platform: no answer yet".to_owned()));
        true
    }
}

fn by_id(keys: impl IntoIterator<Item = TrustedSigningKey>) -> HashMap<KeyId, TrustedSigningKey> {
    keys.into_iter().map(|key| (key.key.id(), key)).collect()
}

impl KeySource for RuntimeKeys {
    fn key<'a>(
        &'a self,
        kid: &'a KeyId,
    ) -> BoxFuture<'a, Result<Option<TrustedKey>, KeySourceError>> {
        Box::pin(async move {
            let _asking = match (self.known(kid), self.asking.try_lock()) {
                (_, Ok(asking)) => asking,
                (Some(known), Err(_)) => return Ok(Some(known)),
                (None, Err(_)) => self.asking.lock().await,
            };
            let known = self.known(kid);
            {
                let mut learned = self.learned();
                if !learned.may_look_up(known.as_ref()) {
                    return match (known, &learned.failed) {
                        (None, Some(error)) => Err(error.clone()),
                        (known, _) => Ok(known),
                    };
                }
            }
            match self.learn().await {
                Ok(()) => Ok(self.known(kid)),
                // The certification limits how long a known key is valid without a lookup.
                Err(error) if known.is_some() => {
                    tracing::debug!(%error, "cannot read the platform's signing keys");
                    Ok(known)
                }
                Err(error) => Err(error),
            }
        })
    }
}

#[cfg(test)]
mod tests;
