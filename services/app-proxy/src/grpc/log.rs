//! Logs.

use causeway_proto::{
    error::v1::Reason,
    proxy::v1::{self as pb, log_service_server::LogService},
};
use causeway_shell::{Caller, status::status};
use futures::{StreamExt as _, stream::BoxStream};
use tonic::{Code, Request, Response, Status};

use super::resource::subject;
use crate::{
    convert::{self, log as converted},
    log::{LogError, Logs},
};

/// Answers users about logs.
pub struct LogHandler {
    logs: Logs,
}

impl LogHandler {
    /// Reads from these.
    pub fn new(logs: Logs) -> Self {
        Self { logs }
    }
}

#[tonic::async_trait]
impl LogService for LogHandler {
    type StreamLogsStream = BoxStream<'static, Result<pb::StreamLogsResponse, Status>>;

    async fn stream_logs(
        &self,
        request: Request<pb::StreamLogsRequest>,
    ) -> Result<Response<Self::StreamLogsStream>, Status> {
        let requester = convert::read_requester(Caller::from_request(&request)?)?;
        let order = converted::read_logs(request.into_inner())?;
        let to_status = |logs: &Logs, error: LogError| Status::from(logs.redacted(error));
        let pieces = self.logs.open(order, requester).await;
        let pieces = pieces.map_err(|error| to_status(&self.logs, error))?;
        let logs = self.logs.clone();
        let responses = pieces.map(move |piece| {
            let piece = piece.map_err(|error| to_status(&logs, error))?;
            Ok(piece.into())
        });
        Ok(Response::new(responses.boxed()))
    }
}

impl From<LogError> for Status {
    fn from(error: LogError) -> Self {
        let text = error.to_string();
        let (code, reason) = match error {
            LogError::Subject(error) => subject(&error),
            LogError::Many(_) => (Code::ResourceExhausted, Reason::TooLarge),
            LogError::Busy => (Code::ResourceExhausted, Reason::Overloaded),
            LogError::Stuck(_) => (Code::Aborted, Reason::Overloaded),
            LogError::Draining => (Code::Unavailable, Reason::Draining),
        };
        status(code, reason, text)
    }
}
