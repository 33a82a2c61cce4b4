//! Platform domain service over its store, keys and in-memory state.

pub(crate) mod seen;

use std::{
    path::PathBuf,
    sync::Arc,
    time::{Duration, SystemTime},
};

use anyhow::Context as _;
use causeway_assertion::{
    ExpectedAudience, KeySource as _, PublicKey, RevocationSignal, SigningKeyError, TrustedKey,
    Verifier,
};
use causeway_proto::{
    ids::{AccountId, KeyId, RequestId, RuntimeName},
    time::to_millis,
};
use causeway_shell::Shell;
use tokio::sync::watch;

pub(crate) use crate::{
    api_keys::service::NewApiKey,
    audit::service::ReadAuditError,
    identity_providers::service::ProviderUpdate,
    runtimes::service::{Connection, JoinError, JoinRequest, RuntimeStatus},
    sign_in::service::{
        CallbackParams, CallerInfo, DevicePoll, NewSession, SignInContext, SignInError,
        SignInRefusal, SignInRequest,
    },
    users::service::{ChangeError, Credential, Requester},
};
use crate::{
    audit::{AuditLog, RefusalCounter},
    authorization::{
        AuthorizeError, Authorizer, Call, Permit, grants::Grants, revocation::RevocationFeed,
    },
    figures::Figures,
    keys::ring::{
        CertifiedKey, Handover, KeyRing, KeyScan, ListedKey, OwnKeySource, PlatformKeySource,
        RotateError,
    },
    parts::model::{Part, PartHome, Parts, TooMany},
    replicas::exchange::{Outbox, ReplicaMessage},
    runtimes::presence::Sessions,
    sign_in::sealing,
    store::{Store, StoreError},
};

/// Longest file of certificates that is told to runtimes, in bytes.
pub(crate) const MOST_CERTIFICATES: usize = 64 * 1024;

/// Now, in milliseconds since 1970.
pub(crate) fn now() -> i64 {
    to_millis(SystemTime::now())
}

/// Where the tunnel server is, as told to joining runtimes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TunnelAddress {
    /// Empty if there is none.
    pub url: String,
    /// PEM; empty for the system's own certificates.
    pub ca: String,
}

/// Whether a part goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// It does.
    Staying,
    /// It stops in order.
    Leaving,
}

/// Effect of a report: new information for the other replicas, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReportEffect {
    /// The other replicas are to hear it.
    ForAll,
    /// Nobody knew the part that leaves.
    None,
}

/// The platform.
pub(crate) struct Platform {
    /// What is kept.
    pub store: Arc<dyn Store>,
    /// The audit.
    pub audit: AuditLog,
    pub ring: Arc<KeyRing>,
    pub grants: Arc<Grants>,
    pub authorizer: Authorizer,
    pub strangers: Arc<RefusalCounter>,
    pub retention: Option<Duration>,
    pub keys: Arc<PlatformKeySource>,
    pub verifier: Verifier,
    pub hearing: watch::Sender<RevocationFeed>,
    /// What the other replicas are to hear.
    pub outbox: Outbox,
    pub sessions: Sessions,
    pub parts: Parts,
    pub instance: String,
    pub tunnel_url: String,
    pub tunnel_ca: Option<PathBuf>,
    pub figures: Figures,
    pub door: SignInContext,
}

impl Platform {
    /// Over a store and keys. What is written to `audit` must be taken from its other end by a loop.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        ring: Arc<KeyRing>,
        audit: AuditLog,
        door: SignInContext,
        shell: &Shell,
    ) -> Self {
        let grants = Arc::new(Grants::new(Arc::clone(&store)));
        let strangers = Arc::new(RefusalCounter::default());
        let keys = Arc::new(PlatformKeySource::new(
            Arc::clone(&ring),
            Arc::clone(&store),
        ));
        let own = "platform".parse().expect("it fits the grammar");
        Self {
            authorizer: Authorizer {
                strangers: Arc::clone(&strangers),
                grants: Arc::clone(&grants),
                store: Arc::clone(&store),
                audit: audit.clone(),
                ring: Arc::clone(&ring),
            },
            verifier: Verifier::new(
                Arc::new(OwnKeySource(keys.clone())),
                ExpectedAudience::platform(own),
            ),
            figures: Figures::new(shell),
            strangers,
            retention: None,
            store,
            audit,
            ring,
            grants,
            keys,
            hearing: watch::Sender::new(RevocationFeed::Good),
            outbox: Outbox::default(),
            sessions: Sessions::default(),
            parts: Parts::default(),
            instance: shell.instance().to_owned(),
            tunnel_url: String::new(),
            tunnel_ca: None,
            door,
        }
    }

    /// Tells joining runtimes where the tunnel server is. The file is read at each join, for it may be made later than this.
    #[must_use]
    pub(crate) fn with_tunnel(self, url: String, ca: Option<PathBuf>) -> Self {
        Self {
            tunnel_url: url,
            tunnel_ca: ca,
            ..self
        }
    }

    /// How long entries of the audit are kept; none for ever.
    #[must_use]
    pub(crate) fn with_retention(self, retention: Option<Duration>) -> Self {
        Self { retention, ..self }
    }

    /// What checks the platform's own callers.
    pub(crate) fn verifier(&self) -> Verifier {
        self.verifier.clone()
    }

    /// Decides one call of a user.
    pub(crate) async fn authorize(&self, call: &Call, now: i64) -> Result<Permit, AuthorizeError> {
        let decided = self.authorizer.authorize(call, now).await;
        self.figures.decided(decided.is_ok());
        decided
    }

    /// Signs a read for its part, which is named.
    pub(crate) async fn issue(
        &self,
        call: &Call,
        now: i64,
    ) -> Result<(Permit, &'static str), AuthorizeError> {
        let decided = self.authorizer.issue(call, now).await;
        self.figures.decided(decided.is_ok());
        decided
    }

    /// Takes what a part tells of itself.
    pub(crate) fn announce(
        &self,
        home: PartHome,
        part: Part,
        presence: Presence,
    ) -> Result<(), TooMany> {
        let heard_at = part.last_seen_at;
        let heard = ReplicaMessage::Part {
            home: home.clone(),
            part: part.clone(),
            presence,
        };
        if self.take_part(home, part, presence)? == ReportEffect::ForAll {
            self.tell_replicas(heard_at, || heard);
        }
        Ok(())
    }

    /// Takes what another replica heard.
    pub(crate) fn take_from_replica(&self, heard: ReplicaMessage, heard_at: i64) {
        match heard {
            ReplicaMessage::Sessions { server, sessions } => {
                self.sessions.report(server, sessions, heard_at);
            }
            // The replica that heard one part too many refused it and told nobody; one too many here is shown there alone.
            ReplicaMessage::Part {
                home,
                part,
                presence,
            } => drop(self.take_part(home, part, presence)),
        }
    }

    pub(crate) fn tell_replicas(&self, heard_at: i64, heard: impl FnOnce() -> ReplicaMessage) {
        if self.store.is_shared() {
            self.outbox.put(heard().to_word(heard_at));
        }
    }

    pub(crate) fn take_part(
        &self,
        home: PartHome,
        part: Part,
        presence: Presence,
    ) -> Result<ReportEffect, TooMany> {
        if let Some(runtime) = &home {
            self.sessions
                .heard(runtime, &part.version, part.last_seen_at);
        }
        match presence {
            Presence::Staying => {
                self.parts.announce(home, part)?;
                Ok(ReportEffect::ForAll)
            }
            Presence::Leaving => match self.parts.leave(&home, &part.name, &part.instance) {
                Some(_) => Ok(ReportEffect::ForAll),
                None => Ok(ReportEffect::None),
            },
        }
    }

    /// The parts of the platform, then those of an account's runtimes by name.
    pub(crate) async fn list_parts(
        &self,
        account: &AccountId,
        now: i64,
    ) -> Result<Vec<(Option<RuntimeName>, Part)>, StoreError> {
        let own = self.parts.of(&None, now).into_iter();
        let mut parts: Vec<_> = own.map(|part| (None, part)).collect();
        let mut behind: Option<RuntimeName> = None;
        loop {
            let runtimes = self
                .store
                .list_runtimes(account, behind.as_ref(), 500)
                .await?;
            let Some(last) = runtimes.last() else {
                return Ok(parts);
            };
            behind = Some(last.name.clone());
            for runtime in runtimes
                .into_iter()
                .filter(|runtime| runtime.revoked_at.is_none())
            {
                let home = Some((runtime.account, runtime.runtime_id));
                let of = self.parts.of(&home, now).into_iter();
                parts.extend(of.map(|part| (Some(runtime.name.clone()), part)));
            }
        }
    }

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

    /// Forgets, and has all others forget, what credentials open. To be called when a revocation is durable.
    pub(crate) fn forget_what_opens(&self) {
        self.grants.revoked();
        self.keys.revoked();
    }

    /// Notes whether the revocations of other replicas are known.
    pub(crate) fn hear(&self, hearing: RevocationFeed) {
        self.hearing.send_if_modified(|known| {
            let changed = *known != hearing;
            *known = hearing;
            changed
        });
    }

    /// Whether the revocations of other replicas are known.
    pub(crate) fn hearing(&self) -> watch::Receiver<RevocationFeed> {
        self.hearing.subscribe()
    }

    /// How often an API key or a runtime was revoked since the start, for those who remember what they open.
    pub(crate) fn revocations(&self) -> RevocationSignal {
        self.keys.revocations()
    }

    /// A UUID of this run.
    pub(crate) fn instance(&self) -> &str {
        &self.instance
    }

    /// The signing key as the root key vouches for it.
    pub(crate) fn certified(&self) -> Result<CertifiedKey, SigningKeyError> {
        self.ring.certified(now() / 1000)
    }

    /// All signing keys that count, as the root key vouches for them.
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
        self.door.keys.rotate(request, handover, now() / 1000)
    }

    /// Takes up the key files as they are now, and lets signing keys get at most `age` seconds old.
    pub(crate) fn keep_keys(&self, age: i64) -> anyhow::Result<()> {
        if self.ring.keep(age, now() / 1000)? == KeyScan::Gone {
            self.keys.revoked();
        }
        Ok(())
    }

    /// What runtimes pin.
    pub(crate) fn root_key(&self) -> &PublicKey {
        self.ring.root()
    }

    /// Where the tunnel server is.
    pub(crate) fn tunnel(&self) -> anyhow::Result<TunnelAddress> {
        let url = self.tunnel_url.clone();
        let Some(file) = &self.tunnel_ca else {
            return Ok(TunnelAddress {
                url,
                ca: String::new(),
            });
        };
        let ca = std::fs::read_to_string(file);
        let ca = ca.with_context(|| format!("--tunnel-ca {}", file.display()))?;
        anyhow::ensure!(
            ca.len() <= MOST_CERTIFICATES,
            "--tunnel-ca {}: longer than 64 KiB",
            file.display()
        );
        Ok(TunnelAddress { url, ca })
    }

    /// Writes what is held in memory and outlives it: last uses of keys, and runtimes that were heard of since a time.
    pub(crate) async fn flush(&self, since: i64) -> Result<(), StoreError> {
        self.flush_strangers(now()).await;
        self.grants.flush().await?;
        let seen = self.sessions.seen_since(since);
        if seen.is_empty() {
            return Ok(());
        }
        self.store.touch_runtimes(seen).await
    }
}

#[cfg(test)]
mod tests;
