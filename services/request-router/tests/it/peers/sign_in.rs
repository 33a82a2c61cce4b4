//! Sign-in as the part `platform` shows it to a router: what only the beginner's verifier ends, and only once.

use std::time::{Duration, SystemTime};

use causeway_oidc::RandomToken;
use causeway_proto::{
    error::v1::Reason,
    platform::v1::{
        self as pb, session_service_server::SessionService, sign_in_service_server::SignInService,
    },
    reason::DOMAIN,
    time::{millis_to_timestamp, to_millis},
};
use tonic::{Code, Request, Response, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

use super::Peers;

/// The token of every session of these tests.
pub(crate) const TOKEN: &str = "cws_a-browsers-session";
/// What the provider would write to a person.
pub(crate) const SPOOF: &str = "<b>call 0800-SPOOF</b>";

fn refused(reason: Reason) -> Status {
    let details = ErrorDetails::with_error_info(reason.code(), DOMAIN, []);
    Status::with_error_details(Code::FailedPrecondition, SPOOF, details)
}

fn provider(id: &str, name: &str) -> pb::SignInProvider {
    pb::SignInProvider {
        provider: id.to_owned(),
        display_name: name.to_owned(),
    }
}

#[tonic::async_trait]
impl SignInService for Peers {
    async fn list_sign_in_providers(
        &self,
        request: Request<pb::ListSignInProvidersRequest>,
    ) -> Result<Response<pb::ListSignInProvidersResponse>, Status> {
        let providers = match request.into_inner().account.as_str() {
            "" => vec![provider("dex", "Dex")],
            "several" => vec![provider("dex", "Dex"), provider("other", SPOOF)],
            _ => Vec::new(),
        };
        Ok(Response::new(pb::ListSignInProvidersResponse { providers }))
    }

    async fn start_sign_in(
        &self,
        request: Request<pb::StartSignInRequest>,
    ) -> Result<Response<pb::StartSignInResponse>, Status> {
        self.note(&request);
        let request = request.into_inner();
        let page = match request.provider.as_str() {
            "dex" => "https://dex.test/auth",
            "other" => "https://other.test/auth",
            "hostile" => "javascript:alert(1)",
            _ => return Err(refused(Reason::ProviderUnknown)),
        };
        Ok(Response::new(pb::StartSignInResponse {
            authorization_url: format!("{page}?redirect_uri={}", request.redirect_uri),
            state: format!("sealed.{}", request.challenge),
            expires_at: None,
        }))
    }

    async fn finish_sign_in(
        &self,
        request: Request<pb::FinishSignInRequest>,
    ) -> Result<Response<pb::FinishSignInResponse>, Status> {
        self.note(&request);
        let request = request.into_inner();
        let challenge = RandomToken::from_text(request.verifier).challenge();
        let first = self.spent.lock().unwrap().insert(request.state.clone());
        if request.state != format!("sealed.{challenge}") || !first {
            return Err(refused(Reason::SignInInvalid));
        }
        if request.code != "good" {
            return Err(refused(Reason::SignInRefused));
        }
        let end = SystemTime::now() + Duration::from_secs(3600);
        Ok(Response::new(pb::FinishSignInResponse {
            session_token: TOKEN.to_owned(),
            session: Some(pb::UserSession {
                session_id: "ses-1".to_owned(),
                user: "ada".to_owned(),
                expires_at: Some(end.into()),
                ..Default::default()
            }),
        }))
    }

    async fn start_device_sign_in(
        &self,
        _: Request<pb::StartDeviceSignInRequest>,
    ) -> Result<Response<pb::StartDeviceSignInResponse>, Status> {
        Err(Status::unimplemented("browsers are no devices"))
    }

    async fn finish_device_sign_in(
        &self,
        _: Request<pb::FinishDeviceSignInRequest>,
    ) -> Result<Response<pb::FinishDeviceSignInResponse>, Status> {
        Err(Status::unimplemented("browsers are no devices"))
    }

    async fn exchange_token(
        &self,
        _: Request<pb::ExchangeTokenRequest>,
    ) -> Result<Response<pb::ExchangeTokenResponse>, Status> {
        Err(Status::unimplemented("browsers are no CI systems"))
    }
}

#[tonic::async_trait]
impl SessionService for Peers {
    async fn create_session(
        &self,
        request: Request<pb::CreateSessionRequest>,
    ) -> Result<Response<pb::CreateSessionResponse>, Status> {
        self.note(&request);
        let end = SystemTime::now() + Duration::from_secs(600);
        Ok(Response::new(pb::CreateSessionResponse {
            session: Some(pb::UserSession {
                user: "ada".to_owned(),
                expires_at: Some(millis_to_timestamp(to_millis(end))),
                ..Default::default()
            }),
            token: TOKEN.to_owned(),
        }))
    }

    async fn who_am_i(
        &self,
        _: Request<pb::WhoAmIRequest>,
    ) -> Result<Response<pb::WhoAmIResponse>, Status> {
        Err(Status::unimplemented("not in these tests"))
    }

    async fn list_sessions(
        &self,
        _: Request<pb::ListSessionsRequest>,
    ) -> Result<Response<pb::ListSessionsResponse>, Status> {
        Err(Status::unimplemented("not in these tests"))
    }

    async fn revoke_session(
        &self,
        _: Request<pb::RevokeSessionRequest>,
    ) -> Result<Response<pb::RevokeSessionResponse>, Status> {
        Err(Status::unimplemented("not in these tests"))
    }

    async fn sign_out(
        &self,
        request: Request<pb::SignOutRequest>,
    ) -> Result<Response<pb::SignOutResponse>, Status> {
        self.note(&request);
        Ok(Response::new(pb::SignOutResponse {}))
    }
}
