//! Manages identity providers and identity links. Who maps a role must hold all its permissions.

use std::sync::Arc;

use causeway_oidc::{Challenge, Provider, ProviderError};
use causeway_proto::ids::{ProviderName, RoleName, UserId};

use crate::{
    authorization::access::AccessControl,
    identity_providers::{
        discovery::{AskError, purpose},
        model::{ClientSecret, Identity, IdentityProvider, SecretChange, Settings},
    },
    platform::{ChangeError, Requester, now},
    request::UserRequest,
    sign_in::{sealing::SealError, service::SignInContext},
    store::{Change, Store, StoreError},
    users::service::{made, unknown_user},
};

/// Where the browser would be sent by the sign-in that only asks whether the provider is there.
const NOWHERE: &str = "http://127.0.0.1/";

/// Number of client secrets that are looked at together.
const SEALED_AT_ONCE: u32 = 100;

/// Why client secrets are not resealed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ResealError {
    #[error("the keys that seal")]
    Seal(#[from] SealError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What is to be changed of a provider.
#[derive(Debug)]
pub(crate) struct ProviderUpdate<'a> {
    pub settings: Settings,
    pub secret: SecretChange<'a>,
    /// That from which it was made, where the caller says it.
    pub version: Option<&'a str>,
}

/// Identity providers of an account and the users linked to them.
#[derive(Clone)]
pub(crate) struct IdentityProviderService {
    pub store: Arc<dyn Store>,
    pub access: AccessControl,
    pub context: Arc<SignInContext>,
}

impl IdentityProviderService {
    /// Adds a provider, if it answers.
    pub(crate) async fn create_identity_provider(
        &self,
        requester: &Requester,
        request: &UserRequest,
        provider: IdentityProvider,
        client_secret: &str,
    ) -> Result<IdentityProvider, ChangeError> {
        let name = provider.provider.clone();
        let permission = "identity-provider.create";
        let policy = self
            .access
            .require(requester, permission, name.as_str())
            .await?;
        let given = given(&provider.settings);
        self.access
            .check_roles(requester, &policy, &[], &given)
            .await?;
        let provider = self.with_secret(provider, client_secret)?;
        self.probe(&provider).await?;
        // The issuer, whose answer may have taken seconds, is the caller's own.
        let policy = self
            .access
            .require(requester, permission, name.as_str())
            .await?;
        self.access
            .check_roles(requester, &policy, &[], &given)
            .await?;
        let request = &request.checked_at(policy.version());
        let change = self
            .store
            .create_identity_provider(request, &provider)
            .await?;
        made(change, "identity provider", name.as_str())?.outcome()
    }

    /// Changes a provider, if it answers.
    pub(crate) async fn update_identity_provider(
        &self,
        requester: &Requester,
        request: &UserRequest,
        (name, update): (&ProviderName, ProviderUpdate<'_>),
        now: i64,
    ) -> Result<IdentityProvider, ChangeError> {
        let permission = "identity-provider.update";
        let policy = self
            .access
            .require(requester, permission, name.as_str())
            .await?;
        // Other claims or domains can bring other people into the same groups.
        let given = given(&update.settings);
        self.access
            .check_roles(requester, &policy, &[], &given)
            .await?;
        let found = self.find_provider(requester, name).await?;
        let version = update
            .version
            .map_or_else(|| found.version(), str::to_owned);
        let provider = self.updated(found, update)?;
        self.probe(&provider).await?;
        // As above: what was allowed before the issuer was asked may have been taken away since.
        let policy = self
            .access
            .require(requester, permission, name.as_str())
            .await?;
        self.access
            .check_roles(requester, &policy, &[], &given)
            .await?;
        let request = &request.checked_at(policy.version());
        let change = self
            .store
            .update_identity_provider(request, &provider, &version, now)
            .await?;
        self.access.forget_credentials();
        made(change, "identity provider", name.as_str())?.outcome()
    }

    /// Removes a provider; when this answers its sessions open nothing any more.
    pub(crate) async fn delete_identity_provider(
        &self,
        requester: &Requester,
        request: &UserRequest,
        name: &ProviderName,
        now: i64,
    ) -> Result<(), ChangeError> {
        let permission = "identity-provider.delete";
        let policy = self
            .access
            .require(requester, permission, name.as_str())
            .await?;
        let request = &request.checked_at(policy.version());
        let change = self
            .store
            .delete_identity_provider(request, name, now)
            .await?;
        self.access.forget_credentials();
        made(change, "identity provider", name.as_str())?.outcome()
    }

    /// Says that a person is a user.
    pub(crate) async fn link_identity(
        &self,
        requester: &Requester,
        request: &UserRequest,
        identity: &Identity,
    ) -> Result<Identity, ChangeError> {
        let user = &identity.user;
        let policy = self
            .access
            .require(requester, "identity.link", user.as_str())
            .await?;
        let found = self.store.find_user(&requester.account, user).await?;
        let roles = found.ok_or_else(|| unknown_user(user))?.roles;
        self.access
            .check_roles(requester, &policy, &[], &roles)
            .await?;
        if *user != requester.user {
            // Whoever is linked holds what the user will ever get, as an API key without a role does.
            policy
                .check_everything()
                .map_err(|_| ChangeError::AnothersLink)?;
        }
        self.find_provider(requester, &identity.provider).await?;
        let request = &request.checked_at(policy.version());
        let change = self.store.link_identity(request, identity).await?;
        if change == Change::NameTaken {
            return Err(ChangeError::Linked);
        }
        made(change, "user", user.as_str())?.outcome()
    }

    /// Takes a provider's persons from a user; when this answers their sessions open nothing any more.
    pub(crate) async fn unlink_identity(
        &self,
        requester: &Requester,
        request: &UserRequest,
        (user, provider): (&UserId, &ProviderName),
        now: i64,
    ) -> Result<(), ChangeError> {
        let permission = "identity.unlink";
        let policy = self
            .access
            .require(requester, permission, user.as_str())
            .await?;
        let request = &request.checked_at(policy.version());
        let change = self
            .store
            .unlink_identity(request, user, provider, now)
            .await?;
        self.access.forget_credentials();
        made(change, "user with such a link", user.as_str())?.outcome()
    }

    async fn find_provider(
        &self,
        requester: &Requester,
        name: &ProviderName,
    ) -> Result<IdentityProvider, ChangeError> {
        let found = self.store.find_identity_provider(&requester.account, name);
        found.await?.ok_or_else(|| ChangeError::Unknown {
            kind: "identity provider",
            name: name.to_string(),
        })
    }

    fn with_secret(
        &self,
        provider: IdentityProvider,
        client_secret: &str,
    ) -> Result<IdentityProvider, ChangeError> {
        if client_secret.is_empty() {
            return Ok(provider);
        }
        let purpose = purpose(&provider);
        let sealed = self
            .context
            .keys
            .seal(&purpose, client_secret.as_bytes(), now() / 1000)?;
        Ok(IdentityProvider {
            secret: Some(ClientSecret::new(sealed)),
            ..provider
        })
    }

    fn updated(
        &self,
        found: IdentityProvider,
        update: ProviderUpdate<'_>,
    ) -> Result<IdentityProvider, ChangeError> {
        let settings = update.settings;
        let provider = IdentityProvider { settings, ..found };
        match update.secret {
            SecretChange::Keep => Ok(provider),
            SecretChange::Remove => Ok(IdentityProvider {
                secret: None,
                ..provider
            }),
            SecretChange::Replace(secret) => self.with_secret(provider, secret),
        }
    }

    /// Reseals client secrets of retired keys, then removes those keys.
    pub(crate) async fn reseal(&self, now: i64) -> Result<(), ResealError> {
        let (keys, now) = (&self.context.keys, now / 1000);
        if !keys.have_former(now)? {
            return Ok(());
        }
        let mut behind = None;
        loop {
            let sealed = self
                .store
                .list_sealed(behind.as_ref(), SEALED_AT_ONCE)
                .await?;
            for provider in &sealed {
                let secret = provider.secret.as_ref();
                let sealed = secret.map(|it| &*it.sealed).unwrap_or_default();
                match keys.reseal(&purpose(provider), sealed, now) {
                    Ok(Some(sealed)) => self.store.reseal(provider, sealed).await?,
                    // What no key opens is lost with or without the former ones, and is said at each sign-in.
                    Ok(None) | Err(SealError::Foreign) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            if sealed.len() < SEALED_AT_ONCE as usize {
                return Ok(keys.forget_former(now)?);
            } else {
                behind = sealed.last().cloned()
            }
        }
    }

    /// Whether a provider answers as one does.
    async fn probe(&self, provider: &IdentityProvider) -> Result<(), ChangeError> {
        let asked: Result<Provider, _> = self.context.providers.of(provider, &self.context.keys);
        let asked = asked.map_err(|error| match error {
            AskError::Provider(error) => unusable(&error),
            AskError::Secret(error) => error.into(),
        })?;
        let challenge = Challenge::generate();
        let url = asked.authorization_url(NOWHERE, &challenge);
        url.await.map(drop).map_err(|error| unusable(&error))
    }
}

fn given(settings: &Settings) -> Vec<RoleName> {
    settings.group_roles.values().flatten().cloned().collect()
}

/// What is wrong with an issuer, in words that tell nothing of the network behind the platform; the log has more.
pub(crate) fn unusable(error: &ProviderError) -> ChangeError {
    tracing::info!(%error, "issuer unavailable");
    ChangeError::Issuer(match error {
        ProviderError::Issuer { .. } | ProviderError::File { .. } => {
            "it must be an https URL of another machine, without query and fragment"
        }
        ProviderError::Certificates(_) => "ca_certificates hold no certificate that can be read",
        ProviderError::Unavailable { .. } => "it does not answer",
        ProviderError::Malformed { .. } => {
            "it does not answer as an OpenID Connect provider of exactly this issuer"
        }
        ProviderError::Unsupported { .. } => "it does not know PKCE with S256",
    })
}
