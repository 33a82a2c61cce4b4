//! gRPC handlers of `SessionService`.

use causeway_proto::{
    ids::{SessionId, UserId},
    platform::v1 as pb,
};
use causeway_shell::page::Page;
use tonic::{Request, Response, Status};

use crate::grpc::{Handler, WHOLE_PAGES, sees, user_of};
use crate::{
    api_keys::grpc::shown,
    authorization::policy::DenialReason,
    convert,
    platform::{ChangeError, now},
    sessions::model::UserSession,
    sessions::service::SessionService,
};

#[tonic::async_trait]
impl pb::session_service_server::SessionService for Handler<SessionService> {
    async fn create_session(
        &self,
        request: Request<pb::CreateSessionRequest>,
    ) -> Result<Response<pb::CreateSessionResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let requester = convert::asker(caller, user)?;
        let unique = convert::user_request(caller, user, "CreateSession", request.get_ref())?;
        let (session, secret) = self.0.create_session(&requester, &unique, now()).await?;
        Ok(Response::new(pb::CreateSessionResponse {
            session: Some(convert::user_session(session, requester.session())),
            token: shown(secret),
        }))
    }

    async fn who_am_i(
        &self,
        request: Request<pb::WhoAmIRequest>,
    ) -> Result<Response<pb::WhoAmIResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let requester = convert::asker(caller, user)?;
        let disabled = || ChangeError::Denied {
            permission: "session.get",
            lack: DenialReason::Disabled,
        };
        let policy = self
            .0
            .access
            .policy_of(&requester)
            .await?
            .ok_or_else(disabled)?;
        let found = self.0.store.find_user(&requester.account, user).await?;
        let session = match requester.session() {
            Some(id) => self.0.store.find_session(&requester.account, id).await?,
            None => None,
        };
        let (session, current) = (session.map(|it| it.session), requester.session());
        Ok(Response::new(pb::WhoAmIResponse {
            account: requester.account.to_string(),
            user: user.to_string(),
            display_name: found.map(|it| it.display_name).unwrap_or_default(),
            roles: policy.role_names(),
            limit: requester
                .limit
                .clone()
                .map(String::from)
                .unwrap_or_default(),
            credential: caller.credential.clone().unwrap_or_default(),
            session: session.map(|it| convert::user_session(it, current)),
        }))
    }

    async fn list_sessions(
        &self,
        request: Request<pb::ListSessionsRequest>,
    ) -> Result<Response<pb::ListSessionsResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let requester = convert::asker(caller, user)?;
        let page = Page::from_request(request.get_ref(), caller, WHOLE_PAGES)?;
        let of: Option<UserId> = match request.get_ref().user.as_str() {
            // Whoever sees only their own must not lose them among those of others.
            "" => caller.scope.rules.is_empty().then(|| user.clone()),
            name => Some(convert::id("user", name)?),
        };
        let asked = (page.after().cloned(), page.fetch_limit());
        let sees = |owner: &str| sees(caller, owner);
        let found = self
            .0
            .list_sessions(&requester, of.as_ref(), asked, sees, now());
        let (sessions, next_page_token) = page.split_page(found.await?, UserSession::place);
        let current = requester.session();
        let sessions = sessions.into_iter();
        let sessions = sessions.map(|it| convert::user_session(it, current));
        Ok(Response::new(pb::ListSessionsResponse {
            sessions: sessions.collect(),
            next_page_token,
        }))
    }

    async fn revoke_session(
        &self,
        request: Request<pb::RevokeSessionRequest>,
    ) -> Result<Response<pb::RevokeSessionResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (requester, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "RevokeSession", asked)?;
        let id: SessionId = convert::id("session_id", &asked.session_id)?;
        let revoked = self
            .0
            .revoke_session(&requester, &unique, &id, now())
            .await?;
        let session = Some(convert::user_session(revoked, requester.session()));
        Ok(Response::new(pb::RevokeSessionResponse { session }))
    }

    async fn sign_out(
        &self,
        request: Request<pb::SignOutRequest>,
    ) -> Result<Response<pb::SignOutResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let requester = convert::asker(caller, user)?;
        let unique = convert::user_request(caller, user, "SignOut", request.get_ref())?;
        self.0.sign_out(&requester, &unique, now()).await?;
        Ok(Response::new(pb::SignOutResponse {}))
    }
}
