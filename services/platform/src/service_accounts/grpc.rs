//! gRPC handlers of `ServiceAccountService`.

use causeway_proto::{ids::UserId, platform::v1 as pb};
use causeway_shell::page::Page;
use tonic::{Request, Response, Status};

use crate::grpc::{Handler, WHOLE_PAGES, sees, user_of};
use crate::{convert, platform::now, service_accounts::service::ServiceAccountService};

#[tonic::async_trait]
impl pb::service_account_service_server::ServiceAccountService for Handler<ServiceAccountService> {
    async fn create_service_account(
        &self,
        request: Request<pb::CreateServiceAccountRequest>,
    ) -> Result<Response<pb::CreateServiceAccountResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (requester, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "CreateServiceAccount", asked)?;
        let new = convert::new_service_account(caller, asked, now())?;
        let made = self
            .0
            .create_service_account(&requester, &unique, &new)
            .await?;
        let service_account = Some(made.into());
        Ok(Response::new(pb::CreateServiceAccountResponse {
            service_account,
        }))
    }

    async fn set_trust_rules(
        &self,
        request: Request<pb::SetTrustRulesRequest>,
    ) -> Result<Response<pb::SetTrustRulesResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (requester, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "SetTrustRules", asked)?;
        let of: UserId = convert::id("user", &asked.user)?;
        let trust = convert::trust_rules(&asked.trust_rules);
        let set = self
            .0
            .set_trust_rules(&requester, &unique, (&of, &trust), now());
        let service_account = Some(set.await?.into());
        Ok(Response::new(pb::SetTrustRulesResponse { service_account }))
    }

    async fn list_service_accounts(
        &self,
        request: Request<pb::ListServiceAccountsRequest>,
    ) -> Result<Response<pb::ListServiceAccountsResponse>, Status> {
        let (caller, _) = user_of(&request)?;
        let page = Page::from_request(request.get_ref(), caller, WHOLE_PAGES)?;
        let asked = (page.after().cloned(), page.fetch_limit());
        let sees = |user: &UserId| sees(caller, user.as_str());
        let found = self
            .0
            .list_service_accounts(&caller.account, asked, sees)
            .await?;
        let (found, next_page_token) = page.split_page(found, |it| it.user.user.clone());
        Ok(Response::new(pb::ListServiceAccountsResponse {
            service_accounts: found.into_iter().map(Into::into).collect(),
            next_page_token,
        }))
    }
}
