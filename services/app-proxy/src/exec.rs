//! Commands in containers, run for a user: in whose pod, with which input, until they have ended.
//!
//! A session holds one piece of output and one of input. Who takes no output holds back the command and nothing else, and who may not
//! run commands there any more, or lets a session be still for long, has it ended. A command is begun at most once for each request id
//! that this process has heard of.

mod choice;
mod frame;
mod kube;
mod session;

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use causeway_proto::ids::{RequestId, UserId};
use causeway_shell::Shell;
use futures::{Stream, StreamExt as _, stream};
use moka::future::Cache;
use tokio::sync::{mpsc, oneshot};

use crate::{
    pods::{PodQuery, PodTarget},
    policy::Action,
    scope::Requester,
    stream_limiter::StreamLimiter,
    subject::{SubjectError, Subjects},
};
pub(crate) use choice::ChoiceError;
use choice::choose;
use frame::Exit;
use session::{EarlyEnd, Session};

/// Number of sessions at once, of all users and of one.
const MOST: usize = 100;
const MOST_OF_ONE: usize = 10;
/// Number of request ids that are remembered, and for how long.
const REMEMBERED: u64 = 50_000;
const REMEMBERED_FOR: Duration = Duration::from_secs(24 * 60 * 60);
/// Events that wait for the reader.
const WAITING: usize = 1;

/// What to run.
#[derive(Debug, Clone)]
pub(crate) struct ExecOrder {
    pub(crate) request_id: RequestId,
    pub(crate) whose: PodTarget,
    /// The name of the container; none for what the pod calls its default, or its first one.
    pub(crate) container: Option<String>,
    pub(crate) command: Vec<String>,
    pub(crate) stdin: Stdin,
    pub(crate) terminal: Terminal,
    /// What came together with it.
    pub(crate) input: Input,
}

/// Whether a command gets input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stdin {
    Open,
    Empty,
}

/// Whether a command gets a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Terminal {
    Given,
    None,
}

/// Something for a command that runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Input {
    pub(crate) size: Option<Size>,
    pub(crate) bytes: Bytes,
}

/// How large a terminal is, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "PascalCase")]
pub(crate) struct Size {
    pub(crate) width: u16,
    pub(crate) height: u16,
}

/// Container of one pod instance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ContainerId {
    pub(crate) namespace: String,
    pub(crate) pod: String,
    /// Of the pod.
    pub(crate) uid: String,
    pub(crate) container: String,
}

/// Event of an exec session, in the order in which it is sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ExecEvent {
    Begin(ContainerId),
    Stdout(Bytes),
    Stderr(Bytes),
    /// With what is to be remembered of the session, in one line.
    End(Ended, String),
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ended {
    /// With this exit code.
    Code(i32),
    /// It was not run, or its exit code is not known, for this reason.
    Error(String),
}

/// Why there is no session, or none any more. Each text is one line that says what to do.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum ExecError {
    #[error(transparent)]
    Subject(#[from] SubjectError),
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    #[error(
        "a command with the request_id {0} was begun before, and none is run twice: look what it did, and use a new id to run it again"
    )]
    Repeated(RequestId),
    #[error("{0}")]
    Input(&'static str),
    #[error(
        "this cluster has no way to tell a command the end of its input: run it without input, or with a terminal"
    )]
    NoEnd,
    #[error(
        "too many commands are run at once in this runtime, or by this user: end some of them, or try again later"
    )]
    Busy,
    #[error(
        "nothing was taken of the output for {0} minutes, so that the session was ended: look what the command did before it is run again"
    )]
    Stuck(u64),
    #[error(
        "nothing came or went for {0} minutes, so that the session was ended: begin another one"
    )]
    Idle(u64),
    #[error(
        "the cluster broke the session off before the command had ended: look what it did before it is run again"
    )]
    Lost,
    #[error("the runtime's app-proxy is being stopped: try again")]
    Draining,
}

/// Commands in the containers of a cluster. Cheap to clone.
#[derive(Clone)]
pub struct Commands {
    subjects: Subjects,
    seats: Arc<StreamLimiter>,
    begun: Cache<(UserId, RequestId), ()>,
    shell: Shell,
}

impl Commands {
    /// In what is found by these. Sessions run on the shell's tasks.
    pub fn new(subjects: Subjects, shell: Shell) -> Self {
        let begun = Cache::builder()
            .max_capacity(REMEMBERED)
            .time_to_live(REMEMBERED_FOR);
        Self {
            subjects,
            seats: Arc::new(StreamLimiter::new(MOST, MOST_OF_ONE)),
            begun: begun.build(),
            shell,
        }
    }

    /// Begins a command. The end of `input` is the end of its input.
    ///
    /// # Errors
    /// See [`ExecError`].
    pub(crate) async fn open<I>(
        &self,
        order: ExecOrder,
        requester: Requester,
        input: I,
    ) -> Result<impl Stream<Item = Result<ExecEvent, ExecError>> + Send + use<I>, ExecError>
    where
        I: Stream<Item = Result<Input, ExecError>> + Send + Unpin + 'static,
    {
        let seat = self.seats.take(&requester.user).ok_or(ExecError::Busy)?;
        let meant = (&order.whose, "");
        let sought = PodQuery::find(&self.subjects, Action::Exec, meant, &requester).await?;
        let place = choose(&sought.all().await?, order.container.as_deref())?;
        self.begin(&order, &requester).await?;
        let resources = &self.subjects.resources;
        let wire = kube::open(resources, &place, &order).await?;
        let (said, taken) = mpsc::channel(WAITING);
        let (ended, end) = oneshot::channel();
        let session = Session::new(self.subjects.clone(), requester, place, said);
        let draining = self.shell.shutdown();
        self.shell.tasks().spawn("command", async move {
            let _seat = seat;
            let end = tokio::select! {
                end = session.run(&order, wire, input) => end,
                () = draining.requested() => Err(EarlyEnd::Failed(ExecError::Draining)),
            };
            if let Err(EarlyEnd::Failed(error)) = end {
                // A receiver that is gone needs no error.
                let _ = ended.send(error);
            }
        });
        let said = stream::unfold(taken, |mut taken| async {
            taken.recv().await.map(|said| (Ok(said), taken))
        });
        let end = stream::once(end).filter_map(async |end| end.ok().map(Err));
        Ok(said.chain(end))
    }

    /// Nothing goes on that was begun before.
    async fn begin(&self, order: &ExecOrder, requester: &Requester) -> Result<(), ExecError> {
        let key = (requester.user.clone(), order.request_id);
        if self.begun.entry(key).or_insert(()).await.is_fresh() {
            Ok(())
        } else {
            Err(ExecError::Repeated(order.request_id))
        }
    }

    /// What the cluster says when it refuses may quote what it was given.
    pub(crate) fn redacted(&self, mut error: ExecError) -> ExecError {
        if let ExecError::Subject(said) = &mut error {
            said.redact(&self.subjects.setup.redactor);
        }
        error
    }
}

impl From<Exit> for Ended {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Code(code) => Self::Code(code),
            Exit::Failed(error) => Self::Error(error),
        }
    }
}
