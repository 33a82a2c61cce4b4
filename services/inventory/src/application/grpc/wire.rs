//! Application service whose lists are sent as stored: ten thousand states are neither decoded nor encoded again.

use std::convert::Infallible;

use bytes::Bytes;
use causeway_proto::inventory::v1 as pb;
use pb::application_service_server::{ApplicationServiceServer, SERVICE_NAME};
use prost::Message;
use tonic::{
    Request, Response,
    codegen::{Body, BoxFuture, Context, Poll, Service, StdError, http},
    server::{Grpc, NamedService, UnaryService},
};
use tonic_prost::ProstCodec;

use crate::grpc::Handler;

/// `ListApplicationsResponse`, with applications as they are encoded.
#[derive(Message)]
pub(super) struct Listed {
    #[prost(bytes = "bytes", repeated, tag = "1")]
    pub(super) applications: Vec<Bytes>,
    #[prost(string, tag = "2")]
    pub(super) next_page_token: String,
    #[prost(uint64, tag = "3")]
    pub(super) total: u64,
    #[prost(string, tag = "4")]
    pub(super) cursor: String,
}

/// The service as a server takes it.
#[derive(Debug, Clone)]
pub struct Applications {
    handler: Handler,
    /// All methods as they are generated.
    generated: ApplicationServiceServer<Handler>,
}

impl Applications {
    pub(crate) fn new(handler: Handler) -> Self {
        let generated = ApplicationServiceServer::new(handler.clone());
        Self { handler, generated }
    }
}

impl NamedService for Applications {
    const NAME: &'static str = SERVICE_NAME;
}

impl<B> Service<http::Request<B>> for Applications
where
    B: Body + Send + 'static,
    B::Error: Into<StdError> + Send + 'static,
{
    type Response = http::Response<tonic::body::Body>;
    type Error = Infallible;
    type Future = BoxFuture<Self::Response, Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<B>) -> Self::Future {
        let path = request.uri().path().strip_prefix('/');
        let method = path.and_then(|path| path.strip_prefix(SERVICE_NAME));
        if method != Some("/ListApplications") {
            return self.generated.call(request);
        }
        let list = List(self.handler.clone());
        Box::pin(async move {
            let mut grpc = Grpc::new(ProstCodec::default());
            Ok(grpc.unary(list, request).await)
        })
    }
}

struct List(Handler);

impl UnaryService<pb::ListApplicationsRequest> for List {
    type Response = Listed;
    type Future = BoxFuture<Response<Listed>, tonic::Status>;

    fn call(&mut self, request: Request<pb::ListApplicationsRequest>) -> Self::Future {
        let handler = self.0.clone();
        Box::pin(async move { handler.listed(request).await })
    }
}
