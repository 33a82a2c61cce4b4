//! Errors of sign-in.

use causeway_oidc::{ProviderError, Refusal, SignInError as OidcError};

use crate::{
    audit::AuditError,
    identity_providers::model::{IdentityProvider, PersonError},
    sign_in::{
        model::{RedirectError, StateError},
        sealing::SealError,
    },
    store::StoreError,
    throttle::Throttled,
};

/// Why a sign-in failed. No text comes from outside.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SignInError {
    #[error(transparent)]
    Throttled(#[from] Throttled),
    #[error("identity provider not found in this account")]
    ProviderUnknown,
    #[error("challenge: it must be the SHA-256 of a verifier, 43 characters of base64url")]
    Challenge,
    #[error("redirect_uri: {0}")]
    Redirect(#[from] RedirectError),
    #[error("the sign-in has expired, was started elsewhere or was already used: start again")]
    Invalid,
    #[error(
        "the identity provider does not answer as it should: try again, or have an admin look at the platform's log"
    )]
    Unavailable,
    #[error(
        "what came from the identity provider does not belong to this sign-in: begin again, or have an admin look at the platform's log"
    )]
    Unbelieved,
    #[error("the identity provider has no device flow: sign in with a browser")]
    NoDeviceFlow,
    #[error(transparent)]
    SignInRefusal(#[from] SignInRefusal),
    #[error(transparent)]
    Audit(#[from] AuditError),
    #[error(transparent)]
    Seal(#[from] SealError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reason why an authenticated person or service gets no session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SignInRefusal {
    #[error(transparent)]
    Person(#[from] PersonError),
    #[error("access was denied at the identity provider")]
    AtProvider,
    #[error(
        "you are no user here: have an admin link you to one, or give one of your groups a role"
    )]
    NotLinked,
    #[error("your user is disabled: ask an admin")]
    Disabled,
    #[error(
        "the token is not trusted for this service account, or its issuer does not answer: an admin sees the rules with 'causeway service-account list', and what is wrong with an issuer in the platform's log"
    )]
    NotTrusted,
}

impl SignInError {
    /// True if it counts against the address: what a guess would get, and what no fault of ours is. What any page has a
    /// browser ask for, and what names nothing that is secret, does not: a neighbour must not pay for it.
    pub(crate) fn counts(&self) -> bool {
        match self {
            Self::Invalid | Self::Unbelieved | Self::SignInRefusal(_) => true,
            Self::ProviderUnknown
            | Self::Challenge
            | Self::Redirect(_)
            | Self::Throttled(_)
            | Self::Unavailable
            | Self::NoDeviceFlow
            | Self::Audit(_)
            | Self::Seal(_)
            | Self::Store(_) => false,
        }
    }

    /// True if no person was authenticated, so that no account's audit has it.
    pub(crate) fn is_unknown_caller(&self) -> bool {
        let known = [SignInRefusal::NotLinked, SignInRefusal::Disabled];
        let asked = matches!(
            self,
            Self::ProviderUnknown | Self::Challenge | Self::Redirect(_)
        );
        asked || (self.counts() && !matches!(self, Self::SignInRefusal(it) if known.contains(it)))
    }
}

impl From<StateError> for SignInError {
    fn from(error: StateError) -> Self {
        match error {
            StateError::Invalid => Self::Invalid,
            StateError::Seal(error) => Self::Seal(error),
        }
    }
}

/// What is wrong with a provider is for the log alone: it tells of the network behind the platform.
pub(crate) fn unavailable(provider: &IdentityProvider, error: &ProviderError) -> SignInError {
    let (account, name) = (provider.account.as_str(), provider.provider.as_str());
    tracing::warn!(account, provider = name, %error, "identity provider unavailable");
    match error {
        ProviderError::Unsupported { .. } => SignInError::NoDeviceFlow,
        ProviderError::File { .. }
        | ProviderError::Issuer { .. }
        | ProviderError::Certificates(_)
        | ProviderError::Unavailable { .. }
        | ProviderError::Malformed { .. } => SignInError::Unavailable,
    }
}

pub(crate) fn refused(provider: &IdentityProvider, error: &OidcError) -> SignInError {
    match error {
        OidcError::Provider(error) => unavailable(provider, error),
        OidcError::Refused(Refusal::InvalidGrant | Refusal::ExpiredToken) => SignInError::Invalid,
        OidcError::Refused(Refusal::AccessDenied) => SignInRefusal::AtProvider.into(),
        OidcError::Refused(Refusal::InvalidClient | Refusal::Other) => {
            let (account, name) = (provider.account.as_str(), provider.provider.as_str());
            tracing::warn!(account, provider = name, %error, "identity provider refused the request");
            SignInError::Unavailable
        }
        OidcError::Token(_) | OidcError::Sender => {
            let (account, name) = (provider.account.as_str(), provider.provider.as_str());
            tracing::warn!(account, provider = name, %error, "rejected an invalid token or response of an identity provider");
            SignInError::Unbelieved
        }
    }
}
