//! gRPC handlers of `RuntimeService`.

mod watch;

use causeway_proto::{error::v1::Reason, ids::RuntimeName, platform::v1 as pb};
use causeway_shell::page::Page;
use causeway_shell::{Caller, status::status};
use futures::{StreamExt as _, TryStreamExt as _, stream::BoxStream};
use tonic::{Code, Request, Response, Status};

use crate::grpc::{Handler, PAGES, WHOLE_PAGES, internal, reused, sees_runtime, user_of};
use crate::{
    convert,
    platform::{ChangeError, JoinError, now},
    request::Recorded,
    runtimes::model::{JoinRefusal, JoinToken, JoinTokenId, Purpose, Runtime, TokenRejection},
    runtimes::service::RuntimeService,
    secret::{Secret, SecretDigest},
    store::{RevokeOutcome, TokenOutcome},
};

#[tonic::async_trait]
impl pb::runtime_service_server::RuntimeService for Handler<RuntimeService> {
    type WatchRuntimesStream = BoxStream<'static, Result<pb::WatchRuntimesResponse, Status>>;

    async fn watch_runtimes(
        &self,
        request: Request<pb::WatchRuntimesRequest>,
    ) -> Result<Response<Self::WatchRuntimesStream>, Status> {
        let (caller, _) = user_of(&request)?;
        let events = watch::events(self.0.clone(), caller.clone());
        let shutdown = self.0.shutdown.requested();
        let events = events.map_err(Status::from).take_until(shutdown);
        Ok(Response::new(events.boxed()))
    }

    async fn list_join_tokens(
        &self,
        request: Request<pb::ListJoinTokensRequest>,
    ) -> Result<Response<pb::ListJoinTokensResponse>, Status> {
        let (caller, _) = user_of(&request)?;
        let page = Page::from_request(request.get_ref(), caller, WHOLE_PAGES)?;
        let sees = |name: &RuntimeName| sees_runtime(caller, name.as_str());
        let found = self
            .0
            .list_join_tokens(&caller.account, sees, now())
            .await?;
        let (tokens, next_page_token) = page.paginate(found, JoinToken::place);
        Ok(Response::new(pb::ListJoinTokensResponse {
            join_tokens: tokens.iter().map(convert::listed_token).collect(),
            next_page_token,
        }))
    }

    async fn revoke_join_token(
        &self,
        request: Request<pb::RevokeJoinTokenRequest>,
    ) -> Result<Response<pb::RevokeJoinTokenResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (requester, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "RevokeJoinToken", asked)?;
        let id = JoinTokenId(convert::named(
            "join_token_id",
            asked.join_token_id.clone(),
        )?);
        let sees = |name: &RuntimeName| sees_runtime(caller, name.as_str());
        let revoked = self
            .0
            .revoke_join_token(&requester, &unique, &id, sees, now());
        revoked.await?;
        Ok(Response::new(pb::RevokeJoinTokenResponse {}))
    }

    async fn create_join_token(
        &self,
        request: Request<pb::CreateJoinTokenRequest>,
    ) -> Result<Response<pb::CreateJoinTokenResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let asked = convert::user_request(caller, user, "CreateJoinToken", request.get_ref())?;
        let name: RuntimeName = convert::id("runtime", &request.get_ref().runtime)?;
        if !sees_runtime(caller, name.as_str()) {
            return Err(unselected(&name));
        }
        let requester = convert::asker(caller, user)?;
        let made = self
            .0
            .create_join_token(&requester, &asked, name.clone(), Purpose::Join, now());
        let (outcome, secret) = made.await?;
        let (token, end) = shown(&outcome, &secret, &name)?;
        Ok(Response::new(convert::join_token(token, end)))
    }

    async fn create_rejoin_token(
        &self,
        request: Request<pb::CreateRejoinTokenRequest>,
    ) -> Result<Response<pb::CreateRejoinTokenResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let asked = convert::user_request(caller, user, "CreateRejoinToken", request.get_ref())?;
        let name: RuntimeName = convert::id("name", &request.get_ref().name)?;
        self.seen_runtime(caller, &name).await?;
        let requester = convert::asker(caller, user)?;
        let made =
            self.0
                .create_join_token(&requester, &asked, name.clone(), Purpose::Rejoin, now());
        let (outcome, secret) = made.await?;
        let (token, end) = shown(&outcome, &secret, &name)?;
        Ok(Response::new(convert::rejoin_token(token, end)))
    }

    async fn join(
        &self,
        request: Request<pb::JoinRequest>,
    ) -> Result<Response<pb::JoinResponse>, Status> {
        let join = convert::join(request.into_inner())?;
        let runtime = self.0.join(&join, now()).await?;
        let certified = self.0.ring.certified(now() / 1000).map_err(internal)?;
        let tunnel = self.0.tunnel.address().map_err(|error| {
            tracing::error!(error = %format!("{error:#}"), "cannot join a runtime: the tunnel server's certificates are not available");
            let text = "the tunnel server's certificates are not there yet: join again with the same token";
            status(Code::Unavailable, Reason::UpstreamUnavailable, text)
        })?;
        let root = self.0.ring.root();
        Ok(Response::new(convert::joined(
            &runtime,
            root,
            certified,
            tunnel,
            now(),
        )))
    }

    async fn check_join_token(
        &self,
        request: Request<pb::CheckJoinTokenRequest>,
    ) -> Result<Response<pb::CheckJoinTokenResponse>, Status> {
        let token = SecretDigest::of(&request.get_ref().token);
        let offer = self.0.check_join_token(token, now()).await?;
        Ok(Response::new(convert::offer(&offer)))
    }

    async fn list_runtimes(
        &self,
        request: Request<pb::ListRuntimesRequest>,
    ) -> Result<Response<pb::ListRuntimesResponse>, Status> {
        let (caller, _) = user_of(&request)?;
        let page = Page::from_request(request.get_ref(), caller, PAGES)?;
        let (behind, enough) = (page.after().cloned(), page.fetch_limit());
        let sees = |name: &RuntimeName| sees_runtime(caller, name.as_str());
        let found = self
            .0
            .list_runtimes(&caller.account, behind, enough, sees)
            .await?;
        let (runtimes, next_page_token) = page.split_page(found, |runtime| runtime.name.clone());
        Ok(Response::new(pb::ListRuntimesResponse {
            runtimes: runtimes
                .into_iter()
                .map(|runtime| self.0.status_of(runtime, now()).into())
                .collect(),
            next_page_token,
        }))
    }

    async fn get_runtime(
        &self,
        request: Request<pb::GetRuntimeRequest>,
    ) -> Result<Response<pb::GetRuntimeResponse>, Status> {
        let (caller, _) = user_of(&request)?;
        let name: RuntimeName = convert::id("name", &request.get_ref().name)?;
        let runtime = self.seen_runtime(caller, &name).await?;
        let runtime = Some(self.0.status_of(runtime, now()).into());
        Ok(Response::new(pb::GetRuntimeResponse { runtime }))
    }

    async fn revoke_runtime(
        &self,
        request: Request<pb::RevokeRuntimeRequest>,
    ) -> Result<Response<pb::RevokeRuntimeResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let asked = convert::user_request(caller, user, "RevokeRuntime", request.get_ref())?;
        let name: RuntimeName = convert::id("name", &request.get_ref().name)?;
        self.seen_runtime(caller, &name).await?;
        match self.0.revoke_runtime(&asked, &name, now()).await? {
            RevokeOutcome::Revoked(Recorded::First(runtime) | Recorded::Repeated(runtime)) => {
                let runtime = Some(self.0.status_of(*runtime, now()).into());
                Ok(Response::new(pb::RevokeRuntimeResponse { runtime }))
            }
            RevokeOutcome::Revoked(Recorded::Reused) => Err(reused()),
            RevokeOutcome::Unknown => Err(unknown(name.as_str())),
        }
    }

    async fn report_sessions(
        &self,
        request: Request<pb::ReportSessionsRequest>,
    ) -> Result<Response<pb::ReportSessionsResponse>, Status> {
        let (server, sessions) = convert::sessions(request.into_inner())?;
        let ending = self.0.report_sessions(server, sessions, now()).await?;
        Ok(Response::new(ending.into()))
    }

    async fn resolve_runtime(
        &self,
        request: Request<pb::ResolveRuntimeRequest>,
    ) -> Result<Response<pb::ResolveRuntimeResponse>, Status> {
        let asked = request.get_ref();
        let account = convert::id("account", &asked.account)?;
        let id = convert::id("runtime_id", &asked.runtime_id)?;
        let found = self.0.store.resolve_runtime(&account, &id).await?;
        let present = found.filter(|runtime| runtime.revoked_at.is_none());
        let runtime = present.ok_or_else(|| unknown(&asked.runtime_id))?;
        let name = runtime.name.to_string();
        Ok(Response::new(pb::ResolveRuntimeResponse { name }))
    }
}

/// A token's secret, empty for a repeat, with when it ends.
fn shown<'a>(
    outcome: &TokenOutcome,
    secret: &'a Secret,
    name: &RuntimeName,
) -> Result<(&'a str, i64), Status> {
    match outcome {
        TokenOutcome::Made(Recorded::First(end)) => Ok((secret.expose(), *end)),
        TokenOutcome::Made(Recorded::Repeated(end)) => Ok(("", *end)),
        TokenOutcome::Made(Recorded::Reused) => Err(reused()),
        TokenOutcome::NameTaken => Err(name_taken(name)),
        TokenOutcome::Unknown => Err(unknown(name.as_str())),
        TokenOutcome::Overtaken => Err(ChangeError::Overtaken.into()),
    }
}

impl Handler<RuntimeService> {
    /// The runtime of a name, if the caller sees it. One that the caller does not see is looked up all the same.
    async fn seen_runtime(&self, caller: &Caller, name: &RuntimeName) -> Result<Runtime, Status> {
        let found = self.0.store.find_runtime(&caller.account, name).await?;
        let seen = found.filter(|_| sees_runtime(caller, name.as_str()));
        seen.ok_or_else(|| unknown(name.as_str()))
    }
}

/// Told of a name by the rules alone, whether or not there is such a runtime.
fn unselected(name: &RuntimeName) -> Status {
    let text = format!(
        "runtime '{name}': no rule of yours that allows runtime.create selects it; ask an admin, and see 'causeway can-i'"
    );
    status(Code::PermissionDenied, Reason::PermissionDenied, text)
}

fn unknown(name: &str) -> Status {
    let text = format!("no runtime '{name}': list the runtimes with 'causeway runtime list'");
    status(Code::NotFound, Reason::RuntimeUnknown, text)
}

fn name_taken(name: &RuntimeName) -> Status {
    let text = format!(
        "a runtime '{name}' is there already: choose another name, revoke it first, or let it join again with 'causeway runtime token {name} --rejoin'"
    );
    status(Code::AlreadyExists, Reason::NameTaken, text)
}

impl From<JoinError> for Status {
    fn from(error: JoinError) -> Self {
        let text = error.to_string();
        let (code, reason) = match error {
            JoinError::Refused(JoinRefusal::Proof) => (Code::InvalidArgument, Reason::FieldInvalid),
            JoinError::Refused(JoinRefusal::Clock { .. }) => {
                (Code::FailedPrecondition, Reason::ClockSkew)
            }
            JoinError::TokenInvalid => (Code::Unauthenticated, Reason::JoinTokenInvalid),
            JoinError::Barred(TokenRejection::Used) => {
                (Code::Unauthenticated, Reason::JoinTokenUsed)
            }
            JoinError::Barred(TokenRejection::NameTaken | TokenRejection::KeyTaken) => {
                (Code::AlreadyExists, Reason::NameTaken)
            }
            JoinError::Barred(TokenRejection::Gone) => {
                (Code::Unauthenticated, Reason::JoinTokenInvalid)
            }
            JoinError::Audit(error) => return error.into(),
            JoinError::Store(error) => return error.into(),
        };
        status(code, reason, text)
    }
}
