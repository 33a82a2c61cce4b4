//! The service of reporters with each message as it came. What is generated drops the fields that it does not know, and a digest
//! of what is left would not be the one that a newer reporter told.

use std::convert::Infallible;

use bytes::{Buf as _, Bytes};
use causeway_proto::inventory::v1 as pb;
use pb::report_service_server::SERVICE_NAME;
use prost::Message as _;
use tonic::{
    Request, Response, Status, Streaming,
    codec::{Codec, DecodeBuf, Decoder},
    codegen::{Body, BoxFuture, Context, Poll, Service, StdError, http},
    server::{Grpc, NamedService, StreamingService},
};
use tonic_prost::ProstEncoder;

use super::ReportStream;
use crate::grpc::{Handler, MESSAGE_BYTES};

/// A message, and what it was decoded from.
pub(super) struct Received {
    pub(super) request: pb::ReportRequest,
    pub(super) encoded: Bytes,
}

/// The service as a server takes it.
#[derive(Debug, Clone)]
pub struct Reports(Handler);

impl Reports {
    pub(crate) fn new(handler: Handler) -> Self {
        Self(handler)
    }
}

impl NamedService for Reports {
    const NAME: &'static str = SERVICE_NAME;
}

impl<B> Service<http::Request<B>> for Reports
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
        let handler = self.0.clone();
        let path = request.uri().path().strip_prefix('/');
        let method = path.and_then(|path| path.strip_prefix(SERVICE_NAME));
        if method != Some("/Report") {
            let unknown = Status::unimplemented("there is no such method");
            return Box::pin(async { Ok(unknown.into_http()) });
        }
        let grpc = Grpc::new(Whole).apply_max_message_size_config(Some(MESSAGE_BYTES), None);
        Box::pin(async {
            let mut grpc = grpc;
            Ok(grpc.streaming(Report(handler), request).await)
        })
    }
}

struct Report(Handler);

impl StreamingService<Received> for Report {
    type Response = pb::ReportResponse;
    type ResponseStream = ReportStream;
    type Future = BoxFuture<Response<ReportStream>, Status>;

    fn call(&mut self, request: Request<Streaming<Received>>) -> Self::Future {
        let handler = self.0.clone();
        Box::pin(async move { handler.report(request).await })
    }
}

/// Decodes a message and keeps it whole.
#[derive(Debug, Clone, Copy)]
struct Whole;

impl Codec for Whole {
    type Encode = pb::ReportResponse;
    type Decode = Received;
    type Encoder = ProstEncoder<pb::ReportResponse>;
    type Decoder = Self;

    fn encoder(&mut self) -> Self::Encoder {
        ProstEncoder::default()
    }

    fn decoder(&mut self) -> Self {
        *self
    }
}

impl Decoder for Whole {
    type Item = Received;
    type Error = Status;

    fn decode(&mut self, source: &mut DecodeBuf<'_>) -> Result<Option<Received>, Status> {
        let encoded = source.copy_to_bytes(source.remaining());
        let request = pb::ReportRequest::decode(encoded.clone())
            .map_err(|error| Status::internal(error.to_string()))?;
        Ok(Some(Received { request, encoded }))
    }
}
