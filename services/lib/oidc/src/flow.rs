//! The code flow with PKCE.

use reqwest::{RequestBuilder, Url};
use serde::Deserialize;

use crate::{
    Claims, ExpectedClaims, Provider, RandomToken, SignInError,
    error::{ProviderError, Refusal},
    http::BoundedResponse,
};

/// Secrets of one sign-in: state, nonce and PKCE verifier. The client that started it stores them until the callback.
#[derive(Debug, Clone)]
pub struct Challenge {
    /// Comes back with the code.
    pub state: RandomToken,
    /// Comes back in the ID token.
    pub nonce: RandomToken,
    /// Proves at the end that it is who began.
    pub verifier: RandomToken,
}

/// Authorization code to be exchanged.
#[derive(Debug, Clone, Copy)]
pub struct CodeExchange<'a> {
    pub code: &'a str,
    /// The field `iss` that came with the code, where one did.
    pub issuer: Option<&'a str>,
    /// The same as at the beginning.
    pub redirect_uri: &'a str,
    pub challenge: &'a Challenge,
    /// Seconds since 1970.
    pub now: u64,
}

/// What the token endpoint answers.
#[derive(Deserialize)]
pub(crate) struct Tokens {
    pub(crate) id_token: String,
    #[serde(default)]
    pub(crate) access_token: Option<String>,
}

/// How the token endpoint says no.
#[derive(Deserialize)]
pub(crate) struct ErrorDocument {
    pub(crate) error: String,
}

impl Challenge {
    #[must_use]
    pub fn generate() -> Self {
        Self {
            state: RandomToken::generate(),
            nonce: RandomToken::generate(),
            verifier: RandomToken::generate(),
        }
    }
}

impl Provider {
    /// Where a person's browser is to be sent.
    ///
    /// # Errors
    /// The provider does not answer.
    pub async fn authorization_url(
        &self,
        redirect_uri: &str,
        challenge: &Challenge,
    ) -> Result<Url, ProviderError> {
        let mut url = self.metadata().await?.authorization.clone();
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.config().client_id)
            .append_pair("redirect_uri", redirect_uri)
            .append_pair("scope", &self.scope())
            .append_pair("state", challenge.state.expose())
            .append_pair("nonce", challenge.nonce.expose())
            .append_pair("code_challenge", &challenge.verifier.challenge())
            .append_pair("code_challenge_method", "S256");
        Ok(url)
    }

    /// Turns a code into what the provider says of the person.
    ///
    /// # Errors
    /// The code is another provider's, the provider refuses it, or its token is not believed.
    pub async fn redeem(&self, redeem: &CodeExchange<'_>) -> Result<Claims, SignInError> {
        let metadata = self.metadata().await?;
        self.check_sender(redeem.issuer, metadata.names_itself)?;
        let url = metadata.token.clone();
        let form = [
            ("grant_type", "authorization_code"),
            ("code", redeem.code),
            ("redirect_uri", redeem.redirect_uri),
            ("code_verifier", redeem.challenge.verifier.expose()),
        ];
        let answer = self.http().send(self.post(url, &form)).await?;
        let tokens: Tokens = self.tokens(&answer)?;
        let nonce = Some(redeem.challenge.nonce.expose());
        self.believe(&tokens, nonce, redeem.now).await
    }

    /// Whether a code was given by this provider, as far as it says: another one's must not be shown to this one (RFC 9207).
    fn check_sender(&self, told: Option<&str>, names_itself: bool) -> Result<(), SignInError> {
        let own = match told {
            Some(issuer) => issuer == self.config().issuer,
            None => !names_itself,
        };
        if own {
            Ok(())
        } else {
            Err(SignInError::Sender)
        }
    }

    /// Checks what the token endpoint gave.
    pub(crate) async fn believe(
        &self,
        tokens: &Tokens,
        nonce: Option<&str>,
        now: u64,
    ) -> Result<Claims, SignInError> {
        let expected = ExpectedClaims {
            issuer: &self.config().issuer,
            audience: &self.config().client_id,
            client: Some(&self.config().client_id),
            nonce,
            access_token: tokens.access_token.as_deref(),
            now,
        };
        self.verify(&tokens.id_token, &expected).await
    }

    pub(crate) fn scope(&self) -> String {
        let own = std::iter::once("openid");
        let further = self.config().scopes.iter().map(String::as_str);
        own.chain(further).collect::<Vec<_>>().join(" ")
    }

    /// A form with the client's own credentials.
    pub(crate) fn post(&self, url: Url, form: &[(&str, &str)]) -> RequestBuilder {
        let config = self.config();
        let mut fields = form.to_vec();
        let request = self.http().client().post(url);
        match &config.client_secret {
            // The standard has both encoded before they are joined.
            Some(secret) => request
                .basic_auth(encoded(&config.client_id), Some(encoded(secret)))
                .form(&fields),
            None => {
                fields.push(("client_id", &config.client_id));
                request.form(&fields)
            }
        }
    }

    fn tokens(&self, answer: &BoundedResponse) -> Result<Tokens, SignInError> {
        if answer.status.is_success() {
            return Ok(self.http().read(answer)?);
        }
        Err(SignInError::Refused(self.refusal(answer)?))
    }

    pub(crate) fn refusal(&self, answer: &BoundedResponse) -> Result<Refusal, ProviderError> {
        if answer.status.is_server_error() {
            return Err(self.http().malformed(answer.status.to_string()));
        }
        let document: ErrorDocument = self.http().read(answer)?;
        Ok(Refusal::of(&document.error))
    }
}

/// As forms have it.
fn encoded(text: &str) -> String {
    form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use reqwest::header::AUTHORIZATION;

    use crate::{Provider, ProviderConfig};

    #[test]
    fn a_client_shows_its_secret_encoded_as_a_form_has_it() {
        let mut config = ProviderConfig::public("http://127.0.0.1:1", "a:b");
        config.client_secret = Some("p%s+ä".to_owned());
        let provider = Provider::new(config).unwrap();
        let url = "http://127.0.0.1:1/token".parse().unwrap();
        let request = provider.post(url, &[]).build().unwrap();
        // Base64 of "a%3Ab:p%25s%2B%C3%A4".
        let expected = "Basic YSUzQWI6cCUyNXMlMkIlQzMlQTQ=";
        assert_eq!(request.headers()[AUTHORIZATION], expected);
    }
}
