//! Calls of users.

use causeway_proto::inventory::v1 as pb;
use causeway_shell::Caller;
use futures::{StreamExt as _, stream::BoxStream};
use pb::application_service_server::ApplicationService;
use tonic::{Request, Response, Status};

use super::{Handler, status};
use crate::{
    application::Rest,
    convert::{self, List, WatchFrom},
    inventory::Wanted,
    watch::Watch,
};

#[tonic::async_trait]
impl ApplicationService for Handler {
    type WatchApplicationsStream =
        BoxStream<'static, Result<pb::WatchApplicationsResponse, Status>>;

    async fn list_applications(
        &self,
        request: Request<pb::ListApplicationsRequest>,
    ) -> Result<Response<pb::ListApplicationsResponse>, Status> {
        let account = Caller::of(&request)?.account.clone();
        let list = List::try_from(request.into_inner())?;
        let page = self
            .inventory
            .list(
                &account,
                &list.filter,
                list.view,
                list.after.as_ref(),
                list.limit,
            )
            .await?;
        let last = page.items.last().filter(|_| page.rest == Rest::More);
        let next_page_token = last
            .map(|record| convert::page_token(&record.key))
            .unwrap_or_default();
        let applications = page.items.into_iter().map(convert::to_application);
        Ok(Response::new(pb::ListApplicationsResponse {
            applications: applications
                .collect::<Result<_, _>>()
                .map_err(status::corrupt)?,
            next_page_token,
        }))
    }

    async fn get_application(
        &self,
        request: Request<pb::GetApplicationRequest>,
    ) -> Result<Response<pb::GetApplicationResponse>, Status> {
        let account = Caller::of(&request)?.account.clone();
        let wanted = Wanted::try_from(request.into_inner())?;
        let record = self.inventory.get(&account, wanted).await?;
        let application = convert::to_application(record).map_err(status::corrupt)?;
        Ok(Response::new(pb::GetApplicationResponse {
            application: Some(application),
        }))
    }

    async fn watch_applications(
        &self,
        request: Request<pb::WatchApplicationsRequest>,
    ) -> Result<Response<Self::WatchApplicationsStream>, Status> {
        let account = Caller::of(&request)?.account.clone();
        let from = WatchFrom::try_from(request.into_inner())?;
        let steps = self.inventory.watch(Watch {
            account,
            filter: from.filter,
            view: from.view,
            cursor: from.cursor,
        });
        let responses =
            steps.map(|step| convert::to_watch_response(step?).map_err(status::corrupt));
        Ok(Response::new(responses.boxed()))
    }

    async fn get_manifest(
        &self,
        request: Request<pb::GetManifestRequest>,
    ) -> Result<Response<pb::GetManifestResponse>, Status> {
        let account = Caller::of(&request)?.account.clone();
        let digest = convert::digest(request.get_ref())?;
        let content = self.inventory.manifest(&account, &digest).await?;
        let content = content.ok_or_else(|| {
            Status::not_found(format!(
                "there is no manifest {digest}: read the application again"
            ))
        })?;
        Ok(Response::new(pb::GetManifestResponse { content }))
    }
}
