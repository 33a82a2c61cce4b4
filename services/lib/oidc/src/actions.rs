//! The ID token of a job of GitHub Actions, which the job has to ask for.

use reqwest::Url;
use serde::Deserialize;

use crate::{
    ProviderError,
    http::{AddressPolicy, Http},
};

/// How errors call it: the address of the request holds nothing that says more.
const NAME: &str = "GitHub Actions";

#[derive(Deserialize)]
struct Document {
    value: String,
}

/// Asks at the address, and by the token, that the job has in its environment, for an ID token with an audience.
///
/// # Errors
/// The address may not be used, nothing answers there, or the answer is no token.
pub async fn actions_token(
    request_url: &str,
    request_token: &str,
    audience: &str,
) -> Result<String, ProviderError> {
    let http = Http::new(NAME, None, AddressPolicy::Loopback)?;
    let url = Url::parse(request_url)
        .ok()
        .filter(|url| http.reach().allows(url));
    let mut url =
        url.ok_or_else(|| http.malformed("its address is neither https nor on loopback"))?;
    url.query_pairs_mut().append_pair("audience", audience);
    let request = http.client().get(url).bearer_auth(request_token);
    let answer = http.send(request).await?;
    if !answer.status.is_success() {
        return Err(http.malformed(answer.status.to_string()));
    }
    let document: Document = http.read(&answer)?;
    Ok(document.value)
}
