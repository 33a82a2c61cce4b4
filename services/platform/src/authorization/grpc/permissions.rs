//! gRPC handlers of `PermissionService`.

use causeway_proto::{ids::UserId, platform::v1 as pb};
use causeway_shell::Caller;
use causeway_shell::page::Page;
use tonic::{Request, Response, Status};

use crate::grpc::{Handler, WHOLE_PAGES, user_of};
use crate::{
    authorization::access::AccessControl,
    authorization::policy::{DenialReason, Policy},
    convert,
    platform::{ChangeError, Requester},
    users::grpc::find_visible_user,
};

#[tonic::async_trait]
impl pb::permission_service_server::PermissionService for Handler<AccessControl> {
    async fn check_permissions(
        &self,
        request: Request<pb::CheckPermissionsRequest>,
    ) -> Result<Response<pb::CheckPermissionsResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let asked = convert::permission_pairs(request.get_ref())?;
        let policy = self.policy(caller, user, "").await?;
        let mut decisions = Vec::with_capacity(asked.len());
        for (labels, question) in &asked {
            let question = convert::question(question, labels)?;
            decisions.push(convert::decision(&policy, &question));
        }
        Ok(Response::new(pb::CheckPermissionsResponse {
            decisions,
            policy_version: policy.version(),
        }))
    }

    async fn check_permission(
        &self,
        request: Request<pb::CheckPermissionRequest>,
    ) -> Result<Response<pb::CheckPermissionResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let asked = request.get_ref();
        let labels = asked.target.clone().unwrap_or_default().labels;
        let labels = labels.into_iter().collect();
        let question = convert::question(asked, &labels)?;
        let policy = self.policy(caller, user, &asked.user).await?;
        Ok(Response::new(convert::decided(&policy, &question)))
    }

    async fn list_permissions(
        &self,
        request: Request<pb::ListPermissionsRequest>,
    ) -> Result<Response<pb::ListPermissionsResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let page = Page::from_request(request.get_ref(), caller, WHOLE_PAGES)?;
        let policy = self.policy(caller, user, &request.get_ref().user).await?;
        let held = convert::held(&policy);
        let (permissions, next_page_token) = page.paginate(held, |it| it.permission.clone());
        Ok(Response::new(pb::ListPermissionsResponse {
            permissions,
            next_page_token,
        }))
    }
}

impl Handler<AccessControl> {
    /// What the caller may do by the present credential, or another user that the caller sees.
    async fn policy(&self, caller: &Caller, user: &UserId, of: &str) -> Result<Policy, Status> {
        let requester = match of {
            "" => convert::asker(caller, user)?,
            name => Requester {
                shown: None,
                account: caller.account.clone(),
                user: find_visible_user(&*self.0.store, caller, name).await?.user,
                limit: None,
            },
        };
        let policy = self.0.policy_of(&requester).await?;
        let disabled = || ChangeError::Denied {
            permission: "user",
            lack: DenialReason::Disabled,
        };
        Ok(policy.ok_or_else(disabled)?)
    }
}
