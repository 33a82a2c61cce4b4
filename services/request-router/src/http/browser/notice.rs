//! Everything that a page of sign-in can say went wrong. No text of a request or of an identity provider is among it.

use causeway_proto::error::v1::Reason;
use http::{Response, StatusCode};
use tonic::{Status, body::Body};

use super::page;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Notice {
    /// It was begun elsewhere, is over its time or was ended before.
    Stale,
    /// Another site asked.
    Foreign,
    /// The request names no host where this port is known to be.
    Elsewhere,
    /// The account has no such provider, or none.
    NoProvider,
    /// The identity provider does not answer.
    ProviderDown,
    /// The identity provider let nobody in.
    Denied,
    /// The person is known to the provider and may not.
    Refused,
    Throttled,
    /// The platform does not answer.
    Down,
}

impl Notice {
    /// What a refusal of the platform means to a person.
    pub(super) fn of(status: &Status) -> Self {
        match causeway_client::reason(status) {
            Some(Reason::SignInInvalid) => Self::Stale,
            Some(Reason::SignInRefused) => Self::Refused,
            Some(Reason::ProviderUnknown) => Self::NoProvider,
            Some(Reason::ProviderUnavailable) => Self::ProviderDown,
            Some(Reason::Throttled) => Self::Throttled,
            _ => {
                tracing::warn!(%status, "a sign-in could not be asked for");
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
                "The identity provider signed nobody in.",
            ),
            Self::Refused => (
                StatusCode::FORBIDDEN,
                "The identity provider knows you, but you may not use this account. Ask its admin.",
            ),
            Self::Throttled => (
                StatusCode::TOO_MANY_REQUESTS,
                "There were too many attempts. Wait a little and try again.",
            ),
            Self::Down => (
                StatusCode::SERVICE_UNAVAILABLE,
                "Causeway cannot sign anybody in or out right now. Try again later.",
            ),
        }
    }

    pub(super) fn into_response(self) -> Response<Body> {
        let (status, text) = self.text();
        page::notice(status, text)
    }
}
