//! Error messages of the sign-in pages. They contain no text from requests or identity providers.

use causeway_proto::error::v1::Reason;
use http::{Response, StatusCode};
use tonic::{Code, Status, body::Body};

use super::page;
use crate::refusal;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notice {
    /// Started in another browser, expired or already used.
    Stale,
    /// Cross-site request.
    Foreign,
    /// The host of the request is not this router.
    Elsewhere,
    /// Unknown provider, or an account without any.
    NoProvider,
    /// The identity provider is unavailable.
    ProviderDown,
    /// The identity provider denied the sign-in.
    Denied,
    /// No role for the authenticated user.
    Refused,
    Throttled,
    /// The API key is unknown, or is none.
    NoKey,
    /// The platform is unavailable.
    Down,
}

impl Notice {
    /// Maps an error of the platform.
    pub(super) fn from_status(status: &Status) -> Self {
        match causeway_client::reason(status) {
            Some(Reason::SignInInvalid) => Self::Stale,
            Some(Reason::SignInRefused) => Self::Refused,
            Some(Reason::ProviderUnknown) => Self::NoProvider,
            Some(Reason::ProviderUnavailable) => Self::ProviderDown,
            Some(Reason::Throttled) => Self::Throttled,
            _ => {
                tracing::warn!(%status, "cannot request a sign-in from the platform");
                Self::Down
            }
        }
    }

    fn text(self) -> (StatusCode, &'static str) {
        match self {
            Self::Stale => (
                StatusCode::BAD_REQUEST,
                "This sign-in was begun in another browser, took too long or has ended before.",
            ),
            Self::Foreign => (
                StatusCode::FORBIDDEN,
                "Another site asked for this, so nothing was done.",
            ),
            Self::Elsewhere => (
                StatusCode::MISDIRECTED_REQUEST,
                "This address is not known to be Causeway's. Its router needs --public-url.",
            ),
            Self::NoProvider => (
                StatusCode::NOT_FOUND,
                "There is no such way to sign in. An admin adds one with causeway sign-in-provider create.",
            ),
            Self::ProviderDown => (
                StatusCode::BAD_GATEWAY,
                "The identity provider does not answer as it should. Try again later.",
            ),
            Self::Denied => (
                StatusCode::FORBIDDEN,
                "The identity provider denied the sign-in.",
            ),
            Self::Refused => (
                StatusCode::FORBIDDEN,
                "The identity provider knows you, but you may not use this account. Ask its admin.",
            ),
            Self::Throttled => (
                StatusCode::TOO_MANY_REQUESTS,
                "There were too many attempts. Wait a little and try again.",
            ),
            Self::NoKey => (
                StatusCode::UNAUTHORIZED,
                "This is not an API key that may be used. Check it, or ask an admin for a new one.",
            ),
            Self::Down => (
                StatusCode::SERVICE_UNAVAILABLE,
                "Causeway cannot sign users in or out right now. Try again later.",
            ),
        }
    }

    /// Returns the same for a script.
    pub(super) fn to_status(self) -> Status {
        let text = self.text().1;
        refusal::status(Code::PermissionDenied, Reason::PermissionDenied, text)
    }

    pub(super) fn into_response(self) -> Response<Body> {
        let (status, text) = self.text();
        page::notice(status, text)
    }
}
