//! Calls of users about what is no Application.

use causeway_proto::inventory::v1 as pb;
use futures::{StreamExt as _, stream::BoxStream};
use pb::resource_service_server::ResourceService;
use tonic::{Request, Response, Status};

use crate::{
    application::grpc::asked_by,
    convert::{self, ListOfEvents, ListOfImages, ListOfResources, WatchOfResources},
    digest::Digest,
    grpc::{Handler, status},
    watch::{PATIENCE, handed, resource::ResourceWatch},
};

#[tonic::async_trait]
impl ResourceService for Handler {
    type WatchResourcesStream = BoxStream<'static, Result<pb::WatchResourcesResponse, Status>>;

    async fn list_resources(
        &self,
        request: Request<pb::ListResourcesRequest>,
    ) -> Result<Response<pb::ListResourcesResponse>, Status> {
        let (account, visible) = asked_by(&request)?;
        let (request, question) = self.opened(request)?;
        let list = ListOfResources::read(request, visible)?;
        let asked = self.inventory.resources(
            &account,
            &list.filter,
            list.view,
            list.from.as_ref(),
            list.limit,
        );
        let (page, next) = asked.await?;
        let next = next.as_ref().map(convert::page_token).unwrap_or_default();
        let resources = page.items.into_iter().map(convert::to_resource);
        Ok(Response::new(pb::ListResourcesResponse {
            resources: resources
                .collect::<Result<_, _>>()
                .map_err(status::corrupt)?,
            next_page_token: question.sealed(next),
        }))
    }

    async fn get_resource(
        &self,
        request: Request<pb::GetResourceRequest>,
    ) -> Result<Response<pb::GetResourceResponse>, Status> {
        let (account, visible) = asked_by(&request)?;
        let with_manifest = request.get_ref().with_manifest;
        let wanted = convert::wanted_resource(request.into_inner())?;
        let record = self.inventory.resource(&account, visible, wanted).await?;
        let resource = convert::to_resource(record).map_err(status::corrupt)?;
        let digest = Digest::try_from(&resource.manifest_digest[..]).ok();
        let manifest = match digest.filter(|_| with_manifest) {
            Some(digest) => self.inventory.resource_manifest(&account, &digest).await?,
            None => None,
        };
        Ok(Response::new(pb::GetResourceResponse {
            resource: Some(resource),
            manifest: manifest.unwrap_or_default(),
        }))
    }

    async fn watch_resources(
        &self,
        request: Request<pb::WatchResourcesRequest>,
    ) -> Result<Response<Self::WatchResourcesStream>, Status> {
        let (account, visible) = asked_by(&request)?;
        let cursors = self.cursors(&request)?;
        let cursor = cursors.open(&request.get_ref().cursor)?;
        let from = WatchOfResources::read(request.into_inner(), visible)?;
        let steps = self.inventory.watch_resources(ResourceWatch {
            account,
            filter: from.filter,
            view: from.view,
            cursor,
        });
        let responses = handed(steps, PATIENCE)
            .map(move |step| convert::to_resource_step(step?, &cursors).map_err(status::corrupt));
        Ok(Response::new(responses.boxed()))
    }

    async fn list_events(
        &self,
        request: Request<pb::ListEventsRequest>,
    ) -> Result<Response<pb::ListEventsResponse>, Status> {
        let (account, visible) = asked_by(&request)?;
        let (request, question) = self.opened(request)?;
        let list = ListOfEvents::read(request, visible)?;
        let asked = self
            .inventory
            .events(&account, &list.filter, list.from.as_ref(), list.limit);
        let (page, next) = asked.await?;
        let next = next.as_ref().map(convert::page_token).unwrap_or_default();
        let events = page.items.into_iter().map(convert::to_event);
        Ok(Response::new(pb::ListEventsResponse {
            events: events.collect::<Result<_, _>>().map_err(status::corrupt)?,
            next_page_token: question.sealed(next),
        }))
    }

    async fn list_images(
        &self,
        request: Request<pb::ListImagesRequest>,
    ) -> Result<Response<pb::ListImagesResponse>, Status> {
        let (account, visible) = asked_by(&request)?;
        let (request, question) = self.opened(request)?;
        let list = ListOfImages::read(request, visible)?;
        let asked = self
            .inventory
            .images(&account, &list.filter, list.from.as_ref(), list.limit);
        let (page, next) = asked.await?;
        let next = next.as_ref().map(convert::page_token).unwrap_or_default();
        Ok(Response::new(pb::ListImagesResponse {
            images: convert::to_images(page.items),
            next_page_token: question.sealed(next),
        }))
    }
}
