//! The gRPC face: converts in, makes one call, converts out.

use std::sync::Arc;

use causeway_assertion::UnownedObject;
use causeway_client::RuntimeIdentity;
use causeway_proto::{
    error::v1::Reason,
    webhook::v1::{
        self as pb, receive_webhook_request::Part,
        webhook_receiver_service_server::WebhookReceiverService,
        webhook_service_server::WebhookService,
    },
};
use causeway_shell::{Caller, status::status};
use tonic::{Code, Request, Response, Status, Streaming};

use crate::{
    config::AllowedAction,
    convert::{self, FieldError},
    index::Entry,
    receive::{ReceiveError, Receiver},
    spool::{Spool, SpoolError},
};

/// Receives webhooks from the router of the runtime.
pub(crate) struct ReceiverHandler(Arc<Receiver>);

/// Answers users.
pub(crate) struct WebhookHandler {
    receiver: Arc<Receiver>,
    spool: Spool,
    allowed: Vec<AllowedAction>,
    /// Account, id and name of the runtime.
    account: String,
    runtime_id: String,
    runtime: String,
}

impl ReceiverHandler {
    pub(crate) fn new(receiver: Arc<Receiver>) -> Self {
        Self(receiver)
    }
}

#[tonic::async_trait]
impl WebhookReceiverService for ReceiverHandler {
    async fn receive_webhook(
        &self,
        request: Request<Streaming<pb::ReceiveWebhookRequest>>,
    ) -> Result<Response<pb::ReceiveWebhookResponse>, Status> {
        let mut messages = request.into_inner();
        let first = messages.message().await?.and_then(|it| it.part);
        let Some(Part::Head(head)) = first else {
            return Err(FieldError::Head.into());
        };
        let (route, headers) = convert::read_head(head)?;
        let mut incoming = self.0.begin(&route, headers)?;
        loop {
            match messages.message().await?.and_then(|it| it.part) {
                Some(Part::Body(bytes)) => incoming.push(&bytes).await?,
                Some(Part::End(_)) => break,
                Some(Part::Head(_)) | None => return Err(FieldError::Head.into()),
            }
        }
        let receipt = self.0.finish(incoming).await?;
        Ok(Response::new(pb::ReceiveWebhookResponse {
            number: receipt.number,
            duplicate: receipt.duplicate,
        }))
    }
}

impl WebhookHandler {
    pub(crate) fn new(
        receiver: Arc<Receiver>,
        spool: Spool,
        allowed: Vec<AllowedAction>,
        runtime: &RuntimeIdentity,
    ) -> Self {
        Self {
            receiver,
            spool,
            allowed,
            account: runtime.account.to_string(),
            runtime_id: runtime.runtime_id.to_string(),
            runtime: runtime.name.to_string(),
        }
    }

    /// Webhooks belong to the runtime and to no application, so rules for applications do not hold for them.
    fn check_scope<T>(&self, request: Request<T>) -> Result<T, Status> {
        let scope = &Caller::from_request(&request)?.scope;
        let runtime = UnownedObject {
            runtime: &self.runtime,
            cluster: "",
            namespace: "",
        };
        if scope.contains_unowned(&runtime) {
            return Ok(request.into_inner());
        }
        let text = "your role grants webhooks of other runtimes, or of applications only; ask an admin for a rule without selectors of applications";
        Err(status(
            Code::PermissionDenied,
            Reason::PermissionDenied,
            text,
        ))
    }

    fn check_allowed(&self, action: AllowedAction) -> Result<(), Status> {
        if self.allowed.contains(&action) {
            return Ok(());
        }
        let text = format!(
            "this runtime does not allow it: start event-source with --allow-webhook {}",
            convert::action(action)
        );
        Err(status(Code::PermissionDenied, Reason::RuntimePolicy, text))
    }

    async fn delivery(&self, number: u64) -> Result<pb::WebhookDelivery, Status> {
        let entry = self.entry(number)?;
        let body = self.spool.body(number).await.unwrap_or_else(|error| {
            tracing::warn!(%error, number, "cannot read the body of a webhook");
            None
        });
        Ok(convert::to_whole_delivery(&entry, body.unwrap_or_default()))
    }

    fn entry(&self, number: u64) -> Result<Entry, Status> {
        let found = self.spool.read(|index| index.get(number).cloned());
        found.ok_or_else(|| {
            let text =
                format!("there is no delivery {number}: it is older than 7 days, or never was");
            status(Code::NotFound, Reason::ResourceUnknown, text)
        })
    }
}

#[tonic::async_trait]
impl WebhookService for WebhookHandler {
    async fn list_webhook_routes(
        &self,
        request: Request<pb::ListWebhookRoutesRequest>,
    ) -> Result<Response<pb::ListWebhookRoutesResponse>, Status> {
        self.check_scope(request)?;
        let base = format!("/webhooks/{}/{}", self.account, self.runtime_id);
        let routes = self.receiver.routes().iter();
        let routes = routes.map(|it| convert::to_route(&it.route, &it.secrets(), &base));
        Ok(Response::new(pb::ListWebhookRoutesResponse {
            routes: routes.collect(),
        }))
    }

    async fn list_webhook_deliveries(
        &self,
        request: Request<pb::ListWebhookDeliveriesRequest>,
    ) -> Result<Response<pb::ListWebhookDeliveriesResponse>, Status> {
        let (filter, size) = convert::read_list(self.check_scope(request)?)?;
        let found = self.spool.list(&filter, size + 1);
        Ok(Response::new(convert::to_page(&found, size)))
    }

    async fn get_webhook_delivery(
        &self,
        request: Request<pb::GetWebhookDeliveryRequest>,
    ) -> Result<Response<pb::GetWebhookDeliveryResponse>, Status> {
        let request = self.check_scope(request)?;
        let number = convert::read_number(&request.number)?;
        let delivery = self.delivery(number).await?;
        Ok(Response::new(pb::GetWebhookDeliveryResponse {
            delivery: Some(delivery),
        }))
    }

    async fn replay_webhook_delivery(
        &self,
        request: Request<pb::ReplayWebhookDeliveryRequest>,
    ) -> Result<Response<pb::ReplayWebhookDeliveryResponse>, Status> {
        let request = self.check_scope(request)?;
        self.check_allowed(AllowedAction::Replay)?;
        convert::check_request_id(&request.request_id)?;
        let number = convert::read_number(&request.number)?;
        self.entry(number)?;
        let replayed = self.spool.replay(number).await;
        replayed.map_err(ReceiveError::from)?;
        let delivery = self.delivery(number).await?;
        Ok(Response::new(pb::ReplayWebhookDeliveryResponse {
            delivery: Some(delivery),
            request_id: request.request_id,
        }))
    }

    async fn test_webhook_route(
        &self,
        request: Request<pb::TestWebhookRouteRequest>,
    ) -> Result<Response<pb::TestWebhookRouteResponse>, Status> {
        let request = self.check_scope(request)?;
        self.check_allowed(AllowedAction::Test)?;
        convert::check_request_id(&request.request_id)?;
        let sent = self
            .receiver
            .send_sample(&request.route, &request.request_id)
            .await?;
        let delivery = self.delivery(sent.number).await?;
        Ok(Response::new(pb::TestWebhookRouteResponse {
            delivery: Some(delivery),
            request_id: request.request_id,
        }))
    }
}

impl From<FieldError> for Status {
    fn from(error: FieldError) -> Self {
        let text = error.to_string();
        status(Code::InvalidArgument, Reason::FieldInvalid, text)
    }
}

impl From<ReceiveError> for Status {
    fn from(error: ReceiveError) -> Self {
        let text = error.to_string();
        let (code, reason) = match error {
            ReceiveError::NotVerified(_) => (Code::Unauthenticated, Reason::CredentialInvalid),
            ReceiveError::TooLarge => (Code::ResourceExhausted, Reason::TooLarge),
            ReceiveError::Busy => (Code::ResourceExhausted, Reason::Throttled),
            ReceiveError::NoRoute(_) => (Code::NotFound, Reason::ResourceUnknown),
            ReceiveError::NoMemory
            | ReceiveError::Slow
            | ReceiveError::Spool(SpoolError::Full(_) | SpoolError::Disk(_)) => {
                (Code::Unavailable, Reason::Overloaded)
            }
            ReceiveError::Spool(SpoolError::Closed) => (Code::Unavailable, Reason::Draining),
        };
        status(code, reason, text)
    }
}
