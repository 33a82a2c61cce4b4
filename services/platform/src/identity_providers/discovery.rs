//! Cache of OpenID Connect clients with their discovery documents and keys.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use causeway_oidc::{AddressPolicy, Provider, ProviderConfig, ProviderError};

use crate::{
    identity_providers::model::IdentityProvider,
    secret::sha256,
    sign_in::sealing::{SealError, SealingKeys},
};

const MOST_HELD: usize = 500;

/// All that were asked.
#[derive(Debug)]
pub(crate) struct Providers {
    reach: AddressPolicy,
    held: Mutex<HashMap<[u8; 32], Provider>>,
}

/// Why a provider cannot be asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AskError {
    #[error(transparent)]
    Provider(#[from] ProviderError),
    #[error("the client secret")]
    Secret(#[from] SealError),
}

impl Providers {
    /// Those that are within reach.
    pub(crate) fn new(reach: AddressPolicy) -> Self {
        let held = Mutex::default();
        Self { reach, held }
    }

    /// The provider of an account.
    pub(crate) fn of(
        &self,
        provider: &IdentityProvider,
        keys: &SealingKeys,
    ) -> Result<Provider, AskError> {
        let secret = provider.secret.as_ref();
        let secret = secret.map(|it| keys.unseal(&purpose(provider), &it.sealed));
        let secret = secret.transpose()?;
        let settings = &provider.settings;
        let ca = Some(settings.ca.as_bytes()).filter(|ca| !ca.is_empty());
        Ok(self.hold(ProviderConfig {
            issuer: provider.issuer.clone(),
            client_id: settings.client_id.clone(),
            client_secret: secret.map(|secret| String::from_utf8_lossy(&secret).into_owned()),
            scopes: settings.scopes.clone(),
            ca: ca.map(<[u8]>::to_vec),
            reach: self.reach,
        })?)
    }

    /// An issuer whose tokens a service account trusts.
    pub(crate) fn of_issuer(&self, issuer: &str) -> Result<Provider, ProviderError> {
        self.hold(ProviderConfig {
            reach: self.reach,
            ..ProviderConfig::public(issuer, "")
        })
    }

    fn hold(&self, config: ProviderConfig) -> Result<Provider, ProviderError> {
        let key = fingerprint(&config);
        let lock = || self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(provider) = lock().get(&key) {
            return Ok(provider.clone());
        }
        let provider = Provider::new(config)?;
        let mut held = lock();
        if held.len() >= MOST_HELD {
            held.clear();
        }
        Ok(held.entry(key).or_insert(provider).clone())
    }
}

/// What a provider's client secret is sealed for: no other provider opens it.
pub(crate) fn purpose(provider: &IdentityProvider) -> String {
    let (account, name, issuer) = (&provider.account, &provider.provider, &provider.issuer);
    format!("causeway-client-secret-v1\0{account}\0{name}\0{issuer}")
}

fn fingerprint(config: &ProviderConfig) -> [u8; 32] {
    let text = (
        &config.issuer,
        &config.client_id,
        &config.client_secret,
        &config.scopes,
        &config.ca,
    );
    let text = serde_json::to_vec(&text).expect("they are texts and bytes");
    sha256(&text)
}
