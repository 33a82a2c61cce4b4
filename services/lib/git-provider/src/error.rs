//! Why a call to a provider failed. Each message is one line that says what to do.

use crate::{InvalidName, budget::BudgetState};

/// The reason why a provider did not do something.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ProviderError {
    #[error("API URL: {0}: correct the integration")]
    InvalidUrl(&'static str),
    #[error(transparent)]
    InvalidName(#[from] InvalidName),
    #[error("the private key of the App is unusable: paste the PEM file that GitHub made")]
    InvalidKey,
    #[error(
        "{provider} refused the credential: it is expired, revoked or of another host; renew it in the integration"
    )]
    Unauthorized { provider: &'static str },
    #[error(
        "the clock of this instance is {seconds} s off, so {provider} refused the App's token: synchronize it"
    )]
    ClockSkew {
        provider: &'static str,
        seconds: i64,
    },
    #[error("the credential may not do this ({reason}): give it the right in {provider}")]
    Forbidden {
        provider: &'static str,
        reason: String,
    },
    #[error(
        "{what} is not there, or the credential may not read it: check its name and the rights"
    )]
    NotFound { what: String },
    #[error("{provider} refused the request ({status}: {reason}): correct it")]
    Refused {
        provider: &'static str,
        status: u16,
        reason: String,
    },
    #[error("{provider}: {budget}: repeat the request then")]
    RateLimited {
        provider: &'static str,
        budget: BudgetState,
    },
    #[error("{provider} has moved this to {to}: correct the name or the URL")]
    Moved { provider: &'static str, to: String },
    #[error(
        "{host} answered HTML ({status}): check the API URL, and whether a sign-in page or proxy stands before it"
    )]
    Html { host: String, status: u16 },
    #[error(
        "{host} does not answer as {provider} does: choose its provider, or correct the API URL"
    )]
    OtherProvider {
        host: String,
        provider: &'static str,
    },
    #[error("{provider} is unavailable ({reason}): repeat the request later")]
    Unavailable {
        provider: &'static str,
        reason: String,
    },
    #[error("{what} is larger than {limit} bytes: it cannot be read here")]
    TooLarge { what: String, limit: usize },
    #[error(
        "{provider} answered what it should not ({reason}): report it with the version of {provider}"
    )]
    Malformed {
        provider: &'static str,
        reason: String,
    },
    #[error("{provider} has no {feature}: use another way or another provider")]
    Unsupported {
        provider: &'static str,
        feature: &'static str,
    },
}
