//! Errors of providers and sign-ins.

use std::{io, path::PathBuf, sync::Arc};

use crate::TokenError;

/// The provider cannot be used. Each message is one line that says what to do.
#[derive(Debug, Clone, thiserror::Error)]
pub enum ProviderError {
    #[error("{flag} {}: {source}", file.display())]
    File {
        flag: &'static str,
        file: PathBuf,
        source: Arc<io::Error>,
    },
    #[error("--oidc-issuer {issuer}: {cause}")]
    Issuer { issuer: String, cause: String },
    #[error("--oidc-ca-file: {0}")]
    Certificates(String),
    #[error("the identity provider {issuer} does not answer: {cause}")]
    Unavailable { issuer: String, cause: String },
    #[error("the identity provider {issuer} answers what is not expected: {cause}")]
    Malformed { issuer: String, cause: String },
    #[error("the identity provider {issuer} has no {what}")]
    Unsupported { issuer: String, what: &'static str },
}

/// Somebody is not signed in.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    #[error(transparent)]
    Provider(#[from] ProviderError),
    /// The provider's error code only: what it writes beside is not passed on to people.
    #[error("the identity provider refused: {0}")]
    Refused(Refusal),
    /// Nobody was asked.
    #[error("the code is not of this identity provider, by what the browser brought with it")]
    Sender,
    #[error(transparent)]
    Token(#[from] TokenError),
}

/// The error codes of OAuth 2.0 that a person can meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("the code is used up or over its time; sign in again")]
    InvalidGrant,
    #[error("it does not know this client, or its secret is wrong; check --oidc-client-id")]
    InvalidClient,
    #[error("access was denied")]
    AccessDenied,
    #[error("the device code is over its time; sign in again")]
    ExpiredToken,
    #[error("it does not like the request; its own log says why")]
    Other,
}

impl Refusal {
    pub(crate) fn of(code: &str) -> Self {
        match code {
            "invalid_grant" => Self::InvalidGrant,
            "invalid_client" | "unauthorized_client" => Self::InvalidClient,
            "access_denied" => Self::AccessDenied,
            "expired_token" => Self::ExpiredToken,
            _ => Self::Other,
        }
    }
}
