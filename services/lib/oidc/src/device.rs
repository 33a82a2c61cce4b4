//! The device flow: for a terminal without a browser beside it.

use std::time::Duration;

use reqwest::Url;
use serde::Deserialize;

use crate::{
    Claims, Provider, RandomToken, SignInError,
    error::{ProviderError, Refusal},
    flow::{ErrorDocument, Tokens},
};

const GRANT: &str = "urn:ietf:params:oauth:grant-type:device_code";
/// The provider's own wishes are kept within these.
const SHORTEST_INTERVAL: Duration = Duration::from_secs(1);
const LONGEST_INTERVAL: Duration = Duration::from_secs(60);
const LONGEST_LIFE: Duration = Duration::from_secs(30 * 60);
/// In bytes: what is longer is none that people type, open or keep.
const LONGEST_DEVICE_CODE: usize = 1024;
const LONGEST_USER_CODE: usize = 64;
const LONGEST_PAGE: usize = 1024;

/// A sign-in that a person goes on with elsewhere.
#[derive(Debug, Clone)]
pub struct DeviceSignIn {
    /// Secret; never displayed.
    pub device_code: RandomToken,
    /// What the person types there.
    pub user_code: String,
    /// Where.
    pub verification_uri: String,
    /// The same with the code in it.
    pub verification_uri_complete: Option<String>,
    /// How long it is good.
    pub expires_in: Duration,
    /// How long to wait between questions.
    pub interval: Duration,
}

/// Progress of the sign-in.
#[derive(Debug)]
pub enum PollResult {
    /// The person is not done.
    Pending,
    /// The person is not done, and was asked for too often.
    SlowDown,
    /// Who it is.
    Done(Claims),
}

#[derive(Deserialize)]
struct Document {
    device_code: String,
    user_code: String,
    verification_uri: String,
    #[serde(default)]
    verification_uri_complete: Option<String>,
    expires_in: u64,
    #[serde(default)]
    interval: Option<u64>,
}

impl Provider {
    /// Begins a sign-in on another device.
    ///
    /// # Errors
    /// The provider does not have this flow, refuses, or does not answer.
    pub async fn start_device(&self) -> Result<DeviceSignIn, SignInError> {
        let metadata = self.metadata().await?;
        let url = metadata.device.clone();
        let url = url.ok_or_else(|| ProviderError::Unsupported {
            issuer: self.config().issuer.clone(),
            what: "device flow",
        })?;
        let scope = self.scope();
        let request = self.post(url, &[("scope", scope.as_str())]);
        let answer = self.http().send(request).await?;
        if !answer.status.is_success() {
            return Err(SignInError::Refused(self.refusal(&answer)?));
        }
        let document: Document = self.http().read(&answer)?;
        if document.is_usable() {
            Ok(document.into())
        } else {
            Err(self
                .http()
                .malformed("no page or code that could be shown")
                .into())
        }
    }

    /// Asks once whether the person is done. `now` is in seconds since 1970.
    ///
    /// # Errors
    /// The person refused, the time is over, or the token is not believed.
    pub async fn poll_device(
        &self,
        device_code: &RandomToken,
        now: u64,
    ) -> Result<PollResult, SignInError> {
        let url = self.metadata().await?.token.clone();
        let form = [("grant_type", GRANT), ("device_code", device_code.expose())];
        let answer = self.http().send(self.post(url, &form)).await?;
        if answer.status.is_success() {
            let tokens: Tokens = self.http().read(&answer)?;
            return Ok(PollResult::Done(self.believe(&tokens, None, now).await?));
        }
        let document: ErrorDocument = self.http().read(&answer)?;
        match document.error.as_str() {
            "authorization_pending" => Ok(PollResult::Pending),
            "slow_down" => Ok(PollResult::SlowDown),
            other => Err(SignInError::Refused(Refusal::of(other))),
        }
    }
}

impl Document {
    /// True if people can be shown it and a client can keep it.
    fn is_usable(&self) -> bool {
        let shown = |text: &str, longest: usize| {
            (1..=longest).contains(&text.len()) && !text.chars().any(char::is_control)
        };
        let page = |text: &str| {
            let url = text.parse::<Url>();
            shown(text, LONGEST_PAGE)
                && url.is_ok_and(|url| matches!(url.scheme(), "https" | "http"))
        };
        shown(&self.device_code, LONGEST_DEVICE_CODE)
            && shown(&self.user_code, LONGEST_USER_CODE)
            && page(&self.verification_uri)
            && self.verification_uri_complete.as_deref().is_none_or(page)
    }
}

impl From<Document> for DeviceSignIn {
    fn from(document: Document) -> Self {
        let interval = Duration::from_secs(document.interval.unwrap_or(5));
        Self {
            device_code: RandomToken::from_text(document.device_code),
            user_code: document.user_code,
            verification_uri: document.verification_uri,
            verification_uri_complete: document.verification_uri_complete,
            expires_in: Duration::from_secs(document.expires_in).min(LONGEST_LIFE),
            interval: interval.clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Document, LONGEST_DEVICE_CODE};

    fn document() -> Document {
        Document {
            device_code: "code".to_owned(),
            user_code: "ABCD-EFGH".to_owned(),
            verification_uri: "https://dex.example.com/device".to_owned(),
            verification_uri_complete: None,
            expires_in: 300,
            interval: None,
        }
    }

    #[test]
    fn what_a_provider_has_people_open_and_type_is_a_page_and_a_short_text() {
        assert!(document().is_usable());
        for bad in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "",
            "/device",
            "https://dex.example.com/\u{1b}[2J",
        ] {
            let bad = bad.to_owned();
            let complete = Document {
                verification_uri_complete: Some(bad.clone()),
                ..document()
            };
            assert!(!complete.is_usable(), "{bad:?}");
            let page = Document {
                verification_uri: bad.clone(),
                ..document()
            };
            assert!(!page.is_usable(), "{bad:?}");
        }
        for code in ["", "A\r\nB", &"A".repeat(100)] {
            let user_code = code.to_owned();
            let typed = Document {
                user_code,
                ..document()
            };
            assert!(!typed.is_usable(), "{code:?}");
        }
        let long = Document {
            device_code: "a".repeat(LONGEST_DEVICE_CODE + 1),
            ..document()
        };
        assert!(!long.is_usable());
    }
}
