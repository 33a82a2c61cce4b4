//! gRPC handlers of `IdentityProviderService`.

use causeway_proto::{
    ids::{ProviderName, UserId},
    platform::v1 as pb,
};
use causeway_shell::page::Page;
use tonic::{Request, Response, Status};

use crate::grpc::{Handler, WHOLE_PAGES, sees, user_of};
use crate::{
    convert,
    identity_providers::model::Identity,
    identity_providers::service::IdentityProviderService,
    platform::{ProviderUpdate, now},
    users::grpc::find_visible_user,
};

#[tonic::async_trait]
impl pb::identity_provider_service_server::IdentityProviderService
    for Handler<IdentityProviderService>
{
    async fn create_identity_provider(
        &self,
        request: Request<pb::CreateIdentityProviderRequest>,
    ) -> Result<Response<pb::CreateIdentityProviderResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (requester, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "CreateIdentityProvider", asked)?;
        let new = convert::new_identity_provider(caller, asked, now())?;
        let secret = convert::client_secret(&asked.client_secret)?;
        let made = self
            .0
            .create_identity_provider(&requester, &unique, new, secret)
            .await?;
        let provider = Some(made.into());
        Ok(Response::new(pb::CreateIdentityProviderResponse {
            provider,
        }))
    }

    async fn list_identity_providers(
        &self,
        request: Request<pb::ListIdentityProvidersRequest>,
    ) -> Result<Response<pb::ListIdentityProvidersResponse>, Status> {
        let (caller, _) = user_of(&request)?;
        let page = Page::from_request(request.get_ref(), caller, WHOLE_PAGES)?;
        let found = self
            .0
            .store
            .list_identity_providers(&caller.account)
            .await?;
        let seen = found
            .into_iter()
            .filter(|it| sees(caller, it.provider.as_str()));
        let (providers, next_page_token) = page.paginate(seen, |it| it.provider.clone());
        Ok(Response::new(pb::ListIdentityProvidersResponse {
            providers: providers.into_iter().map(Into::into).collect(),
            next_page_token,
        }))
    }

    async fn update_identity_provider(
        &self,
        request: Request<pb::UpdateIdentityProviderRequest>,
    ) -> Result<Response<pb::UpdateIdentityProviderResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (requester, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "UpdateIdentityProvider", asked)?;
        let name: ProviderName = convert::id("provider", &asked.provider)?;
        let settings = convert::provider_settings(&name, asked.settings.as_ref())?;
        let update = ProviderUpdate {
            settings,
            secret: convert::secret_change(asked)?,
            version: Some(asked.version.as_str()).filter(|version| !version.is_empty()),
        };
        let changed = self
            .0
            .update_identity_provider(&requester, &unique, (&name, update), now())
            .await?;
        let provider = Some(changed.into());
        Ok(Response::new(pb::UpdateIdentityProviderResponse {
            provider,
        }))
    }

    async fn delete_identity_provider(
        &self,
        request: Request<pb::DeleteIdentityProviderRequest>,
    ) -> Result<Response<pb::DeleteIdentityProviderResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (requester, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "DeleteIdentityProvider", asked)?;
        let name: ProviderName = convert::id("provider", &asked.provider)?;
        self.0
            .delete_identity_provider(&requester, &unique, &name, now())
            .await?;
        Ok(Response::new(pb::DeleteIdentityProviderResponse {}))
    }

    async fn link_identity(
        &self,
        request: Request<pb::LinkIdentityRequest>,
    ) -> Result<Response<pb::LinkIdentityResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (requester, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "LinkIdentity", asked)?;
        let identity = convert::identity(asked, now())?;
        let linked = self.0.link_identity(&requester, &unique, &identity).await?;
        let identity = Some(linked.into());
        Ok(Response::new(pb::LinkIdentityResponse { identity }))
    }

    async fn unlink_identity(
        &self,
        request: Request<pb::UnlinkIdentityRequest>,
    ) -> Result<Response<pb::UnlinkIdentityResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (requester, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "UnlinkIdentity", asked)?;
        let of: UserId = convert::id("user", &asked.user)?;
        let provider: ProviderName = convert::id("provider", &asked.provider)?;
        self.0
            .unlink_identity(&requester, &unique, (&of, &provider), now())
            .await?;
        Ok(Response::new(pb::UnlinkIdentityResponse {}))
    }

    async fn list_identities(
        &self,
        request: Request<pb::ListIdentitiesRequest>,
    ) -> Result<Response<pb::ListIdentitiesResponse>, Status> {
        let (caller, _) = user_of(&request)?;
        let page = Page::from_request(request.get_ref(), caller, WHOLE_PAGES)?;
        let of = find_visible_user(&*self.0.store, caller, &request.get_ref().user).await?;
        let asked = (page.after(), page.fetch_limit());
        let store = &self.0.store;
        let found = store.list_identities(&caller.account, &of.user, asked);
        let (identities, next_page_token) = page.split_page(found.await?, Identity::place);
        Ok(Response::new(pb::ListIdentitiesResponse {
            identities: identities.into_iter().map(Into::into).collect(),
            next_page_token,
        }))
    }
}
