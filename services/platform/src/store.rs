//! Store traits. The account is part of every key.
//!
//! Each change is durable when its call returns. Races are decided inside one transaction.

pub(crate) mod sql;

use causeway_database::Listener;
use causeway_proto::ids::{AccountId, KeyId, RuntimeId, RuntimeName};
use futures::future::BoxFuture;
use uuid::Uuid;

pub(crate) use crate::accounts::store::{Change, PolicyStore, Save};
pub(crate) use crate::preferences::store::PreferenceStore;
pub(crate) use crate::sign_in::store::{
    Authenticated, IdentityStore, SessionRequest, SessionStore, SignInOutcome, ThrottleStore,
};
use crate::{
    api_keys::model::{ApiKey, Holder, KeyPlace, Rotation},
    audit::{
        AppendResult, AuditRecord, ChainEntry, ChainId, Entry, Head, OverdueBounds, Page, Query,
        Seal,
    },
    replicas::exchange::Message,
    request::{Recorded, UserRequest},
    runtimes::{
        model::{JoinOutcome, JoinToken, JoinTokenId, Joining, Offer, Runtime},
        presence::{LastContact, RuntimeKey},
    },
    secret::SecretDigest,
    users::model::User,
};

/// The store failed; the source says how. Nothing is known to have been written.
#[derive(Debug, thiserror::Error)]
#[error("the store failed")]
pub struct StoreError(#[from] causeway_database::Error);

impl StoreError {
    /// True if the database cannot be reached, so that the same may work later.
    pub(crate) fn is_unavailable(&self) -> bool {
        causeway_database::is_unavailable(&self.0)
    }
}

/// Future of a store operation.
pub(crate) type StoreFuture<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// How the making of a join token ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TokenOutcome {
    /// It is there; for a repeat this is when the first one ends.
    Made(Recorded<i64>),
    /// A runtime that was not put out has the name.
    NameTaken,
    /// There is no runtime of that name that could join again.
    Unknown,
    /// The account's policy is another one by now than when the request was checked.
    Overtaken,
}

/// How putting a runtime out ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RevokeOutcome {
    /// It is out.
    Revoked(Recorded<Box<Runtime>>),
    /// There is none of that name.
    Unknown,
}

/// The first account, and API keys.
pub(crate) trait ApiKeyStore: Send + Sync {
    /// Whether an account is there.
    fn has_account<'a>(&'a self, account: &'a AccountId) -> StoreFuture<'a, bool>;

    /// Makes an account with its first user and key, if the account is not there yet. Tells whether it did.
    fn create_account<'a>(
        &'a self,
        user: &'a User,
        key: &'a ApiKey,
        digest: SecretDigest,
    ) -> StoreFuture<'a, bool>;

    /// The key that has a secret, or had it before the present one, with its owner; revoked and expired ones too.
    fn find_holder(&self, digest: SecretDigest) -> StoreFuture<'_, Option<Holder>>;

    /// Adds a key.
    fn create_api_key<'a>(
        &'a self,
        request: &'a UserRequest,
        key: &'a ApiKey,
        digest: SecretDigest,
    ) -> StoreFuture<'a, Change<ApiKey>>;

    /// Keys of an account behind one, newest first.
    fn list_api_keys<'a>(
        &'a self,
        account: &'a AccountId,
        behind: Option<&'a KeyPlace>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<ApiKey>>;

    /// A key, revoked and expired ones too.
    fn find_api_key<'a>(
        &'a self,
        account: &'a AccountId,
        key_id: &'a KeyId,
    ) -> StoreFuture<'a, Option<ApiKey>>;

    /// Gives a key another secret; a revoked one stays as it is. None if there is no such key.
    fn rotate_api_key<'a>(
        &'a self,
        request: &'a UserRequest,
        key_id: &'a KeyId,
        digest: SecretDigest,
        rotation: Rotation,
    ) -> StoreFuture<'a, Change<ApiKey>>;

    /// Ends a key; the first end stays.
    fn revoke_api_key<'a>(
        &'a self,
        request: &'a UserRequest,
        key_id: &'a KeyId,
        now: i64,
    ) -> StoreFuture<'a, Change<ApiKey>>;

    /// Notes when keys were last used.
    fn touch_api_keys(&self, used: Vec<(AccountId, KeyId, i64)>) -> StoreFuture<'_, ()>;
}

/// Runtimes and join tokens.
pub(crate) trait RuntimeStore: Send + Sync {
    /// Adds a join token, unless the name is taken, or not taken where it is to join again.
    fn create_join_token<'a>(
        &'a self,
        request: &'a UserRequest,
        token: &'a JoinToken,
    ) -> StoreFuture<'a, TokenOutcome>;

    /// The tokens of an account that were not used and are good at a time, newest first, at most so many.
    fn list_join_tokens<'a>(
        &'a self,
        account: &'a AccountId,
        now: i64,
        limit: u32,
    ) -> StoreFuture<'a, Vec<JoinToken>>;

    /// Removes a token that was not used and is good at a time.
    fn revoke_join_token<'a>(
        &'a self,
        request: &'a UserRequest,
        id: &'a JoinTokenId,
        now: i64,
    ) -> StoreFuture<'a, Change<()>>;

    /// What a join token would do; nothing for one that is unknown or over its time.
    fn look_at_token(&self, token: SecretDigest, now: i64) -> StoreFuture<'_, Option<Offer>>;

    /// Uses a join token once, and writes the join into the audit: both or neither.
    fn join<'a>(
        &'a self,
        token: SecretDigest,
        joining: &'a Joining,
        now: i64,
    ) -> StoreFuture<'a, JoinOutcome>;

    /// The runtimes of an account behind a name, in the order of names. Of several of one name only the last that joined.
    fn list_runtimes<'a>(
        &'a self,
        account: &'a AccountId,
        behind: Option<&'a RuntimeName>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<Runtime>>;

    /// Runtimes of all accounts that were not put out, in the order of account and name.
    fn present_runtimes(&self, limit: u32) -> StoreFuture<'_, Vec<Runtime>>;

    /// The last runtime that joined under a name, put out or not.
    fn find_runtime<'a>(
        &'a self,
        account: &'a AccountId,
        name: &'a RuntimeName,
    ) -> StoreFuture<'a, Option<Runtime>>;

    /// A runtime by its opaque id, put out or not.
    fn resolve_runtime<'a>(
        &'a self,
        account: &'a AccountId,
        id: &'a RuntimeId,
    ) -> StoreFuture<'a, Option<Runtime>>;

    /// The runtime that was not put out and has this identity key.
    fn find_runtime_by_key<'a>(&'a self, key_id: &'a KeyId) -> StoreFuture<'a, Option<Runtime>>;

    /// Puts a runtime out; the first time stays.
    fn revoke_runtime<'a>(
        &'a self,
        request: &'a UserRequest,
        name: &'a RuntimeName,
        now: i64,
    ) -> StoreFuture<'a, RevokeOutcome>;

    /// The id of each one's identity key; none for one that was put out or never was.
    fn present_keys<'a>(&'a self, of: &'a [RuntimeKey]) -> StoreFuture<'a, Vec<Option<KeyId>>>;

    /// Notes when runtimes were last heard of.
    fn touch_runtimes(&self, seen: Vec<(RuntimeKey, LastContact)>) -> StoreFuture<'_, ()>;
}

/// The audit. What a chain holds never changes and never goes, but for what [`AuditStore::cut_audit`] takes from its beginning.
pub(crate) trait AuditStore: Send + Sync {
    /// Writes all entries or none, in their order.
    fn write_audit(&self, entries: Vec<Entry>) -> StoreFuture<'_, Vec<AppendResult>>;

    /// Where a chain ends; none where it has no entries.
    fn audit_head<'a>(&'a self, chain: &'a ChainId) -> StoreFuture<'a, Option<Head>>;

    /// The heads of chains with so many entries behind their newest checkpoint, or with one that was written before a time.
    fn unsealed_audit(&self, entries: u64, before: i64, limit: u32) -> StoreFuture<'_, Vec<Head>>;

    /// Adds a checkpoint to a chain, if it still ends so.
    fn seal_audit<'a>(&'a self, head: &'a Head, seal: Seal, at: i64) -> StoreFuture<'a, ()>;

    /// Calls, newest first.
    fn list_audit<'a>(&'a self, query: &'a Query) -> StoreFuture<'a, Page>;

    /// One call.
    fn find_audit<'a>(
        &'a self,
        chain: &'a ChainId,
        audit_id: Uuid,
    ) -> StoreFuture<'a, Option<AuditRecord>>;

    /// Entries as they are kept, oldest first, from a sequence number on.
    fn read_audit<'a>(
        &'a self,
        chain: &'a ChainId,
        from: u64,
        limit: u32,
    ) -> StoreFuture<'a, Vec<ChainEntry>>;

    /// The sequence number of the first entry that was written at a time or later; one behind the head if there is none.
    fn audit_since<'a>(&'a self, chain: &'a ChainId, at: i64) -> StoreFuture<'a, u64>;

    /// Gives calls that are overdue and have no end the outcome "unknown"; how many. A call takes several turns where they are many.
    fn close_stale_audit(&self, overdue: OverdueBounds, now: i64) -> StoreFuture<'_, u64>;

    /// Takes a step towards chains that begin with the newest checkpoint from before a time. Tells whether there is more to do.
    fn cut_audit(&self, before: i64, now: i64) -> StoreFuture<'_, PruneProgress>;

    /// Forgets outcomes of requests and join tokens that are older than a time.
    fn forget(&self, before: i64) -> StoreFuture<'_, ()>;
}

/// Progress of pruning the chains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PruneProgress {
    /// They are.
    Done,
    /// This was one step of several.
    More,
}

/// A chain is cut when its oldest entry is so much older than what is to be kept, in milliseconds: each cut adds an entry.
pub(crate) const CUT_EVERY: i64 = 24 * 60 * 60 * 1000;

/// Owner of the recorded root key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RootKeyNote {
    /// The recorded one stays.
    Stays,
    /// This one, in the place of any other.
    IsThis,
}

/// What replicas know of each other.
pub(crate) trait ReplicaStore: Send + Sync {
    /// How often a right was taken away, by any replica.
    fn count_revocations(&self) -> StoreFuture<'_, u64>;

    /// Hears when another replica may have taken one away.
    fn listen_to_replicas(&self) -> Listener;

    /// Records the fingerprint of the first root key, and returns the recorded one.
    fn register_root<'a>(
        &'a self,
        fingerprint: &'a str,
        first: RootKeyNote,
    ) -> StoreFuture<'a, String>;

    /// True if there may be other replicas.
    fn is_shared(&self) -> bool;

    /// Leaves words for the other replicas and gives what they left within the last 30 seconds.
    fn exchange<'a>(
        &'a self,
        replica: &'a str,
        told: Vec<Message>,
        now: i64,
    ) -> StoreFuture<'a, Vec<Message>>;
}

/// All that the platform keeps.
pub(crate) trait Store:
    ApiKeyStore
    + PolicyStore
    + RuntimeStore
    + AuditStore
    + ReplicaStore
    + IdentityStore
    + SessionStore
    + PreferenceStore
    + ThrottleStore
    + 'static
{
}

impl<S> Store for S where
    S: ApiKeyStore
        + PolicyStore
        + RuntimeStore
        + AuditStore
        + ReplicaStore
        + IdentityStore
        + SessionStore
        + PreferenceStore
        + PreferenceStore
        + ThrottleStore
        + 'static
{
}

/// Message of a row whose outcome was never reported.
pub(crate) const NEVER_TOLD: &str = "the outcome was never told";

#[cfg(test)]
impl dyn Store {
    /// The newest calls of an account, at most 1000.
    pub(crate) async fn newest_audit(&self, account: &AccountId) -> Vec<AuditRecord> {
        let query = Query {
            chain: account.into(),
            filter: crate::audit::Filter::default(),
            before: None,
            limit: 1000,
        };
        self.list_audit(&query).await.unwrap().records
    }
}

#[cfg(test)]
pub(crate) mod tests;
