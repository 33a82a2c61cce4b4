//! gRPC handlers of `RoleService`.

use causeway_proto::{ids::RoleName, platform::v1 as pb};
use causeway_shell::page::Page;
use tonic::{Request, Response, Status};

use crate::grpc::{Handler, WHOLE_PAGES, sees, user_of};
use crate::{
    convert,
    platform::{ChangeError, now},
    roles::service::RoleService,
    store::Save,
};

#[tonic::async_trait]
impl pb::role_service_server::RoleService for Handler<RoleService> {
    async fn create_role(
        &self,
        request: Request<pb::CreateRoleRequest>,
    ) -> Result<Response<pb::CreateRoleResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (requester, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "CreateRole", asked)?;
        let role = convert::role(&asked.name, &asked.description, &asked.rules, now())?;
        let role = self
            .0
            .save_role(&requester, &unique, &role, Save::New)
            .await?;
        let role = Some((&role).into());
        Ok(Response::new(pb::CreateRoleResponse { role }))
    }

    async fn update_role(
        &self,
        request: Request<pb::UpdateRoleRequest>,
    ) -> Result<Response<pb::UpdateRoleResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (requester, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "UpdateRole", asked)?;
        let role = convert::role(&asked.name, &asked.description, &asked.rules, now())?;
        let saved = self.0.save_role(&requester, &unique, &role, Save::Changed);
        let role = Some((&saved.await?).into());
        Ok(Response::new(pb::UpdateRoleResponse { role }))
    }

    async fn delete_role(
        &self,
        request: Request<pb::DeleteRoleRequest>,
    ) -> Result<Response<pb::DeleteRoleResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (requester, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "DeleteRole", asked)?;
        let name: RoleName = convert::id("name", &asked.name)?;
        self.0
            .delete_role(&requester, &unique, &name, now())
            .await?;
        Ok(Response::new(pb::DeleteRoleResponse {}))
    }

    async fn get_role(
        &self,
        request: Request<pb::GetRoleRequest>,
    ) -> Result<Response<pb::GetRoleResponse>, Status> {
        let (caller, _) = user_of(&request)?;
        let name: RoleName = convert::id("name", &request.get_ref().name)?;
        let roles = self.0.store.roles(&caller.account).await?;
        let found = roles.get(&name).filter(|_| sees(caller, name.as_str()));
        let role = found.ok_or_else(|| ChangeError::Unknown {
            kind: "role",
            name: name.to_string(),
        })?;
        let role = Some(role.as_ref().into());
        Ok(Response::new(pb::GetRoleResponse { role }))
    }

    async fn list_roles(
        &self,
        request: Request<pb::ListRolesRequest>,
    ) -> Result<Response<pb::ListRolesResponse>, Status> {
        let (caller, _) = user_of(&request)?;
        let page = Page::from_request(request.get_ref(), caller, WHOLE_PAGES)?;
        let roles = self.0.store.roles(&caller.account).await?;
        let seen = roles.all().filter(|role| sees(caller, role.name.as_str()));
        let (seen, next_page_token) = page.paginate(seen, |role| role.place());
        Ok(Response::new(pb::ListRolesResponse {
            roles: seen.into_iter().map(|role| role.as_ref().into()).collect(),
            policy_version: roles.version(),
            next_page_token,
        }))
    }
}
