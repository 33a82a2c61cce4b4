//! State of a pending sign-in, sealed and kept by the client. The platform stores nothing, so pending sign-ins use no space.
//!
//! The client proves that it started the sign-in by the verifier of the sealed challenge.

use aws_lc_rs::constant_time::verify_slices_are_equal;
use base64::{Engine as _, prelude::BASE64_URL_SAFE_NO_PAD};
use causeway_oidc::Url;
use causeway_proto::ids::{AccountId, ProviderName};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    secret::sha256,
    sign_in::sealing::{SealError, SealingKeys},
};

/// How long a sign-in may take, in milliseconds.
pub(crate) const LIFE: i64 = 10 * 60 * 1000;
/// Longer states are none of ours, in bytes.
pub(crate) const LONGEST_STATE: usize = 4096;
const LONGEST_REDIRECT: usize = 512;
/// Where routers have a page for each account and provider.
const ROUTERS: &str = "/auth/callback/";
/// Where programs on a person's machine have theirs.
const PROGRAMS: &str = "/callback/";

/// Sign-in that has begun, bound to the client that began it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PendingSignIn {
    pub account: AccountId,
    pub provider: ProviderName,
    /// The provider's issuer: another one by its id knows nothing of this sign-in.
    pub issuer: String,
    /// The SHA-256 of the client's verifier.
    pub challenge: [u8; 32],
    /// In milliseconds since 1970.
    pub until: i64,
}

/// A sign-in with a browser.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ByBrowser {
    pub begun: PendingSignIn,
    pub redirect_uri: String,
    /// Must be in the ID token.
    pub nonce: String,
    /// For the provider alone.
    pub verifier: String,
}

/// A sign-in on another device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ByDevice {
    pub begun: PendingSignIn,
    pub device_code: String,
    /// In seconds.
    pub interval: u32,
}

/// A kind of sign-in.
pub(crate) trait State: Serialize + DeserializeOwned {
    /// What it is sealed for.
    const PURPOSE: &'static str;

    /// Which one it is.
    fn begun(&self) -> &PendingSignIn;
}

impl State for ByBrowser {
    const PURPOSE: &'static str = "causeway-sign-in-by-browser-v1";

    fn begun(&self) -> &PendingSignIn {
        &self.begun
    }
}

impl State for ByDevice {
    const PURPOSE: &'static str = "causeway-sign-in-by-device-v1";

    fn begun(&self) -> &PendingSignIn {
        &self.begun
    }
}

/// Why a sign-in does not go on. Which of its checks failed is not told.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StateError {
    #[error("the sign-in has expired or was started elsewhere: start again")]
    Invalid,
    #[error(transparent)]
    Seal(SealError),
}

/// Why a browser is not sent back to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RedirectError {
    #[error("no URL, or longer than {LONGEST_REDIRECT} bytes")]
    Form,
    #[error(
        "neither http on loopback, such as http://127.0.0.1:8085/callback, nor /auth/callback/ACCOUNT/PROVIDER of this very sign-in below the platform's --public-url"
    )]
    Elsewhere,
}

/// Seals a state into a text for its client.
pub(crate) fn seal<S: State>(keys: &SealingKeys, state: &S, now: i64) -> Result<String, SealError> {
    let json = serde_json::to_vec(state).expect("it is made of texts and numbers");
    let sealed = keys.seal(S::PURPOSE, &json, now / 1000)?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode(sealed))
}

/// Opens a state if its verifier is presented in time.
pub(crate) fn open<S: State>(
    keys: &SealingKeys,
    text: &str,
    verifier: &str,
    now: i64,
) -> Result<S, StateError> {
    let sealed = (text.len() <= LONGEST_STATE).then(|| BASE64_URL_SAFE_NO_PAD.decode(text));
    let sealed = sealed.and_then(Result::ok).ok_or(StateError::Invalid)?;
    let json = match keys.unseal_fresh(S::PURPOSE, &sealed, now / 1000) {
        Ok(json) => json,
        Err(SealError::Foreign) => return Err(StateError::Invalid),
        Err(error) => return Err(StateError::Seal(error)),
    };
    let state: S = serde_json::from_slice(&json).map_err(|_| StateError::Invalid)?;
    let shown = sha256(verifier.as_bytes());
    let same = verify_slices_are_equal(&shown, &state.begun().challenge).is_ok();
    if same && is_verifier(verifier) && now < state.begun().until {
        Ok(state)
    } else {
        Err(StateError::Invalid)
    }
}

/// The digest in a challenge.
pub(crate) fn challenge(text: &str) -> Option<[u8; 32]> {
    let bytes = (text.len() == 43).then(|| BASE64_URL_SAFE_NO_PAD.decode(text));
    bytes.and_then(Result::ok)?.try_into().ok()
}

fn is_verifier(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    (43..=128).contains(&text.len()) && text.bytes().all(plain)
}

/// Where a browser may be sent back to: this very machine, or the platform itself.
///
/// Each provider has a page of its own there. A code that one of them gives never arrives where a sign-in by another one is waited
/// for, whatever the sender made of the way.
pub(crate) fn check_redirect(
    text: &str,
    begun: &PendingSignIn,
    public: Option<&Url>,
) -> Result<Url, RedirectError> {
    // What a parser would repair, another one may read differently.
    let odd = |letter: char| letter.is_whitespace() || letter.is_control() || letter == '\\';
    if text.len() > LONGEST_REDIRECT || text.contains(odd) {
        return Err(RedirectError::Form);
    }
    let url = Url::parse(text).map_err(|_| RedirectError::Form)?;
    let bare = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
    if bare && (begun.is_here(&url) || public.is_some_and(|public| begun.is_at(public, &url))) {
        Ok(url)
    } else {
        Err(RedirectError::Elsewhere)
    }
}

impl PendingSignIn {
    /// True if it is this sign-in's page of the router at an address.
    fn is_at(&self, public: &Url, url: &Url) -> bool {
        let folder = public.path().trim_end_matches('/');
        let own = format!("{folder}{ROUTERS}{}/{}", self.account, self.provider);
        url.origin() == public.origin() && url.path() == own && url.query().is_none()
    }

    /// True if it is a page on loopback, and none of another sign-in.
    fn is_here(&self, url: &Url) -> bool {
        let loopback = matches!(url.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
        let of_a_sign_in = [ROUTERS, PROGRAMS]
            .into_iter()
            .find_map(|folder| url.path().strip_prefix(folder));
        let own = format!("{}/{}", self.account, self.provider);
        loopback && url.scheme() == "http" && of_a_sign_in.is_none_or(|page| page == own)
    }
}

#[cfg(test)]
mod tests;
