//! What the pages of sign-in ask the platform, and what it answers.

use std::time::SystemTime;

use causeway_oidc::RandomToken;
use causeway_proto::{
    ids::RequestId,
    platform::v1 as pb,
    time::{timestamp_to_millis, to_millis},
};

use super::sign_in::SignInMethod;

/// A provider to choose.
pub(super) struct Choice {
    pub(super) provider: String,
    pub(super) name: String,
}

/// A sign-in that has begun.
pub(super) struct Started {
    /// Where the browser goes.
    pub(super) page: String,
    pub(super) state: String,
}

/// Somebody is signed in.
pub(super) struct Session {
    pub(super) token: String,
    /// Who.
    pub(super) user: String,
    /// How long it goes on.
    pub(super) seconds: u64,
}

pub(super) fn list(account: &str) -> pb::ListSignInProvidersRequest {
    let account = account.to_owned();
    pb::ListSignInProvidersRequest { account }
}

pub(super) fn listed(answer: pb::ListSignInProvidersResponse) -> Vec<Choice> {
    let choices = answer.providers.into_iter().map(|known| Choice {
        provider: known.provider,
        name: known.display_name,
    });
    choices.collect()
}

pub(super) fn start(
    way: &SignInMethod,
    redirect_uri: String,
    verifier: &RandomToken,
) -> pb::StartSignInRequest {
    pb::StartSignInRequest {
        account: way.account.to_string(),
        provider: way.provider.to_string(),
        redirect_uri,
        challenge: verifier.challenge(),
    }
}

pub(super) fn started(answer: pb::StartSignInResponse) -> Started {
    Started {
        page: answer.authorization_url,
        state: answer.state,
    }
}

pub(super) fn finish(
    state: String,
    (code, issuer): (String, String),
    verifier: &RandomToken,
) -> pb::FinishSignInRequest {
    pb::FinishSignInRequest {
        state,
        code,
        issuer,
        verifier: verifier.expose().to_owned(),
    }
}

pub(super) fn create_session() -> pb::CreateSessionRequest {
    pb::CreateSessionRequest {
        request_id: RequestId::generate().to_string(),
    }
}

pub(super) fn created(answer: pb::CreateSessionResponse) -> Session {
    opened(answer.session.unwrap_or_default(), answer.token)
}

pub(super) fn finished(answer: pb::FinishSignInResponse) -> Session {
    opened(answer.session.unwrap_or_default(), answer.session_token)
}

fn opened(session: pb::UserSession, token: String) -> Session {
    let end = session.expires_at.as_ref().map_or(0, timestamp_to_millis);
    let left = end.saturating_sub(to_millis(SystemTime::now())) / 1000;
    Session {
        token,
        user: session.user,
        seconds: u64::try_from(left).unwrap_or(0),
    }
}

pub(super) fn sign_out() -> pb::SignOutRequest {
    pb::SignOutRequest {
        request_id: RequestId::generate().to_string(),
    }
}

pub(super) fn signed_out(_: pb::SignOutResponse) {}
