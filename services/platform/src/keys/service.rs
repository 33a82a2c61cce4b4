//! Rotates and publishes signing and sealing keys.

use std::sync::Arc;

use causeway_assertion::{KeySource as _, RevocationSignal, SigningKeyError, TrustedKey};
use causeway_proto::ids::{KeyId, RequestId};
use tokio::sync::watch;

use crate::{
    authorization::revocation::RevocationFeed,
    keys::ring::{Handover, KeyRing, KeyScan, ListedKey, PlatformKeySource, RotateError},
    platform::now,
    sign_in::{sealing, service::SignInContext},
    store::StoreError,
};

/// Keys of the platform, and the revocations that end what they opened.
#[derive(Clone)]
pub(crate) struct KeyService {
    pub ring: Arc<KeyRing>,
    pub keys: Arc<PlatformKeySource>,
    pub context: Arc<SignInContext>,
    pub feed: Arc<watch::Sender<RevocationFeed>>,
    pub instance: String,
}

impl KeyService {
    /// A key that may sign assertions for other parts, or certify their keys.
    pub(crate) async fn verification_key(
        &self,
        key_id: &KeyId,
    ) -> Result<Option<TrustedKey>, StoreError> {
        if self.ring.is_for_itself(key_id) {
            return Ok(None);
        }
        self.keys.find(key_id).await
    }

    /// Notes whether the revocations of other replicas are known.
    pub(crate) fn set_feed(&self, feed: RevocationFeed) {
        self.feed.send_if_modified(|known| {
            let changed = *known != feed;
            *known = feed;
            changed
        });
    }

    /// Subscribes to whether the revocations of other replicas are known.
    pub(crate) fn subscribe_to_feed(&self) -> watch::Receiver<RevocationFeed> {
        self.feed.subscribe()
    }

    /// Number of revocations of API keys and runtimes since the start, for caches of credentials.
    pub(crate) fn revocations(&self) -> RevocationSignal {
        self.keys.revocations()
    }

    /// Signing keys that count, with their certificates by the root key.
    pub(crate) fn signing_keys(&self) -> Result<Vec<ListedKey>, SigningKeyError> {
        self.ring.listed(now() / 1000)
    }

    /// Makes the next signing key; at once, those before it count no more when this answers.
    pub(crate) fn rotate_signing_key(
        &self,
        request: RequestId,
        handover: Handover,
    ) -> Result<Vec<ListedKey>, RotateError> {
        let keys = self.ring.rotate(request, handover, now() / 1000)?;
        if handover == Handover::AtOnce {
            self.keys.revoked();
        }
        Ok(keys)
    }

    /// Makes the next key that seals sign-ins, unless one waits; from when on it does, in seconds since 1970.
    pub(crate) fn rotate_sealing_key(
        &self,
        request: RequestId,
        handover: Handover,
    ) -> Result<i64, sealing::RotateError> {
        self.context.keys.rotate(request, handover, now() / 1000)
    }

    /// Takes up the key files as they are now, and lets signing keys get at most `age` seconds old.
    pub(crate) fn keep_keys(&self, age: i64) -> anyhow::Result<()> {
        if self.ring.keep(age, now() / 1000)? == KeyScan::Gone {
            self.keys.revoked();
        }
        Ok(())
    }
}
