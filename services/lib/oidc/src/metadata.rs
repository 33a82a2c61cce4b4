//! What a provider says of itself.

use reqwest::Url;
use serde::Deserialize;

use crate::{ProviderError, http::Http};

const PATH: &str = "/.well-known/openid-configuration";

/// The provider's addresses, each checked to be safe.
#[derive(Debug, Clone)]
pub(crate) struct Metadata {
    pub(crate) authorization: Url,
    pub(crate) token: Url,
    pub(crate) keys: Url,
    pub(crate) device: Option<Url>,
    /// True if browsers that it sends back say where they come from.
    pub(crate) names_itself: bool,
}

#[derive(Deserialize)]
struct Document {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    #[serde(default)]
    device_authorization_endpoint: Option<String>,
    #[serde(default)]
    code_challenge_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

/// Asks. The document must name exactly the issuer that was asked.
pub(crate) async fn discover(http: &Http) -> Result<Metadata, ProviderError> {
    let address = format!("{}{PATH}", http.issuer().trim_end_matches('/'));
    let url = Url::parse(&address).map_err(|error| http.malformed(error.to_string()))?;
    let document: Document = http.get(&url).await?;
    if document.issuer != http.issuer() {
        return Err(http.malformed("its document names another issuer"));
    }
    if let Some(methods) = &document.code_challenge_methods_supported
        && !methods.iter().any(|method| method == "S256")
    {
        return Err(ProviderError::Unsupported {
            issuer: http.issuer().to_owned(),
            what: "PKCE with S256",
        });
    }
    let endpoint = |text: &str| endpoint(http, text);
    let device = document.device_authorization_endpoint.as_deref();
    Ok(Metadata {
        authorization: endpoint(&document.authorization_endpoint)?,
        token: endpoint(&document.token_endpoint)?,
        keys: endpoint(&document.jwks_uri)?,
        device: device.map(endpoint).transpose()?,
        names_itself: document.authorization_response_iss_parameter_supported,
    })
}

fn endpoint(http: &Http, text: &str) -> Result<Url, ProviderError> {
    let url = Url::parse(text).map_err(|error| http.malformed(format!("{text}: {error}")))?;
    let reach = http.reach();
    if reach.allows(&url) {
        Ok(url)
    } else {
        Err(http.malformed(format!("{url}: {}", reach.text())))
    }
}
