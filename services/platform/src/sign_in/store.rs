//! Store traits for identities, sessions and rate-limit buckets.
//!
//! The preconditions of a sign-in (provider exists, link, user may sign in) are checked in the transaction that creates the
//! session.

use causeway_proto::ids::{AccountId, ProviderName, SessionId, UserId};

use crate::store::{Change, StoreFuture};
use crate::{
    identity_providers::model::{Identity, IdentityProvider, LinkPlace, Person},
    request::{Recorded, UserRequest},
    secret::SecretDigest,
    service_accounts::model::{ServiceAccount, TrustRule},
    sessions::model::{SessionHolder, SessionPlace, UserSession},
    throttle::{Bucket, Throttled},
};

/// Authenticated person or service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Authenticated {
    /// A person of a provider.
    Person {
        /// As it was when it was decided whether the person may come in.
        provider: Box<IdentityProvider>,
        person: Person,
        /// What a new user may be called, best first; none where no user is made.
        user_names: Vec<UserId>,
    },
    /// A service account, by a rule that trusts the token.
    Service(UserId, Box<TrustRule>),
}

/// Session to be created.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionRequest {
    pub account: AccountId,
    pub arrival: Authenticated,
    pub identity: String,
    pub created_at: i64,
    pub expires_at: i64,
    pub source_address: String,
}

impl SessionRequest {
    /// The session of a user.
    pub(crate) fn session(&self, session_id: &SessionId, user: UserId) -> UserSession {
        let (provider, groups) = match &self.arrival {
            Authenticated::Person {
                provider, person, ..
            } => (Some(provider.provider.clone()), person.groups.clone()),
            Authenticated::Service(..) => (None, Vec::new()),
        };
        UserSession {
            account: self.account.clone(),
            session_id: session_id.clone(),
            user,
            provider,
            key_id: None,
            identity: self.identity.clone(),
            groups,
            created_at: self.created_at,
            last_seen_at: None,
            expires_at: self.expires_at,
            revoked_at: None,
            source_address: self.source_address.clone(),
        }
    }
}

/// Result of a sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SignInOutcome {
    /// There is a session.
    Session(Box<UserSession>),
    /// The person is no user, and does not become one.
    NotLinked,
    /// The user may not sign in.
    Disabled(UserId),
    /// The provider or the service account was removed or changed meanwhile, so what was decided by it does not hold.
    Gone,
}

/// Identity providers, links and service accounts.
pub(crate) trait IdentityStore: Send + Sync {
    /// All providers of an account in the order of their ids.
    fn list_identity_providers<'a>(
        &'a self,
        account: &'a AccountId,
    ) -> StoreFuture<'a, Vec<IdentityProvider>>;

    /// A provider.
    fn find_identity_provider<'a>(
        &'a self,
        account: &'a AccountId,
        provider: &'a ProviderName,
    ) -> StoreFuture<'a, Option<IdentityProvider>>;

    /// Adds a provider.
    fn create_identity_provider<'a>(
        &'a self,
        request: &'a UserRequest,
        provider: &'a IdentityProvider,
    ) -> StoreFuture<'a, Change<IdentityProvider>>;

    /// Gives a provider these settings and this secret, if it still has this version. Where other people may come by it, its sessions
    /// end, and where it names people by another claim, the links by name go.
    fn update_identity_provider<'a>(
        &'a self,
        request: &'a UserRequest,
        provider: &'a IdentityProvider,
        version: &'a str,
        now: i64,
    ) -> StoreFuture<'a, Change<IdentityProvider>>;

    /// Removes a provider with its links, and ends its sessions.
    fn delete_identity_provider<'a>(
        &'a self,
        request: &'a UserRequest,
        provider: &'a ProviderName,
        now: i64,
    ) -> StoreFuture<'a, Change<()>>;

    /// Providers of all accounts with a client secret, behind one, in the order of accounts and ids.
    fn list_sealed<'a>(
        &'a self,
        behind: Option<&'a IdentityProvider>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<IdentityProvider>>;

    /// Puts the same client secret, sealed by another key, in the place of one that is still there.
    fn reseal<'a>(&'a self, provider: &'a IdentityProvider, sealed: Vec<u8>)
    -> StoreFuture<'a, ()>;

    /// Links a person to a user who is no service account; by subject, or by name until the first sign-in. A subject that is
    /// linked, and the name of a linked person, are taken.
    fn link_identity<'a>(
        &'a self,
        request: &'a UserRequest,
        identity: &'a Identity,
    ) -> StoreFuture<'a, Change<Identity>>;

    /// Takes a provider's persons from a user, and ends the sessions that they have.
    fn unlink_identity<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a UserId,
        provider: &'a ProviderName,
        now: i64,
    ) -> StoreFuture<'a, Change<()>>;

    /// The links of a user behind a place, oldest first, at most so many.
    fn list_identities<'a>(
        &'a self,
        account: &'a AccountId,
        user: &'a UserId,
        asked: (Option<&'a LinkPlace>, u32),
    ) -> StoreFuture<'a, Vec<Identity>>;

    /// Adds a service account with its user.
    fn create_service_account<'a>(
        &'a self,
        request: &'a UserRequest,
        service_account: &'a ServiceAccount,
    ) -> StoreFuture<'a, Change<ServiceAccount>>;

    /// Changes whom a service account trusts, and ends its sessions.
    fn set_trust_rules<'a>(
        &'a self,
        request: &'a UserRequest,
        user: &'a UserId,
        trust: &'a [TrustRule],
        now: i64,
    ) -> StoreFuture<'a, Change<ServiceAccount>>;

    /// The service accounts of an account behind one in the order of their names, without removed ones.
    fn list_service_accounts<'a>(
        &'a self,
        account: &'a AccountId,
        behind: Option<&'a UserId>,
        limit: u32,
    ) -> StoreFuture<'a, Vec<ServiceAccount>>;

    /// A service account, a disabled or removed one too.
    fn find_service_account<'a>(
        &'a self,
        account: &'a AccountId,
        user: &'a UserId,
    ) -> StoreFuture<'a, Option<ServiceAccount>>;
}

/// Sessions.
pub(crate) trait SessionStore: Send + Sync {
    /// Makes a session, and a user with a link for a person who becomes one. An expired link by name does not count.
    fn begin_session<'a>(
        &'a self,
        beginning: &'a SessionRequest,
        session_id: &'a SessionId,
        digest: SecretDigest,
    ) -> StoreFuture<'a, SignInOutcome>;

    /// Adds a session of an API key. Unknown if the key is not there or was revoked.
    fn create_session<'a>(
        &'a self,
        request: &'a UserRequest,
        session: &'a UserSession,
        digest: SecretDigest,
    ) -> StoreFuture<'a, Change<UserSession>>;

    /// The session of a token with its owner and provider; ended and expired ones too.
    fn find_session_holder(&self, digest: SecretDigest) -> StoreFuture<'_, Option<SessionHolder>>;

    /// A session with its owner and provider; ended and expired ones too.
    fn find_session<'a>(
        &'a self,
        account: &'a AccountId,
        session_id: &'a SessionId,
    ) -> StoreFuture<'a, Option<SessionHolder>>;

    /// The sessions of an account that are good at a time, behind a place, newest first, at most so many.
    fn list_sessions<'a>(
        &'a self,
        account: &'a AccountId,
        user: Option<&'a UserId>,
        asked: (Option<&'a SessionPlace>, u32),
        now: i64,
    ) -> StoreFuture<'a, Vec<UserSession>>;

    /// Ends a session; the first end stays. None if there is no such session.
    fn revoke_session<'a>(
        &'a self,
        request: &'a UserRequest,
        session_id: &'a SessionId,
        now: i64,
    ) -> StoreFuture<'a, Option<Recorded<UserSession>>>;

    /// Notes when sessions were last used.
    fn touch_sessions(&self, used: Vec<(AccountId, SessionId, i64)>) -> StoreFuture<'_, ()>;
}

/// How often something was tried.
pub(crate) trait ThrottleStore: Send + Sync {
    /// Takes a try from each bucket, or from none where one is empty. Where there are too many that are not full, those without a row
    /// share one.
    fn take_tries<'a>(
        &'a self,
        of: &'a [Bucket],
        now: i64,
    ) -> StoreFuture<'a, Result<(), Throttled>>;

    /// Forgets buckets that are full again.
    fn sweep_buckets(&self, now: i64) -> StoreFuture<'_, ()>;

    /// Forgets sessions that ended before a time, and expired links by name.
    fn sweep_sign_ins(&self, ended_before: i64, now: i64) -> StoreFuture<'_, ()>;
}
