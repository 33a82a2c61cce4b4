//! `ServiceAccountService`.

use causeway_proto::{
    ids::UserId,
    platform::v1::{self as pb, service_account_service_server::ServiceAccountService},
};
use tonic::{Request, Response, Status};

use super::{Handler, sees, user_of};
use crate::{convert, platform::now};

#[tonic::async_trait]
impl ServiceAccountService for Handler {
    async fn create_service_account(
        &self,
        request: Request<pb::CreateServiceAccountRequest>,
    ) -> Result<Response<pb::CreateServiceAccountResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (asker, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "CreateServiceAccount", asked)?;
        let new = convert::new_service_account(caller, asked, now())?;
        let made = self.0.create_service_account(&asker, &unique, &new).await?;
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
        let (asker, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "SetTrustRules", asked)?;
        let of: UserId = convert::id("user", &asked.user)?;
        let trust = convert::trust_rules(&asked.trust_rules);
        let set = self
            .0
            .set_trust_rules(&asker, &unique, (&of, &trust), now());
        let service_account = Some(set.await?.into());
        Ok(Response::new(pb::SetTrustRulesResponse { service_account }))
    }

    async fn list_service_accounts(
        &self,
        request: Request<pb::ListServiceAccountsRequest>,
    ) -> Result<Response<pb::ListServiceAccountsResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let asker = convert::asker(caller, user)?;
        let found = self.0.list_service_accounts(&asker).await?.into_iter();
        let seen = found.filter(|it| sees(caller, it.user.user.as_str()));
        let service_accounts = seen.map(pb::ServiceAccount::from).collect();
        Ok(Response::new(pb::ListServiceAccountsResponse {
            service_accounts,
        }))
    }
}
