//! gRPC handlers of `SignInService`.

use causeway_assertion::Side;
use causeway_assertion::Subject;
use causeway_proto::{error::v1::Reason, platform::v1 as pb, time::millis_to_timestamp};
use causeway_shell::{
    Caller,
    status::{status, status_with_retry},
};
use tonic::{Code, Request, Response, Status};

use crate::grpc::{Handler, internal};
use crate::{
    convert,
    platform::{
        CallbackParams, CallerInfo, DevicePoll, NewSession, SignInError, SignInRefusal,
        SignInRequest, now,
    },
    sign_in::service::SignInService,
    throttle::Throttled,
};

/// Where a call comes from, by the word of the platform's router.
const SOURCE: &str = "causeway-source";
const ROUTER: &str = "request-router";

#[tonic::async_trait]
impl pb::sign_in_service_server::SignInService for Handler<SignInService> {
    async fn list_sign_in_providers(
        &self,
        request: Request<pb::ListSignInProvidersRequest>,
    ) -> Result<Response<pb::ListSignInProvidersResponse>, Status> {
        let found = self.0.sign_in_providers(&request.get_ref().account).await?;
        let providers = found.into_iter().map(|(provider, display_name)| {
            let provider = provider.to_string();
            pb::SignInProvider {
                provider,
                display_name,
            }
        });
        let providers = providers.collect();
        Ok(Response::new(pb::ListSignInProvidersResponse { providers }))
    }

    async fn start_sign_in(
        &self,
        request: Request<pb::StartSignInRequest>,
    ) -> Result<Response<pb::StartSignInResponse>, Status> {
        let visit = visit(&request, "StartSignIn");
        let sent = request.get_ref();
        let asked = SignInRequest {
            account: &sent.account,
            provider: &sent.provider,
            challenge: &sent.challenge,
        };
        let started = self
            .0
            .start_sign_in(&visit, asked, &sent.redirect_uri, now())
            .await?;
        Ok(Response::new(pb::StartSignInResponse {
            authorization_url: started.authorization_url,
            state: started.state,
            expires_at: Some(millis_to_timestamp(started.until)),
        }))
    }

    async fn finish_sign_in(
        &self,
        request: Request<pb::FinishSignInRequest>,
    ) -> Result<Response<pb::FinishSignInResponse>, Status> {
        let visit = visit(&request, "FinishSignIn");
        let sent = request.get_ref();
        let brought = CallbackParams {
            code: &sent.code,
            issuer: &sent.issuer,
            verifier: &sent.verifier,
        };
        let finished = self.0.finish_sign_in(&visit, &sent.state, brought, now());
        let (session_token, session) = opened(finished.await?);
        Ok(Response::new(pb::FinishSignInResponse {
            session_token,
            session,
        }))
    }

    async fn start_device_sign_in(
        &self,
        request: Request<pb::StartDeviceSignInRequest>,
    ) -> Result<Response<pb::StartDeviceSignInResponse>, Status> {
        let visit = visit(&request, "StartDeviceSignIn");
        let sent = request.get_ref();
        let asked = SignInRequest {
            account: &sent.account,
            provider: &sent.provider,
            challenge: &sent.challenge,
        };
        let started = self.0.start_device_sign_in(&visit, asked, now()).await?;
        Ok(Response::new(pb::StartDeviceSignInResponse {
            state: started.state,
            user_code: started.user_code,
            verification_uri: started.verification_uri,
            verification_uri_complete: started.verification_uri_complete,
            expires_at: Some(millis_to_timestamp(started.until)),
            interval_seconds: started.interval,
        }))
    }

    async fn finish_device_sign_in(
        &self,
        request: Request<pb::FinishDeviceSignInRequest>,
    ) -> Result<Response<pb::FinishDeviceSignInResponse>, Status> {
        let visit = visit(&request, "FinishDeviceSignIn");
        let sent = request.get_ref();
        let polled = self
            .0
            .finish_device_sign_in(&visit, &sent.state, &sent.verifier, now())
            .await?;
        Ok(Response::new(match polled {
            DevicePoll::Pending(pending_interval_seconds) => pb::FinishDeviceSignInResponse {
                pending_interval_seconds,
                ..Default::default()
            },
            DevicePoll::Done(done) => {
                let (session_token, session) = opened(*done);
                pb::FinishDeviceSignInResponse {
                    pending_interval_seconds: 0,
                    session_token,
                    session,
                }
            }
        }))
    }

    async fn exchange_token(
        &self,
        request: Request<pb::ExchangeTokenRequest>,
    ) -> Result<Response<pb::ExchangeTokenResponse>, Status> {
        let visit = visit(&request, "ExchangeToken");
        let sent = request.get_ref();
        let shown = (sent.service_account.as_str(), sent.id_token.as_str());
        let exchanged = self.0.exchange_token(&visit, &sent.account, shown, now());
        let (session_token, session) = opened(exchanged.await?);
        Ok(Response::new(pb::ExchangeTokenResponse {
            session_token,
            session,
        }))
    }
}

fn opened((session, secret): NewSession) -> (String, Option<pb::UserSession>) {
    let token = secret.expose().to_owned();
    (token, Some(convert::user_session(session, None)))
}

fn visit<T>(request: &Request<T>, method: &str) -> CallerInfo {
    let (source, trace_id) = origin(request);
    CallerInfo {
        method: format!("/causeway.platform.v1.SignInService/{method}"),
        source,
        trace_id,
    }
}

/// The address that a call comes from, and its trace. Only a router of the platform is believed when it says for whom it calls.
pub(crate) fn origin<T>(request: &Request<T>) -> (String, String) {
    let router = Caller::from_request(request).is_ok_and(|caller| {
        matches!(&caller.subject, Subject::Part { side: Side::Platform, part } if part.as_str() == ROUTER)
    });
    let header = |name| {
        let value = request.metadata().get(name)?;
        value.to_str().ok()
    };
    let told = header(SOURCE).filter(|_| router).map(str::to_owned);
    let source = told.or_else(|| request.remote_addr().map(|it| it.to_string()));
    let trace = header("traceparent").and_then(|parent| parent.split('-').nth(1));
    let trace = trace.filter(|id| id.len() == 32 && id.bytes().all(|it| it.is_ascii_hexdigit()));
    let trace = trace.unwrap_or_default().to_owned();
    (source.unwrap_or_default(), trace)
}

impl From<Throttled> for Status {
    fn from(throttled: Throttled) -> Self {
        let text = throttled.to_string();
        status_with_retry(
            Code::ResourceExhausted,
            Reason::Throttled,
            text,
            throttled.after(),
        )
    }
}

impl From<SignInError> for Status {
    fn from(error: SignInError) -> Self {
        let text = error.to_string();
        let (code, reason) = match error {
            SignInError::Throttled(throttled) => return throttled.into(),
            SignInError::ProviderUnknown => (Code::NotFound, Reason::ProviderUnknown),
            SignInError::Challenge | SignInError::Redirect(_) => {
                (Code::InvalidArgument, Reason::FieldInvalid)
            }
            SignInError::Invalid => (Code::Unauthenticated, Reason::SignInInvalid),
            SignInError::Unavailable | SignInError::Unbelieved => {
                (Code::Unavailable, Reason::ProviderUnavailable)
            }
            SignInError::NoDeviceFlow => (Code::FailedPrecondition, Reason::ProviderUnavailable),
            SignInError::SignInRefusal(SignInRefusal::NotTrusted) => {
                (Code::Unauthenticated, Reason::SignInRefused)
            }
            SignInError::SignInRefusal(_) => (Code::PermissionDenied, Reason::SignInRefused),
            SignInError::Audit(error) => return error.into(),
            SignInError::Seal(error) => return internal(error),
            SignInError::Store(error) => return error.into(),
        };
        status(code, reason, text)
    }
}
