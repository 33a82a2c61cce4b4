//! The flags that name a provider.

use std::path::PathBuf;

use reqwest::Url;

use crate::{ProviderError, http::AddressPolicy};

/// Which OpenID Connect provider signs people in; without an issuer there is none.
#[derive(clap::Args, Debug, Clone, Default)]
pub struct ProviderArgs {
    /// The provider's issuer URL, exactly as it writes it, for example https://dex.example.com
    #[arg(long, env = "CAUSEWAY_OIDC_ISSUER", value_name = "URL")]
    pub oidc_issuer: Option<String>,
    /// The client id that the provider knows Causeway by
    #[arg(
        long,
        env = "CAUSEWAY_OIDC_CLIENT_ID",
        value_name = "ID",
        default_value = "causeway"
    )]
    pub oidc_client_id: String,
    /// A file with the client secret; without it Causeway is a public client, which PKCE makes safe
    #[arg(long, env = "CAUSEWAY_OIDC_CLIENT_SECRET_FILE", value_name = "FILE")]
    pub oidc_client_secret_file: Option<PathBuf>,
    /// What to ask for beside openid
    #[arg(
        long,
        env = "CAUSEWAY_OIDC_SCOPES",
        value_name = "SCOPE",
        value_delimiter = ',',
        default_value = "profile,email,groups"
    )]
    pub oidc_scopes: Vec<String>,
    /// The claim that names a user: it must never pass to another person; sub is always safe
    #[arg(
        long,
        env = "CAUSEWAY_OIDC_USER_CLAIM",
        value_name = "CLAIM",
        default_value = "email"
    )]
    pub oidc_user_claim: String,
    /// The claim that lists the user's groups
    #[arg(
        long,
        env = "CAUSEWAY_OIDC_GROUPS_CLAIM",
        value_name = "CLAIM",
        default_value = "groups"
    )]
    pub oidc_groups_claim: String,
    /// A file with the certificates, as PEM, that vouch for the provider
    #[arg(long, env = "CAUSEWAY_OIDC_CA_FILE", value_name = "FILE")]
    pub oidc_ca_file: Option<PathBuf>,
}

/// A provider, and who we are to it.
#[derive(Clone)]
pub struct ProviderConfig {
    /// As the provider writes it: tokens must name exactly this.
    pub issuer: String,
    pub client_id: String,
    /// Absent for a public client.
    pub client_secret: Option<String>,
    /// Beside `openid`.
    pub scopes: Vec<String>,
    /// PEM; absent for the system's certificates.
    pub ca: Option<Vec<u8>>,
    /// Where it may be.
    pub reach: AddressPolicy,
}

impl ProviderArgs {
    /// The provider that the flags name, if they name one. Reads the files.
    ///
    /// # Errors
    /// A file cannot be read, or the issuer is no URL that may be used.
    pub fn config(&self) -> Result<Option<ProviderConfig>, ProviderError> {
        let Some(issuer) = &self.oidc_issuer else {
            return Ok(None);
        };
        let read = |flag, file: &Option<PathBuf>| {
            let text = file.as_ref().map(std::fs::read);
            text.transpose().map_err(|source| ProviderError::File {
                flag,
                file: file.clone().unwrap_or_default(),
                source: source.into(),
            })
        };
        let secret = read("--oidc-client-secret-file", &self.oidc_client_secret_file)?;
        let config = ProviderConfig {
            issuer: issuer.clone(),
            client_id: self.oidc_client_id.clone(),
            client_secret: secret.map(|text| String::from_utf8_lossy(&text).trim().to_owned()),
            scopes: self.oidc_scopes.clone(),
            ca: read("--oidc-ca-file", &self.oidc_ca_file)?,
            reach: AddressPolicy::Loopback,
        };
        config.url().map(|_| Some(config))
    }
}

impl ProviderConfig {
    /// A public client of an issuer with the usual scopes.
    #[must_use]
    pub fn public(issuer: impl Into<String>, client_id: impl Into<String>) -> Self {
        Self {
            issuer: issuer.into(),
            client_id: client_id.into(),
            client_secret: None,
            scopes: ["profile", "email", "groups"].map(str::to_owned).to_vec(),
            ca: None,
            reach: AddressPolicy::Loopback,
        }
    }

    pub(crate) fn url(&self) -> Result<Url, ProviderError> {
        let refused = |cause: &str| ProviderError::Issuer {
            issuer: self.issuer.clone(),
            cause: cause.to_owned(),
        };
        let url = Url::parse(&self.issuer).map_err(|error| refused(&error.to_string()))?;
        if !self.reach.allows(&url) {
            return Err(refused(self.reach.text()));
        }
        if url.query().is_some() || url.fragment().is_some() {
            Err(refused("an issuer has no query and no fragment"))
        } else {
            Ok(url)
        }
    }
}

impl std::fmt::Debug for ProviderConfig {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut text = f.debug_struct("ProviderConfig");
        text.field("issuer", &self.issuer);
        text.field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}
