//! gRPC handlers of `UserService`.

use causeway_proto::{ids::UserId, platform::v1 as pb};
use causeway_shell::Caller;
use causeway_shell::page::Page;
use tonic::{Request, Response, Status};

use crate::grpc::{Handler, PAGES, sees, user_of};
use crate::{
    convert,
    convert::Identified,
    platform::{ChangeError, now},
    store::Store,
    users::model::{User, UserStatus},
    users::service::UserService,
};

#[tonic::async_trait]
impl pb::user_service_server::UserService for Handler<UserService> {
    async fn create_user(
        &self,
        request: Request<pb::CreateUserRequest>,
    ) -> Result<Response<pb::CreateUserResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (requester, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "CreateUser", asked)?;
        let new = convert::new_user(caller, asked, now())?;
        let user = Some(self.0.create_user(&requester, &unique, &new).await?.into());
        Ok(Response::new(pb::CreateUserResponse { user }))
    }

    async fn set_user_roles(
        &self,
        request: Request<pb::SetUserRolesRequest>,
    ) -> Result<Response<pb::SetUserRolesResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (requester, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "SetUserRoles", asked)?;
        let user: UserId = convert::id("user", &asked.user)?;
        let roles = convert::role_names(&asked.roles)?;
        let set = self
            .0
            .set_user_roles(&requester, &unique, &user, &roles, now());
        let user = Some(set.await?.into());
        Ok(Response::new(pb::SetUserRolesResponse { user }))
    }

    async fn disable_user(
        &self,
        request: Request<pb::DisableUserRequest>,
    ) -> Result<Response<pb::DisableUserResponse>, Status> {
        let name = &request.get_ref().user;
        let user = self.set_status(&request, "DisableUser", name, UserStatus::Disabled);
        let user = Some(user.await?.into());
        Ok(Response::new(pb::DisableUserResponse { user }))
    }

    async fn enable_user(
        &self,
        request: Request<pb::EnableUserRequest>,
    ) -> Result<Response<pb::EnableUserResponse>, Status> {
        let name = &request.get_ref().user;
        let user = self.set_status(&request, "EnableUser", name, UserStatus::Enabled);
        let user = Some(user.await?.into());
        Ok(Response::new(pb::EnableUserResponse { user }))
    }

    async fn delete_user(
        &self,
        request: Request<pb::DeleteUserRequest>,
    ) -> Result<Response<pb::DeleteUserResponse>, Status> {
        let name = &request.get_ref().user;
        self.set_status(&request, "DeleteUser", name, UserStatus::Deleted)
            .await?;
        Ok(Response::new(pb::DeleteUserResponse {}))
    }

    async fn get_user(
        &self,
        request: Request<pb::GetUserRequest>,
    ) -> Result<Response<pb::GetUserResponse>, Status> {
        let (caller, _) = user_of(&request)?;
        let found = find_visible_user(&*self.0.store, caller, &request.get_ref().user).await?;
        let user = Some(found.into());
        Ok(Response::new(pb::GetUserResponse { user }))
    }

    async fn list_users(
        &self,
        request: Request<pb::ListUsersRequest>,
    ) -> Result<Response<pb::ListUsersResponse>, Status> {
        let (caller, _) = user_of(&request)?;
        let page = Page::from_request(request.get_ref(), caller, PAGES)?;
        let (behind, enough) = (page.after().cloned(), page.fetch_limit());
        let sees = |user: &UserId| sees(caller, user.as_str());
        let found = self
            .0
            .list_users(&caller.account, behind, enough, sees)
            .await?;
        let (users, next_page_token) = page.split_page(found, |user| user.user.clone());
        Ok(Response::new(pb::ListUsersResponse {
            users: users.into_iter().map(pb::User::from).collect(),
            next_page_token,
        }))
    }
}

impl Handler<UserService> {
    async fn set_status(
        &self,
        request: &Request<impl Identified>,
        method: &'static str,
        name: &str,
        status: UserStatus,
    ) -> Result<User, Status> {
        let (caller, user) = user_of(request)?;
        let requester = convert::asker(caller, user)?;
        let unique = convert::user_request(caller, user, method, request.get_ref())?;
        let name: UserId = convert::id("user", name)?;
        let user = self
            .0
            .set_user_status(&requester, &unique, &name, status, now());
        Ok(user.await?)
    }
}

/// Finds a user in the scope of a caller; users always see themselves. A hidden user is reported as unknown.
pub(crate) async fn find_visible_user(
    store: &dyn Store,
    caller: &Caller,
    name: &str,
) -> Result<User, Status> {
    let user: UserId = convert::id("user", name)?;
    let found = store.find_user(&caller.account, &user).await?;
    let seen = caller.user() == Some(&user) || sees(caller, user.as_str());
    let there = found.filter(|user| seen && user.standing() != UserStatus::Deleted);
    let unknown = || ChangeError::Unknown {
        kind: "user",
        name: user.to_string(),
    };
    Ok(there.ok_or_else(unknown)?)
}
