//! Joins, lists and revokes runtimes.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use anyhow::Context as _;

use causeway_proto::ids::{AccountId, KeyId, RuntimeName};
use causeway_shell::Shutdown;

use crate::{
    audit::{AuditError, AuditLog, Entry},
    authorization::access::AccessControl,
    figures::{COUNTED, Figures},
    keys::ring::KeyRing,
    parts::service::PartService,
    platform::{ChangeError, Requester, seen::seen},
    replicas::exchange::ReplicaMessage,
    request::UserRequest,
    runtimes::{
        join_record,
        model::{
            JOIN_TOKEN_LIFE, JoinOutcome, JoinRefusal, JoinToken, JoinTokenId, Joining,
            MOST_TOKENS, Offer, Purpose, Runtime, TokenRejection, check_clock,
        },
        presence::{ReportedSession, RuntimeKey, Session, SessionsToEnd},
    },
    secret::{JOIN_TOKEN_PREFIX, Secret, SecretDigest},
    store::{RevokeOutcome, Store, StoreError, StoreFuture, TokenOutcome},
    users::service::made,
};

/// Request of a runtime to join.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JoinRequest {
    /// The digest of its token; none if it cannot be one.
    pub token: Option<SecretDigest>,
    /// What it brings.
    pub joining: Joining,
    /// Its signature.
    pub proof: Vec<u8>,
    /// Its clock, in milliseconds since 1970.
    pub clock: i64,
}

/// Why a runtime does not join.
#[derive(Debug, thiserror::Error)]
pub enum JoinError {
    /// What it says does not hold.
    #[error(transparent)]
    Refused(#[from] JoinRefusal),
    /// The token is unknown or over its time.
    #[error("the join token is unknown or expired (15 minutes): create a new one")]
    TokenInvalid,
    /// The token is good, but not for this runtime.
    #[error("{0}")]
    Barred(TokenRejection),
    /// The join cannot be written down.
    #[error(transparent)]
    Audit(#[from] AuditError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A runtime with what is known of it beside the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeStatus {
    /// The runtime, with its version and when it was last heard of brought up to date.
    pub runtime: Runtime,
    /// Its sessions.
    pub sessions: Vec<Session>,
    /// Whether it is there.
    pub connection: Connection,
    /// The actions that its app-proxy allows.
    pub allowed_actions: Vec<String>,
}

/// Whether a runtime is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connection {
    /// It has a session.
    Online,
    /// It has none, and its parts tell of themselves.
    Reporting,
    /// Nothing is heard of it.
    Offline,
    /// It was put out.
    Revoked,
}

const TOKEN_KIND: &str = "unused join token";
/// Longest file of certificates that joining runtimes receive, in bytes.
const MOST_CERTIFICATES: usize = 64 * 1024;

/// Address of the tunnel server that joining runtimes receive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TunnelAddress {
    /// Empty if there is none.
    pub url: String,
    /// PEM; empty for the system's own certificates.
    pub ca: String,
}

/// Settings from which the [`TunnelAddress`] is read at each join.
#[derive(Debug, Clone, Default)]
pub(crate) struct TunnelSettings {
    pub url: String,
    pub ca: Option<PathBuf>,
}

impl TunnelSettings {
    /// Reads the certificates at each call, for the file may be written after the platform starts.
    pub(crate) fn address(&self) -> anyhow::Result<TunnelAddress> {
        let url = self.url.clone();
        let Some(file) = &self.ca else {
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
}

/// Runtimes of an account and their presence.
#[derive(Clone)]
pub(crate) struct RuntimeService {
    pub store: Arc<dyn Store>,
    pub access: AccessControl,
    pub audit: AuditLog,
    pub ring: Arc<KeyRing>,
    pub parts: PartService,
    pub figures: Arc<Figures>,
    pub tunnel: TunnelSettings,
    pub shutdown: Shutdown,
}

impl RuntimeService {
    /// Makes a join token; the secret counts only where this is the first request of its id. For which runtimes the user may is not
    /// looked at here.
    pub(crate) async fn create_join_token(
        &self,
        requester: &Requester,
        request: &UserRequest,
        name: RuntimeName,
        purpose: Purpose,
        now: i64,
    ) -> Result<(TokenOutcome, Secret), ChangeError> {
        let permission = match purpose {
            Purpose::Join => "runtime.create",
            Purpose::Rejoin => "runtime.rejoin",
        };
        let policy = self.access.require_any(requester, permission).await?;
        let secret = Secret::generate(JOIN_TOKEN_PREFIX);
        let token = JoinToken {
            account: request.account.clone(),
            name,
            purpose,
            digest: secret.digest(),
            created_by: request.user.clone(),
            created_at: now,
            expires_at: now + JOIN_TOKEN_LIFE,
        };
        let request = &request.checked_at(policy.version());
        let outcome = self.store.create_join_token(request, &token).await?;
        Ok((outcome, secret))
    }

    /// Unused join tokens for the runtimes that the requester sees, newest first.
    pub(crate) async fn list_join_tokens(
        &self,
        account: &AccountId,
        sees: impl Fn(&RuntimeName) -> bool,
        now: i64,
    ) -> Result<Vec<JoinToken>, StoreError> {
        let found = self.store.list_join_tokens(account, now, MOST_TOKENS);
        let mut tokens = found.await?;
        tokens.retain(|token| sees(&token.name));
        tokens.sort_by_key(JoinToken::place);
        Ok(tokens)
    }

    /// Revokes an unused join token of a runtime that the requester sees.
    pub(crate) async fn revoke_join_token(
        &self,
        requester: &Requester,
        request: &UserRequest,
        id: &JoinTokenId,
        sees: impl Fn(&RuntimeName) -> bool,
        now: i64,
    ) -> Result<(), ChangeError> {
        let policy = self.access.require_any(requester, "runtime.create").await?;
        let unknown = || ChangeError::Unknown {
            kind: TOKEN_KIND,
            name: id.0.clone(),
        };
        let account = &requester.account;
        let tokens = self
            .store
            .list_join_tokens(account, now, MOST_TOKENS)
            .await?;
        let found = tokens.iter().find(|token| token.id() == *id);
        if found.is_some_and(|token| !sees(&token.name)) {
            return Err(unknown());
        }
        let request = &request.checked_at(policy.version());
        let change = self.store.revoke_join_token(request, id, now).await?;
        made(change, TOKEN_KIND, &id.0)?.outcome()
    }

    /// What a token would do, if a runtime could join with it.
    pub(crate) async fn check_join_token(
        &self,
        token: Option<SecretDigest>,
        now: i64,
    ) -> Result<Offer, JoinError> {
        let token = token.ok_or(JoinError::TokenInvalid)?;
        let offer = self.store.look_at_token(token, now).await?;
        let offer = offer.ok_or(JoinError::TokenInvalid)?;
        match offer.bar {
            Some(bar) => Err(JoinError::Barred(bar)),
            None => Ok(offer),
        }
    }

    /// Lets a runtime in. The store writes the join into the audit in the same transaction.
    pub(crate) async fn join(&self, join: &JoinRequest, now: i64) -> Result<Runtime, JoinError> {
        let token = join.token.ok_or(JoinError::TokenInvalid)?;
        join.joining.check_proof(&token, &join.proof)?;
        check_clock(join.clock, now)?;
        match self.store.join(token, &join.joining, now).await? {
            JoinOutcome::Joined(runtime) => Ok(*runtime),
            JoinOutcome::Rejoined(runtime) => {
                self.access.forget_credentials();
                Ok(*runtime)
            }
            JoinOutcome::Invalid => Err(JoinError::TokenInvalid),
            JoinOutcome::Barred { account, name, bar } => {
                tracing::warn!(%account, runtime = %name, why = %bar, "rejected a runtime that used a join token");
                let record = join_record::barred(account, &name, bar, now);
                self.audit.write(Entry::Open(Box::new(record))).await?;
                Err(JoinError::Barred(bar))
            }
        }
    }

    /// Lists the visible runtimes of an account by name, after a cursor.
    pub(crate) async fn list_runtimes(
        &self,
        account: &AccountId,
        behind: Option<RuntimeName>,
        limit: u32,
        sees: impl Fn(&RuntimeName) -> bool,
    ) -> Result<Vec<Runtime>, StoreError> {
        let store = &self.store;
        let read = |behind: Option<RuntimeName>, limit| -> StoreFuture<'_, Vec<Runtime>> {
            Box::pin(async move { store.list_runtimes(account, behind.as_ref(), limit).await })
        };
        let key = |runtime: &Runtime| runtime.name.clone();
        seen((behind, limit), read, key, |runtime| sees(&runtime.name)).await
    }

    /// Puts a runtime out; when this answers its key is refused here, and everybody else who remembers it is being told.
    pub(crate) async fn revoke_runtime(
        &self,
        request: &UserRequest,
        name: &RuntimeName,
        now: i64,
    ) -> Result<RevokeOutcome, StoreError> {
        let outcome = self.store.revoke_runtime(request, name, now).await?;
        self.access.forget_credentials();
        Ok(outcome)
    }

    /// Takes the sessions of a tunnel server and tells which of them must end.
    pub(crate) async fn report_sessions(
        &self,
        server: String,
        told: Vec<ReportedSession>,
        now: i64,
    ) -> Result<SessionsToEnd, StoreError> {
        let mut runtimes: Vec<RuntimeKey> = told.iter().map(|told| told.runtime.clone()).collect();
        runtimes.sort();
        runtimes.dedup();
        let keys = self.store.present_keys(&runtimes).await?;
        let present: BTreeMap<RuntimeKey, Option<KeyId>> = runtimes.into_iter().zip(keys).collect();
        let mut ending = SessionsToEnd::default();
        let mut sessions = Vec::new();
        for told in told {
            match (present.get(&told.runtime), told.key) {
                (Some(Some(present)), Some(key)) if key != *present => ending.keys.push(key),
                (Some(Some(_)), _) => sessions.push((told.runtime, told.session)),
                (Some(None) | None, _) => ending.runtimes.push(told.runtime),
            }
        }
        ending.runtimes.sort();
        ending.runtimes.dedup();
        self.parts.publish(now, || ReplicaMessage::Sessions {
            server: server.clone(),
            sessions: sessions.clone(),
        });
        self.parts.sessions.report(server, sessions, now);
        Ok(ending)
    }

    /// Counts the present runtimes for the metrics.
    pub(crate) async fn count_runtimes(&self, now: i64) -> Result<(), StoreError> {
        let present = self.store.present_runtimes(COUNTED).await?;
        let present = present.into_iter().map(|it| self.status_of(it, now));
        self.figures.present(&present.collect::<Vec<_>>());
        Ok(())
    }

    /// A runtime as it is now.
    pub(crate) fn status_of(&self, mut runtime: Runtime, now: i64) -> RuntimeStatus {
        let key = (runtime.account.clone(), runtime.runtime_id.clone());
        if let Some(seen) = self.parts.sessions.seen(&key) {
            runtime.last_seen_at = runtime.last_seen_at.max(Some(seen.at));
            if !seen.version.is_empty() {
                runtime.version = seen.version;
            }
        }
        let there = runtime.revoked_at.is_none();
        let sessions = if there {
            self.parts.sessions.of(&key, now)
        } else {
            Vec::new()
        };
        let home = Some(key);
        let allowed_actions = if there {
            self.parts.parts.allowed_actions(&home, now)
        } else {
            Vec::new()
        };
        let connection = match (there, sessions.is_empty()) {
            (false, _) => Connection::Revoked,
            (true, false) => Connection::Online,
            (true, true) if self.parts.parts.is_reporting(&home, now) => Connection::Reporting,
            (true, true) => Connection::Offline,
        };
        RuntimeStatus {
            runtime,
            sessions,
            connection,
            allowed_actions,
        }
    }
}
