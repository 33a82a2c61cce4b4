//! Where verifiers find the public halves of keys: parts of the platform ask `platform`; parts of a runtime trust what the
//! pinned root key certifies, and their own runtime.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use causeway_proto::{
    ids::KeyId,
    platform::v1::{
        self as pb, key_service_client::KeyServiceClient,
        verification_key::Authority as PbAuthority,
    },
    time::to_millis,
};
use causeway_shell::assertion::{
    Authority, KeyError, KeySource, PublicKey, Revocations, TrustedKey,
};
use futures::future::BoxFuture;
use moka::future::Cache;
use tokio::time::Instant;

use crate::{
    Peer, RuntimeIdentity,
    runtime::{TrustedSigningKey, read_signing_keys},
};

const REMEMBERED: u64 = 10_000;
const KNOWN_FOR: Duration = Duration::from_secs(60);
/// A key id that does not exist costs the platform at most one question in this time.
const ASK_AGAIN_AFTER: Duration = Duration::from_secs(5);

/// Keys as the part `platform` tells them; what it told is kept for a minute, or until something is revoked.
pub struct PlatformKeys {
    client: KeyServiceClient<Peer>,
    /// Under the number of revocations that held when it was asked.
    known: Cache<(KeyId, u64), Option<TrustedKey>>,
    revocations: Revocations,
}

impl PlatformKeys {
    /// Asks through a peer that shows the assertion of a part of the platform.
    pub fn new(platform: Peer, revocations: Revocations) -> Self {
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

    async fn ask(&self, kid: &KeyId) -> Result<Option<TrustedKey>, KeyError> {
        let request = pb::GetVerificationKeyRequest {
            key_id: kid.to_string(),
        };
        let response = self.client.clone().get_verification_key(request).await;
        let response = response
            .map_err(|status| KeyError(format!("platform: {status}")))?
            .into_inner();
        response.key.map(|key| read_key(kid, key)).transpose()
    }
}

impl KeySource for PlatformKeys {
    fn key<'a>(&'a self, kid: &'a KeyId) -> BoxFuture<'a, Result<Option<TrustedKey>, KeyError>> {
        Box::pin(async move {
            let place = (kid.clone(), self.revocations.count());
            let asked = self.known.try_get_with(place, self.ask(kid)).await;
            asked.map_err(|error| (*error).clone())
        })
    }

    fn revocations(&self) -> Revocations {
        self.revocations.clone()
    }
}

fn read_key(kid: &KeyId, key: pb::VerificationKey) -> Result<TrustedKey, KeyError> {
    let wrong = |what: &str| KeyError(format!("platform answered for {kid} with {what}"));
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

/// Keys that a part of a runtime trusts: the platform's signing keys by the pinned root key, and the runtime's own.
pub struct RuntimeKeys {
    root: PublicKey,
    own: TrustedKey,
    signing: Mutex<HashMap<KeyId, TrustedSigningKey>>,
    asked: Mutex<Option<Instant>>,
    client: KeyServiceClient<Peer>,
}

impl RuntimeKeys {
    /// Begins with the keys that were certified at the join; others are asked for at `platform`, a public call.
    pub fn new(identity: &RuntimeIdentity, platform: Peer) -> Self {
        let authority = Authority::Runtime {
            account: identity.account.clone(),
            runtime: identity.runtime_id.clone(),
        };
        let signing = identity
            .signing_keys
            .iter()
            .map(|key| (key.key.id(), key.clone()))
            .collect();
        Self {
            root: identity.root_key,
            own: TrustedKey {
                key: identity.identity_key,
                authority,
            },
            signing: Mutex::new(signing),
            asked: Mutex::new(None),
            client: KeyServiceClient::new(platform),
        }
    }

    fn known(&self, kid: &KeyId) -> Option<TrustedKey> {
        if *kid == self.own.key.id() {
            return Some(self.own.clone());
        }
        let signing = self.signing.lock().unwrap_or_else(PoisonError::into_inner);
        let key = signing
            .get(kid)
            .filter(|key| key.holds_at(to_millis(SystemTime::now())))?;
        Some(TrustedKey {
            key: key.key,
            authority: Authority::Platform,
        })
    }

    fn may_ask(&self) -> bool {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.is_some_and(|before| before.elapsed() < ASK_AGAIN_AFTER) {
            return false;
        }
        *asked = Some(Instant::now());
        true
    }

    async fn learn(&self) -> Result<(), KeyError> {
        let response = self
            .client
            .clone()
            .list_signing_keys(pb::ListSigningKeysRequest {})
            .await;
        let response = response
            .map_err(|status| KeyError(format!("platform: {status}")))?
            .into_inner();
        // A key that the root key does not certify is as good as none: the platform may be in the wrong hands.
        let keys = read_signing_keys(&self.root, &response.keys);
        let mut signing = self.signing.lock().unwrap_or_else(PoisonError::into_inner);
        *signing = keys.into_iter().map(|key| (key.key.id(), key)).collect();
        Ok(())
    }
}

impl KeySource for RuntimeKeys {
    fn key<'a>(&'a self, kid: &'a KeyId) -> BoxFuture<'a, Result<Option<TrustedKey>, KeyError>> {
        Box::pin(async move {
            let known = self.known(kid);
            if known.is_some() || !self.may_ask() {
                return Ok(known);
            }
            self.learn().await?;
            Ok(self.known(kid))
        })
    }
}
