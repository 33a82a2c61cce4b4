//! Services of the platform, one per subject, over the store, the keys and in-memory state that they share.

pub(crate) mod seen;

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use causeway_assertion::{ExpectedAudience, Verifier};
use causeway_proto::time::to_millis;
use causeway_shell::Shell;
use tokio::sync::watch;

use crate::{
    accounts::service::AccountService,
    api_keys::service::ApiKeyService,
    audit::{AuditLog, RefusalCounter, service::AuditService},
    authorization::{
        Authorizer, access::AccessControl, revocation::RevocationFeed,
        service::AuthorizationService,
    },
    figures::Figures,
    identity_providers::service::IdentityProviderService,
    info::PlatformInfo,
    keys::{
        ring::{KeyRing, OwnKeySource, PlatformKeySource},
        service::KeyService,
    },
    parts::service::PartService,
    preferences::service::PreferenceService,
    roles::service::RoleService,
    runtimes::service::{RuntimeService, TunnelSettings},
    service_accounts::service::ServiceAccountService,
    sessions::service::SessionService,
    sign_in::service::SignInService,
    store::{Store, StoreError},
    users::service::UserService,
};
pub(crate) use crate::{
    api_keys::service::NewApiKey,
    audit::service::ReadAuditError,
    identity_providers::service::ProviderUpdate,
    parts::service::Presence,
    runtimes::service::{Connection, JoinError, JoinRequest, RuntimeStatus, TunnelAddress},
    sign_in::service::{
        CallbackParams, CallerInfo, DevicePoll, NewSession, SignInContext, SignInError,
        SignInRefusal, SignInRequest,
    },
    users::service::{ChangeError, Credential, Requester},
};

/// Now, in milliseconds since 1970.
pub(crate) fn now() -> i64 {
    to_millis(SystemTime::now())
}

/// Settings of the platform.
#[derive(Debug, Clone, Default)]
pub(crate) struct PlatformSettings {
    /// How long entries of the audit are retained; without end if none.
    pub audit_retention: Option<Duration>,
    pub tunnel: TunnelSettings,
}

/// The services of the platform, which [`crate::grpc`] serves.
pub(crate) struct Platform {
    pub access: AccessControl,
    pub accounts: AccountService,
    pub api_keys: ApiKeyService,
    pub audit: AuditService,
    pub authorization: AuthorizationService,
    pub identity_providers: IdentityProviderService,
    pub info: PlatformInfo,
    pub keys: KeyService,
    pub parts: PartService,
    pub preferences: PreferenceService,
    pub roles: RoleService,
    pub runtimes: RuntimeService,
    pub service_accounts: ServiceAccountService,
    pub sessions: SessionService,
    pub sign_in: SignInService,
    pub users: UserService,
}

impl Platform {
    /// Builds the services over a store and keys. Entries of `log` must be taken from its other end by a loop.
    pub(crate) fn new(
        store: Arc<dyn Store>,
        ring: Arc<KeyRing>,
        log: AuditLog,
        context: SignInContext,
        settings: PlatformSettings,
        shell: &Shell,
    ) -> Self {
        let context = Arc::new(context);
        let refusals = Arc::new(RefusalCounter::default());
        let figures = Arc::new(Figures::new(shell));
        let keys = Arc::new(PlatformKeySource::new(ring.clone(), store.clone()));
        let access = AccessControl::new(store.clone(), keys.clone());
        let parts = PartService::new(store.clone());
        Self {
            accounts: AccountService {
                store: store.clone(),
                access: access.clone(),
            },
            api_keys: ApiKeyService {
                store: store.clone(),
                access: access.clone(),
            },
            audit: AuditService {
                store: store.clone(),
                log: log.clone(),
                ring: ring.clone(),
                refusals: refusals.clone(),
                retention: settings.audit_retention,
            },
            authorization: AuthorizationService {
                authorizer: Arc::new(Authorizer {
                    grants: access.grants.clone(),
                    store: store.clone(),
                    audit: log.clone(),
                    refusals: refusals.clone(),
                    ring: ring.clone(),
                }),
                figures: figures.clone(),
            },
            identity_providers: IdentityProviderService {
                store: store.clone(),
                access: access.clone(),
                context: context.clone(),
            },
            info: PlatformInfo::new(shell.version(), &settings.tunnel),
            preferences: PreferenceService::new(store.clone(), access.clone()),
            keys: KeyService {
                ring: ring.clone(),
                keys,
                context: context.clone(),
                feed: Arc::new(watch::Sender::new(RevocationFeed::Good)),
                instance: shell.instance().to_owned(),
            },
            roles: RoleService {
                store: store.clone(),
                access: access.clone(),
            },
            runtimes: RuntimeService {
                store: store.clone(),
                access: access.clone(),
                audit: log.clone(),
                ring,
                parts: parts.clone(),
                figures,
                tunnel: settings.tunnel,
                shutdown: shell.shutdown(),
            },
            service_accounts: ServiceAccountService {
                store: store.clone(),
                access: access.clone(),
                context: context.clone(),
            },
            sessions: SessionService::new(store.clone(), access.clone()),
            sign_in: SignInService {
                store: store.clone(),
                audit: log,
                refusals,
                context,
            },
            users: UserService {
                store,
                access: access.clone(),
            },
            access,
            parts,
        }
    }

    /// Returns the verifier of the platform's own callers.
    pub(crate) fn verifier(&self) -> Verifier {
        let own = "platform".parse().expect("it fits the grammar");
        Verifier::new(
            Arc::new(OwnKeySource(self.keys.keys.clone())),
            ExpectedAudience::platform(own),
        )
    }

    /// Writes in-memory state that outlives the process: last uses of credentials, and runtimes that reported since a time.
    pub(crate) async fn flush(&self, since: i64) -> Result<(), StoreError> {
        self.audit.flush_refusals(now()).await;
        self.access.grants.flush().await?;
        self.parts.flush(since).await
    }
}

#[cfg(test)]
mod tests;
