//! Tokens of a GitHub App: a signed request once an hour, renewed early. The private key never leaves.

use std::{
    fmt,
    time::{Duration, SystemTime},
};

use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::sync::Mutex;

use crate::{
    ProviderError, Secret,
    http::{Answer, Authorization, Call, HttpClient},
};

/// Renewed when less than this is left.
const EARLY: Duration = Duration::from_secs(300);
/// Lifetime of the signed request; GitHub accepts ten minutes.
const REQUEST: u64 = 540;
/// Seconds by which the signed request is dated back, for clocks that differ a little.
const BACKDATED: u64 = 60;
/// Difference of clocks in seconds beyond which GitHub's refusal is explained by it.
const SKEW: i64 = 30;

/// An installation of a GitHub App.
#[derive(Debug, Clone)]
pub struct App {
    /// Number or client id of the App.
    pub id: String,
    pub installation: u64,
    /// PEM file that GitHub made.
    pub private_key: Secret,
}

/// Current token of an installation.
pub(crate) struct AppTokens {
    id: String,
    installation: u64,
    key: EncodingKey,
    current: Mutex<Option<Token>>,
}

struct Token {
    authorization: Authorization,
    until: SystemTime,
}

#[derive(Serialize)]
struct Claims<'a> {
    iss: &'a str,
    iat: u64,
    exp: u64,
}

#[derive(Deserialize)]
struct Issued {
    token: String,
    /// As in `2026-11-28T18:00:00Z`.
    expires_at: String,
}

impl fmt::Debug for AppTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AppTokens")
            .field("id", &self.id)
            .field("installation", &self.installation)
            .finish_non_exhaustive()
    }
}

impl AppTokens {
    pub(crate) fn new(app: &App) -> Result<Self, ProviderError> {
        let pem = app.private_key.expose().as_bytes();
        Ok(Self {
            id: app.id.clone(),
            installation: app.installation,
            key: EncodingKey::from_rsa_pem(pem).map_err(|_| ProviderError::InvalidKey)?,
            current: Mutex::new(None),
        })
    }

    /// A token that is good for minutes; callers that need a new one share the request for it.
    pub(crate) async fn current(&self, http: &HttpClient) -> Result<Authorization, ProviderError> {
        let mut current = self.current.lock().await;
        let now = SystemTime::now();
        let valid = current.as_ref().filter(|token| token.until > now + EARLY);
        if let Some(token) = valid {
            return Ok(token.authorization.clone());
        }
        let token = self.request(http, now).await?;
        let authorization = token.authorization.clone();
        *current = Some(token);
        Ok(authorization)
    }

    async fn request(&self, http: &HttpClient, now: SystemTime) -> Result<Token, ProviderError> {
        let signed = Authorization::new("authorization", "Bearer ", &self.sign(now)?);
        let installation = self.installation.to_string();
        let path = ["app", "installations", &installation, "access_tokens"];
        let answer = http.send(Call::post(&path, json!({})), &signed).await?;
        if let Some(skew) = skew(&answer) {
            return Err(skew);
        }
        let what = format!("installation {installation} of the App");
        let issued: Issued = answer.check(&what)?.json()?;
        let until: jiff::Timestamp = issued
            .expires_at
            .parse()
            .map_err(|_| http.malformed("a token without a readable end"))?;
        Ok(Token {
            authorization: Authorization::new(
                "authorization",
                "Bearer ",
                &Secret::new(&issued.token),
            ),
            until: until.into(),
        })
    }

    fn sign(&self, now: SystemTime) -> Result<Secret, ProviderError> {
        let since = now.duration_since(SystemTime::UNIX_EPOCH);
        let now = since.unwrap_or_default().as_secs();
        let claims = Claims {
            iss: &self.id,
            iat: now.saturating_sub(BACKDATED),
            exp: now + REQUEST,
        };
        let signed = encode(&Header::new(Algorithm::RS256), &claims, &self.key);
        let signed = signed.map_err(|_| ProviderError::InvalidKey)?;
        Ok(Secret::new(&signed))
    }
}

/// GitHub refuses a request from the future, and one that is too old.
fn skew(answer: &Answer) -> Option<ProviderError> {
    let seconds = answer.clock_skew()?;
    let is_skewed = answer.status.as_u16() == 401 && seconds.abs() > SKEW;
    is_skewed.then_some(ProviderError::ClockSkew {
        provider: answer.provider,
        seconds,
    })
}
