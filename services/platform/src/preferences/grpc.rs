//! gRPC handlers of `PreferenceService`.

use causeway_proto::platform::v1 as pb;
use causeway_shell::page::Page;
use tonic::{Request, Response, Status};

use crate::{
    convert,
    grpc::{Handler, WHOLE_PAGES, user_of},
    platform::now,
    preferences::{convert as messages, model::SavedView, service::PreferenceService},
};

#[tonic::async_trait]
impl pb::preference_service_server::PreferenceService for Handler<PreferenceService> {
    async fn get_preferences(
        &self,
        request: Request<pb::GetPreferencesRequest>,
    ) -> Result<Response<pb::GetPreferencesResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let requester = convert::asker(caller, user)?;
        let preferences = self.0.preferences(&requester).await?;
        Ok(Response::new(pb::GetPreferencesResponse {
            content: preferences.content,
            version: preferences.version,
        }))
    }

    async fn set_preferences(
        &self,
        request: Request<pb::SetPreferencesRequest>,
    ) -> Result<Response<pb::SetPreferencesResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let unique = convert::user_request(caller, user, "SetPreferences", request.get_ref())?;
        let preferences = messages::preferences(request.get_ref())?;
        let set = self.0.set_preferences(&unique, &preferences, now());
        let version = set.await?;
        Ok(Response::new(pb::SetPreferencesResponse { version }))
    }

    async fn list_saved_views(
        &self,
        request: Request<pb::ListSavedViewsRequest>,
    ) -> Result<Response<pb::ListSavedViewsResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let requester = convert::asker(caller, user)?;
        let page = Page::from_request(request.get_ref(), caller, WHOLE_PAGES)?;
        let asked = (page.after().cloned(), page.fetch_limit());
        let found = self.0.list_views(&requester, asked).await?;
        let (views, next_page_token) = page.split_page(found, SavedView::place);
        Ok(Response::new(pb::ListSavedViewsResponse {
            views: views.into_iter().map(pb::SavedView::from).collect(),
            next_page_token,
        }))
    }

    async fn save_view(
        &self,
        request: Request<pb::SaveViewRequest>,
    ) -> Result<Response<pb::SaveViewResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let (requester, asked) = (convert::asker(caller, user)?, request.get_ref());
        let unique = convert::user_request(caller, user, "SaveView", asked)?;
        let view = messages::view(caller, user, asked, now())?;
        let saved = self.0.save_view(&requester, &unique, &view).await?;
        let view = Some(saved.into());
        Ok(Response::new(pb::SaveViewResponse { view }))
    }

    async fn delete_saved_view(
        &self,
        request: Request<pb::DeleteSavedViewRequest>,
    ) -> Result<Response<pb::DeleteSavedViewResponse>, Status> {
        let (caller, user) = user_of(&request)?;
        let asked = request.get_ref();
        let unique = convert::user_request(caller, user, "DeleteSavedView", asked)?;
        let name = messages::name(&asked.name)?;
        self.0.delete_view(&unique, name, now()).await?;
        Ok(Response::new(pb::DeleteSavedViewResponse {}))
    }
}
