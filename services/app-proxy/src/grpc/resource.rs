//! Single resources.

use causeway_proto::{
    error::v1::Reason,
    proxy::v1::{self as pb, resource_action_service_server::ResourceActionService},
};
use causeway_shell::{
    Caller,
    page::{Page, PageSizes},
    status::status,
};
use futures::{StreamExt as _, stream, stream::BoxStream};
use tonic::{Code, Request, Response, Status};

use super::{argocd, cluster};
use crate::{
    convert::{self, resource as converted},
    resource::{ActionAttempt, LiveResources, ResourceError},
    subject::SubjectError,
};

/// How many actions of a resource are told at once: far more than a resource has, so that one page is the usual.
const ACTIONS: PageSizes = PageSizes::fixed(1000);

/// Answers users about single resources.
pub struct ResourceHandler {
    resources: LiveResources,
}

impl ResourceHandler {
    /// Acts by these.
    pub fn new(resources: LiveResources) -> Self {
        Self { resources }
    }

    fn to_status(&self, error: ResourceError) -> Status {
        self.resources.redacted(error).into()
    }
}

#[tonic::async_trait]
impl ResourceActionService for ResourceHandler {
    type StreamManifestsStream = BoxStream<'static, Result<pb::StreamManifestsResponse, Status>>;

    async fn get_live_resource(
        &self,
        request: Request<pb::GetLiveResourceRequest>,
    ) -> Result<Response<pb::GetLiveResourceResponse>, Status> {
        let requester = convert::read_requester(Caller::from_request(&request)?)?;
        let request = request.into_inner();
        let name = converted::read_resource(
            (request.group, request.kind),
            (request.namespace, request.name),
            request.uid,
        )?;
        let found = self.resources.get(&name, &requester).await;
        let found = found.map_err(|error| self.to_status(error))?;
        Ok(Response::new(found.into()))
    }

    async fn delete_resource(
        &self,
        request: Request<pb::DeleteResourceRequest>,
    ) -> Result<Response<pb::DeleteResourceResponse>, Status> {
        let requester = convert::read_requester(Caller::from_request(&request)?)?;
        let (request_id, order) = converted::read_delete(request.into_inner())?;
        let deletion = self.resources.delete(request_id, &order, &requester).await;
        let deletion = deletion.map_err(|error| self.to_status(error))?;
        Ok(Response::new(pb::DeleteResourceResponse {
            request_id: request_id.to_string(),
            deletion: pb::Deletion::from(deletion).into(),
        }))
    }

    async fn list_resource_actions(
        &self,
        request: Request<pb::ListResourceActionsRequest>,
    ) -> Result<Response<pb::ListResourceActionsResponse>, Status> {
        let caller = Caller::from_request(&request)?;
        let requester = convert::read_requester(caller)?;
        let page = Page::from_request(request.get_ref(), caller, ACTIONS)?;
        let request = request.into_inner();
        let name = converted::read_resource(
            (request.group, request.kind),
            (request.namespace, request.name),
            String::new(),
        )?;
        let actions = self.resources.actions(&name, &requester).await;
        let actions = actions.map_err(|error| self.to_status(error))?;
        let (actions, next_page_token) = page.paginate(actions, |it| it.name.clone());
        Ok(Response::new(pb::ListResourceActionsResponse {
            actions: actions.into_iter().map(converted::to_action).collect(),
            next_page_token,
        }))
    }

    async fn run_resource_action(
        &self,
        request: Request<pb::RunResourceActionRequest>,
    ) -> Result<Response<pb::RunResourceActionResponse>, Status> {
        let requester = convert::read_requester(Caller::from_request(&request)?)?;
        let order = converted::read_action(request.into_inner(), &requester)?;
        let ran = self.resources.act(&order, &requester).await;
        let ran = ran.map_err(|error| self.to_status(error))?;
        Ok(Response::new(pb::RunResourceActionResponse {
            request_id: order.request_id.to_string(),
            repeated_request: ran == ActionAttempt::Before,
        }))
    }

    async fn stream_manifests(
        &self,
        request: Request<pb::StreamManifestsRequest>,
    ) -> Result<Response<Self::StreamManifestsStream>, Status> {
        let requester = convert::read_requester(Caller::from_request(&request)?)?;
        let request = request.into_inner();
        let name = convert::read_name(request.namespace, request.name)?;
        let which = converted::read_manifests(request.source, request.revision)?;
        let found = self.resources.manifests(&name, &which, &requester).await;
        let found = found.map_err(|error| self.to_status(error))?;
        let responses = stream::iter(found).map(|manifest| Ok(manifest.into()));
        Ok(Response::new(responses.boxed()))
    }
}

impl From<ResourceError> for Status {
    fn from(error: ResourceError) -> Self {
        let text = error.to_string();
        let (code, reason) = match error {
            ResourceError::Subject(error) => subject(&error),
            ResourceError::RequestIdReused(_) => (Code::InvalidArgument, Reason::FieldInvalid),
            ResourceError::Application
            | ResourceError::Nobodys(_)
            | ResourceError::Unfit { .. } => (Code::FailedPrecondition, Reason::PreconditionFailed),
            ResourceError::Unsure(..) => (Code::Unavailable, Reason::OutcomeUnknown),
            ResourceError::Overtaken(_) => (Code::Aborted, Reason::OperationInProgress),
            ResourceError::Argocd(error) => argocd(&error),
        };
        status(code, reason, text)
    }
}

pub(super) fn subject(error: &SubjectError) -> (Code, Reason) {
    match error {
        SubjectError::Unknown(_) | SubjectError::UnknownKind { .. } => {
            (Code::NotFound, Reason::ResourceUnknown)
        }
        SubjectError::Namespace { .. } | SubjectError::Invalid(_) => {
            (Code::InvalidArgument, Reason::FieldInvalid)
        }
        SubjectError::NotAllowed(_) => (Code::PermissionDenied, Reason::RuntimePolicy),
        SubjectError::Crowded(_) => (Code::ResourceExhausted, Reason::TooLarge),
        SubjectError::Late => (Code::Unavailable, Reason::UpstreamUnavailable),
        SubjectError::Conflict(_) => (Code::Aborted, Reason::OperationInProgress),
        SubjectError::Cluster(error) => cluster(error),
    }
}
