//! Calls of users that watch views.

use causeway_proto::inventory::v1 as pb;
use futures::{StreamExt as _, stream::BoxStream};
use pb::view_service_server::ViewService;
use tonic::{Request, Response, Status};

use super::convert::{to_response, to_views};
use crate::{
    application::grpc::asked_by,
    grpc::{Handler, status},
    watch::{PATIENCE, handed},
};

#[tonic::async_trait]
impl ViewService for Handler {
    type WatchViewsStream = BoxStream<'static, Result<pb::WatchViewsResponse, Status>>;

    async fn watch_views(
        &self,
        request: Request<pb::WatchViewsRequest>,
    ) -> Result<Response<Self::WatchViewsStream>, Status> {
        let (account, visible) = asked_by(&request)?;
        let cursors = self.cursors(&request)?;
        let wanted = request.get_ref().views.iter();
        let opened = wanted.map(|view| cursors.open(&view.cursor));
        let opened: Vec<_> = opened.collect::<Result<_, _>>()?;
        let mut views = to_views(request.into_inner(), &visible)?;
        for (view, cursor) in views.iter_mut().zip(opened) {
            view.cursor = cursor;
        }
        let steps = super::watch(self.inventory.clone(), account, views);
        let responses = handed(steps, PATIENCE)
            .map(move |step| to_response(step?, &cursors).map_err(status::corrupt));
        Ok(Response::new(responses.boxed()))
    }
}
