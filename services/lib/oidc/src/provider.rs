//! A provider as it is held: its metadata and keys are asked for when they are needed, and again when they are old.

use std::{sync::Arc, time::Duration};

use crate::{
    Claims, ExpectedClaims, ProviderConfig, ProviderError, SignInError,
    cached::Cached,
    http::Http,
    keys::Keys,
    metadata::{self, Metadata},
    token,
};

const METADATA_FRESH: Duration = Duration::from_secs(60 * 60);

/// An OpenID Connect provider. Cheap to clone; asks nothing until it is needed.
#[derive(Debug, Clone)]
pub struct Provider(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: ProviderConfig,
    http: Http,
    metadata: Cached<Metadata>,
    keys: Keys,
}

impl Provider {
    /// Creates a client from its configuration without a connection.
    ///
    /// # Errors
    /// The issuer is no URL that may be used, or the certificates cannot be read.
    pub fn new(config: ProviderConfig) -> Result<Self, ProviderError> {
        config.url()?;
        let http = Http::new(&config.issuer, config.ca.as_deref(), config.reach)?;
        Ok(Self(Arc::new(Inner {
            config,
            http,
            metadata: Cached::default(),
            keys: Keys::default(),
        })))
    }

    pub fn config(&self) -> &ProviderConfig {
        &self.0.config
    }

    /// Checks a token of this provider.
    ///
    /// # Errors
    /// It is not believed, or the provider's keys cannot be had.
    pub async fn verify(
        &self,
        token: &str,
        expected: &ExpectedClaims<'_>,
    ) -> Result<Claims, SignInError> {
        let kid = token::key_id(token)?;
        let metadata = self.metadata().await?;
        let keys = self.0.keys.with(&kid, &self.0.http, &metadata).await?;
        Ok(token::verify(token, &keys, expected)?)
    }

    pub(crate) fn http(&self) -> &Http {
        &self.0.http
    }

    pub(crate) async fn metadata(&self) -> Result<Arc<Metadata>, ProviderError> {
        let serves = |_: &Metadata, age: Duration| age < METADATA_FRESH;
        let ask = metadata::discover(&self.0.http);
        self.0.metadata.get(serves, ask).await
    }
}
