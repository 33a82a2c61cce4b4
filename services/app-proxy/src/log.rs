//! What pods write, read for a user: whose pods are meant, which of their containers, and their lines in order of each.
//!
//! A reader who takes nothing holds back its own stream and nothing else: it is read from the cluster as fast as it is taken, with
//! one piece of each container in memory, and ends when nothing was taken for a while.

mod kube;
mod lines;
mod position;
mod reading;

use std::{collections::BTreeMap, sync::Arc};

use causeway_shell::Shell;
use futures::{Stream, StreamExt as _, stream};
use jiff::Timestamp;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use crate::{
    pods::{Containers, Pod, PodQuery, PodTarget},
    policy::Action,
    scope::Requester,
    stream_limiter::{StreamLimiter, StreamPermit},
    subject::{SubjectError, Subjects},
};
pub(crate) use lines::{Grep, GrepError, LineMatch, PatternOptions};
pub(crate) use position::{Line, Position};
use reading::{ContainerRun, Follower, ReadEnd};

/// Number of pieces that wait for a reader, whichever container they are of.
const WAITING: usize = 4;
/// Of how many containers at once are read while they are followed.
const MOST_FOLLOWED: usize = 64;
/// Number of streams at once, of all users and of one.
const MOST_STREAMS: usize = 400;
const MOST_STREAMS_OF_ONE: usize = 40;

/// What to read.
#[derive(Debug, Clone)]
pub(crate) struct LogOrder {
    pub(crate) whose: PodTarget,
    /// Labels that the pods have; empty for any.
    pub(crate) selector: String,
    pub(crate) containers: Containers,
    pub(crate) portion: LineRange,
    /// Where reading resumes, by pod and container.
    pub(crate) resume_after: BTreeMap<(String, String), Position>,
    pub(crate) grep: Option<Grep>,
}

/// Range of the lines of a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct LineRange {
    /// True if those count that are written from now on.
    pub(crate) follow: bool,
    /// True if the run before the last restart is meant.
    pub(crate) previous: bool,
    /// True if each begins with its time.
    pub(crate) timestamps: bool,
    /// Milliseconds since 1970.
    pub(crate) since: Option<i64>,
    /// The last ones only.
    pub(crate) tail: Option<i64>,
    /// Those before this time only.
    pub(crate) until: Option<Timestamp>,
    /// True if each is sent with its place.
    pub(crate) positions: bool,
}

impl LineRange {
    /// True if the places of lines must be known.
    pub(crate) fn is_placed(&self) -> bool {
        self.positions || self.until.is_some()
    }
}

/// Event of the log stream, with its container.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogEvent {
    pub(crate) of: Arc<ContainerName>,
    pub(crate) said: LogUpdate,
}

/// Container of a pod.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ContainerName {
    pub(crate) namespace: String,
    pub(crate) pod: String,
    pub(crate) container: String,
}

/// Lines of a container, or its begin or end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LogUpdate {
    Begin {
        containers: usize,
        joined: bool,
    },
    Lines(String),
    Positioned(Vec<Line>),
    /// With the reason, where it was not read to its end.
    End(String),
}

/// Why there are no logs. Each text is one line that says what to do.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum LogError {
    #[error(transparent)]
    Subject(#[from] SubjectError),
    #[error(
        "{0} containers would be followed, and at most {MOST_FOLLOWED} can be: name a resource, a container or a label_selector"
    )]
    Many(usize),
    #[error(
        "too many logs are read at once in this runtime, or by this user: end some of them, or try again later"
    )]
    Busy,
    #[error("nothing was taken from these logs for {0} minutes: they were ended")]
    Stuck(u64),
    #[error("the runtime's app-proxy is being stopped: try again")]
    Draining,
}

/// Logs of a cluster. Cheap to clone.
#[derive(Clone)]
pub struct Logs {
    subjects: Subjects,
    seats: Arc<StreamLimiter>,
    shell: Shell,
}

/// Order of one log stream, for as long as it lasts.
struct LogQuery {
    logs: Logs,
    order: LogOrder,
    sought: PodQuery,
}

impl Logs {
    /// Of what is found by these. Streams run on the shell's tasks.
    pub fn new(subjects: Subjects, shell: Shell) -> Self {
        Self {
            subjects,
            seats: Arc::new(StreamLimiter::new(MOST_STREAMS, MOST_STREAMS_OF_ONE)),
            shell,
        }
    }

    /// Begins to read.
    ///
    /// # Errors
    /// See [`LogError`].
    pub(crate) async fn open(
        &self,
        order: LogOrder,
        requester: Requester,
    ) -> Result<impl Stream<Item = Result<LogEvent, LogError>> + Send + use<>, LogError> {
        let seat = self.seats.take(&requester.user).ok_or(LogError::Busy)?;
        let meant = (&order.whose, order.selector.as_str());
        let sought = PodQuery::find(&self.subjects, Action::Logs, meant, &requester).await?;
        let question = LogQuery {
            logs: self.clone(),
            order,
            sought,
        };
        let pods = question.sought.all().await?;
        let count = pods.iter().map(|pod| question.sources(pod).len()).sum();
        if question.order.portion.follow && count > MOST_FOLLOWED {
            return Err(LogError::Many(count));
        }
        Ok(self.run(question, pods, seat))
    }

    fn run(
        &self,
        question: LogQuery,
        pods: Vec<Value>,
        seat: StreamPermit,
    ) -> impl Stream<Item = Result<LogEvent, LogError>> + Send + use<> {
        let (pieces, taken) = mpsc::channel(WAITING);
        let (ended, end) = oneshot::channel();
        let draining = self.shell.shutdown();
        let streaming = async move {
            let _seat = seat;
            let gone = pieces.clone();
            let work = async {
                if question.order.portion.follow {
                    Follower::new(question, pieces).run(pods).await
                } else {
                    question.read_through(&pods, &pieces).await
                }
            };
            let end = tokio::select! {
                end = work => end,
                () = draining.requested() => Err(ReadEnd::Failed(LogError::Draining)),
                () = gone.closed() => Err(ReadEnd::Left),
            };
            if let Err(ReadEnd::Failed(error)) = end {
                // A receiver that is gone needs no error.
                let _ = ended.send(error);
            }
        };
        let streaming = causeway_shell::with_current_trace(streaming);
        self.shell.tasks().spawn("log stream", streaming);
        let pieces = stream::unfold(taken, |mut taken| async {
            taken.recv().await.map(|piece| (Ok(piece), taken))
        });
        let end = stream::once(end).filter_map(async |end| end.ok().map(Err));
        pieces.chain(end)
    }

    /// What the cluster says when it refuses may quote what it was given.
    pub(crate) fn redacted(&self, mut error: LogError) -> LogError {
        let redactor = &self.subjects.setup.redactor;
        if let LogError::Subject(said) = &mut error {
            said.redact(redactor);
        }
        error
    }
}

impl LogQuery {
    /// What is read of a pod.
    fn sources(&self, pod: &Value) -> Vec<ContainerRun> {
        let pod = Pod::read(pod);
        let meant = pod.meant(&self.order.containers).cloned();
        meant
            .map(|container| ContainerRun::new(&pod, container))
            .collect()
    }
}
