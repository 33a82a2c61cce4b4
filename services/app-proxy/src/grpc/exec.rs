//! Commands in containers.

use causeway_proto::{
    error::v1::Reason,
    proxy::v1::{self as pb, exec_service_server::ExecService},
};
use causeway_shell::{Caller, status::status};
use futures::{StreamExt as _, stream, stream::BoxStream};
use tonic::{Code, Request, Response, Status, Streaming};

use super::resource::subject;
use crate::{
    convert::{self, exec as converted},
    exec::{ChoiceError, Commands, Ended, ExecError, ExecEvent, Input},
};

type Responses = BoxStream<'static, Result<pb::ExecResponse, Status>>;

/// Runs commands for users.
pub struct ExecHandler {
    commands: Commands,
}

impl ExecHandler {
    /// Runs these.
    pub fn new(commands: Commands) -> Self {
        Self { commands }
    }
}

#[tonic::async_trait]
impl ExecService for ExecHandler {
    type ExecStream = Responses;

    async fn exec(
        &self,
        request: Request<Streaming<pb::ExecRequest>>,
    ) -> Result<Response<Responses>, Status> {
        let requester = convert::read_requester(Caller::from_request(&request)?)?;
        let mut requests = request.into_inner();
        let first = requests.message().await?.unwrap_or_default();
        let order = converted::read_order(first)?;
        let said = self
            .commands
            .open(order, requester, requests.map(input))
            .await;
        let commands = self.commands.clone();
        let said = said.map_err(|error| Status::from(commands.redacted(error)))?;
        let responses = said.flat_map(move |said| {
            let items = match said {
                Ok(ExecEvent::End(ended, record)) => ends(ended, record),
                Ok(said) => vec![Ok(said.into())],
                Err(error) => vec![Err(commands.redacted(error).into())],
            };
            stream::iter(items)
        });
        Ok(Response::new(responses.boxed()))
    }
}

/// A message after the first one.
fn input(message: Result<pb::ExecRequest, Status>) -> Result<Input, ExecError> {
    match message {
        Ok(message) => converted::read_input(message),
        Err(status) if status.code() == Code::OutOfRange => Err(ExecError::Input(
            "a message is larger than 1 MiB: send less at once",
        )),
        Err(_) => Err(ExecError::Input("the stream of requests broke off")),
    }
}

/// The end of a session: its last message, and its status, whose text is for the audit.
fn ends(ended: Ended, record: String) -> Vec<Result<pb::ExecResponse, Status>> {
    let code = match &ended {
        Ended::Code(_) => Code::Ok,
        Ended::Error(_) => Code::Unknown,
    };
    vec![Ok(ended.into()), Err(Status::new(code, record))]
}

impl From<ExecError> for Status {
    fn from(error: ExecError) -> Self {
        let text = error.to_string();
        let (code, reason) = match error {
            ExecError::Subject(error) => subject(&error),
            ExecError::Choice(ChoiceError::NoContainer { .. }) => {
                (Code::NotFound, Reason::ResourceUnknown)
            }
            ExecError::Choice(ChoiceError::NoPod | ChoiceError::NotRunning { .. })
            | ExecError::NoEnd => (Code::FailedPrecondition, Reason::PreconditionFailed),
            ExecError::Repeated(_) => (Code::AlreadyExists, Reason::Replayed),
            ExecError::Input(_) => (Code::InvalidArgument, Reason::FieldInvalid),
            ExecError::Busy => (Code::ResourceExhausted, Reason::Overloaded),
            ExecError::Stuck(_) | ExecError::Idle(_) => (Code::Aborted, Reason::Overloaded),
            ExecError::Lost => (Code::Unavailable, Reason::OutcomeUnknown),
            ExecError::Draining => (Code::Unavailable, Reason::Draining),
        };
        status(code, reason, text)
    }
}
